// Histograms as the registry lists them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "feature/feature.h"
#include "feature/histogram/plan.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

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

// Values as Histogram::metric_names() names them, and the histograms if asked for. Needs: each channel has as
// many samples as the plan says.
FrameResult frame_result(const HistogramPlan& plan, FrameCounts counts, bool histograms);

// Bytes of a FrameResult with its counts.
int64_t result_bytes(const HistogramPlan& plan);

}  // namespace vq::histogram

namespace vq::histogram::gpu {

// The stages of the histogram as passes on a Vulkan device. The contracts are those of
// feature/histogram/plan.h; the shaders are shaders/histogram/count_plane.comp and count_rgb.comp.

// The bins that a work group has for itself, for channels that are counted at once.
struct GroupBins {
  uint32_t copies = 0;  // 0: what the work group counts goes to memory at once
  uint32_t words = 1;   // of all copies
  bool pairs = false;   // two bins in a word
};
GroupBins group_bins(const BinRule& rule, uint32_t channels);

// Bytes of a channel in a buffer for counts, which has its channels one after the other and is set to zeros
// before the passes that count into it.
int64_t channel_bytes(const BinRule& rule);
// Adds channel_bytes() that were counted to `counts`.
void add_counts(const std::byte* counted, const BinRule& rule, ChannelCounts& counts);

// Counts the samples of a plane, as often as there are frames.
class CountPlanePass {
 public:
  // The plane and the context outlive this. Throws Error{kBackend}.
  CountPlanePass(vulkan::Context& context, const vulkan::DevicePlane& plane, const BinRule& rule);
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& counts, int64_t channel) const;

 private:
  const vulkan::DevicePlane& plane_;
  const BinRule rule_;
  const vulkan::Pipeline& pipeline_;
};

// Counts R, G, B and luminance of a picture, as often as there are frames.
class CountRgbPass {
 public:
  // The picture, of three planes, and the context outlive this. Throws Error{kBackend}.
  CountRgbPass(vulkan::Context& context, const vulkan::DevicePicture& picture, const RgbRule& rule);
  // Into the first four channels.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& counts) const;

 private:
  const vulkan::DevicePicture& picture_;
  const RgbConstants constants_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace vq::histogram::gpu
