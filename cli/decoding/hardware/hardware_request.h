// What decodes, and on which GPU, as plain data.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vq::cli {

enum class DecoderRequest { kAuto, kSoftware, kHardware };

// A GPU that the run computes on, as other interfaces know it.
struct HardwareDevice {
  std::string name;
  int index = 0;                   // among all of this machine, as Vulkan counts
  uint32_t vendor = 0;             // of the PCI
  std::array<uint8_t, 16> uuid{};  // zeros where unknown
  std::string render_node;         // "/dev/dri/renderD128"; empty where unknown
  int64_t memory_bytes = 0;
};

class HardwareApi;
class DeferredSharedPictures;

// kAuto: hardware decodes where `devices` name a GPU that can, otherwise software does. kHardware: hardware
// decodes, on the first GPU that can where `devices` name none, or reading is an error.
struct HardwareRequest {
  DecoderRequest decoder = DecoderRequest::kAuto;
  std::string hwaccel;  // FFmpeg's name; empty: what fits the device
  std::vector<HardwareDevice> devices;
  std::shared_ptr<HardwareApi> api;  // null: there is no hardware
  // Where pictures may stay on their device; null: they all go through the host.
  std::shared_ptr<DeferredSharedPictures> pictures;
};

}  // namespace vq::cli
