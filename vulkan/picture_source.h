// Pictures that a device can take from where they are.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame_memory.h"
#include "vulkan/buffer.h"

namespace vq::vulkan {

// Where the samples of one plane lie in a buffer, and how: rows of samples of 1 or 2 bytes, `step` bytes from
// one to the next.
struct PlaneSource {
  const Buffer* buffer = nullptr;
  int64_t offset = 0;  // of the first sample, in bytes
  int64_t stride = 0;  // bytes
  int step = 1;
  int shift = 0;         // unused bits below each sample
  bool is_near = false;  // in memory that is the device's own: shaders lose nothing by reading it there
};

// What a FrameMemory of a vulkan::Device is as well. FrameMemory::device() is the address of the Device.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  // Of a plane of a frame whose place this is; nothing where it lies elsewhere. Valid as long as the place.
  virtual std::optional<PlaneSource> plane(const Frame& frame, int i) const = 0;
};

// Null where the device cannot take the frame from where it lies.
const PictureSource* source_of(const Frame& frame, const Device& device);

}  // namespace vq::vulkan
