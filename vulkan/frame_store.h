// Memory that decoders write pictures into and a device copies them from.
#pragma once

#include <cstdint>
#include <memory>

#include "core/frame_memory.h"
#include "vulkan/device.h"

namespace vq::vulkan {

// A store whose pieces take at most so many bytes together, unused ones included. Pieces are PictureSources.
// Memory of this kind is slow to get, so what comes back is kept for the next who wants as much; where that
// does not fit beside other sizes, those go. The pieces may outlive the store; each keeps the device open.
std::shared_ptr<FrameStore> make_frame_store(const std::shared_ptr<Device>& device, int64_t most_bytes);

}  // namespace vq::vulkan
