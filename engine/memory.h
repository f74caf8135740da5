// An upper estimate of the memory that a run takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/frame.h"
#include "feature/feature.h"

namespace vq {

// A video as far as its memory counts.
struct DecodedVideo {
  VideoFormat format = {};
  bool is_planar = false;  // stored as it is: nothing is decoded
  int decoders = 1;        // that share the threads
};

// A video that is read: as it is decoded, and if it is brought to another size or depth as it is then.
struct ReadVideo {
  DecodedVideo decoded = {};
  std::optional<DecodedVideo> fitted = {};
  int64_t held = 0;  // frames of its last form that whoever makes pairs holds
};

struct VideoReading {
  std::vector<ReadVideo> videos = {};
  int threads = 1;
};

// Number of frames of a video that are read before they are asked for.
int read_ahead(int threads);

// Bytes of `queued` frames that others hold and of those that the decoders keep, but not of frames that are
// decoded before their turn.
struct DecodingUse {
  int planes = 1;  // that are delivered, if the video has as many
  int64_t queued = 0;
  int threads = 1;
};
int64_t decoding_bytes(const DecodedVideo& video, const DecodingUse& use);

// Bytes of the frames that decoders, features and the queues between them hold at once, those that wait for
// the frames behind them and both forms of fitted ones included, and of the extractor. Not: frames decoded
// before their turn, and pictures of frames. `formats`: as frames are scored.
int64_t run_bytes(const VideoReading& reading, const std::vector<FeatureRequest>& features,
                  const VideoFormats& formats, const Execution& execution);

}  // namespace vq
