// Memory that decoders write pictures into and a device copies them from.
#pragma once

#include <cstdint>
#include <memory>

#include "core/frame_memory.h"
#include "vulkan/device.h"

namespace vq::vulkan {

// A store with a limit in bytes that includes unused blocks. Its blocks are PictureSources. Such memory is
// slow to allocate, so returned blocks are kept for requests of the same size; if other sizes leave no room,
// those are freed. Blocks may outlive the store; each keeps the device open.
std::shared_ptr<FrameStore> make_frame_store(const std::shared_ptr<Device>& device, int64_t most_bytes);

}  // namespace vq::vulkan
