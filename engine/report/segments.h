// Stretches of a video whose scores are beyond a threshold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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

}  // namespace vq
