#include "engine/certainty.h"

#include <cmath>

#include "core/error.h"

namespace vq {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// The high 64 bits of the product.
uint64_t high_product(uint64_t a, uint64_t b) {
  constexpr uint64_t kLow = 0xFFFFFFFF;
  const uint64_t a0 = a & kLow, a1 = a >> 32, b0 = b & kLow, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & kLow)) >> 32);
}

// The frames of slices not yet drawn, as a Fenwick tree.
class LeftFrames {
 public:
  explicit LeftFrames(std::span<const int64_t> lengths) : tree_(lengths.size() + 1) {
    for (size_t i = 0; i < lengths.size(); ++i) add(i, lengths[i]);
    while (top_ * 2 <= lengths.size()) top_ *= 2;
  }

  void add(size_t slice, int64_t frames) {
    for (size_t i = slice + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += frames;
  }
  // The slice of that frame, if those that are left stand in the order of the film.
  size_t slice_of(int64_t frame) const {
    size_t at = 0;
    for (size_t step = top_; step > 0; step /= 2) {
      if (at + step >= tree_.size() || tree_[at + step] > frame) continue;
      at += step;
      frame -= tree_[at];
    }
    return at;
  }

 private:
  std::vector<int64_t> tree_;
  size_t top_ = 1;
};

// Shares of the wealth that are put on a claim, and how much of the wealth begins on each. All are exact.
constexpr std::array kShares = {1.0,      15.0 / 16, 0.75,     0.5,       0.25,      0.125,
                                1.0 / 16, 1.0 / 32,  1.0 / 64, 1.0 / 128, 1.0 / 256, 1.0 / 512};
constexpr std::array kWeights = {16.0 / 64, 6.0 / 64, 8.0 / 64, 8.0 / 64, 7.0 / 64, 6.0 / 64,
                                 4.0 / 64,  3.0 / 64, 2.0 / 64, 2.0 / 64, 1.0 / 64, 1.0 / 64};
// A total is raised by this share of itself, which is more than all rounding of sums.
constexpr double kGuard = 0x1p-30;

// The places, from 0 in sorted scores, between which a percentile lies, as percentile() interpolates.
struct Ranks {
  int64_t below = 0;
  int64_t needed = 0;  // number of frames below a value that put the percentile below it
};
Ranks ranks_of(double percentile, int64_t frames) {
  const double position = percentile / 100.0 * static_cast<double>(frames - 1);
  const auto below = static_cast<int64_t>(position);
  const bool is_rank = position == static_cast<double>(below);
  return {below, is_rank ? below + 1 : std::min(below + 2, frames)};
}

bool is_share_in(const SampledStatistic& statistic, double score) {
  return statistic.is_share_below ? score <= statistic.level : score >= statistic.level;
}

// The smallest count of frames whose share is above the value, or at it; one more than there are if none is.
int64_t least_count(double value, bool at_least, int64_t frames) {
  int64_t low = -1, high = frames + 1;
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    const double share = static_cast<double>(middle) / static_cast<double>(frames);
    (at_least ? share >= value : share > value) ? high = middle : low = middle;
  }
  return high;
}

template <typename Y>
double sum_of(std::span<const double> scores, const Y& y) {
  double sum = 0;
  for (const double score : scores) sum += y(score);
  return sum;
}

using SummedSlices = std::span<const SummedSlice>;

// Bets on the mean, or on the number of frames, of a film of which these slices were seen.
struct Bets {
  int64_t frames = 0;
  double limit = 0;

  // Whether the total of y surely exceeds this one.
  bool exceeds(double total, SummedSlices seen) const {
    Excess test(frames, total, limit);
    for (const SummedSlice& slice : seen) {
      test.add(slice.frames, slice.y);
      if (test.is_proved()) return true;
    }
    return test.is_proved();
  }
  // The largest of the means tried, from 0 to `most`, that the mean of y surely exceeds.
  double largest_mean(double most, SummedSlices seen) const {
    constexpr int kHalvings = 48;
    double low = 0, high = most;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = low + (high - low) / 2;
      exceeds(static_cast<double>(frames) * middle, seen) ? low = middle : high = middle;
    }
    return low;
  }
  // The largest number that the total of y, which is whole, surely reaches.
  int64_t largest_count(SummedSlices seen) const {
    int64_t low = 0, high = frames + 1;
    while (high - low > 1) {
      const int64_t middle = (low + high) / 2;
      exceeds(static_cast<double>(middle - 1), seen) ? low = middle : high = middle;
    }
    return low;
  }
};

bool has_harmonic_mean(const ScoreEnds& range) { return range.low > -1 && range.low < kInfinity; }

}  // namespace

uint64_t split_mix(uint64_t seed, uint64_t i) { return mixed(seed + (i + 1) * 0x9E3779B97F4A7C15); }

void SeedHash::absorb(uint64_t word) { value_ = mixed(value_ ^ word); }

std::vector<size_t> drawing_order(uint64_t seed, std::span<const int64_t> lengths) {
  LeftFrames left(lengths);
  uint64_t frames = 0;
  for (const int64_t length : lengths) frames += static_cast<uint64_t>(length);
  std::vector<size_t> order;
  order.reserve(lengths.size());
  for (uint64_t draw = 0; draw < lengths.size(); ++draw) {
    const size_t slice = left.slice_of(static_cast<int64_t>(high_product(split_mix(seed, draw), frames)));
    order.push_back(slice);
    left.add(slice, -lengths[slice]);
    frames -= static_cast<uint64_t>(lengths[slice]);
  }
  return order;
}

Excess::Excess(int64_t frames, double total, double limit)
    : frames_(static_cast<double>(frames)),
      total_(total + total * kGuard),
      limit_(limit),
      wealth_(kWeights),
      is_proved_(total < 0) {}

// Under "total = total_" the frames not yet drawn have the mean below, and the next slice has it in
// expectation. Bets on more than that win nothing in the mean, so the wealth reaches `limit` times what it
// began with in one of `limit` films.
void Excess::add(int64_t frames, double y) {
  if (is_proved_) return;
  if (total_ < seen_ + y) {  // the rest is at least 0
    is_proved_ = true;
    return;
  }
  const double mean = (total_ - seen_) / (frames_ - seen_frames_);
  if (mean > 0) {
    const double ratio = y / static_cast<double>(frames) / mean;
    double evidence = 0;
    for (size_t i = 0; i < kBets; ++i) {
      wealth_[i] *= (1.0 - kShares[i]) + kShares[i] * ratio;
      evidence += wealth_[i];
    }
    evidence_ = evidence;
    is_proved_ = evidence >= limit_;
  }
  seen_ += y;
  seen_frames_ += static_cast<double>(frames);
}

int64_t claims_of(const CertaintyRequest& request) {
  std::vector<SampledStatistic> different;
  const auto add = [&](const SampledStatistic& statistic) {
    if (std::ranges::find(different, statistic) == different.end()) different.push_back(statistic);
  };
  for (const SampledStatistic& statistic : request.statistics) add(statistic);
  for (const SampledThreshold& threshold : request.thresholds) add(threshold.statistic);
  return static_cast<int64_t>(different.size());
}

Certainty::Certainty(CertaintyRequest request, std::optional<int64_t> claims)
    : request_(std::move(request)),
      limit_(2.0 * static_cast<double>(claims.value_or(claims_of(request_))) / request_.risk),
      verdicts_(request_.thresholds.size()),
      decided_after_(request_.thresholds.size()),
      intervals_(request_.statistics.size()),
      scores_(request_.ranges.size()),
      slice_begins_(request_.ranges.size(), std::vector<size_t>{0}) {
  for (const SampledThreshold& threshold : request_.thresholds) tests_.push_back(test_of(threshold));
}

Certainty::Test Certainty::test_of(const SampledThreshold& threshold) const {
  using Kind = SampledStatistic::Kind;
  const SampledStatistic& statistic = threshold.statistic;
  Test test{statistic.metric, threshold, {}, {}};
  const ScoreEnds& range = request_.ranges.at(statistic.metric);
  const auto frames = static_cast<double>(request_.frames);
  const bool at_least = threshold.from_below != threshold.inclusive;  // up: at the value, or above it
  const auto claim = [&](std::optional<Excess>& side, double total) {
    side.emplace(request_.frames, total, limit_);
  };
  switch (statistic.kind) {
    case Kind::kMean:
      if (range.low > -kInfinity) claim(test.up, frames * (threshold.value - range.low));
      if (range.high < kInfinity) claim(test.down, frames * (range.high - threshold.value));
      break;
    case Kind::kHarmonicMean:
      if (!has_harmonic_mean(range)) break;
      if (threshold.value > -1) {
        claim(test.up, frames * (1.0 / (range.low + 1.0) - 1.0 / (threshold.value + 1.0)));
        claim(test.down, frames * (1.0 / (threshold.value + 1.0)));
      } else {
        claim(test.up, -kInfinity);
      }
      break;
    case Kind::kPercentile: {
      const Ranks ranks = ranks_of(statistic.percentile, request_.frames);
      claim(test.up, static_cast<double>(request_.frames - ranks.below - 1));
      claim(test.down, static_cast<double>(ranks.needed - 1));
      break;
    }
    case Kind::kShare: {
      const int64_t count = least_count(threshold.value, at_least, request_.frames);
      claim(test.up, static_cast<double>(count - 1));
      claim(test.down, static_cast<double>(request_.frames - count));
      break;
    }
  }
  return test;
}

void Certainty::add(Test& test, int64_t frames, std::span<const double> scores) const {
  using Kind = SampledStatistic::Kind;
  const SampledStatistic& statistic = test.threshold.statistic;
  const ScoreEnds& range = request_.ranges[test.metric];
  const double value = test.threshold.value;
  const bool at_least = test.threshold.from_below != test.threshold.inclusive;
  const auto add_sums = [&](const auto& up, const auto& down) {
    if (test.up) test.up->add(frames, sum_of(scores, up));
    if (test.down) test.down->add(frames, sum_of(scores, down));
  };
  const auto add_counts = [&](const auto& is_up) {
    add_sums([&](double score) { return is_up(score) ? 1.0 : 0.0; },
             [&](double score) { return is_up(score) ? 0.0 : 1.0; });
  };
  switch (statistic.kind) {
    case Kind::kMean:
      return add_sums([&](double score) { return score - range.low; },
                      [&](double score) { return range.high - score; });
    case Kind::kHarmonicMean:
      return add_sums([&](double score) { return 1.0 / (range.low + 1.0) - 1.0 / (score + 1.0); },
                      [](double score) { return 1.0 / (score + 1.0); });
    case Kind::kPercentile:
      return add_counts([&](double score) { return at_least ? score >= value : score > value; });
    case Kind::kShare:
      return add_counts([&](double score) { return is_share_in(statistic, score); });
  }
}

// Whether the scores are such as the bounds need.
void Certainty::look_at(std::span<const std::vector<double>> scores) {
  for (size_t metric = 0; metric < scores.size(); ++metric) {
    const ScoreEnds& range = request_.ranges[metric];
    for (const double score : scores[metric]) {
      if (std::isnan(score)) is_missing_ = true;
      if (score < range.low || score > range.high) is_out_of_range_ = true;
    }
  }
}

void Certainty::add(int64_t frames, std::span<const std::vector<double>> scores) {
  look_at(scores);
  seen_frames_ += frames;
  const auto decide = [&](size_t i, SampledVerdict verdict) {
    verdicts_[i] = verdict;
    decided_after_[i] = seen_frames_;
  };
  for (size_t i = 0; i < tests_.size(); ++i) {
    if (verdicts_[i] != SampledVerdict::kOpen) continue;
    if (is_missing_) decide(i, SampledVerdict::kCrossed);
    if (is_missing_ || is_out_of_range_) continue;
    Test& test = tests_[i];
    add(test, frames, scores[test.metric]);
    const bool is_up = test.up && test.up->is_proved(), is_down = test.down && test.down->is_proved();
    // Both cannot be true; if chance proves both at once, "up" stands.
    if (!is_up && !is_down) continue;
    decide(i, is_up == test.threshold.from_below ? SampledVerdict::kKept : SampledVerdict::kCrossed);
  }
  lengths_.push_back(frames);
  for (size_t metric = 0; metric < scores_.size(); ++metric) {
    scores_[metric].insert(scores_[metric].end(), scores[metric].begin(), scores[metric].end());
    slice_begins_[metric].push_back(scores_[metric].size());
  }
}

bool Certainty::is_decided() const {
  return std::ranges::find(verdicts_, SampledVerdict::kOpen) == verdicts_.end();
}

double Certainty::least_evidence() const {
  double least = limit_;
  for (size_t i = 0; i < tests_.size(); ++i) {
    if (verdicts_[i] != SampledVerdict::kOpen) continue;
    const auto evidence = [](const std::optional<Excess>& side) { return side ? side->evidence() : 0; };
    least = std::min(least, std::max(evidence(tests_[i].up), evidence(tests_[i].down)));
  }
  return least;
}

// Intervals: the values up to which a claim is proved. Evidence falls as the total rises, so a claim that was
// proved at some time for one value is for all smaller ones.

template <typename Y>
std::vector<SummedSlice> Certainty::summed(size_t metric, const Y& y) const {
  std::vector<SummedSlice> sums;
  sums.reserve(lengths_.size());
  const std::vector<size_t>& begins = slice_begins_[metric];
  for (size_t i = 0; i < lengths_.size(); ++i) {
    const auto slice = std::span(scores_[metric]).subspan(begins[i], begins[i + 1] - begins[i]);
    sums.push_back({lengths_[i], sum_of(slice, y)});
  }
  return sums;
}

Interval Certainty::mean_interval(const SampledStatistic& statistic) const {
  const Bets bets{request_.frames, limit_};
  const ScoreEnds& range = request_.ranges[statistic.metric];
  const bool is_bounded = range.low > -kInfinity && range.high < kInfinity;
  // The most that a mean is tried at: of an unbounded side the largest that was seen.
  const auto most = [&](std::span<const SummedSlice> seen) {
    if (is_bounded) return range.high - range.low;
    double largest = 0;
    for (const SummedSlice& slice : seen)
      largest = std::max(largest, slice.y / static_cast<double>(slice.frames));
    return largest;
  };
  Interval found;
  if (range.low > -kInfinity) {
    const auto seen = summed(statistic.metric, [&](double score) { return score - range.low; });
    if (std::isinf(most(seen))) return {kInfinity, kInfinity};
    found.low = range.low + bets.largest_mean(most(seen), seen);
  }
  if (range.high < kInfinity) {
    const auto seen = summed(statistic.metric, [&](double score) { return range.high - score; });
    found.high = range.high - bets.largest_mean(most(seen), seen);
  }
  return found;
}

Interval Certainty::harmonic_interval(const SampledStatistic& statistic) const {
  const Bets bets{request_.frames, limit_};
  const ScoreEnds& range = request_.ranges[statistic.metric];
  if (!has_harmonic_mean(range)) return {};
  const double top = 1.0 / (range.low + 1.0);
  const auto above = summed(statistic.metric, [&](double score) { return top - 1.0 / (score + 1.0); });
  const auto below = summed(statistic.metric, [](double score) { return 1.0 / (score + 1.0); });
  const double most = top - bets.largest_mean(top, above), least = bets.largest_mean(top, below);
  return {1.0 / most - 1.0, least > 0 ? std::min(1.0 / least - 1.0, range.high) : range.high};
}

Interval Certainty::share_interval(const SampledStatistic& statistic) const {
  const Bets bets{request_.frames, limit_};
  const auto count = [&](bool is_in) {
    return bets.largest_count(summed(
        statistic.metric, [&](double score) { return is_share_in(statistic, score) == is_in ? 1.0 : 0.0; }));
  };
  const auto frames = static_cast<double>(request_.frames);
  return {static_cast<double>(count(true)) / frames,
          static_cast<double>(request_.frames - count(false)) / frames};
}

// The ends are scores that were seen, or those of the metric's range.
Interval Certainty::percentile_interval(const SampledStatistic& statistic) const {
  const Bets bets{request_.frames, limit_};
  const Ranks ranks = ranks_of(statistic.percentile, request_.frames);
  std::vector<double> values = scores_[statistic.metric];
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto is_proved = [&](double total, const auto& is_in) {
    return bets.exceeds(total,
                        summed(statistic.metric, [&](double score) { return is_in(score) ? 1.0 : 0.0; }));
  };
  const auto is_at_least = [&](double value) {
    return is_proved(static_cast<double>(request_.frames - ranks.below - 1),
                     [value](double score) { return score >= value; });
  };
  const auto is_not_at_most = [&](double value) {
    return !is_proved(static_cast<double>(ranks.needed - 1),
                      [value](double score) { return score <= value; });
  };
  const ScoreEnds& range = request_.ranges[statistic.metric];
  const auto behind_low = std::partition_point(values.begin(), values.end(), is_at_least);
  const auto high = std::partition_point(values.begin(), values.end(), is_not_at_most);
  return {behind_low == values.begin() ? range.low : *std::prev(behind_low),
          high == values.end() ? range.high : *high};
}

Interval Certainty::interval(const SampledStatistic& statistic) const {
  switch (statistic.kind) {
    case SampledStatistic::Kind::kMean:
      return mean_interval(statistic);
    case SampledStatistic::Kind::kHarmonicMean:
      return harmonic_interval(statistic);
    case SampledStatistic::Kind::kShare:
      return share_interval(statistic);
    case SampledStatistic::Kind::kPercentile:
      return percentile_interval(statistic);
  }
  throw Error(ErrorKind::kInternal, "a statistic without an interval");
}

void Certainty::find_intervals() {
  if (is_missing_ || is_out_of_range_) return;
  for (size_t i = 0; i < intervals_.size(); ++i) {
    const Interval now = interval(request_.statistics[i]);
    intervals_[i] = {std::max(intervals_[i].low, now.low), std::min(intervals_[i].high, now.high)};
  }
}

Differences::Differences(const DifferencesRequest& request)
    : request_(request),
      limit_(static_cast<double>(request.encodes * (request.encodes - 1)) / request.risk),
      width_(request.range.high - request.range.low),
      dropped_(request.encodes),
      scores_(request.encodes) {
  const auto frames = static_cast<double>(request.frames);
  const Pair pair = {Excess(request.frames, frames * width_, limit_),
                     Excess(request.frames, frames * (width_ - request.tolerance), limit_)};
  pairs_.assign(request.encodes * request.encodes, pair);
}

// By how much a is better, raised so that it is 0 at the least.
double Differences::advantage(double a, double b) const {
  return (request_.lower_is_better ? b - a : a - b) + width_;
}

void Differences::add(int64_t frames, std::span<const std::vector<double>> scores) {
  seen_frames_ += frames;
  lengths_.push_back(frames);
  for (size_t i = 0; i < request_.encodes; ++i) {
    if (!dropped_[i]) scores_[i].push_back(scores[i]);
  }
  // Evidence both ways contradicts itself; one is left in any case.
  std::vector<std::optional<Dropped>> found = dropped_;
  for (size_t a = 0; a < request_.encodes; ++a) {
    for (size_t b = 0; b < request_.encodes; ++b) {
      if (a == b || dropped_[a] || dropped_[b]) continue;
      double sum = 0;
      for (size_t i = 0; i < scores[a].size(); ++i) sum += advantage(scores[a][i], scores[b][i]);
      Pair& pair = pairs_[a * request_.encodes + b];
      pair.better.add(frames, sum);
      pair.not_worse.add(frames, sum);
      if (pair.better.is_proved() && !found[a] && !found[b]) found[b] = {.better = a, .after = seen_frames_};
    }
  }
  dropped_ = std::move(found);
}

bool Differences::are_alike(size_t a, size_t b) const {
  return pair(a, b).not_worse.is_proved() && pair(b, a).not_worse.is_proved();
}

bool Differences::is_decided() const {
  for (size_t a = 0; a < request_.encodes; ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (!dropped_[a] && !dropped_[b] && !are_alike(a, b)) return false;
    }
  }
  return true;
}

double Differences::least_evidence() const {
  double least = limit_;
  for (size_t a = 0; a < request_.encodes; ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (dropped_[a] || dropped_[b] || are_alike(a, b)) continue;
      const double alike = std::min(pair(a, b).not_worse.evidence(), pair(b, a).not_worse.evidence());
      least = std::min(least, std::max({alike, pair(a, b).better.evidence(), pair(b, a).better.evidence()}));
    }
  }
  return least;
}

double Differences::largest_advantage(size_t a, size_t b) const {
  std::vector<SummedSlice> seen;
  for (size_t slice = 0; slice < std::min(scores_[a].size(), scores_[b].size()); ++slice) {
    double sum = 0;
    for (size_t i = 0; i < scores_[a][slice].size(); ++i)
      sum += advantage(scores_[a][slice][i], scores_[b][slice][i]);
    seen.push_back({lengths_[slice], sum});
  }
  return Bets{request_.frames, limit_}.largest_mean(2 * width_, seen) - width_;
}

Interval Differences::between(size_t a, size_t b) const {
  const double better = largest_advantage(a, b), worse = largest_advantage(b, a);
  return request_.lower_is_better ? Interval{worse, -better} : Interval{better, -worse};
}

int64_t next_batch(int64_t drawn, double limit, double least_evidence) {
  constexpr int64_t kFewest = 64;
  constexpr double kSaysLittle = 1.2;
  if (drawn < kFewest) return kFewest - drawn;
  if (least_evidence <= kSaysLittle) return drawn;
  const double forecast = static_cast<double>(drawn) * std::log(limit) / std::log(least_evidence);
  return std::clamp<int64_t>(static_cast<int64_t>(std::ceil(forecast)) - drawn, kFewest, drawn);
}

}  // namespace vq
