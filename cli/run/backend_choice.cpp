#include "cli/run/backend_choice.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "cli/text/text_table.h"
#include "core/error.h"
#include "core/text.h"
#include "feature/device_feature.h"
#include "feature/registry.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

#ifdef __linux__
constexpr bool kDriversMakeNodes = true;
#else
constexpr bool kDriversMakeNodes = false;
#endif

// Listing devices loads every driver, and a software one alone takes some 80 MB and a tenth of a second: too
// much where no GPU can be there. Names of the nodes that GPU drivers make on Linux.
bool may_have_gpu() {
  if (!kDriversMakeNodes) return true;
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

std::vector<const FeatureInfo*> device_features() {
  std::vector<const FeatureInfo*> infos;
  for (const FeatureInfo* info : features()) {
    if (info->device != nullptr) infos.push_back(info);
  }
  return infos;
}

// What `cambi devices` says of a device that was checked for the backend that needs the least.
std::string use_of(const vulkan::DeviceInfo& device) {
  if (!device.unusable.empty()) return "no: " + device.unusable;
  const std::string reason = device_requirement(device_features(), Backend::kVulkan)(device);
  return reason.empty() ? "yes" : "only with --backend hybrid: " + reason;
}

bool all_on_device(const std::vector<const FeatureInfo*>& features) {
  return std::all_of(features.begin(), features.end(), [](const FeatureInfo* info) {
    return std::find(info->backends.begin(), info->backends.end(), Backend::kVulkan) != info->backends.end();
  });
}

// Why a device cannot be used is told when it is opened.
void note_software(const BackendWish& wish, Messages& messages) {
  try {
    const vulkan::DeviceList list = vulkan::list_devices(device_requirement(wish.features, *wish.backend));
    const vulkan::DeviceInfo& device = vulkan::choose_device(list, wish.device);
    if (device.type != vulkan::DeviceType::kSoftware) return;
    messages.note(device.name + " is a software device; --backend cpu is faster.");
  } catch (const Error&) {
  }
}

}  // namespace

BackendWish backend_wish(const RunOptions& arguments) {
  return {.backend = arguments.backend,
          .device = arguments.device,
          .without_gpu = arguments.gpumask != 0,
          .quiet = arguments.quiet,
          .features = infos_of(arguments.features)};
}

BackendChoice choose_backend(const BackendWish& wish, Messages& messages) {
  if (wish.backend) {
    if (!wish.quiet && is_on_device(*wish.backend)) note_software(wish, messages);
    return {*wish.backend, wish.device, false};
  }
  if (!wish.device.empty()) {
    // A device that is named is meant to be used: one that is unknown or cannot be used is an error.
    const vulkan::DeviceList list = vulkan::list_devices(device_requirement(wish.features, Backend::kVulkan));
    const vulkan::DeviceInfo& device = vulkan::choose_device(list, wish.device);
    return {Backend::kVulkan, std::to_string(device.index), true};
  }
  if (wish.without_gpu || !may_have_gpu() || !all_on_device(wish.features)) return {};
  const vulkan::DeviceList list = vulkan::list_devices(device_requirement(wish.features, Backend::kVulkan));
  const vulkan::DeviceInfo* device = real_device(list);
  if (device == nullptr) return {};
  messages.note("using " + device->name + " (--backend cpu uses the CPU)");
  return {Backend::kVulkan, std::to_string(device->index), true};
}

std::string device_table(size_t width) {
  const vulkan::DeviceList list = vulkan::list_devices(device_requirement(device_features(), Backend::kHybrid));
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
