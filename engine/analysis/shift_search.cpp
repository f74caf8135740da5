#include "engine/analysis/shift_search.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace vq {
namespace {

constexpr double kScale = 1024;        // of a value that is one standard deviation
constexpr double kLeastContrast = 32;  // sixteenths of a level
// Sixteenths of a level, squared: what coding makes of a cell, and more than rounding does (1/6). An encoder
// lets pictures stand still that drift by less than it sees, so that a frame of the encode may look like an
// earlier one of the master.
constexpr double kCodingNoise = 16;
// A change of shift must pay for as many frames of the usual difference. Fewer find changes that are none in
// noise, more miss frames dropped close to each other.
constexpr double kChangePenalty = 8;
constexpr double kPlainRatio = 2;

using CellSums = std::array<double, kSignatureCells>;

int32_t dot(const Pattern& a, const Pattern& b) {
  int32_t sum = 0;
  for (size_t k = 0; k < kSignatureCells; ++k) sum += int32_t{a.values[k]} * b.values[k];
  return sum;
}

// The place of the least, of equal ones of that nearest to the middle.
size_t least_of(const std::vector<double>& values) {
  const size_t middle = values.size() / 2;
  size_t least = middle;
  for (size_t distance = 1; distance <= middle; ++distance) {
    for (const size_t i : {middle - distance, middle + distance}) {
      if (values[i] < values[least]) least = i;
    }
  }
  return least;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The squared difference of the levels, in sixteenths of a level. The values of a pattern add up to nothing.
double difference_of_levels(const Pattern& a, const Pattern& b) {
  const double brightness = a.mean - b.mean;
  return kSignatureCells * brightness * brightness + a.square / (a.unit * a.unit) +
         b.square / (b.unit * b.unit) - 2.0 * dot(a, b) / (a.unit * b.unit);
}

// Sums of each cell over the first n frames.
std::vector<CellSums> prefix_sums(const PatternRun& run) {
  std::vector<CellSums> sums(run.frames.size() + 1);
  for (size_t i = 0; i < run.frames.size(); ++i) {
    for (size_t k = 0; k < kSignatureCells; ++k) sums[i + 1][k] = sums[i][k] + run.frames[i].values[k];
  }
  return sums;
}

double variance_of(const PatternRun& run) {
  const CellSums sums = prefix_sums(run).back();
  const double count = static_cast<double>(run.frames.size());
  double squares = 0, of_means = 0;
  for (const Pattern& pattern : run.frames) squares += pattern.square;
  for (const double sum : sums) of_means += sum * sum;
  return squares / count - of_means / (count * count);
}

class Block {
 public:
  Block(const PatternRun& reference, const PatternRun& distorted, int window)
      : reference_(reference),
        distorted_(distorted),
        window_(window),
        shifts_(static_cast<size_t>(2 * window + 1)),
        costs_(distorted.frames.size() * shifts_, kNone),
        typical_(distorted.frames.size()) {
    fill_costs();
  }

  BlockShifts search() {
    BlockShifts result;
    for (const Pattern& pattern : distorted_.frames) noise_ += pattern.noise;
    const double count = static_cast<double>(distorted_.frames.size());
    noise_ /= count;
    find_errors(result);
    result.variance = count * (variance_of(reference_) + variance_of(distorted_) + noise_);
    best_ = least_of(result.errors);
    take_constant_part(best_, is_plain(result.errors));
    find_path();
    drop_weak_parts();
    for (const size_t s : path_) result.path.push_back(static_cast<int>(s) - window_);
    for (size_t t = 0; t < path_.size(); ++t) result.path_error += cost(t, path_[t]) + noise_;
    result.is_decided = is_decided(result.errors);
    compare_pictures(result);
    compare_with_own(result);
    return result;
  }

 private:
  static constexpr double kNone = -1;

  double& cost(size_t t, size_t s) { return costs_[t * shifts_ + s]; }
  const Pattern& frame(size_t t) const { return distorted_.frames[t]; }
  int64_t counterpart(size_t t, size_t s) const {
    return distorted_.first + static_cast<int64_t>(t) - (static_cast<int64_t>(s) - window_);
  }
  bool has_counterpart(size_t t, size_t s) const {
    const int64_t number = counterpart(t, s);
    return frame(t).is_present && number >= reference_.first && number < reference_.end() &&
           reference_.at(number).is_present;
  }

  bool is_paired(size_t t, size_t s) const { return raw_[t * shifts_ + s] != kNone; }

  // Squared differences, and for each frame their mean over all shifts.
  void fill_costs() {
    for (size_t t = 0; t < distorted_.frames.size(); ++t) {
      double sum = 0;
      int count = 0;
      for (size_t s = 0; s < shifts_; ++s) {
        if (!has_counterpart(t, s)) continue;
        const Pattern& other = reference_.at(counterpart(t, s));
        cost(t, s) = difference(frame(t), other);
        sum += cost(t, s);
        ++count;
      }
      typical_[t] = count > 0 ? sum / count : 0;
    }
  }

  // The part of the differences of a shift that is the same in all frames, as a mean for each cell.
  CellSums constant_part(size_t s, const std::vector<CellSums>& sums,
                         const std::vector<CellSums>& reference_sums) const {
    CellSums part = {};
    const int64_t shift = static_cast<int64_t>(s) - window_;
    const int64_t first = std::max(distorted_.first, reference_.first + shift);
    const int64_t end = std::min(distorted_.end(), reference_.end() + shift);
    if (first >= end) return part;
    const auto index = [](int64_t number, const PatternRun& run) {
      return static_cast<size_t>(number - run.first);
    };
    const CellSums &from = sums[index(first, distorted_)], &to = sums[index(end, distorted_)];
    const CellSums &reference_from = reference_sums[index(first - shift, reference_)],
                   &reference_to = reference_sums[index(end - shift, reference_)];
    for (size_t k = 0; k < kSignatureCells; ++k) {
      part[k] =
          ((to[k] - from[k]) - (reference_to[k] - reference_from[k])) / static_cast<double>(end - first);
    }
    return part;
  }

  // The error of a frame with a shift; only the sum over all frames is sure not to be negative.
  double error_of(size_t t, size_t s) const {
    const double raw = raw_[t * shifts_ + s];
    return raw != kNone ? raw - constants_[s] : by_chance_[t];
  }

  void find_errors(BlockShifts& result) {
    const std::vector<CellSums> sums = prefix_sums(distorted_), reference_sums = prefix_sums(reference_);
    constants_.resize(shifts_);
    double mean_constant = 0;
    for (size_t s = 0; s < shifts_; ++s) {
      const CellSums part = constant_part(s, sums, reference_sums);
      constants_[s] = std::inner_product(part.begin(), part.end(), part.begin(), 0.0);
      mean_constant += constants_[s] / static_cast<double>(shifts_);
    }
    raw_ = costs_;
    for (const double typical : typical_) by_chance_.push_back(std::max(0.0, typical - mean_constant));
    std::vector<double> sums_of_shifts(shifts_);
    for (size_t t = 0; t < distorted_.frames.size(); ++t) {
      for (size_t s = 0; s < shifts_; ++s) sums_of_shifts[s] += error_of(t, s);
    }
    for (const double sum : sums_of_shifts) {
      result.errors.push_back(std::max(0.0, sum) + noise_ * static_cast<double>(distorted_.frames.size()));
    }
  }

  // Whether every other shift has at least twice the error of the best.
  bool is_plain(const std::vector<double>& errors) const {
    const auto is_near = [&](const double& error) {
      return static_cast<size_t>(&error - errors.data()) != best_ && error < kPlainRatio * errors[best_];
    };
    return std::ranges::none_of(errors, is_near);
  }

  // From all differences that of the best shift, so that the frames alone tell which shift is theirs; not if
  // no shift fits the whole block.
  void take_constant_part(size_t best, bool is_plain) {
    if (is_plain) constant_ = constant_part(best, prefix_sums(distorted_), prefix_sums(reference_));
    const double square = std::inner_product(constant_.begin(), constant_.end(), constant_.begin(), 0.0);
    const auto along = [&](const Pattern& pattern) {
      return std::inner_product(constant_.begin(), constant_.end(), pattern.values.begin(), 0.0);
    };
    std::vector<double> of_reference;
    for (const Pattern& pattern : reference_.frames) of_reference.push_back(along(pattern));
    for (size_t t = 0; t < distorted_.frames.size(); ++t) {
      const double own = along(frame(t));
      double sum = 0, least = std::numeric_limits<double>::max();
      int count = 0;
      for (size_t s = 0; s < shifts_; ++s) {
        if (cost(t, s) == kNone) continue;
        const double other = of_reference[static_cast<size_t>(counterpart(t, s) - reference_.first)];
        cost(t, s) = std::max(0.0, cost(t, s) - 2 * (own - other) + square);
        sum += cost(t, s);
        least = std::min(least, cost(t, s));
        ++count;
      }
      typical_[t] = count > 0 ? sum / count : 0;
      // A frame without a counterpart speaks against no shift; see also path_cost().
      for (size_t s = 0; s < shifts_; ++s) {
        if (cost(t, s) == kNone) cost(t, s) = count > 0 ? least : 0;
      }
    }
  }

  void find_usual() {
    std::vector<double> least;
    for (size_t t = 0; t < distorted_.frames.size(); ++t) {
      const auto row = costs_.begin() + static_cast<ptrdiff_t>(t * shifts_);
      least.push_back(*std::min_element(row, row + static_cast<ptrdiff_t>(shifts_)));
    }
    usual_ = median(least) + noise_;
  }

  // Among shifts that agree about as well the one with counterparts wins, even if it must change every few
  // frames.
  double path_cost(size_t t, size_t s) {
    return cost(t, s) + (is_paired(t, s) ? 0 : kChangePenalty / 2 * usual_);
  }

  // Viterbi's algorithm. Every change costs the same, so that only the best of the frame before is asked.
  void find_path() {
    const size_t count = distorted_.frames.size();
    find_usual();
    const double change = kChangePenalty * usual_;
    std::vector<double> totals(shifts_);
    for (size_t s = 0; s < shifts_; ++s) totals[s] = path_cost(0, s);
    std::vector<size_t> best(count);
    std::vector<char> stays(count * shifts_, 1);
    for (size_t t = 1; t < count; ++t) {
      best[t - 1] = least_of(totals);
      const double moved = totals[best[t - 1]] + change;
      for (size_t s = 0; s < shifts_; ++s) {
        stays[t * shifts_ + s] = totals[s] <= moved ? 1 : 0;
        totals[s] = std::min(totals[s], moved) + path_cost(t, s);
      }
    }
    path_.assign(count, least_of(totals));
    for (size_t t = count - 1; t > 0; --t) {
      path_[t - 1] = stays[t * shifts_ + path_[t]] != 0 ? path_[t] : best[t - 1];
    }
  }

  struct Part {
    size_t first, end, shift;
  };
  std::vector<Part> parts() const {
    std::vector<Part> all;
    for (size_t t = 0; t < path_.size(); ++t) {
      if (t == 0 || path_[t] != path_[t - 1]) all.push_back({t, t, path_[t]});
      all.back().end = t + 1;
    }
    return all;
  }
  double sum_of(const Part& part, size_t shift) {
    double sum = 0;
    for (size_t t = part.first; t < part.end; ++t) sum += cost(t, shift) + noise_;
    return sum;
  }

  double difference_of(const Part& part, size_t shift) const {
    double sum = 0;
    for (size_t t = part.first; t < part.end; ++t) {
      sum += has_counterpart(t, shift) ? difference(frame(t), reference_.at(counterpart(t, shift)))
                                       : typical_[t];
    }
    return sum;
  }

  // How much nearer the levels as they are come with the other shift, over the frames that have counterparts
  // with both.
  double lead_in_levels(const Part& part, size_t other) const {
    double lead = 0;
    for (size_t t = part.first; t < part.end; ++t) {
      if (!has_counterpart(t, other) || !has_counterpart(t, part.shift)) continue;
      lead += difference_of_levels(frame(t), reference_.at(counterpart(t, part.shift))) -
              difference_of_levels(frame(t), reference_.at(counterpart(t, other)));
    }
    return lead;
  }

  // Whether another shift fits the part about as well as its own.
  bool fits_as_well(const Part& part, size_t other) {
    if (sum_of(part, other) < kPlainRatio * sum_of(part, part.shift)) return true;
    // At the dark end of a fade patterns are hardly more than what coding did, while brightness tells.
    if (lead_in_levels(part, other) > 0) return true;
    // The part that is the same in all frames must not decide.
    return difference_of(part, other) < difference_of(part, part.shift);
  }

  // The same of the shift that is expected, if a frame without a counterpart speaks for nothing.
  bool may_be_expected(const Part& part) {
    const auto expected = static_cast<size_t>(window_);
    if (part.shift == expected) return false;
    size_t paired = 0;
    for (size_t t = part.first; t < part.end; ++t) paired += is_paired(t, expected) ? 1 : 0;
    return 2 * paired >= part.end - part.first && fits_as_well(part, expected);
  }

  // In pictures that hardly move every shift fits.
  bool is_decided(const std::vector<double>& errors) const {
    if (std::ranges::any_of(path_, [&](size_t s) { return s != path_.front(); })) return true;
    return median(errors) >= kPlainRatio * errors[path_.front()];
  }

  // Whether its frames differ from their counterparts about as all do.
  bool matches(const Part& part) {
    double sum = 0, count = 0;
    for (size_t t = part.first; t < part.end; ++t) {
      if (!is_paired(t, part.shift)) continue;
      sum += cost(t, part.shift) + noise_;
      ++count;
    }
    return sum <= kChangePenalty / 2 * usual_ * count;
  }

  bool is_weak(const std::vector<Part>& all, size_t i) {
    if (may_be_expected(all[i])) return true;
    for (const size_t other : {i - 1, i + 1}) {
      if (other < all.size() && fits_as_well(all[i], all[other].shift)) return true;
    }
    // Frames that match nothing are no sign of a change.
    return all.size() > 1 && !matches(all[i]);
  }

  // Parts whose own shift is not plainly better than a neighbour's are shared out between the nearest others.
  void drop_weak_parts() {
    const std::vector<Part> all = parts();
    std::vector<Part> strong;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!is_weak(all, i)) strong.push_back(all[i]);
    }
    if (strong.empty()) {
      const bool is_as_expected = may_be_expected({0, path_.size(), best_});
      return path_.assign(path_.size(), is_as_expected ? static_cast<size_t>(window_) : best_);
    }
    strong.front().first = 0;
    for (size_t i = 0; i < strong.size(); ++i) {
      const size_t end = i + 1 < strong.size() ? boundary(strong[i], strong[i + 1]) : path_.size();
      std::fill(path_.begin() + static_cast<ptrdiff_t>(strong[i].first),
                path_.begin() + static_cast<ptrdiff_t>(end), strong[i].shift);
      if (i + 1 < strong.size()) strong[i + 1].first = end;
    }
  }

  // Where one shift best gives way to the other, between the end of one part and the beginning of the next.
  size_t boundary(const Part& before, const Part& after) {
    size_t best = before.end;
    double sum = 0, least = 0;
    for (size_t t = before.end; t < after.first; ++t) {
      sum += cost(t, before.shift) - cost(t, after.shift);
      if (sum < least) {
        least = sum;
        best = t + 1;
      }
    }
    return best;
  }

  void compare_with_own(BlockShifts& result) const {
    struct Sums {
      size_t frames = 0;
      double other = 0, own = 0;
      void add(double error, double own_error) {
        ++frames;
        other += error;
        own += own_error;
      }
    };
    std::vector<Sums> of_both(shifts_),
        of_either(shifts_);  // frames that have a counterpart with both, with one at least
    const size_t own = path_.front();
    for (size_t t = 0; t < path_.size(); ++t) {
      const bool has_own = is_paired(t, own);
      const double own_error = error_of(t, own) + noise_;
      for (size_t s = 0; s < shifts_; ++s) {
        const bool has_other = is_paired(t, s);
        if (!has_own && !has_other) continue;
        const double error = error_of(t, s) + noise_;
        of_either[s].add(error, own_error);
        if (has_own && has_other) of_both[s].add(error, own_error);
      }
    }
    for (size_t s = 0; s < shifts_; ++s) {
      const Sums& sums = 2 * of_both[s].frames >= path_.size() ? of_both[s] : of_either[s];
      result.compared.push_back(std::max(0.0, sums.other));
      result.own.push_back(std::max(0.0, sums.own));
    }
  }

  // With the constant part: it is what other pictures differ in.
  void compare_pictures(BlockShifts& result) const {
    for (size_t t = 0; t < path_.size(); ++t) {
      if (!has_counterpart(t, path_[t])) continue;
      result.unlikeness += difference(frame(t), reference_.at(counterpart(t, path_[t]))) /
                           (2 * kSignatureCells * kScale * kScale);
      ++result.frames;
    }
  }

  const PatternRun reference_, distorted_;
  const int window_;
  const size_t shifts_;
  std::vector<double> costs_;      // for each frame those of all shifts; kNone if there is no counterpart
  std::vector<double> typical_;    // of each frame
  std::vector<double> raw_;        // the costs before anything was taken from them
  std::vector<double> constants_;  // what of them is the same in all frames, for each shift
  std::vector<double> by_chance_;  // the same without what is constant over all frames
  CellSums constant_ = {};
  double noise_ = 0;
  double usual_ = 0;  // difference of a frame and its counterpart
  size_t best_ = 0;   // the shift with the least error
  std::vector<size_t> path_;
};

}  // namespace

Pattern pattern_of(const Signature& signature) {
  double sum = 0, squares = 0;
  for (const uint16_t level : signature.levels) {
    sum += level;
    squares += double{1} * level * level;
  }
  const double mean = sum / kSignatureCells;
  const double deviation = std::sqrt(std::max(0.0, squares / kSignatureCells - mean * mean));
  const double unit = kScale / std::max(deviation, kLeastContrast);
  Pattern pattern{.mean = mean, .unit = unit};
  for (size_t k = 0; k < kSignatureCells; ++k) {
    pattern.values[k] = static_cast<int16_t>(std::lround((signature.levels[k] - mean) * unit));
  }
  pattern.square = dot(pattern, pattern);
  pattern.noise = kSignatureCells * kCodingNoise * unit * unit;
  pattern.is_present = deviation >= kLeastContrast;
  return pattern;
}

double difference(const Pattern& a, const Pattern& b) {
  return static_cast<double>(int64_t{a.square} + b.square - 2 * int64_t{dot(a, b)});
}

BlockShifts search_block(const PatternRun& reference, const PatternRun& distorted, int window) {
  return Block(reference, distorted, window).search();
}

}  // namespace vq
