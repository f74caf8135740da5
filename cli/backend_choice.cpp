#include "cli/backend_choice.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "core/error.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

// Listing devices loads every driver, and a software one alone takes some 80 MB and a tenth of a second: too
// much where no GPU can be there. Names of the nodes that GPU drivers make on Linux.
bool may_have_gpu() {
  constexpr const char* kNodes[] = {"/dev/dri", "/dev/nvidiactl", "/dev/dxg", "/dev/kgsl-3d0", "/dev/mali0"};
  return std::any_of(std::begin(kNodes), std::end(kNodes), [](const char* node) {
    std::error_code ignored;
    return std::filesystem::exists(node, ignored);
  });
}

const vulkan::DeviceInfo* real_device(const vulkan::DeviceList& list) {
  const vulkan::DeviceInfo* best = nullptr;
  for (const vulkan::DeviceInfo& device : list.devices) {
    if (!device.unusable.empty() || device.type == vulkan::DeviceType::kSoftware) continue;
    if (best == nullptr || device.type < best->type) best = &device;
  }
  return best;
}

}  // namespace

BackendChoice choose_backend(const BackendWish& wish, Messages& messages) {
  if (wish.backend) return {*wish.backend, wish.device, false};
  if (!wish.device.empty()) {
    // A device that is named is meant to be used: only one that is unknown is an error of the command line.
    const vulkan::DeviceList list = vulkan::list_devices();
    const vulkan::DeviceInfo& device = vulkan::choose_device(list, wish.device);
    return {Backend::kVulkan, std::to_string(device.index), true};
  }
  if (wish.without_gpu || !may_have_gpu()) return {};
  const vulkan::DeviceList list = vulkan::list_devices();
  const vulkan::DeviceInfo* device = real_device(list);
  if (device == nullptr) return {};
  messages.note("using " + device->name + " (--backend cpu uses the CPU)");
  return {Backend::kVulkan, std::to_string(device->index), true};
}

std::string device_table() {
  const vulkan::DeviceList list = vulkan::list_devices();
  if (list.devices.empty()) return "no Vulkan device: " + list.problem + "\n";
  std::vector<std::array<std::string, 8>> rows = {
      {"", "name", "type", "driver", "API", "memory", "subgroup", "usable"}};
  for (const vulkan::DeviceInfo& device : list.devices) {
    rows.push_back({std::to_string(device.index), device.name, std::string(to_string(device.type)),
                    device.driver, device.api_version, std::to_string(device.memory_bytes >> 20) + " MiB",
                    std::to_string(device.subgroup_size),
                    device.unusable.empty() ? "yes" : "no: " + device.unusable});
  }
  std::array<size_t, 8> widths = {};
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 2, ' ');
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace vq::cli
