#include "engine/backend_choice.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iterator>
#include <system_error>

#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "feature/device_feature.h"
#include "feature/extractor.h"

namespace vq {
namespace {

#ifdef __linux__
constexpr bool kDriversMakeNodes = true;
#else
constexpr bool kDriversMakeNodes = false;
#endif

// Listing devices loads every driver, and a software one alone takes some 80 MB and a tenth of a second: too
// much if no GPU can be there. Names of the nodes that GPU drivers make on Linux.
bool may_have_gpu() {
  if (!kDriversMakeNodes) return true;
  constexpr const char* kNodes[] = {"/dev/dri", "/dev/nvidiactl", "/dev/dxg", "/dev/kgsl-3d0", "/dev/mali0"};
  return std::any_of(std::begin(kNodes), std::end(kNodes), [](const char* node) {
    std::error_code ignored;
    return std::filesystem::exists(path_of(node), ignored);
  });
}

bool is_real(const vulkan::DeviceInfo& device) {
  return device.type != vulkan::DeviceType::kSoftware && device.is_conformant && device.unusable.empty();
}

const vulkan::DeviceInfo* real_device(const vulkan::DeviceList& list) {
  const vulkan::DeviceInfo* best = nullptr;
  for (const vulkan::DeviceInfo& device : list.devices) {
    if (!is_real(device)) continue;
    if (best == nullptr || is_preferred(device, *best)) best = &device;
  }
  return best;
}

BackendChoice on_devices(Backend backend, const BackendRequest& request, const vulkan::DeviceList& list,
                         const vulkan::DeviceChoice& devices) {
  BackendChoice choice = {.backend = backend, .list = list};
  choice.devices = {.selector = vulkan::selector_of(devices),
                    .count = static_cast<int>(devices.devices.size())};
  for (const int index : devices.devices) choice.infos.push_back(list.devices[static_cast<size_t>(index)]);
  choice.devices.lacking = features_lacking(request.features, backend, choice.infos);
  return choice;
}

void note_left_out(const std::vector<int>& left_out, BackendChoice& choice) {
  for (const int index : left_out) {
    const vulkan::DeviceInfo& device = choice.list.devices[static_cast<size_t>(index)];
    choice.remarks.push_back(
        {.text = words("device {} is left out: {} cannot be used: {}", index, device.name, device.unusable)});
  }
}

void note_software(BackendChoice& choice) {
  for (const vulkan::DeviceInfo& device : choice.infos) {
    if (device.type != vulkan::DeviceType::kSoftware) continue;
    choice.remarks.push_back(
        {.text = words("{} is a software device", device.name), .advice = Advice::kUseCpu});
  }
}

// The reason why a device cannot be used comes out when it is opened.
BackendChoice explicit_choice(const BackendRequest& request, const vulkan::DeviceList& list) {
  try {
    const vulkan::DeviceChoice devices = vulkan::choose_devices(list, request.device);
    BackendChoice choice = on_devices(*request.backend, request, list, devices);
    note_left_out(devices.left_out, choice);
    note_software(choice);
    return choice;
  } catch (const Error&) {
    return {.backend = *request.backend, .devices = {.selector = request.device}, .list = list};
  }
}

// Whether auto takes a device without being told which.
bool looks_for_device(const BackendRequest& request) {
  const auto may_use = [](const FeatureInfo* info) { return contains(info->backends, Backend::kVulkan); };
  return !request.without_gpu && std::ranges::any_of(request.features, may_use);
}

// Whether nothing more can be done with these devices, of which none was opened yet, or one cannot be used.
bool is_lost(const DeviceSelection& devices) {
  if (!devices.opened.valid()) return true;
  if (devices.opened.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  try {
    const auto& opened = devices.opened.get();
    return std::any_of(opened.begin(), opened.end(), [](const auto& device) { return device->has_failed(); });
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::optional<Backend> backend_named(std::string_view name) {
  for (const Backend backend : {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan}) {
    if (to_string(backend) == name) return backend;
  }
  return std::nullopt;
}

bool may_have_device(const BackendRequest& request) {
  if (request.backend || !request.device.empty())
    return is_on_device(request.backend.value_or(Backend::kVulkan));
  return looks_for_device(request) && may_have_gpu();
}

vulkan::DeviceList devices_for(const BackendRequest& request) {
  if (!may_have_device(request)) return {};
  return vulkan::list_devices(
      device_requirement(request.features, request.backend.value_or(Backend::kVulkan)));
}

BackendChoice choose_backend(const BackendRequest& request, const vulkan::DeviceList& list) {
  if (request.backend && !is_on_device(*request.backend)) return {.backend = *request.backend};
  if (request.backend) return explicit_choice(request, list);
  BackendChoice choice;
  if (!request.device.empty()) {
    // A device that is named is meant to be used: one that is unknown or cannot be used is an error.
    const vulkan::DeviceChoice devices = vulkan::choose_devices(list, request.device);
    choice = on_devices(Backend::kVulkan, request, list, devices);
    note_left_out(devices.left_out, choice);
  } else if (looks_for_device(request)) {
    const vulkan::DeviceInfo* const device = real_device(list);
    if (device == nullptr) return {};
    choice = on_devices(Backend::kVulkan, request, list, {.devices = {device->index}, .left_out = {}});
  }
  choice.may_fall_back = is_on_device(choice.backend);
  return choice;
}

std::vector<BackendChoice> joining_devices(const BackendRequest& request, const vulkan::DeviceList& list) {
  std::vector<BackendChoice> choices;
  if (request.device.empty() && real_device(list) == nullptr) return choices;
  const vulkan::DeviceChoice chosen =
      vulkan::choose_devices(list, request.device.empty() ? "all" : request.device);
  for (const int index : chosen.devices) {
    if (!is_real(list.devices[static_cast<size_t>(index)])) continue;
    choices.push_back(
        on_devices(Backend::kVulkan, request, list, {.devices = {index}, .left_out = chosen.left_out}));
  }
  return choices;
}

void leave_too_large(BackendChoice& choice, std::span<const FeatureRequest> features,
                     const VideoFormats& formats, const Execution& execution) {
  if (choice.infos.empty()) return;
  try {
    choice.devices.lacking = features_lacking(features, formats, execution, choice.infos);
  } catch (const Error&) {
    if (!choice.may_fall_back) throw;
  }
}

void begin_to_open(BackendChoice& choice, const std::optional<std::filesystem::path>& cache_folder) {
  if (!is_on_device(choice.backend) || choice.devices.opened.valid()) return;
  const auto open = [options = vulkan::DeviceOptions{.selector = choice.devices.selector,
                                                     .cache_folder = cache_folder,
                                                     .list = choice.list}] {
    return vulkan::open_devices(options);
  };
  choice.devices.opened = std::async(std::launch::async | std::launch::deferred, open).share();
}

vulkan::DeviceList SharedDevices::list(const BackendRequest& request) {
  const std::lock_guard lock(mutex_);
  if (!list_) list_ = devices_for(request);
  return *list_;
}

void SharedDevices::open(BackendChoice& choice, const std::optional<std::filesystem::path>& cache_folder) {
  const std::lock_guard lock(mutex_);
  if (!is_on_device(choice.backend) || choice.devices.opened.valid()) return;
  BackendChoice& opened = opened_[choice.devices.selector];
  if (is_lost(opened.devices)) {
    opened = choice;
    begin_to_open(opened, cache_folder);
  }
  choice.devices.opened = opened.devices.opened;
}

std::optional<std::filesystem::path> cache_folder(const char* (*value_of)(const char* variable)) {
#ifdef _WIN32
  (void)value_of;  // whose text may lack characters of a user's name
  const wchar_t* const local = _wgetenv(L"LOCALAPPDATA");
  const std::filesystem::path cache = local == nullptr ? L"" : local;
  return cache.is_absolute() ? std::optional(cache / "cambi") : std::nullopt;
#else
  const auto folder = [&](const char* variable) -> std::filesystem::path {
    const char* const value = value_of(variable);
    return value == nullptr ? "" : value;
  };
  const std::filesystem::path cache = folder("XDG_CACHE_HOME"), home = folder("HOME");
  if (cache.is_absolute()) return cache / "cambi";
  if (home.is_absolute()) return home / ".cache" / "cambi";
  return std::nullopt;
#endif
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPause{5};

using Devices = std::vector<std::shared_ptr<vulkan::Device>>;

struct OpenedDevices {
  bool are_for(const vulkan::DeviceOptions& options) const {
    return selector == options.selector && cache_folder == options.cache_folder &&
           std::none_of(devices.begin(), devices.end(),
                        [](const auto& device) { return device->has_failed(); });
  }

  const std::string selector;
  const std::optional<std::filesystem::path> cache_folder;
  const Devices devices;
  int uses = 0;
  Clock::time_point unused_since = {};
};
using Opened = std::shared_ptr<OpenedDevices>;

class OpenDevices {
 public:
  // Never destroyed: threads may still read pictures while the process ends.
  static OpenDevices& instance() {
    static OpenDevices* const devices = new OpenDevices();
    return *devices;
  }

  Devices lease(const vulkan::DeviceOptions& options) {
    // The parent's thread may have held the mutex, and the devices are the parent's.
    if (is_forked()) throw Error(ErrorKind::kBackend, "a process that was forked off has no device");
    const std::lock_guard lock(mutex_);
    Opened opened = find(options);
    if (opened == nullptr) opened = opened_.emplace_back(open(options));
    for (const auto& device : opened->devices) {
      const std::string why = options.requirement ? options.requirement(device->info()) : "";
      if (!why.empty()) throw Error(ErrorKind::kBackend, words("{}: {}", device->info().name, why));
    }
    Devices leased;
    leased.reserve(opened->devices.size());  // nothing fails once there is a use, whose end takes the mutex
    const auto use = std::make_shared<const Use>(*this, opened);
    ++opened->uses;
    for (const auto& device : opened->devices) leased.emplace_back(use, device.get());
    return leased;
  }

 private:
  class Use {
   public:
    Use(OpenDevices& all, Opened opened) : all_(all), opened_(std::move(opened)) {}
    ~Use() { all_.end(opened_); }
    Use& operator=(Use&&) = delete;

   private:
    OpenDevices& all_;
    const Opened opened_;
  };

  bool is_forked() const { return getpid() != owner_; }

  static Opened open(const vulkan::DeviceOptions& options) {
    return std::make_shared<OpenedDevices>(OpenedDevices{.selector = options.selector,
                                                         .cache_folder = options.cache_folder,
                                                         .devices = vulkan::open_devices(options)});
  }

  Opened find(const vulkan::DeviceOptions& options) const {
    const auto is_it = [&](const Opened& each) { return each->are_for(options); };
    const auto found = std::find_if(opened_.begin(), opened_.end(), is_it);
    return found == opened_.end() ? nullptr : *found;
  }

  // The process may end without another call, and another may begin meanwhile.
  void end(const Opened& opened) {
    if (is_forked()) return;
    for (const auto& device : opened->devices) device->save_cache();
    const std::lock_guard lock(mutex_);
    --opened->uses;
    opened->unused_since = Clock::now();
    if (!is_closing_ && !opened_.empty()) start_closer();
    changed_.notify_all();
  }

  void start_closer() {
    try {
      std::thread([this] { close_unused(); }).detach();  // this object stays, and so does the library's code
      is_closing_ = true;
    } catch (const std::system_error&) {
      take_unused(Clock::now());
    }
  }

  void close_unused() {
    std::unique_lock lock(mutex_);
    while (!opened_.empty()) {
      std::vector<Opened> due = take_unused(Clock::now() - kPause);
      if (!due.empty()) {
        lock.unlock();
        due.clear();  // closing takes a while
        lock.lock();
      } else if (const std::optional<Clock::time_point> next = first_due()) {
        changed_.wait_until(lock, *next);
      } else {
        changed_.wait(lock);
      }
    }
    is_closing_ = false;
  }

  std::optional<Clock::time_point> first_due() const {
    std::optional<Clock::time_point> first;
    for (const Opened& opened : opened_) {
      if (opened->uses == 0)
        first = std::min(first.value_or(Clock::time_point::max()), opened->unused_since + kPause);
    }
    return first;
  }

  // The devices that have not been used since then.
  std::vector<Opened> take_unused(Clock::time_point since) {
    const auto is_used = [&](const Opened& opened) {
      return opened->uses > 0 || opened->unused_since > since;
    };
    const auto unused = std::stable_partition(opened_.begin(), opened_.end(), is_used);
    std::vector<Opened> taken(unused, opened_.end());
    opened_.erase(unused, opened_.end());
    return taken;
  }

  const pid_t owner_ = getpid();
  std::mutex mutex_;  // for all below
  std::condition_variable changed_;
  std::vector<Opened> opened_;
  bool is_closing_ = false;
};

}  // namespace

std::vector<std::shared_ptr<vulkan::Device>> lease_devices(const vulkan::DeviceOptions& options) {
  return OpenDevices::instance().lease(options);
}

DeviceSelection lease_selection(const vulkan::DeviceOptions& options) {
  std::promise<Devices> opened;
  DeviceSelection selection = {.selector = options.selector, .opened = opened.get_future().share()};
  try {
    Devices devices = lease_devices(options);
    selection.count = static_cast<int>(devices.size());
    opened.set_value(std::move(devices));
  } catch (const Error&) {
    opened.set_exception(std::current_exception());
  }
  return selection;
}

}  // namespace vq
