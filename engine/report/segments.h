// Stretches of a video whose scores are beyond a threshold.
#pragma once

#include "core/metric.h"
#include "core/number_text.h"
#include "engine/report/report.h"

namespace vq {

// The segments of one metric, in order. NaN ends a segment; a scene with a NaN is none. Needs: a metric with
// a better direction, as many values as the report has frames, and scene cuts if the rule is by scene.
std::vector<Segment> find_segments(const Report& report, const MetricInfo& metric,
                                   std::span<const double> values, const SegmentRule& rule);

// Zones: stretches of a video for which an encoder has its own options, derived from the segments of a
// report.

enum class ZoneForm {
  kX264,          // --zones of x264: FIRST,LAST,OPTIONS/...
  kX265,          // the same for x265, which knows only two options there
  kAv1an,         // the --zones file of Av1an, one line each: FIRST END ENCODER OPTIONS; END is exclusive
  kSvtEssential,  // --zones of SVT-AV1-Essential: FIRST,LAST,CRF;...
};

struct ZoneStyle {
  std::string options;       // the encoder's options in a zone
  VideoPosition snap = 1.0;  // how far a zone may grow to reach a scene cut: frames or seconds
};

// The default options; empty if there can be none.
std::string default_zone_options(ZoneForm form);

// Why the encoder would reject such options, with what it accepts; empty if it may accept them.
std::string zone_options_fault(ZoneForm form, const std::string& options);

// Frames of the video itself, from 0, including those that the run skipped.
struct Zone {
  int64_t first = 0, last = 0;  // both inclusive
  bool operator==(const Zone&) const = default;
};

// Ascending; neither overlapping nor adjacent. A zone is extended to a scene cut that is near enough, if the
// report has scene cuts, because a cut hides a change of quality. The ends of the scored part count as cuts.
// Segments of several metrics are combined.
std::vector<Zone> zones_of(const Report& report, const VideoPosition& snap);

// Empty if there are none, otherwise one line or more. Needs: options without a fault.
std::string zones_text(const Report& report, ZoneForm form, const ZoneStyle& style);

// Segments, stretches of a video beyond a threshold: the argument of --segments, and their output formats.

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
