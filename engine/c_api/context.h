// What runs of one context share: how they compute, threads, devices.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/worker_pool.h"
#include "engine/backend_choice.h"
#include "feature/feature.h"
#include "include/cambi/cambi.h"
#include "vulkan/device.h"

namespace vq::c_api {

// Its members may be called from any thread.
class Context {
 public:
  // Throws Error{kUsage} for options that are not allowed.
  explicit Context(const CambiOptions& options);

  // The backend for these features, with its devices open: "auto" takes a device unless the program measured
  // here that the CPU is faster. Throws as choose_backend() and, where a device is named, lease_devices().
  BackendChoice choose(const std::vector<FeatureRequest>& features, const VideoFormats& formats);

  // Threads are started when this is first called.
  WorkerPool& pool();
  int threads() const { return threads_; }
  void log(CambiLogLevel level, const std::string& text) const;

 private:
  std::optional<Diagnostic> prefer_cpu(const BackendChoice& choice,
                                       const std::vector<FeatureRequest>& features,
                                       const VideoFormats& formats) const;

  int threads_ = 1;
  std::optional<Backend> backend_;  // none: auto
  std::string device_;
  std::optional<std::filesystem::path> cache_folder_;
  void (*log_)(void*, CambiLogLevel, const char*) = nullptr;
  void* log_user_ = nullptr;
  std::mutex mutex_;
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace vq::c_api
