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

HardwareRequest settle_decoder(HardwareRequest request, const BackendChoice& backend) {
  if (request.decoder == DecoderRequest::kSoftware) return request;
  if (request.devices.empty()) request.devices = devices_of(backend);
  const bool may_be_used = request.decoder == DecoderRequest::kHardware || !request.devices.empty();
  if (may_be_used && !request.api) request.api = ffmpeg_hardware();
  return request;
}

HardwareRequest shared_hardware(HardwareRequest request) {
  if (request.decoder != DecoderRequest::kSoftware && !request.api) request.api = ffmpeg_hardware();
  return request;
}

}  // namespace vq::cli
