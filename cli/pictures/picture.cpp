#include "cli/pictures/picture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "core/error.h"

extern "C" {
#include <libavutil/crc.h>
}

namespace vq::cli {
namespace {

void check(int code, const char* what) {
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code < 0) throw Error(ErrorKind::kInternal, std::string("PNG: ") + what + ": " + ffmpeg_reason(code));
}

AvPtr<AVCodecContext> open_png_encoder(int width, int height) {
  const AVCodec* const codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
  if (codec == nullptr) throw Error(ErrorKind::kInternal, "this libavcodec has no PNG encoder");
  AvPtr<AVCodecContext> encoder(avcodec_alloc_context3(codec));
  if (!encoder) throw std::bad_alloc();
  encoder->width = width;
  encoder->height = height;
  encoder->pix_fmt = AV_PIX_FMT_RGB24;
  encoder->time_base = {1, 1};
  encoder->compression_level = 6;
  check(avcodec_open2(encoder.get(), codec, nullptr), "cannot start the encoder");
  return encoder;
}

AvPtr<AVFrame> frame_of(const RgbImage& image) {
  AvPtr<AVFrame> frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  frame->width = image.width();
  frame->height = image.height();
  frame->format = AV_PIX_FMT_RGB24;
  check(av_frame_get_buffer(frame.get(), 0), "no buffer");
  for (int y = 0; y < image.height(); ++y) {
    std::memcpy(frame->data[0] + ptrdiff_t{frame->linesize[0]} * y, image.row(y),
                static_cast<size_t>(image.width()) * 3);
  }
  return frame;
}

std::string big_endian(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

// The comment as a chunk of its own, behind the header with which the file begins.
void insert_comment(std::string& png, const std::string& comment) {
  constexpr size_t kSignatureAndHeader = 8 + 25;
  const std::string typed = std::string("tEXtComment") + '\0' + comment;
  constexpr size_t kType = 4;
  const uint32_t sum = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UINT32_MAX,
                               reinterpret_cast<const uint8_t*>(typed.data()), typed.size());
  const uint32_t length = static_cast<uint32_t>(typed.size() - kType);
  png.insert(kSignatureAndHeader, big_endian(length) + typed + big_endian(sum));
}

}  // namespace

RgbImage::RgbImage(int width, int height, Colour colour)
    : width_(width), height_(height), bytes_(static_cast<size_t>(width) * static_cast<size_t>(height) * 3) {
  fill({0, 0, width, height}, colour);
}

void RgbImage::set(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  uint8_t* const sample = row(y) + 3 * x;
  sample[0] = colour.red;
  sample[1] = colour.green;
  sample[2] = colour.blue;
}

Colour RgbImage::at(int x, int y) const {
  const uint8_t* const sample = row(y) + 3 * x;
  return {sample[0], sample[1], sample[2]};
}

void RgbImage::fill(const Rectangle& area, Colour colour) {
  for (int y = std::max(area.y, 0); y < std::min(area.y + area.height, height_); ++y) {
    for (int x = std::max(area.x, 0); x < std::min(area.x + area.width, width_); ++x) set(x, y, colour);
  }
}

Colour blend(Colour under, Colour over, double weight) {
  const auto mix = [weight](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(std::lround(a + (b - a) * weight));
  };
  return {mix(under.red, over.red), mix(under.green, over.green), mix(under.blue, over.blue)};
}

std::string encode_png(const RgbImage& image, const std::string& comment) {
  const AvPtr<AVCodecContext> encoder = open_png_encoder(image.width(), image.height());
  const AvPtr<AVFrame> frame = frame_of(image);
  const AvPtr<AVPacket> packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  check(avcodec_send_frame(encoder.get(), frame.get()), "cannot encode");
  check(avcodec_receive_packet(encoder.get(), packet.get()), "cannot encode");
  std::string png(reinterpret_cast<const char*>(packet->data), static_cast<size_t>(packet->size));
  if (!comment.empty()) insert_comment(png, comment);
  return png;
}

RgbImage shrink(const RgbImage& image, int width) {
  if (image.width() <= width) return image;
  const int height = std::max(1, static_cast<int>(int64_t{image.height()} * width / image.width()));
  RgbImage small(width, height);
  for (int y = 0; y < height; ++y) {
    const int top = static_cast<int>(int64_t{y} * image.height() / height);
    const int bottom = std::max(top + 1, static_cast<int>(int64_t{y + 1} * image.height() / height));
    for (int x = 0; x < width; ++x) {
      const int left = static_cast<int>(int64_t{x} * image.width() / width);
      const int right = std::max(left + 1, static_cast<int>(int64_t{x + 1} * image.width() / width));
      int sums[3] = {};
      for (int v = top; v < bottom; ++v) {
        for (int u = left; u < right; ++u) {
          for (int c = 0; c < 3; ++c) sums[c] += image.row(v)[3 * u + c];
        }
      }
      const int count = (bottom - top) * (right - left);
      for (int c = 0; c < 3; ++c)
        small.row(y)[3 * x + c] = static_cast<uint8_t>((sums[c] + count / 2) / count);
    }
  }
  return small;
}

}  // namespace vq::cli
