// How much memory a run may take, and how much it will.
#pragma once

#include <cstdint>
#include <string>

#include "cli/decoding/video_source.h"

namespace vq::cli {

// Three quarters of what the process may have: the least of free memory, the limits of its control groups and
// the process's own limit.
int64_t default_memory_limit();

// The least memory limit of the control groups, of version 1 or 2, that this process is in, with those that
// they lie in; INT64_MAX where there is none. `root` is put before the paths of system files.
int64_t control_group_limit(const std::string& root = "");

// An upper estimate of what decoding a video takes, in bytes: `queued` frames that others hold, and those of
// the decoders, but not what is decoded before its turn (VideoInfo::ahead_bytes).
struct DecodingUse {
  int planes = 1;  // as SourceOptions::planes
  int64_t queued = 0;
  int threads = 1;
};
int64_t decoding_bytes(const VideoInfo& info, const DecodingUse& use);

}  // namespace vq::cli
