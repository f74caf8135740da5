// Pictures that a device can read where they are.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame_memory.h"
#include "vulkan/buffer.h"

namespace vq::vulkan {

// Location and layout of one plane in a buffer: rows of samples of 1 or 2 bytes, `step` bytes apart.
struct PlaneSource {
  const Buffer* buffer = nullptr;
  int64_t offset = 0;  // of the first sample, in bytes
  int64_t stride = 0;  // bytes
  int step = 1;
  int shift = 0;         // unused bits below each sample
  bool is_near = false;  // in device memory: shaders lose nothing by reading it there
};

// Implemented by every FrameMemory of a vulkan::Device. FrameMemory::device() is the address of the Device.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  // A plane of a frame that has this location; nothing if the plane is elsewhere. Valid as long as the
  // location.
  virtual std::optional<PlaneSource> plane(const Frame& frame, int i) const = 0;
};

// Null if the device cannot read the frame in place.
const PictureSource* source_of(const Frame& frame, const Device& device);

}  // namespace vq::vulkan
