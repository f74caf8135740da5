// What runs of one context share: how they compute, threads, devices.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/worker_pool.h"
#include "feature/feature.h"
#include "include/cambi/cambi.h"
#include "vulkan/device.h"

namespace vq::c_api {

// Its members may be called from any thread.
class Context {
 public:
  // Throws Error{kUsage} for options that are not allowed.
  explicit Context(const CambiOptions& options);

  // The backend for these features. If `may_fall_back`, the CPU is to take over from a device that fails.
  // Throws Error: kUsage where the device's name means none or several, kBackend where one that was asked for
  // cannot be used.
  struct Choice {
    Backend backend = Backend::kCpu;
    DeviceSelection devices = {};
    bool may_fall_back = false;
  };
  Choice choose(const std::vector<FeatureRequest>& features);

  // Threads are started when this is first called.
  WorkerPool& pool();
  int threads() const { return threads_; }
  void log(CambiLogLevel level, const std::string& text) const;

 private:
  DeviceSelection select(const vulkan::DeviceList& list, const std::string& selector);

  int threads_ = 1;
  std::optional<Backend> backend_;  // none: auto
  std::string device_;
  std::optional<std::filesystem::path> cache_folder_;
  void (*log_)(void*, CambiLogLevel, const char*) = nullptr;
  void* log_user_ = nullptr;
  std::mutex mutex_;
  std::unique_ptr<WorkerPool> pool_;
  // That were opened last, kept for runs that want the same.
  std::string opened_selector_;
  std::vector<std::shared_ptr<vulkan::Device>> opened_;
};

}  // namespace vq::c_api
