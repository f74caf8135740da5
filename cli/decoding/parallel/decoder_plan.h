// How many decoders a stream is worth.
#pragma once

#include <cstdint>

#include "cli/decoding/ffmpeg_demuxer.h"

namespace vq::cli {

struct DecoderPlan {
  int decoders = 1;
  int threads = 1;               // of each
  int64_t pictures = 0;          // decoded ahead, of all decoders together, in the host's memory
  int64_t device_pictures = 0;   // the same where they stay on the devices that decode; 0: none may
  int64_t shortest_segment = 1;  // packets
  bool chains = false;           // a decoder goes on from one segment to another without forgetting the first
};

// More threads than this cost memory and bring nothing, for one decoder.
inline constexpr int kMaxDecoderThreads = 16;
// Packets. Segments are not shorter, since emptying and filling a decoder takes the time of a few pictures;
// they may be, where several decoders are asked for.
inline constexpr int64_t kShortestSegment = 24, kShortestAskedFor = 12;

// Reads the first packets of the stream and puts them back. Needs: nothing was read of it.
DecoderPlan plan_decoders(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads);

// The same for sessions of hardware, whose pictures may wait in the memory of their devices.
DecoderPlan plan_sessions(FfmpegDemuxer& demuxer, const SourceOptions& options);

// The memory of one decoded picture, as far as it is known.
int64_t picture_bytes(const AVCodecParameters& stream);

}  // namespace vq::cli
