// The place of pictures in display order, as the streams themselves count it.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/decoding/ffmpeg_ptr.h"

namespace vq::cli {

// For containers that have no times of display. Counts start anew now and then; between two starts they rise
// in display order.
class PictureCount {
 public:
  explicit PictureCount(const AVCodecParameters& stream);

  // Takes the packets of the stream in order. The count of the packet's picture; nothing where the codec has
  // none (H.264, HEVC, MPEG-1 and MPEG-2 do).
  std::optional<int64_t> of(const AVPacket& packet);

 private:
  bool has_temporal_reference_;
  AvPtr<AVCodecParserContext> parser_;  // none for codecs without a count
  AvPtr<AVCodecContext> context_;
};

}  // namespace vq::cli
