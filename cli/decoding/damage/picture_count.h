// The display order of pictures as counted in the streams themselves.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/decoding/ffmpeg_ptr.h"

namespace vq::cli {

// For containers without display times. Counts restart occasionally; in between they rise in display order.
class PictureCount {
 public:
  explicit PictureCount(const AVCodecParameters& stream);

  // Receives the packets of the stream in order. Returns the count of the packet's picture; nothing if the
  // codec has none (H.264, HEVC, MPEG-1 and MPEG-2 have).
  std::optional<int64_t> of(const AVPacket& packet);

 private:
  bool has_temporal_reference_;
  AvPtr<AVCodecParserContext> parser_;  // none for codecs without a count
  AvPtr<AVCodecContext> context_;
};

}  // namespace vq::cli
