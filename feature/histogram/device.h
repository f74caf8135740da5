// The stages of the histogram as passes on a Vulkan device. The contracts are those of
// feature/histogram/plan.h; the shaders are shaders/histogram/count_plane.comp and count_rgb.comp.
#pragma once

#include <cstdint>
#include <string>

#include "feature/histogram/plan.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::histogram::gpu {

// Why a device cannot run the shaders, whatever is counted; empty if it can.
std::string unsupported_by_stages(const vulkan::DeviceInfo& device);

// The bins that a work group has for itself, for channels that are counted at once.
struct GroupBins {
  uint32_t copies = 0;  // 0: what the work group counts goes to memory at once
  uint32_t words = 1;   // of all copies
  bool pairs = false;   // two bins in a word
};
GroupBins group_bins(const BinRule& rule, uint32_t channels);

// What a channel takes of a buffer for counts, which has its channels one behind the other and is set to
// zeros before the passes that count into it.
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
