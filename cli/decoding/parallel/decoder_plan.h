// The number of decoders for a stream.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/decoding/ffmpeg_demuxer.h"

namespace vq::cli {

struct DecoderPlan {
  int decoders = 1;
  int threads = 1;               // of each
  int64_t pictures = 0;          // decoded ahead by all decoders together, in host memory
  int64_t device_pictures = 0;   // the same on decoding devices; 0: not possible
  int64_t shortest_segment = 1;  // packets
  int64_t first_segment = 1;     // the same, of the first one
  int devices = 1;               // that decode; each has a decoder at least
  bool chains = false;           // a decoder continues with another segment without being reset
};

// One decoder gains nothing from more threads, which cost memory.
inline constexpr int kMaxDecoderThreads = 16;
// Minimum number of packets per segment, since draining and filling a decoder takes the time of a few
// pictures; shorter ones are allowed if several decoders were requested.
inline constexpr int64_t kShortestSegment = 24, kShortestAskedFor = 12;

// Reads the first packets of the stream and puts them back. Needs: nothing was read yet.
DecoderPlan plan_decoders(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads);

// The same for hardware sessions, whose pictures may wait in device memory.
DecoderPlan plan_sessions(FfmpegDemuxer& demuxer, const SourceOptions& options);

// Number of hardware sessions on one device that finish a stream of this number of frames soonest, while as
// many work on each of the other videos. No frames: unknown.
int64_t sessions_of_use(std::optional<double> frames, int64_t pixels, int64_t videos);

// The memory of one decoded picture, if known.
int64_t picture_bytes(const AVCodecParameters& stream);

}  // namespace vq::cli
