// Stretches of a video whose scores are beyond a threshold.
#pragma once

#include <span>
#include <vector>

#include "core/metric_info.h"
#include "engine/report/report.h"

namespace vq {

// The segments of one metric, in order. NaN ends a segment; a scene with a NaN is none. Needs: a metric with
// a better direction, as many values as the report has frames, and scene cuts if the rule is by scene.
std::vector<Segment> find_segments(const Report& report, const MetricInfo& metric,
                                   std::span<const double> values, const SegmentRule& rule);

}  // namespace vq
