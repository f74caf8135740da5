#include "engine/c_api/context.h"

#include <algorithm>
#include <string_view>
#include <thread>

#include "core/error.h"
#include "core/text.h"
#include "engine/device_lease.h"
#include "engine/speed_files.h"
#include "feature/device_feature.h"

namespace vq::c_api {
namespace {

constexpr int kMostThreads = 1024;

std::optional<Backend> parse_backend(const char* word) {
  if (word == nullptr || std::string_view(word) == "auto") return std::nullopt;
  if (const std::optional<Backend> backend = backend_named(word)) return backend;
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

BackendChoice Context::choose(const std::vector<FeatureRequest>& features, const VideoFormats& formats) {
  const BackendRequest request = {.backend = backend_, .device = device_, .features = infos_of(features)};
  BackendChoice choice = choose_backend(request, devices_for(request));
  if (const std::optional<Diagnostic> why = prefer_cpu(choice, features, formats)) {
    choice = BackendChoice();
    choice.remarks.push_back(*why);
  }
  if (!is_on_device(choice.backend)) return choice;
  choice.devices = lease_selection({.selector = choice.devices.selector,
                                    .requirement = device_requirement(request.features, choice.backend),
                                    .cache_folder = cache_folder_,
                                    .list = choice.list});
  if (!choice.may_fall_back) (void)choice.devices.opened.get();  // throws what is wrong with them
  return choice;
}

// Says so where an open choice is the CPU.
std::optional<Diagnostic> Context::prefer_cpu(const BackendChoice& choice,
                                              const std::vector<FeatureRequest>& features,
                                              const VideoFormats& formats) const {
  if (!choice.is_open || !cache_folder_) return std::nullopt;
  SpeedFiles files(*cache_folder_);
  const Execution on_device = {.backend = choice.backend, .threads = threads_};
  const vulkan::DeviceInfo& device = choice.infos.front();
  const auto speeds = remembered_speeds({.features = features,
                                         .formats = formats,
                                         .on_gpu = on_device,
                                         .device = device,
                                         .frames = {},
                                         .pace = {},
                                         .memory = &files});
  if (!speeds || speeds->gpu_is_better({})) return std::nullopt;
  return speed_note(*speeds, {}, device.name);
}

}  // namespace vq::c_api
