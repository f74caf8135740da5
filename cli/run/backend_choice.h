// Which backend a run uses, and how it falls back.
#pragma once

#include <string>
#include <vector>

#include "cli/output/messages.h"
#include "cli/run/run_options.h"
#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq::cli {

// What the command line says.
struct BackendWish {
  std::optional<Backend> backend;  // none: auto
  std::string device;              // see vulkan::choose_devices; empty: any
  bool without_gpu = false;        // auto is to leave GPUs alone
  bool quiet = false;              // no remarks
  std::vector<const FeatureInfo*> features = {};  // that are to run on it
};

struct BackendChoice {
  Backend backend = Backend::kCpu;
  DeviceUse devices = {};      // already being opened; what is wrong with them comes out when they are taken
  std::vector<vulkan::DeviceInfo> infos = {};  // of those devices, in order; empty where they are not known
  bool may_fall_back = false;  // to the CPU; only where the choice was left to the program
};

BackendWish backend_wish(const RunOptions& arguments);

// An explicit backend is taken as it is; where its device is software, which is slower than the CPU, that is
// noted. Auto takes the whole-GPU backend, where all features have it, on the device that is named, or on a usable one that
// is not software, of which it says so in one line. Throws Error: kUsage where no device or several are named, kBackend
// where the named one cannot be used.
BackendChoice choose_backend(const BackendWish& wish, Messages& messages);

// The table of `cambi devices`, which fits `width` columns where it can; 0: any.
std::string device_table(size_t width = 0);

}  // namespace vq::cli
