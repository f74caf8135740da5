// An upper estimate of the memory that a run takes.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/decoding/video_source.h"
#include "feature/feature.h"

namespace vq::cli {

// A video that is read: as it is decoded, and where that is brought to another size or depth as it is then;
// else null.
struct ReadVideo {
  const VideoInfo* decoded = nullptr;
  const VideoInfo* fitted = nullptr;
};

struct VideoReading {
  std::vector<ReadVideo> videos = {};
  int threads = 1;
};

// Bytes of the frames that decoders, features and the queues between them hold at once, those that wait for
// the frames behind them and both forms of fitted ones included, and of the extractor. Not: what is decoded
// before its turn (VideoInfo::ahead_bytes), and pictures of frames. `formats`: as frames are scored.
int64_t run_bytes(const VideoReading& reading, const std::vector<FeatureRequest>& features,
                  const VideoFormats& formats, const Execution& execution);

}  // namespace vq::cli
