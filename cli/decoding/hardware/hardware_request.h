// The requested decoders and GPUs, as plain data.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vq::cli {

enum class DecoderRequest { kAuto, kSoftware, kHardware };

// A GPU on which the run computes, as other interfaces identify it.
struct HardwareDevice {
  std::string name;
  int index = 0;                   // Vulkan's index among all devices of the machine
  uint32_t vendor = 0;             // PCI vendor
  std::array<uint8_t, 16> uuid{};  // zeros where unknown
  std::string render_node;         // "/dev/dri/renderD128"; empty where unknown
  int64_t memory_bytes = 0;
};

class HardwareApi;
class DeferredSharedPictures;
class DeviceTurns;

// kAuto: hardware decodes if `devices` name a capable GPU, otherwise software. kHardware: hardware decodes,
// on the first capable GPU if `devices` are empty, or reading fails.
struct HardwareRequest {
  DecoderRequest decoder = DecoderRequest::kAuto;
  std::string hwaccel;  // FFmpeg's name; empty: chosen for the device
  std::vector<HardwareDevice> devices;
  int runs = 1;                      // that share them at a time
  std::shared_ptr<HardwareApi> api;  // null: no hardware
  // Memory for pictures that stay on their device; null: all are copied through the host.
  std::shared_ptr<DeferredSharedPictures> pictures;
  // Shared by the videos of a run on several devices, one turn for each of `devices`; null: one device.
  std::shared_ptr<DeviceTurns> turns;
};

}  // namespace vq::cli
