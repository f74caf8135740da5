// What runs of one context share: how they compute, threads, devices; and the border between C and C++.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/elementary.h"
#include "core/error.h"
#include "core/frame.h"
#include "core/text.h"
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

// Where calls in C become calls in C++: exceptions become codes, and sizes say what a caller knows of a
// struct.

// The run has nothing of that name or number.
class NotFound : public Error {
 public:
  explicit NotFound(const std::string& message) : Error(ErrorKind::kUsage, message) {}
};
// The run was cancelled.
class Stopped : public Error {
 public:
  Stopped() : Error(ErrorKind::kIncomplete, "the run was cancelled") {}
};

// Keeps the exception's text for cambi_error(). Needs: called while it is handled.
CambiStatus status_of_exception() noexcept;
// The text of the thread's last failure.
const char* last_error() noexcept;

// Runs the body of an entry point, which returns a CambiStatus.
template <typename Body>
CambiStatus guarded(Body&& body) noexcept {
  const ExactFloats exact;
  try {
    return body();
  } catch (...) {
    return status_of_exception();
  }
}

// Throws Error{kUsage} where an argument is null.
template <typename T>
T& needed(T* argument, const char* name) {
  if (argument == nullptr) throw Error(ErrorKind::kUsage, std::string(name) + " is null");
  return *argument;
}

// The same of a text.
inline std::string text_of(const char* argument, const char* name) {
  needed(argument, name);
  return argument;
}

// Throws Error{kUsage} for a size that no version of the struct has: it would cut a member in two.
template <typename T>
void check_size(const T& given) {
  if (given.size < sizeof(given.size) || given.size % alignof(T) != 0)
    throw Error(ErrorKind::kUsage, words("the size of a struct is {}, which it never was", given.size));
}

// A caller's struct of any version, with defaults for what the caller does not know; all of them for null.
template <typename T>
T sized(const T* given) {
  T all = {};
  if (given == nullptr) return all;
  check_size(*given);
  std::memcpy(&all, given, std::min(given->size, sizeof all));
  return all;
}

// Fills as much of a caller's struct as the caller knows.
template <typename T>
void fill_sized(T& place, T all) {
  check_size(place);
  all.size = place.size;
  std::memcpy(&place, &all, std::min(place.size, sizeof all));
}

}  // namespace vq::c_api
