// What runs of one context share: how they compute, threads, devices.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/frame.h"
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

// Pictures of callers as frames of the engine.

// Calls the caller's release function when nobody holds the picture any more.
class PictureOwner {
 public:
  explicit PictureOwner(const CambiPicture& picture)
      : release_(picture.release), user_(picture.release_user) {}
  ~PictureOwner() {
    if (release_ != nullptr) release_(user_);
  }
  PictureOwner(PictureOwner&& other) noexcept
      : release_(std::exchange(other.release_, nullptr)), user_(other.user_) {}
  PictureOwner& operator=(const PictureOwner&) = delete;

 private:
  void (*release_)(void*);
  void* user_;
};

// Throws Error: kUsage for values that no picture has, kMismatch for sizes and depths that are not taken.
VideoFormat format_of(const CambiPicture& picture, const char* name);

// The first `planes` planes of the picture, or as many as its format has. Samples are copied where the
// picture has no release function, and used in place, kept by `owner`, otherwise. Throws Error{kUsage} for
// planes that are null or whose rows overlap, std::bad_alloc.
Frame frame_of(const CambiPicture& picture, const VideoFormat& format, int planes,
               std::shared_ptr<const PictureOwner> owner);

}  // namespace vq::c_api
