#include "cli/run/backend_choice.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <future>
#include <iterator>
#include <system_error>
#include <utility>

#include "cli/run/faster_backend.h"
#include "cli/system/cache_folder.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text/text_table.h"
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

std::string reason_against(const FeatureInfo* feature, Backend backend, const vulkan::DeviceInfo& device) {
  return device_requirement({&feature, 1}, backend)(device);
}

// What `cambi devices` says of a device that was checked for the default feature, by the backend that needs
// the least.
std::string use_of(const vulkan::DeviceInfo& device) {
  if (!device.unusable.empty()) return "no: " + device.unusable;
  const std::string reason = reason_against(&default_feature(), Backend::kVulkan, device);
  std::string use = reason.empty() ? "yes" : "only with --backend hybrid: " + reason;
  std::string names, lack;
  for (const FeatureInfo* info : features()) {
    const std::string own = reason_against(info, Backend::kHybrid, device);
    if (own.empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(info->name);
    lack = own;
  }
  if (!names.empty()) use += "; not for " + names + ": " + lack;
  return use;
}

bool any_on_device(const std::vector<const FeatureInfo*>& features) {
  return std::any_of(features.begin(), features.end(), [](const FeatureInfo* info) {
    return std::find(info->backends.begin(), info->backends.end(), Backend::kVulkan) != info->backends.end();
  });
}

vulkan::DeviceList devices_for(const BackendRequest& request, Backend backend) {
  return vulkan::list_devices(device_requirement(request.features, backend));
}

BackendChoice on_devices(Backend backend, const vulkan::DeviceList& list,
                         const vulkan::DeviceChoice& devices) {
  BackendChoice choice = {.backend = backend, .list = list};
  choice.devices = {.selector = vulkan::selector_of(devices),
                    .count = static_cast<int>(devices.devices.size())};
  for (const int index : devices.devices) choice.infos.push_back(list.devices[static_cast<size_t>(index)]);
  return choice;
}

void note_left_out(const vulkan::DeviceList& list, const vulkan::DeviceChoice& choice, Messages& messages) {
  for (const int index : choice.left_out) {
    const vulkan::DeviceInfo& device = list.devices[static_cast<size_t>(index)];
    messages.note("device " + std::to_string(index) + " is left out: " + device.name +
                  " cannot be used: " + device.unusable);
  }
}

void note_software(const vulkan::DeviceInfo& device, Messages& messages) {
  if (device.type != vulkan::DeviceType::kSoftware) return;
  messages.note(device.name + " is a software device; --backend cpu is faster.");
}

// Why a device cannot be used is told when it is opened.
BackendChoice explicit_choice(const BackendRequest& request, Messages& messages) {
  const vulkan::DeviceList list = devices_for(request, *request.backend);
  try {
    const vulkan::DeviceChoice devices = vulkan::choose_devices(list, request.device);
    BackendChoice choice = on_devices(*request.backend, list, devices);
    if (request.quiet) return choice;
    note_left_out(list, devices, messages);
    for (const vulkan::DeviceInfo& device : choice.infos) note_software(device, messages);
    return choice;
  } catch (const Error&) {
    return {.backend = *request.backend, .devices = {.selector = request.device}, .list = list};
  }
}

}  // namespace

BackendRequest backend_request(const RunOptions& arguments) {
  return {.backend = arguments.backend,
          .device = arguments.device,
          .without_gpu = arguments.gpumask != 0,
          .quiet = arguments.quiet,
          .features = infos_of(arguments.features)};
}

BackendChoice choose_backend(const BackendRequest& request, Messages& messages) {
  if (request.backend && !is_on_device(*request.backend)) return {.backend = *request.backend};
  if (request.backend) return explicit_choice(request, messages);
  BackendChoice choice;
  if (!request.device.empty()) {
    // A device that is named is meant to be used: one that is unknown or cannot be used is an error.
    const vulkan::DeviceList list = devices_for(request, Backend::kVulkan);
    const vulkan::DeviceChoice devices = vulkan::choose_devices(list, request.device);
    if (!request.quiet) note_left_out(list, devices, messages);
    choice = on_devices(Backend::kVulkan, list, devices);
  } else if (!request.without_gpu && may_have_gpu() && any_on_device(request.features)) {
    const vulkan::DeviceList list = devices_for(request, Backend::kVulkan);
    const vulkan::DeviceInfo* const device = real_device(list);
    if (device == nullptr) return {};
    choice = on_devices(Backend::kVulkan, list, {.devices = {device->index}, .left_out = {}});
    choice.is_open = true;
  }
  choice.may_fall_back = is_on_device(choice.backend);
  return choice;
}

void begin_to_open(BackendChoice& choice) {
  if (!is_on_device(choice.backend) || choice.devices.opened.valid()) return;
  choice.opening_seconds = std::make_shared<std::atomic<double>>(0);
  const auto open = [options = vulkan::DeviceOptions{.selector = choice.devices.selector,
                                                     .cache_folder = cache_folder(),
                                                     .list = choice.list},
                     seconds = choice.opening_seconds] {
    const auto start = std::chrono::steady_clock::now();
    auto devices = vulkan::open_devices(options);
    *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return devices;
  };
  choice.devices.opened = std::async(std::launch::async | std::launch::deferred, open).share();
}

std::optional<Decision> settle_backend(BackendChoice& choice, const SpeedQuestion& question, bool quiet,
                                       Messages& messages) {
  if (!std::exchange(choice.is_open, false)) return std::nullopt;
  try {
    const Speeds speeds = speeds_of(question);
    if (!quiet) messages.note(speed_note(speeds, question.frames, question.device.name));
    Decision decision = decide(question, speeds);
    if (decision.way == Way::kCpu) choice = BackendChoice();
    return decision;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBackend) throw;
    return std::nullopt;
  }
}

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
