// Histograms as the registry lists them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "feature/feature.h"
#include "feature/histogram/plan.h"

namespace vq::histogram {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device counts, the host makes figures of
// the counts.
extern const DeviceSupport kDeviceSupport;

// From the counts of a frame to what is reported of it. All backends count the same integers and hand them to
// this, so that they report the same figures.
//
// A bin stands for its lowest code value v = bin << shift; n of its N samples are in it. Sums of n, v n and
// v^2 n are exact integers; what is divided, rooted or taken the logarithm of is double, each operation
// rounded in the order in which docs/histogram.md writes it, bins ascending.

// The bins of all channels, empty ones to begin with, and what stages see of them. Its channels point into
// it.
class FrameCounts {
 public:
  explicit FrameCounts(const HistogramPlan& plan);
  FrameCounts(FrameCounts&&) = default;
  FrameCounts& operator=(FrameCounts&&) = default;

  RgbCounts channels;                       // with the channels of the plan
  std::vector<std::vector<uint32_t>> bins;  // of each channel of the plan
};

// Values as Histogram::metric_names() names them, and the histograms where asked for. Needs: each channel has
// as many samples as the plan says.
FrameResult frame_result(const HistogramPlan& plan, FrameCounts counts, bool histograms);

// Bytes of a FrameResult with its counts.
int64_t result_bytes(const HistogramPlan& plan);

}  // namespace vq::histogram
