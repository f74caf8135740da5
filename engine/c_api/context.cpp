#include "engine/c_api/context.h"

#include <algorithm>
#include <string_view>
#include <thread>

#include "core/error.h"
#include "core/text.h"
#include "feature/device_feature.h"

namespace vq::c_api {
namespace {

constexpr int kMostThreads = 1024;

std::optional<Backend> parse_backend(const char* word) {
  if (word == nullptr || std::string_view(word) == "auto") return std::nullopt;
  for (const Backend backend : {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan}) {
    if (to_string(backend) == word) return backend;
  }
  throw Error(ErrorKind::kUsage,
              "there is no backend \"" + printable(word) + "\"; it is auto, cpu, scalar, hybrid or vulkan");
}

int parse_threads(int threads) {
  if (threads < 0 || threads > kMostThreads) {
    throw Error(ErrorKind::kUsage, "threads is " + std::to_string(threads) + "; 0 to " +
                                       std::to_string(kMostThreads) + " are allowed");
  }
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

bool any_on_device(const std::vector<FeatureRequest>& features) {
  return std::any_of(features.begin(), features.end(), [](const FeatureRequest& request) {
    const auto& backends = request.info->backends;
    return std::find(backends.begin(), backends.end(), Backend::kVulkan) != backends.end();
  });
}

// The best usable device that is not software; null: there is none.
const vulkan::DeviceInfo* real_device(const vulkan::DeviceList& list) {
  const vulkan::DeviceInfo* best = nullptr;
  for (const vulkan::DeviceInfo& device : list.devices) {
    if (!device.unusable.empty() || device.type == vulkan::DeviceType::kSoftware) continue;
    if (best == nullptr || device.type < best->type) best = &device;
  }
  return best;
}

}  // namespace

Context::Context(const CambiOptions& options)
    : threads_(parse_threads(options.threads)),
      backend_(parse_backend(options.backend)),
      device_(options.device != nullptr ? options.device : ""),
      log_(options.log),
      log_user_(options.log_user) {
  if (options.cache_folder != nullptr) cache_folder_ = options.cache_folder;
}

void Context::log(CambiLogLevel level, const std::string& text) const {
  if (log_ != nullptr) log_(log_user_, level, text.c_str());
}

WorkerPool& Context::pool() {
  const std::lock_guard lock(mutex_);
  if (!pool_) pool_ = std::make_unique<WorkerPool>(threads_);
  return *pool_;
}

Context::Choice Context::choose(const std::vector<FeatureRequest>& features) {
  if (backend_ && !is_on_device(*backend_)) return {.backend = *backend_};
  const Backend backend = backend_.value_or(Backend::kVulkan);
  const bool is_asked_for = backend_.has_value() || !device_.empty();
  if (!is_asked_for && !any_on_device(features)) return {};
  const vulkan::DeviceList list = vulkan::list_devices(device_requirement(infos_of(features), backend));
  std::string selector = device_;
  if (!is_asked_for) {
    const vulkan::DeviceInfo* const device = real_device(list);
    if (device == nullptr) return {};
    selector = std::to_string(device->index);
  }
  const vulkan::DeviceChoice devices = vulkan::choose_devices(list, selector);
  return {.backend = backend,
          .devices = select(list, vulkan::selector_of(devices)),
          .may_fall_back = !backend_.has_value()};
}

DeviceSelection Context::select(const vulkan::DeviceList& list, const std::string& selector) {
  const std::lock_guard lock(mutex_);
  if (opened_.empty() || opened_selector_ != selector) {
    opened_ = vulkan::open_devices({.selector = selector, .cache_folder = cache_folder_, .list = list});
    opened_selector_ = selector;
  }
  std::promise<std::vector<std::shared_ptr<vulkan::Device>>> opened;
  opened.set_value(opened_);
  return {.selector = selector,
          .count = static_cast<int>(opened_.size()),
          .cache_folder = cache_folder_,
          .opened = opened.get_future().share()};
}

}  // namespace vq::c_api
