// Segments, stretches of a video beyond a threshold: what --segments asks for, and the forms in which they
// are told.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/text/argument_values.h"
#include "engine/report/report.h"

namespace vq {

struct SegmentRequest {
  std::string text;    // as given: "5", "psnr_y:32"
  std::string metric;  // empty: the one that a number alone may judge
  double from = 0;
  std::optional<double> until;          // none: `from`
  VideoPosition shortest = int64_t{1};  // frames or seconds
};

// [METRIC:]VALUE. Throws Error{kUsage}.
SegmentRequest parse_segments(const std::string& text);

// Throws Error{kUsage} where a metric is none of these (see find_named()), where none is named and there is
// not exactly one of judging_metrics(), where no side of it is worse, and where segments would end where
// scores are worse than where they begin.
void check_segments(std::span<const SegmentRequest> requests, std::span<const Metric> metrics);

// Whether noteworthy_segments() looks for any: whether one of verdict_metrics() has noteworthy scores.
bool may_have_segments(std::span<const Metric> metrics);
// Of each of these metrics, those that are noteworthy for half a second or more.
std::vector<SegmentFacts> noteworthy_segments(const Report& report);

// Those that are asked for, in that order; where none are the noteworthy ones. Needs: what check_segments()
// lets pass.
std::vector<SegmentFacts> segments_of(const Report& report, std::span<const SegmentRequest> requests);

// For people: of each metric how many and how long together, and a table. `width`: of the terminal; 0: any.
std::string segments_text(const Report& report, size_t width);

// As files.
std::string segments_csv(const Report& report);
std::string segment_chapters(const Report& report);  // FFmpeg's metadata format

}  // namespace vq
