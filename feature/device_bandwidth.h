// Measurement of a device's memory and transfer bandwidth.
#pragma once

#include <memory>
#include <string>

namespace vq {

namespace vulkan {
class Device;
}

// Bytes per second.
struct DeviceBandwidth {
  double memory = 0;    // a shader that copies within the device's memory; reads and writes both count
  double upload = 0;    // from the host to the device
  double readback = 0;  // from the device to the host
};

// Opens the selected device (empty: the best one). Throws Error as vulkan::Device::open().
DeviceBandwidth device_bandwidth(const std::string& selector);

// For an open device: the median of several copies, by the device's clock if it has one. Throws
// Error{kBackend}.
DeviceBandwidth measure_bandwidth(const std::shared_ptr<vulkan::Device>& device);

}  // namespace vq
