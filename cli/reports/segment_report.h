// Segments, stretches of a video beyond a threshold: what --segments asks for, and the forms in which they are told.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "cli/text/argument_values.h"
#include "core/report.h"

namespace vq::cli {

struct SegmentRequest {
  std::string text;    // as given: "5", "psnr_y:32"
  std::string metric;  // empty: the first of which one side is worse
  double from = 0;
  std::optional<double> until;                // none: `from`
  VideoPosition shortest = int64_t{1};        // frames or seconds
};

// [METRIC:]VALUE. Throws Error{kUsage}.
SegmentRequest parse_segments(const std::string& text);

// Throws Error{kUsage} where the metric is none of these, where none has a worse side, and where segments would end where
// scores are worse than where they begin. A metric may be named without the options in its name.
void check_segments(const SegmentRequest& request, std::span<const std::string> metrics);

// Needs: what check_segments() lets pass.
SegmentFacts segments_of(const Report& report, const SegmentRequest& request);

// Those of at least half a second that are noteworthy, of the first metric for which the word has a meaning; none where
// there is no such metric.
std::optional<SegmentFacts> noteworthy_segments(const Report& report);

// For people: how many and how long together, and a table. `width`: of the terminal; 0: any.
std::string segments_text(const Report& report, size_t width);

// As files. Needs: report.run.segments.
std::string segments_csv(const Report& report);
std::string segment_chapters(const Report& report);  // FFmpeg's metadata format
// What x264 and x265 take as --zones, with these options for each zone: "b=1.5".
std::string x264_zones(const Report& report, const std::string& options);
// What Av1an takes as --zones, for SVT-AV1 with these options: "--crf 20".
std::string av1an_zones(const Report& report, const std::string& options);

}  // namespace vq::cli
