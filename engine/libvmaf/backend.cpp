#include "engine/libvmaf/backend.h"

#include <unistd.h>
#include <algorithm>
#include <future>
#include <map>
#include <mutex>

#include "core/error.h"
#include "core/text.h"
#include "engine/backend_choice.h"
#include "engine/libvmaf/log.h"
#include "feature/device_feature.h"
#include "vulkan/device.h"

namespace vq::libvmaf {
namespace {

using Devices = std::vector<std::shared_ptr<vulkan::Device>>;

// Smaller pictures are done before a device has begun.
constexpr int64_t kLeastArea = int64_t{640} * 360;

// Devices that contexts of the process have open: opening one takes longer than many frames.
class OpenDevices {
 public:
  Devices open(const Environment& environment, const vulkan::Requirement& requirement) {
    const std::string& selector = environment.device;
    const std::lock_guard lock(mutex_);
    if (getpid() != owner_) throw Error(ErrorKind::kBackend, "a process that was forked off has no device");
    const Devices known = still_open(devices_[selector]);
    for (const auto& device : known) {
      const std::string why = requirement(device->info());
      if (!why.empty()) throw Error(ErrorKind::kBackend, device->info().name + ": " + why);
    }
    if (!known.empty()) return known;
    const Devices opened = vulkan::open_devices(
        {.selector = selector, .requirement = requirement, .cache_folder = environment.cache_folder});
    devices_[selector].assign(opened.begin(), opened.end());
    return opened;
  }

  void forget() {
    const std::lock_guard lock(mutex_);
    devices_.clear();
  }

 private:
  using Known = std::vector<std::weak_ptr<vulkan::Device>>;

  // All of them, or none.
  static Devices still_open(const Known& known) {
    Devices devices;
    for (const auto& device : known) {
      devices.push_back(device.lock());
      if (devices.back() == nullptr) return {};
    }
    return devices;
  }

  std::mutex mutex_;
  const pid_t owner_ = getpid();
  std::map<std::string, Known> devices_;  // by what selects them
};

// Never destroyed: threads may still read pictures while the process ends.
OpenDevices& open_devices() {
  static OpenDevices* const devices = new OpenDevices();
  return *devices;
}

Execution with_devices(Execution execution, const Environment& environment,
                       std::span<const FeatureRequest> features) {
  const Devices devices =
      open_devices().open(environment, device_requirement(infos_of(features), execution.backend));
  std::promise<Devices> opened;
  opened.set_value(devices);
  execution.devices = {.selector = environment.device,
                       .count = static_cast<int>(devices.size()),
                       .opened = opened.get_future().share()};
  return execution;
}

// A real device, where there is one and enough to do.
Execution automatic(const Execution& on_cpu, const Environment& environment, const BackendLimits& limits,
                    std::span<const FeatureRequest> features, const VideoFormats& formats) {
  const int64_t area = int64_t{formats.distorted.width} * formats.distorted.height;
  if (limits.cpumask != 0 || area < kLeastArea) return on_cpu;
  const auto is_real = [](const vulkan::DeviceInfo& device) {
    return device.unusable.empty() && device.type != vulkan::DeviceType::kSoftware;
  };
  const vulkan::DeviceList list = vulkan::list_devices();
  if (std::none_of(list.devices.begin(), list.devices.end(), is_real)) return on_cpu;
  Execution on_device = on_cpu;
  on_device.backend = Backend::kVulkan;
  try {
    return with_devices(on_device, environment, features);
  } catch (const Error& error) {
    log(LogLevel::kWarning, std::string(error.what()) + "; the CPU takes its place");
    return on_cpu;
  }
}

}  // namespace

Execution choose_backend(const Environment& environment, const BackendLimits& limits,
                         std::span<const FeatureRequest> features, const VideoFormats& formats) {
  const std::string& word = environment.backend;
  Execution execution;
  execution.cpumask = limits.cpumask;
  if (word.empty()) return execution;
  if (word == "auto") {
    return limits.forbids_devices ? execution : automatic(execution, environment, limits, features, formats);
  }
  const std::optional<Backend> named = backend_named(word);
  if (!named)
    throw Error(ErrorKind::kUsage, "CAMBI_BACKEND=" + printable(word) +
                                       " is no backend; there are auto, cpu, scalar, hybrid and vulkan");
  if (is_on_device(*named) && limits.forbids_devices) return execution;
  execution.backend = *named;
  return is_on_device(*named) ? with_devices(execution, environment, features) : execution;
}

std::string device_with(const std::array<uint8_t, 16>& uuid) {
  for (const vulkan::DeviceInfo& device : vulkan::list_devices().devices) {
    if (device.uuid == uuid) return std::to_string(device.index);
  }
  throw Error(ErrorKind::kBackend, "Vulkan does not see CUDA's device");
}

std::shared_ptr<vulkan::Device> open_device(const Environment& environment) {
  return open_devices().open(environment, [](const vulkan::DeviceInfo&) { return std::string(); }).front();
}

void forget_devices() {
  open_devices().forget();
}

}  // namespace vq::libvmaf
