#include "engine/report/segments.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/report/frame_times.h"
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

}  // namespace vq
