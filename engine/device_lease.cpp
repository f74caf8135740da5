#include "engine/device_lease.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.h"

namespace vq {
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
      if (!why.empty()) throw Error(ErrorKind::kBackend, device->info().name + ": " + why);
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
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

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

  // Those that have not been used since then.
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
