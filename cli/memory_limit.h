// How much memory a run may take, and how much it will.
#pragma once

#include <cstdint>

#include "cli/video_source.h"

namespace vq::cli {

// Three quarters of what the process may have: the least of free memory, the control group's and the
// process's limit.
int64_t default_memory_limit();

// An upper estimate of what decoding a video takes, in bytes: `queued` frames that others hold, and the
// decoder's own.
int64_t decoding_bytes(const VideoInfo& info, int64_t queued, int threads);

}  // namespace vq::cli
