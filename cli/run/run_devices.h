// Which devices compute and decode for a run.
#pragma once

#include "cli/decoding/hardware/hardware_request.h"
#include "cli/decoding/video_source.h"
#include "cli/inputs/run_options.h"
#include "cli/system/messages.h"
#include "engine/backend_choice.h"

namespace vq::cli {

// The backend of a run with these options, as choose_backend() chooses it among this machine's devices; notes
// what there is to say of that, unless the run is quiet. Throws as that.
BackendChoice choose_backend(const RunOptions& arguments, Messages& messages);

// How features run on a backend that was chosen; without open devices.
Execution execution_of(const RunOptions& arguments, const BackendChoice& backend, WorkerPool* pool = nullptr);

// As vq::begin_to_open(), unless the options have devices in common with other runs.
void begin_to_open(const RunOptions& arguments, BackendChoice& backend);

// Begins to open the devices of the backend, and has hardware decode for them if the options want that.
void open_devices(RunOptions& arguments, BackendChoice& backend);

// The request with the devices that the backend computes on, unless they are software, and with FFmpeg's
// hardware where it may be of use. What the request has of either stays. Never throws for want of a device.
HardwareRequest settle_decoder(HardwareRequest request, const BackendChoice& backend);

// The options for several runs, which then open each device once.
RunOptions sharing_devices(RunOptions arguments);

// Decodes the first frames of a video, once more. Nothing is known of a video that cannot be read twice, or
// not at all. Takes a tenth of a second, or as long as opening takes.
DecodingPace measure_decoding(const SourceOptions& options);

}  // namespace vq::cli
