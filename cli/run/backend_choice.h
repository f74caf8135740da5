// Which backend a run uses, and how it falls back.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cli/run/run_options.h"
#include "cli/system/messages.h"
#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq::cli {

// What the command line says.
struct BackendRequest {
  std::optional<Backend> backend;                 // none: auto
  std::string device = {};                        // see vulkan::choose_devices; empty: any
  bool without_gpu = false;                       // auto is to leave GPUs alone
  bool quiet = false;                             // no remarks
  std::vector<const FeatureInfo*> features = {};  // that are to run on it
};

struct BackendChoice {
  Backend backend = Backend::kCpu;
  DeviceSelection devices = {};
  std::vector<vulkan::DeviceInfo> infos =
      {};                        // of those devices, in order; empty where the selector means none
  vulkan::DeviceList list = {};  // that they are from
  bool may_fall_back = false;    // to the CPU; only where the choice was left to the program
  bool is_open = false;          // the CPU may be the faster one: settle_backend() says
  std::shared_ptr<std::atomic<double>> opening_seconds =
      {};  // that opening the devices took, once they are open
};

BackendRequest backend_request(const RunOptions& arguments);

// An explicit backend is taken as it is; where its device is software, which is slower than the CPU, that is
// noted. Auto takes the whole-GPU backend, where a feature has it, on the devices that are named, or else on
// a usable one that is not software, and then the choice is open. Throws Error: kUsage where no device or
// several are named, kBackend where a named one cannot be used.
BackendChoice choose_backend(const BackendRequest& request, Messages& messages);

// Begins to open the devices, beside what else there is to do before the first frame. What is wrong with them
// comes out when they are taken.
void begin_to_open(BackendChoice& choice);

struct SpeedQuestion;  // see cli/run/faster_backend.h
struct Decision;

// Decides an open choice, now that formats and options are known: takes the device where it is at least as
// fast as the CPU with all threads of the pool, which is tried where that is not known, and says so in one
// line. A device that fails while it is tried is taken all the same: the run says what is wrong with it.
// Throws what else trying throws. Returns what was decided; nothing where the choice was not open, or trying
// failed.
std::optional<Decision> settle_backend(BackendChoice& choice, const SpeedQuestion& question, bool quiet,
                                       Messages& messages);

// The table of `cambi devices`, which fits `width` columns where it can; 0: any.
std::string device_table(size_t width = 0);

}  // namespace vq::cli
