// The number of decoders for a stream.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

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

// Which of several devices decodes a segment of a stream.

// Devices take turns along the pictures of a run: the same pictures of both videos of a pair lie on one
// device, whichever of them is decoded ahead of the other. A turn is some 48 pictures, or as long as the
// longest segment so far, and a segment belongs to the turn in which its middle lies. Only speed depends on
// this. May be used from any thread.
class DeviceTurns {
 public:
  // Needs: devices > 0.
  explicit DeviceTurns(int devices) : devices_(devices) {}

  int devices() const { return devices_; }
  // Announces segments of about `length` pictures.
  void expect(int64_t length);
  // The device, from 0, for a segment of about `length` pictures from picture `first` on, counted from 0.
  int device_for(int64_t first, int64_t length);

 private:
  const int devices_;
  std::mutex mutex_;
  int64_t longest_ = 1;                // segment
  std::vector<int64_t> starts_ = {0};  // of turns, in order
};

}  // namespace vq::cli
