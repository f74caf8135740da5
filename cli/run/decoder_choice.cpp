#include "cli/run/decoder_choice.h"

#include "cli/decoding/hardware/hardware_decoder.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

std::vector<HardwareDevice> devices_of(const BackendChoice& backend) {
  std::vector<HardwareDevice> devices;
  for (const vulkan::DeviceInfo& device : backend.infos) {
    if (device.type == vulkan::DeviceType::kSoftware) continue;
    devices.push_back({.name = device.name,
                       .index = device.index,
                       .vendor = device.vendor,
                       .uuid = device.uuid,
                       .render_node = device.render_node,
                       .memory_bytes = device.memory_bytes});
  }
  return devices;
}

}  // namespace

HardwareWish settle_decoder(HardwareWish wish, const BackendChoice& backend) {
  if (wish.decoder == DecoderWish::kSoftware) return wish;
  if (wish.devices.empty()) wish.devices = devices_of(backend);
  const bool may_be_used = wish.decoder == DecoderWish::kHardware || !wish.devices.empty();
  if (may_be_used && !wish.api) wish.api = ffmpeg_hardware();
  return wish;
}

HardwareWish shared_hardware(HardwareWish wish) {
  if (wish.decoder != DecoderWish::kSoftware && !wish.api) wish.api = ffmpeg_hardware();
  return wish;
}

}  // namespace vq::cli
