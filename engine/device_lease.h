// Devices that contexts of the libraries share: opening one takes longer than many frames.
#pragma once

#include <memory>
#include <vector>

#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq {

// Those that the selector means, open already or opened now. They stay open for some seconds after the last
// copy of a pointer is gone, as encoders open and close a context for each call, and are closed by a thread
// that runs only while a device is open. Devices that failed are opened anew. Of the options a selector and a
// cache folder decide which are shared. From any thread. Throws Error: as vulkan::open_devices(), and
// kBackend for a device that does not meet the requirement and in a process that was forked off.
std::vector<std::shared_ptr<vulkan::Device>> lease_devices(const vulkan::DeviceOptions& options);

// lease_devices(), or what it throws, as extractors take it.
DeviceSelection lease_selection(const vulkan::DeviceOptions& options);

}  // namespace vq
