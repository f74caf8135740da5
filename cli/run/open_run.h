// First step of a run: its backend is chosen and its videos are opened.
#pragma once

#include "cli/decoding/frame_reader.h"
#include "cli/decoding/video_source.h"
#include "cli/inputs/pair_crop.h"
#include "cli/inputs/pair_reader.h"
#include "cli/inputs/run_options.h"
#include "cli/system/messages.h"
#include "core/worker_pool.h"
#include "engine/backend_choice.h"
#include "engine/report/report.h"

namespace vq::cli {

// Facts of a run that every step of it knows.
struct KnownRun {
  RunOptions options;  // with the frames to skip by alignment, and the hardware that decodes
  BackendChoice backend;
  // Whether other members of the machine may join. If `backend` is a device, it begins and the CPU joins,
  // since the CPU could not score all before a device is open; else the CPU begins.
  bool may_be_joined = false;
  VideoFormats formats = {};            // as decoded; once the run is settled, of what is scored
  std::vector<std::string> notes = {};  // see RunFacts
};

struct OpenedRun : KnownRun {
  std::unique_ptr<FrameReader> distorted = {}, reference = {};  // the reference may be null
};

// Warnings and notes go to `messages`. The reference is `reference` if that is given, and opened here
// otherwise. Throws as choose_backend(), settle_shift() and open_input().
OpenedRun open_run(const RunOptions& options, std::unique_ptr<FrameReader> reference, Messages& messages);

BackendRequest backend_request(const RunOptions& arguments);

// The backend of a run with these options, as choose_backend() chooses it among this machine's devices; notes
// what there is to say of that, unless the run is quiet. Throws as that.
BackendChoice choose_backend(const RunOptions& arguments, Messages& messages);

// How features run on a backend that was chosen; without open devices.
Execution execution_of(const RunOptions& arguments, const BackendChoice& backend, WorkerPool* pool = nullptr);

// Begins to open the devices of the backend, and has hardware decode for them if the options want that.
void open_devices(RunOptions& arguments, BackendChoice& backend);

// The request with the devices that the backend computes on, unless they are software, and with FFmpeg's
// hardware if it may be of use, unless it names some already. Never throws for want of a device.
HardwareRequest settle_decoder(HardwareRequest request, const BackendChoice& backend);

// The options for several runs, which then open each device once.
RunOptions sharing_devices(RunOptions arguments);

// A run with open videos, and everything that is known before the first frame.
// Its options have the features and models that are computed.
struct SettledRun : KnownRun {
  int threads_beside_devices = 0;  // of the CPU, if the run is joined
  PairCrop crop = {};
  std::shared_ptr<WorkerPool> pool = {};  // null: that of the group
  std::unique_ptr<PairReader> reader = {};
  std::vector<std::string> told = {};       // notes that were messages as well
  std::vector<PairFault> pair_faults = {};  // the same

  bool begins_on_device() const { return may_be_joined && is_on_device(backend.backend); }
  int threads() const;
  std::optional<int64_t> expected_frames() const;
  bool uses_reference() const;
  std::optional<double> reference_rate() const;   // frames a second
  std::vector<Metric> metrics() const;            // in the order of reports
  std::vector<ModelFacts> models() const;         // whose scores are reported
  std::vector<std::string> expectations() const;  // of the models, that the pictures do not meet
};

// How the features of the run are computed. The devices are selected, and not open.
Execution execution_of(const SettledRun& run);

// Second step of a run: decides what is computed.

// Crops and fits the videos for scoring, and checks all that can be checked before the first frame. A run
// that devices cannot join, since its frames cannot be read in parts, goes to a device that is no software,
// if there is one. Warnings and notes go to `messages`. Throws Error.
SettledRun settle_run(OpenedRun opened, Messages& messages);

}  // namespace vq::cli
