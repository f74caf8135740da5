// Devices that contexts of the libraries share: opening one takes longer than many frames.
#pragma once

#include <memory>
#include <vector>

#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq {

// Those that the selector means. Calls with the same selector and cache folder share devices; a device that
// failed is opened anew. Devices stay open for five seconds after the last copy of a pointer is gone, as
// encoders open and close a context for each call. A thread that runs only while one is open closes them.
// From any thread. Throws Error: as vulkan::open_devices(), and kBackend for a device that does not meet the
// requirement and in a process that was forked off.
std::vector<std::shared_ptr<vulkan::Device>> lease_devices(const vulkan::DeviceOptions& options);

// lease_devices(), or what it throws, as extractors take it.
DeviceSelection lease_selection(const vulkan::DeviceOptions& options);

}  // namespace vq
