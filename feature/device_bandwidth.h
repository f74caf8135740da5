// Measurement of a device's memory and transfer bandwidth.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "feature/device_feature.h"

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

// Shared parts of the checks, before the first frame, that a device computes what the CPU does.

// A small picture with noise in every bit of a video's depth, on the host and on a device. Neither copied nor
// moved.
class CheckPicture {
 public:
  // With the first `planes` planes that the format has. Throws Error{kBackend}.
  CheckPicture(const vulkan::Context& context, VideoFormat like, int planes, uint32_t seed);
  CheckPicture(const CheckPicture&) = delete;
  CheckPicture& operator=(const CheckPicture&) = delete;

  // The video's, except for its size.
  const VideoFormat& format() const { return format_; }
  const Frame& frame() const { return frame_; }
  vulkan::DevicePicture& on_device() { return on_device_; }

 private:
  const VideoFormat format_;
  std::array<Plane<uint16_t>, kMaxPlanes> words_;
  std::array<Plane<uint8_t>, kMaxPlanes> bytes_;
  Frame frame_;
  vulkan::DevicePicture on_device_;
};

// Uploads the pictures and runs what `work`, made for them, records. Throws Error{kBackend}.
void run_once(const vulkan::Context& context, std::span<CheckPicture* const> pictures, DeviceWork& work);

}  // namespace vq
