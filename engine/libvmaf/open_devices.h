// Devices that the contexts of the process share: opening one takes longer than many frames.
#pragma once

#include <memory>
#include <vector>

#include "engine/libvmaf/environment.h"
#include "vulkan/device.h"

namespace vq::libvmaf {

// Devices in use.
struct DeviceLease {
  std::vector<std::shared_ptr<vulkan::Device>> devices;
  // Ends the use with its last copy, at which nothing may use the devices any more. From any thread.
  std::shared_ptr<const void> use;
};

// Those that the environment selects, open already or opened now. They stay open for some seconds after their
// last use, as encoders open and close a context for each call, and are closed by a thread that runs only
// while a device is open. Throws Error: as vulkan::open_devices(), and kBackend for a device that does not
// meet the requirement and in a process that was forked off.
DeviceLease lease_devices(const Environment& environment, const vulkan::Requirement& requirement);

// Devices that failed are not given to the next context.
void forget_devices();

}  // namespace vq::libvmaf
