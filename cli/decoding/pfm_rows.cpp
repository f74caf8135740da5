#include "cli/decoding/pfm_rows.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "cli/decoding/ffmpeg_functions.h"

namespace vq::cli {
namespace {

// One column of two rows: the first in the file is 0, the second 1.
constexpr std::string_view kHeader = "Pf\n1 2\n-1.0\n";
constexpr uint8_t kRows[] = {0, 0, 0, 0, 0, 0, 0x80, 0x3F};

bool gives_first_row_first() {
  const AVCodec* const codec = avcodec_find_decoder(AV_CODEC_ID_PFM);
  if (codec == nullptr) return false;
  const AvPtr<AVCodecContext> context(avcodec_alloc_context3(codec));
  const AvPtr<AVPacket> packet(av_packet_alloc());
  const AvPtr<AVFrame> picture(av_frame_alloc());
  if (!context || !packet || !picture || avcodec_open2(context.get(), codec, nullptr) < 0) return false;
  if (av_new_packet(packet.get(), static_cast<int>(kHeader.size() + sizeof(kRows))) < 0) return false;
  std::copy(kHeader.begin(), kHeader.end(), packet->data);
  std::copy(std::begin(kRows), std::end(kRows), packet->data + kHeader.size());
  if (avcodec_send_packet(context.get(), packet.get()) < 0) return false;
  if (avcodec_receive_frame(context.get(), picture.get()) < 0) return false;
  uint32_t first = 0;
  std::memcpy(&first, picture->data[0], sizeof(first));
  return first == 0;  // in either order of bytes
}

}  // namespace

bool is_upside_down(AVCodecID codec) {
  if (codec != AV_CODEC_ID_PFM && codec != AV_CODEC_ID_PHM) return false;
  static const bool kIs = gives_first_row_first();
  return kIs;
}

}  // namespace vq::cli
