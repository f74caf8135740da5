#include "engine/report/segments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/frame.h"
#include "core/text.h"
#include "engine/report/report.h"
#include "engine/report/scenes.h"

namespace vq {
namespace {

// Whether a score is as bad as the level; never for what is not a number.
bool is_as_bad(const MetricInfo& metric, double score, double level) {
  return metric.better == Better::kHigher ? score <= level : score >= level;
}

// For each frame the mean of the scores around it. Scores that are not a number stay so, and count for no
// other frame.
std::vector<double> smoothed(const Report& report, std::span<const double> values, double seconds) {
  // Of means that differ only by how they were added up, all are as bad as a level, or none.
  constexpr double kSteps = 1e6;
  constexpr double kLongestReach = 1e6;  // whatever the container says of the frame rate
  const auto reach =
      static_cast<int64_t>(std::clamp(std::round(seconds / 2 / frame_seconds(report)), 0.0, kLongestReach));
  std::vector<double> means;
  means.reserve(values.size());
  double sum = 0;  // of the finite scores from `begin` up to `end`
  int64_t finite = 0, infinite = 0;
  const auto count = [&](double value, int sign) {
    if (std::isnan(value)) return;
    if (std::isinf(value)) {
      infinite += sign;
    } else {
      finite += sign;
      sum += sign * value;
    }
  };
  size_t begin = 0, end = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    while (end < values.size() && report.frames[end] - report.frames[i] <= reach) count(values[end++], 1);
    while (report.frames[i] - report.frames[begin] > reach) count(values[begin++], -1);
    const double mean =
        infinite > 0 ? HUGE_VAL : std::round(sum / static_cast<double>(finite) * kSteps) / kSteps;
    means.push_back(std::isnan(values[i]) ? values[i] : mean);
  }
  return means;
}

// Of the scored frames from `begin` up to `end`.
Segment segment_of(const Report& report, const MetricInfo& metric, std::span<const double> values,
                   size_t begin, size_t end) {
  Segment segment;
  size_t worst = begin;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    sum += values[i];
    if (is_worse(metric, values[i], values[worst])) worst = i;
  }
  const bool has_next = end < report.frames.size();
  segment.first = report.frames[begin];
  segment.last = has_next ? report.frames[end] - 1 : report.frames[end - 1];
  segment.start = time_of_scored(report, begin);
  segment.end = has_next ? time_of_scored(report, end) : time_of_scored(report, end - 1);
  if (!has_next && segment.end) *segment.end += frame_seconds(report);
  segment.mean = sum / static_cast<double>(end - begin);
  segment.worst = values[worst];
  segment.worst_frame = report.frames[worst];
  return segment;
}

bool is_long_enough(const Segment& segment, const SegmentRule& rule, double seconds_of_frame) {
  const auto frames = segment.last - segment.first + 1;
  if (frames < rule.shortest_frames) return false;
  const bool timed = segment.start && segment.end;
  const double seconds =
      timed ? *segment.end - *segment.start : static_cast<double>(frames) * seconds_of_frame;
  // Times are sums of durations that are rounded in the container.
  constexpr double kSlack = 0.0005;
  return seconds + kSlack >= rule.shortest_seconds;
}

// The scenes whose mean is as bad as the level, one segment each.
std::vector<Segment> bad_scenes(const Report& report, const MetricInfo& metric,
                                std::span<const double> values, const SegmentRule& rule) {
  std::vector<Segment> segments;
  for (const Scene& scene : scenes_of(report)) {
    if (scene.begin == scene.end) continue;
    Segment segment = segment_of(report, metric, values, scene.begin, scene.end);
    segment.first = scene.first;
    segment.last = scene.last;
    segment.start = scene.start;
    segment.end = scene.stop;
    if (is_as_bad(metric, segment.mean, rule.from) && is_long_enough(segment, rule, frame_seconds(report)))
      segments.push_back(segment);
  }
  return segments;
}

}  // namespace

std::vector<Segment> find_segments(const Report& report, const MetricInfo& metric,
                                   std::span<const double> values, const SegmentRule& rule) {
  if (rule.by_scene) return bad_scenes(report, metric, values, rule);
  std::vector<Segment> segments;
  const double seconds_of_frame = frame_seconds(report);
  std::vector<double> means;
  if (rule.smoothed_seconds > 0) means = smoothed(report, values, rule.smoothed_seconds);
  const std::span<const double> judged = means.empty() ? values : means;
  for (size_t i = 0; i < values.size();) {
    const size_t begin = i;
    if (is_as_bad(metric, judged[begin], rule.from)) {
      while (i < values.size() && is_as_bad(metric, judged[i], rule.until)) ++i;
    }
    if (i == begin) {
      ++i;
      continue;
    }
    const Segment segment = segment_of(report, metric, values, begin, i);
    if (is_long_enough(segment, rule, seconds_of_frame)) segments.push_back(segment);
  }
  return segments;
}

namespace {

// Encoders that Av1an knows by these names.
constexpr std::array<std::string_view, 6> kAv1anEncoders = {"aom", "rav1e", "svt-av1", "vpx", "x264", "x265"};

int64_t frames_of(const VideoPosition& length, const InputFacts* input) {
  if (const int64_t* const frames = std::get_if<int64_t>(&length)) return *frames;
  const double rate = input != nullptr ? input->frame_rate.value_or(kAssumedFrameRate) : kAssumedFrameRate;
  return std::llround(std::get<double>(length) * rate);
}

// Those of all metrics, in order.
std::vector<Zone> all_segments(const Report& report) {
  std::vector<Zone> all;
  for (const SegmentFacts& facts : report.run.segments) {
    for (const Segment& segment : facts.list) all.push_back({segment.first, segment.last});
  }
  std::sort(all.begin(), all.end(), [](const Zone& a, const Zone& b) { return a.first < b.first; });
  return all;
}

// First frames of scenes, and the frame behind the last scene; none where nobody looked for them. `last`: of
// all segments.
std::vector<int64_t> scene_edges(const Report& report, int64_t last) {
  std::vector<int64_t> edges;
  if (!report.run.scene_cuts || report.frames.empty()) return edges;
  edges.push_back(report.frames.front());
  for (const int64_t cut : *report.run.scene_cuts) {
    if (cut > edges.back()) edges.push_back(cut);
  }
  const int64_t end = std::max(report.frames.back(), last) + 1;
  if (end > edges.back()) edges.push_back(end);
  return edges;
}

Zone grown(Zone zone, const std::vector<int64_t>& edges, int64_t reach) {
  const auto next = std::upper_bound(edges.begin(), edges.end(), zone.first);
  if (next != edges.begin() && zone.first - *std::prev(next) <= reach) zone.first = *std::prev(next);
  const auto end = std::upper_bound(edges.begin(), edges.end(), zone.last);
  if (end != edges.end() && *end - 1 - zone.last <= reach) zone.last = *end - 1;
  return zone;
}

}  // namespace

std::string default_zone_options(ZoneForm form) {
  return form == ZoneForm::kX264 || form == ZoneForm::kX265 ? "b=1.5" : "";
}

std::string zone_options_fault(ZoneForm form, const std::string& options) {
  const auto has_any = [&](const char* characters) {
    return options.find_first_of(characters) != options.npos;
  };
  if (form == ZoneForm::kX264) {
    const bool fits = options.find('=') != options.npos && !has_any(" \t\n/:");
    return fits ? "" : "x264 takes options such as b=1.5 (bits), q=18 (a quantizer) or crf=18";
  }
  if (form == ZoneForm::kX265) {  // which passes over others in silence
    double value = 0;
    const bool is_known = options.starts_with("b=") || options.starts_with("q=");
    return is_known && parse_real(options.substr(2), value)
               ? ""
               : "x265 takes b=1.5 (bits) or q=18 (a quantizer), and nothing else";
  }
  if (form == ZoneForm::kSvtEssential) {
    const bool fits = !options.empty() && options.find_first_not_of("0123456789.") == options.npos;
    return fits ? "" : "SVT-AV1-Essential takes a CRF, such as 20";
  }
  const std::string encoder = options.substr(0, options.find(' '));
  const bool known = std::find(kAv1anEncoders.begin(), kAv1anEncoders.end(), encoder) != kAv1anEncoders.end();
  return known && !has_any("\n") ? "" : "Av1an takes an encoder and its options, such as 'svt-av1 --crf 20'";
}

std::vector<Zone> zones_of(const Report& report, const VideoPosition& snap) {
  const InputFacts* const input = distorted_input(report);
  const int64_t skipped = input != nullptr ? input->skipped : 0, reach = frames_of(snap, input);
  const std::vector<Zone> segments = all_segments(report);
  int64_t last = 0;
  for (const Zone& segment : segments) last = std::max(last, segment.last);
  const std::vector<int64_t> edges = scene_edges(report, last);
  std::vector<Zone> zones;
  for (const Zone& segment : segments) {
    Zone zone = grown(segment, edges, reach);
    zone = {zone.first + skipped, zone.last + skipped};
    if (!zones.empty() && zone.first <= zones.back().last + 1) {
      zones.back().last = std::max(zones.back().last, zone.last);
    } else {
      zones.push_back(zone);
    }
  }
  return zones;
}

std::string zones_text(const Report& report, ZoneForm form, const ZoneStyle& style) {
  const std::vector<Zone> zones = zones_of(report, style.snap);
  if (zones.empty()) return {};
  if (form != ZoneForm::kAv1an)
    return join(zones, form == ZoneForm::kSvtEssential ? ";" : "/",
                [&](const Zone& zone) { return words("{},{},{}", zone.first, zone.last, style.options); }) +
           "\n";
  std::string text;
  for (const Zone& zone : zones) {
    text += words("{} {} {}\n", zone.first, zone.last + 1, style.options);
  }
  return text;
}

}  // namespace vq
