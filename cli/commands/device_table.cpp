#include "cli/commands/device_table.h"

#include <array>

#include "core/text.h"
#include "core/text/text_table.h"
#include "feature/device_feature.h"
#include "feature/registry.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

std::string reason_against(const FeatureInfo* feature, Backend backend, const vulkan::DeviceInfo& device) {
  return device_requirement({&feature, 1}, backend)(device);
}

// What `cambi devices` says of a device that was checked for the default feature, by the backend that needs
// the least.
std::string use_of(const vulkan::DeviceInfo& device) {
  if (!device.unusable.empty()) return "no: " + device.unusable;
  const std::string reason = reason_against(&default_feature(), Backend::kVulkan, device);
  std::string use = reason.empty() ? "yes" : "only with --backend hybrid: " + reason;
  std::string names, lack, on_host;
  for (const FeatureInfo* info : features()) {
    const std::string own = reason_against(info, Backend::kHybrid, device);
    const DeviceSupport* const support = device_support(*info);
    if (own.empty() && support != nullptr && support->needs_doubles && !device.has_doubles)
      on_host += (on_host.empty() ? "" : ", ") + std::string(info->name);
    if (own.empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(info->name);
    lack = own;
  }
  if (!names.empty()) use += "; not for " + names + ": " + lack;
  if (!on_host.empty()) use += "; " + on_host + " on the CPU: no doubles in shaders";
  return use;
}

}  // namespace

std::string device_table(size_t width) {
  const vulkan::DeviceList list =
      vulkan::list_devices(device_requirement(std::array{&default_feature()}, Backend::kHybrid));
  if (list.devices.empty()) return "no Vulkan device: " + list.problem + "\n";
  constexpr auto kLeft = TextColumn::Align::kLeft;
  TextTable table({{"", kLeft},
                   {"name", kLeft, 0, 16},
                   {"type", kLeft},
                   {"driver", kLeft, 3},
                   {"API", kLeft, 4},
                   {"memory", TextColumn::Align::kRight, 2},
                   {"subgroup", TextColumn::Align::kRight, 5},
                   {"usable", kLeft, 0, 0, true}});
  for (const vulkan::DeviceInfo& device : list.devices) {
    table.add({std::to_string(device.index), printable(device.name), std::string(to_string(device.type)),
               printable(device.driver), device.api_version,
               std::to_string(device.memory_bytes >> 20) + " MiB", std::to_string(device.subgroup_size),
               use_of(device)});
  }
  return table.text(width);
}

}  // namespace vq::cli
