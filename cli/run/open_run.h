// First step of a run: its backend is chosen and its videos are opened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/decoding/frame_queue.h"
#include "cli/inputs/run_options.h"
#include "cli/system/messages.h"
#include "engine/backend_choice.h"

namespace vq::cli {

struct OpenedRun {
  RunOptions options;     // with the frames to skip by alignment, and the hardware that decodes
  BackendChoice backend;  // open if it depends on the videos
  std::unique_ptr<FrameReader> distorted = {}, reference = {};  // the reference may be null
  VideoFormats formats = {};                                    // as decoded
  std::vector<std::string> notes = {};                          // see RunFacts
};

// Warnings and notes go to `messages`. The reference is `reference` if that is given, and opened here
// otherwise. Throws as choose_backend(), settle_shift() and open_input().
OpenedRun open_run(const RunOptions& options, std::unique_ptr<FrameReader> reference, Messages& messages);

}  // namespace vq::cli
