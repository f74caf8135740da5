// Which backend a run uses, on which devices, and how it falls back.
#pragma once

#include <map>

#include "engine/request.h"
#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq {

// The backend that to_string() calls so; nothing for other words, "auto" among them.
std::optional<Backend> backend_named(std::string_view name);

// The request for a backend.
struct BackendRequest {
  std::optional<Backend> backend = {};            // none: auto
  std::string device = {};                        // see vulkan::choose_devices; empty: any
  bool without_gpu = false;                       // auto leaves GPUs alone
  std::vector<const FeatureInfo*> features = {};  // that are to run on it
};

struct BackendChoice {
  Backend backend = Backend::kCpu;
  DeviceSelection devices = {};
  std::vector<vulkan::DeviceInfo> infos = {};  // of those devices, in order; empty if the selector means none
  vulkan::DeviceList list = {};                // that they are from
  std::vector<Diagnostic> remarks = {};
  bool may_fall_back = false;  // to the CPU; only if the choice was not made by the request
};

// Whether devices_for() would look for devices: some may be there that the request can use. Loads nothing.
bool may_have_device(const BackendRequest& request);

// The devices among which choose_backend() has to choose, each marked if it cannot run the features: those of
// this machine, or none if the request needs none. Loads the drivers then.
vulkan::DeviceList devices_for(const BackendRequest& request);

// An explicit backend is taken as it is; a remark says that a software device is slower than the CPU. Auto
// takes the whole-GPU backend, if a feature has it, on the devices that are named, or else on a usable one
// that is not software. `list`: as devices_for() gives it. Depends on nothing
// else. Throws Error: kUsage if no device or several are named, kBackend if a named one cannot be used.
BackendChoice choose_backend(const BackendRequest& request, const vulkan::DeviceList& list);

// Leaves to the host those features whose pictures a chosen device cannot hold, once formats and options are
// known. If it can hold those of none, throws Error{kBackend}, unless the run may fall back: then the reason
// comes out when the extractor is made. `execution`: by that choice.
void leave_too_large(BackendChoice& choice, std::span<const FeatureRequest> features,
                     const VideoFormats& formats, const Execution& execution);

// Begins to open the devices, beside what else there is to do before the first frame. Errors of opening come
// out when the devices are taken. `cache_folder`: see vulkan::DeviceOptions.
void begin_to_open(BackendChoice& choice, const std::optional<std::filesystem::path>& cache_folder);

// The devices of this machine that may join a run that the CPU began: those that the request names, or else
// all usable ones of the fastest type; none of software. A choice for each. Throws as choose_backend().
std::vector<BackendChoice> joining_devices(const BackendRequest& request, const vulkan::DeviceList& list);

// Devices that several runs of a process share: listed and opened once, and opened anew after one was lost.
// May be used from any thread.
class SharedDevices {
 public:
  // As devices_for(). Needs: all requests are for the same features and backend.
  vulkan::DeviceList list(const BackendRequest& request);
  // As begin_to_open().
  void open(BackendChoice& choice, const std::optional<std::filesystem::path>& cache_folder);

 private:
  std::mutex mutex_;
  std::optional<vulkan::DeviceList> list_;
  std::map<std::string, BackendChoice> opened_;  // by selector, each by the run that was the first to ask
};

// The folder of caches, by variables of the environment: $XDG_CACHE_HOME/cambi, or $HOME/.cache/cambi;
// nothing if neither is an absolute path. On Windows below the user's local files.
std::optional<std::filesystem::path> cache_folder(const char* (*value_of)(const char* variable));

// Devices that contexts of the libraries share: opening one takes longer than many frames.

// The devices that the selector means. Calls with the same selector and cache folder share devices; a device
// that failed is opened anew. Devices stay open for five seconds after the last copy of a pointer is gone, as
// encoders open and close a context for each call. A thread that runs only while one is open closes them.
// From any thread. Throws Error: as vulkan::open_devices(), and kBackend for a device that does not meet the
// requirement and in a process that was forked off.
std::vector<std::shared_ptr<vulkan::Device>> lease_devices(const vulkan::DeviceOptions& options);

// lease_devices(), or what it throws, as extractors take it.
DeviceSelection lease_selection(const vulkan::DeviceOptions& options);

}  // namespace vq
