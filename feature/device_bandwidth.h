// How fast a device moves bytes.
#pragma once

#include <memory>
#include <string>

namespace vq {

namespace vulkan {
class Device;
}

// Bytes a second.
struct DeviceBandwidth {
  double memory = 0;    // a shader that copies within the device's memory, reading and writing counted
  double upload = 0;    // fetched from the host
  double readback = 0;  // stored for the host
};

// Opens the device that a selector means; empty: the best. Throws Error as vulkan::Device::open().
DeviceBandwidth device_bandwidth(const std::string& selector);

// Of one that is open: the median of several copies, by its clock where it has one. Throws Error{kBackend}.
DeviceBandwidth measure_bandwidth(const std::shared_ptr<vulkan::Device>& device);

}  // namespace vq
