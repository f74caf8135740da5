#include "cli/decoding/damage/picture_count.h"

#include <algorithm>
#include <array>

namespace vq::cli {
namespace {

// The first ten bits after the start code of a picture of MPEG-1 or MPEG-2.
std::optional<int64_t> temporal_reference(const AVPacket& packet) {
  constexpr std::array<uint8_t, 4> kPictureStart = {0, 0, 1, 0};
  const uint8_t *const start = packet.data, *const end = packet.data + packet.size;
  const uint8_t* const at = std::search(start, end, kPictureStart.begin(), kPictureStart.end());
  if (end - at < 6) return std::nullopt;
  return at[4] << 2 | at[5] >> 6;
}

}  // namespace

PictureCount::PictureCount(const AVCodecParameters& stream)
    : has_temporal_reference_(stream.codec_id == AV_CODEC_ID_MPEG1VIDEO ||
                              stream.codec_id == AV_CODEC_ID_MPEG2VIDEO) {
  if (stream.codec_id != AV_CODEC_ID_H264 && stream.codec_id != AV_CODEC_ID_HEVC) return;
  context_.reset(avcodec_alloc_context3(nullptr));
  if (!context_ || avcodec_parameters_to_context(context_.get(), &stream) < 0) return;
  parser_.reset(av_parser_init(stream.codec_id));
  if (parser_) parser_->flags |= PARSER_FLAG_COMPLETE_FRAMES;
}

std::optional<int64_t> PictureCount::of(const AVPacket& packet) {
  if (has_temporal_reference_) return temporal_reference(packet);
  if (!parser_) return std::nullopt;
  uint8_t* data = nullptr;
  int size = 0;
  av_parser_parse2(parser_.get(), context_.get(), &data, &size, packet.data, packet.size, packet.pts,
                   packet.dts, packet.pos);
  return parser_->output_picture_number;
}

}  // namespace vq::cli
