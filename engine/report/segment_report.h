// Segments, stretches of a video beyond a threshold: the argument of --segments, and their output formats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/number_text.h"
#include "engine/report/report.h"

namespace vq {

struct SegmentRequest {
  std::string text;    // as given: "5", "psnr_y:32", "scenes:80"
  std::string metric;  // empty: the only one of judging_metrics()
  double from = 0;
  std::optional<double> until;          // none: `from`
  VideoPosition shortest = int64_t{1};  // frames or seconds
  bool by_scene = false;                // whole scenes, by their mean scores
  // "scenes" alone: the noteworthy level of each metric that people judge the run by.
  bool is_noteworthy = false;
};

// [METRIC:]VALUE, scenes, scenes:VALUE or scenes:METRIC:VALUE. Throws Error{kUsage}.
SegmentRequest parse_segments(const std::string& text);

// Throws Error{kUsage} if "scenes" stands alone and no metric has a noteworthy level, if a metric is unknown
// (see find_named()), if none is named and judging_metrics() is not exactly one, if the metric has no better
// direction, and if segments would end at worse scores than they begin.
void check_segments(std::span<const SegmentRequest> requests, std::span<const Metric> metrics);

// Whether noteworthy_segments() can find any: whether one of verdict_metrics() has a noteworthy level.
bool may_have_segments(std::span<const Metric> metrics);
// For each of these metrics, the segments that are noteworthy for at least half a second.
std::vector<SegmentFacts> noteworthy_segments(const Report& report);

// The requested segments, in that order; without requests the noteworthy ones. Needs: requests that
// check_segments() accepts, and has_scenes() if one is by scene.
std::vector<SegmentFacts> segments_of(const Report& report, std::span<const SegmentRequest> requests);

// For people: number and total length per metric, and a table. `width`: of the terminal; 0: any.
std::string segments_text(const Report& report, size_t width);

// As files.
std::string segments_csv(const Report& report);
std::string segment_chapters(const Report& report);  // FFmpeg's metadata format

}  // namespace vq
