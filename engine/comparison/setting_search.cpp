#include "engine/comparison/setting_search.h"

#include <cmath>
#include <cstdlib>

#include "engine/certainty.h"
#include "engine/comparison/rate_quality.h"

namespace vq {

constexpr size_t kGroups = 5;
constexpr double kLeastGroup = 10;                                       // seconds
constexpr double kLeastSeconds = 6, kMostSeconds = 10, kLeastPiece = 2;  // of a part
constexpr int64_t kPartsOfGroup = 12;

static std::vector<FrameSpan> cut(int64_t frames, std::span<const int64_t> key_frames, int64_t length,
                                  int64_t most) {
  std::vector<FrameSpan> parts;
  for (int64_t at = 0; at < frames;) {
    int64_t end = std::min(at + length, frames);
    const int64_t latest = std::min(at + most, at + length * 3 / 2);
    const auto nearest = [&](int64_t one, int64_t other) {
      return std::abs(one - at - length) < std::abs(other - at - length);
    };
    const auto first = std::ranges::lower_bound(key_frames, at + (length + 1) / 2);
    const auto last = std::ranges::upper_bound(key_frames, latest);
    if (first < last) end = std::min(*std::min_element(first, last, nearest), frames);
    if (frames - at <= latest - at) end = frames;
    parts.push_back({at, end});
    at = end;
  }
  return parts;
}

FilmSample draw_parts(int64_t frames, double frame_rate, std::span<const int64_t> key_frames, int64_t most,
                      uint64_t seed) {
  const auto in_frames = [&](double seconds) {
    return std::max<int64_t>(1, std::llround(seconds * frame_rate));
  };
  const int64_t of_group = std::min(most, frames / static_cast<int64_t>(kGroups));
  if (of_group < in_frames(kLeastGroup)) return {{{0, frames}}, {{0}}};
  const int64_t usual =
      std::clamp(of_group / kPartsOfGroup, in_frames(kLeastSeconds), in_frames(kMostSeconds));
  const int64_t length = of_group / (of_group / usual);
  const std::vector<FrameSpan> all = cut(frames, key_frames, length, of_group);
  struct Drawn {
    FrameSpan part;
    size_t group;
  };
  std::vector<Drawn> drawn;
  std::vector<int64_t> room(kGroups, of_group);
  for (const size_t place : drawing_order(seed, std::vector<int64_t>(all.size(), 1))) {
    // What fits nowhere fills the rooms that are left.
    for (FrameSpan rest = all[place]; rest.frames() >= in_frames(kLeastPiece);) {
      const auto fits = [&](int64_t left) { return left >= rest.frames(); };
      auto group = std::ranges::find_if(room, fits);
      if (group == room.end()) group = std::ranges::max_element(room);
      if (*group < in_frames(kLeastPiece)) break;
      const int64_t end = std::min(rest.end, rest.first + *group);
      *group -= end - rest.first;
      drawn.push_back({{rest.first, end}, static_cast<size_t>(group - room.begin())});
      rest.first = end;
    }
  }
  std::ranges::sort(drawn, {}, [](const Drawn& one) { return one.part.first; });
  FilmSample sample{.parts = {}, .groups = std::vector<std::vector<size_t>>(kGroups)};
  for (const auto& [part, group] : drawn) {
    sample.groups[group].push_back(sample.parts.size());
    sample.parts.push_back(part);
  }
  std::erase_if(sample.groups, [](const auto& group) { return group.empty(); });
  return sample;
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Levels from the first setting to the last, until encodes tell: VMAF of x264 takes some two and a half.
constexpr double kUsualLevels = 2.5, kUsualSizes = -2;
constexpr size_t kResamples = 200, kFewestParts = 8, kFewestSteps = 4;
constexpr double kTail = 0.025;

static std::vector<size_t> all_of(size_t count) {
  std::vector<size_t> places(count);
  std::iota(places.begin(), places.end(), 0);
  return places;
}

// Outside of the points it goes on as between the nearest two; if points are in disorder it is straight
// between neighbours.
double SettingSearch::Curve::at(double setting) const {
  if (points.size() == 1) return points[0].second + slope * (setting - points[0].first);
  const bool falls = slope < 0;
  std::vector<RatePoint> rates;
  for (const auto& [at, value] : points) rates.push_back({std::pow(10, falls ? -value : value), at});
  if (const std::optional<double> rate = rate_at(rates, setting))
    return falls ? -std::log10(*rate) : std::log10(*rate);
  size_t i = 1;
  while (i + 1 < points.size() && points[i].first < setting) ++i;
  const auto [x, y] = points[i - 1];
  const auto [end_x, end_y] = points[i];
  const double least = slope / 4, rise = (end_y - y) / (end_x - x);
  const bool is_outside = setting < x || setting > end_x;
  const double used = !is_outside ? rise : falls ? std::min(rise, least) : std::max(rise, least);
  return setting > end_x ? end_y + used * (setting - end_x) : y + used * (setting - x);
}

SettingSearch::SettingSearch(SettingTarget target, FilmSample sample, int64_t film_frames, uint64_t seed)
    : target_(std::move(target)),
      sample_(std::move(sample)),
      film_frames_(film_frames),
      seed_(seed),
      best_(target_.metric.info->better == Better::kHigher ? target_.ends.high : target_.ends.low),
      is_ratio_(std::isfinite(best_) && best_ != target_.value),
      encoded_(sample_.parts.size()),
      settings_(sample_.groups.size()) {}

// Rises as quality falls, nearly as a straight line over the settings of an encoder.
double SettingSearch::level(double score) const {
  const double target_loss = std::abs(best_ - target_.value);
  if (is_ratio_) return std::log10(std::max(std::abs(best_ - score) / target_loss, 1e-3));
  const double loss = target_.metric.info->better == Better::kHigher ? -score : score;
  return loss / std::max(1.0, std::abs(target_.value));
}

// The score that lies `levels` levels below this one.
double SettingSearch::moved(double score, double levels) const {
  if (levels == 0) return score;
  const double worse = target_.metric.info->better == Better::kHigher ? -1 : 1;
  const double moved = is_ratio_ ? best_ + (score - best_) * std::pow(10, levels)
                                 : score + worse * levels * std::max(1.0, std::abs(target_.value));
  return std::clamp(moved, target_.ends.low, target_.ends.high);
}

bool SettingSearch::reaches(double score, double value) const {
  return target_.metric.info->better == Better::kHigher ? score >= value : score <= value;
}

double SettingSearch::pooled(std::span<const std::vector<double>> parts,
                             std::span<const size_t> picks) const {
  Metric metric = target_.metric;
  for (const size_t pick : picks)
    metric.values.insert(metric.values.end(), parts[pick].begin(), parts[pick].end());
  return statistic_of(metric, target_.statistic);
}

double SettingSearch::measured(std::span<const EncodedPart> parts) const {
  return pooled(mapped(parts, &EncodedPart::scores), all_of(parts.size()));
}

// The first group is encoded at several settings, so its curve has the shape of the film's.
SettingSearch::Curve SettingSearch::levels() const {
  Curve curve{.points = {}, .slope = kUsualLevels / std::max(1, target_.last)};
  for (const int setting : settings_[0]) {
    std::vector<std::vector<double>> scores;
    for (const size_t part : sample_.groups[0]) {
      const auto& all = encoded_[part];
      scores.push_back(std::ranges::find(all, setting, &Encoded::setting)->part.scores);
    }
    curve.points.emplace_back(setting, level(pooled(scores, all_of(scores.size()))));
  }
  return curve;
}

SettingSearch::Curve SettingSearch::sizes() const {
  Curve curve{.points = {}, .slope = kUsualSizes / std::max(1, target_.last)};
  for (const int setting : settings_[0]) {
    double bytes = 1;
    for (const size_t part : sample_.groups[0])
      bytes += std::ranges::find(encoded_[part], setting, &Encoded::setting)->part.bytes;
    curve.points.emplace_back(setting, std::log10(bytes));
  }
  return curve;
}

namespace {

// The encodes on either side of a setting, or twice the nearest one, and how much the second counts.
template <typename Encoded>
struct Around {
  const Encoded& before;
  const Encoded& behind;
  double weight = 0;
};

template <typename Encoded>
Around<Encoded> around(const std::vector<Encoded>& all, int setting) {
  const auto above = std::ranges::lower_bound(all, setting, {}, &Encoded::setting);
  if (above == all.end()) return Around<Encoded>{all.back(), all.back()};
  if (above == all.begin() || above->setting == setting) return Around<Encoded>{*above, *above};
  const Encoded& below = *(above - 1);
  return Around<Encoded>{below, *above,
                         static_cast<double>(setting - below.setting) / (above->setting - below.setting)};
}

}  // namespace

// The scores of each part that was encoded, moved from the nearest settings that it has along the curve.
std::vector<std::vector<double>> SettingSearch::scores_at(int setting) const {
  const Curve curve = levels();
  std::vector<std::vector<double>> parts;
  for (const std::vector<Encoded>& all : encoded_) {
    if (all.empty()) continue;
    const auto [before, behind, weight] = around(all, setting);
    const double at = curve.at(setting);
    const double from = at - curve.at(before.setting), to = at - curve.at(behind.setting);
    std::vector<double>& scores = parts.emplace_back();
    for (size_t i = 0; i < before.part.scores.size(); ++i) {
      scores.push_back((1 - weight) * moved(before.part.scores[i], before.setting == setting ? 0 : from) +
                       weight * moved(behind.part.scores[i], to));
    }
  }
  return parts;
}

double SettingSearch::value_at(int setting) const {
  const std::vector<std::vector<double>> parts = scores_at(setting);
  return pooled(parts, all_of(parts.size()));
}

std::optional<int> SettingSearch::answer_for(double value) const {
  int low = -1, high = target_.last;  // `low` reaches it, or is none
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    reaches(value_at(middle), value) ? low = middle : high = middle - 1;
  }
  return low < 0 ? std::nullopt : std::optional(low);
}

// Parts drawn with replacement from those that were encoded.
std::vector<std::vector<size_t>> SettingSearch::resamples() const {
  const auto parts =
      static_cast<size_t>(std::ranges::count_if(encoded_, [](const auto& all) { return !all.empty(); }));
  std::vector<std::vector<size_t>> all(kResamples, std::vector<size_t>(parts));
  uint64_t number = 0;
  for (std::vector<size_t>& picks : all) {
    for (size_t& pick : picks) pick = split_mix(seed_, number++) % parts;
  }
  return all;
}

// Draws differ by less as more of the film is known, and by more than those of few parts tell.
FilmFigure SettingSearch::spread(double value, const std::vector<double>& drawn) const {
  const double unseen = 1 - static_cast<double>(seen_frames()) / static_cast<double>(film_frames_);
  const auto parts =
      static_cast<double>(std::ranges::count_if(encoded_, [](const auto& all) { return !all.empty(); }));
  if (unseen <= 0) return {value, value, value};
  if (parts < 2) return {value, -kInfinite, kInfinite};
  std::vector<double> sorted = drawn;
  std::ranges::sort(sorted);
  const double factor = std::sqrt(unseen * parts / (parts - 1));
  const auto at = [&](double share) {
    return value +
           factor * (sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))] - value);
  };
  return {value, std::min(value, at(kTail)), std::max(value, at(1 - kTail))};
}

FilmFigure SettingSearch::score(int setting) const {
  const std::vector<std::vector<double>> parts = scores_at(setting);
  return spread(pooled(parts, all_of(parts.size())),
                mapped(resamples(), [&](const std::vector<size_t>& picks) { return pooled(parts, picks); }));
}

FilmFigure SettingSearch::bytes(int setting) const {
  const Curve curve = sizes();
  std::vector<double> bytes, frames;
  for (const std::vector<Encoded>& all : encoded_) {
    if (all.empty()) continue;
    const auto [before, behind, weight] = around(all, setting);
    const auto logarithm = [&](const Encoded& one) {
      return std::log10(std::max(1.0, one.part.bytes)) + curve.at(setting) - curve.at(one.setting);
    };
    bytes.push_back(std::pow(10, (1 - weight) * logarithm(before) + weight * logarithm(behind)));
    frames.push_back(static_cast<double>(before.part.scores.size()));
  }
  const auto of_film = [&](std::span<const size_t> picks) {
    double sum = 0, length = 0;
    for (const size_t pick : picks) sum += bytes[pick], length += frames[pick];
    return sum / length * static_cast<double>(film_frames_);
  };
  return spread(of_film(all_of(bytes.size())), mapped(resamples(), of_film));
}

double SettingSearch::seconds() const {
  double seconds = 0, frames = 0;
  for (const std::vector<Encoded>& all : encoded_) {
    for (const Encoded& one : all)
      seconds += one.part.seconds, frames += static_cast<double>(one.part.scores.size());
  }
  return seconds / frames * static_cast<double>(film_frames_);
}

int64_t SettingSearch::seen_frames() const {
  int64_t frames = 0;
  for (size_t i = 0; i < encoded_.size(); ++i) {
    if (!encoded_[i].empty()) frames += sample_.parts[i].frames();
  }
  return frames;
}

std::pair<int, int> SettingSearch::answers() const {
  const int answer = this->answer().value_or(-1);
  const FilmFigure here = score(std::max(answer, 0));
  const auto shifted = [&](double end) {
    if (!std::isfinite(end)) return std::optional<int>();
    return std::optional(answer_for(target_.value + here.value - end).value_or(-1));
  };
  const bool is_higher = target_.metric.info->better == Better::kHigher;
  return {shifted(is_higher ? here.low : here.high).value_or(-1),
          shifted(is_higher ? here.high : here.low).value_or(target_.last)};
}

// The group that was encoded farthest from the setting, one that was not encoded before all others; nothing
// if all were encoded at it.
std::optional<EncodeStep> SettingSearch::farthest(int setting) const {
  int most = 0;
  std::optional<EncodeStep> step;
  for (size_t group = 0; group < settings_.size(); ++group) {
    int distance = std::numeric_limits<int>::max();
    for (const int at : settings_[group]) distance = std::min(distance, std::abs(at - setting));
    if (distance <= most) continue;
    most = distance;
    step = EncodeStep{group, setting};
  }
  return step;
}

std::optional<EncodeStep> SettingSearch::next() const {
  const int last = target_.last;
  if (steps_ == 0) return EncodeStep{0, last / 2};
  const int answer = this->answer().value_or(-1);
  const int lower = std::max(answer, 0), upper = std::min(answer + 1, last);
  // Where between the two settings the target lies.
  const auto missing = [&](int setting) { return std::abs(level(value_at(setting)) - level(target_.value)); };
  const bool is_nearer_above = upper != lower && missing(upper) < missing(lower);
  const int nearer = is_nearer_above ? upper : lower, other = is_nearer_above ? lower : upper;
  const auto distance = [&](int setting) {
    int least = last + 1;
    for (const int at : settings_[0]) least = std::min(least, std::abs(at - setting));
    return least;
  };
  const int apart = std::max(1, last / 8);
  if (steps_ == 1 && last > 0) {  // a second point of the curve, not too near for its slope
    const int first = settings_[0][0];
    if (distance(nearer) >= apart) return EncodeStep{0, nearer};
    const int wanted = nearer >= first ? first + apart : first - apart;
    return EncodeStep{0, std::clamp(wanted, 0, last)};
  }
  // Beyond its points the curve is a guess, by which all other groups are moved.
  if (distance(nearer) > apart) return EncodeStep{0, nearer};
  if (steps_ >= kFewestSteps && seen_frames() < film_frames_) {
    const auto parts = std::ranges::count_if(encoded_, [](const auto& all) { return !all.empty(); });
    const auto [worst, best] = answers();
    if (static_cast<size_t>(parts) >= kFewestParts && worst == best) return std::nullopt;
  }
  const std::optional<EncodeStep> step = farthest(nearer);
  return step ? step : farthest(other);
}

void SettingSearch::add(const EncodeStep& step, std::vector<EncodedPart> parts) {
  const std::vector<size_t>& group = sample_.groups[step.group];
  for (size_t i = 0; i < group.size(); ++i) {
    std::vector<Encoded>& all = encoded_[group[i]];
    all.insert(std::ranges::upper_bound(all, step.setting, {}, &Encoded::setting),
               {step.setting, std::move(parts[i])});
  }
  std::vector<int>& settings = settings_[step.group];
  settings.insert(std::ranges::upper_bound(settings, step.setting), step.setting);
  ++steps_;
}

}  // namespace vq
