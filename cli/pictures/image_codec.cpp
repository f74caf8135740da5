#include "cli/pictures/image_codec.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/ffmpeg_ptr.h"
#include "core/error.h"

extern "C" {
#include <libavutil/crc.h>
#include <libavutil/opt.h>
}

namespace vq::cli {
namespace {

constexpr int kPngLevel = 6;
// Effort of WebP without loss: from 60 on it takes twice as long for a hundredth.
constexpr int kLosslessEffort = 50;
// From here on WebP keeps the steps that CAMBI sees nearly all of the time; the lower ones are for noise, in
// which there are none. See ADR 0019.
constexpr int kQualities[] = {98, 90, 80, 60, 40};
constexpr uint8_t kNoChroma = 128;
// WebP without loss takes two thirds of a PNG, seldom less than half.
constexpr size_t kMostSaved = 2;

void check(int code, const char* what) {
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code < 0)
    throw Error(ErrorKind::kInternal, std::string("picture: ") + what + ": " + ffmpeg_reason(code));
}

AvPtr<AVFrame> new_frame(int width, int height, AVPixelFormat format) {
  AvPtr<AVFrame> frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  frame->width = width;
  frame->height = height;
  frame->format = format;
  check(av_frame_get_buffer(frame.get(), 0), "no buffer");
  return frame;
}

uint8_t* row_of(AVFrame& frame, int plane, int y) {
  return frame.data[plane] + ptrdiff_t{frame.linesize[plane]} * y;
}

struct CodecOption {
  const char* name;
  int value;
};

// Needs: `codec` is not null.
std::string encoded(const AVCodec* codec, const AVFrame& frame, std::span<const CodecOption> options) {
  const AvPtr<AVCodecContext> encoder(avcodec_alloc_context3(codec));
  if (!encoder) throw std::bad_alloc();
  encoder->width = frame.width;
  encoder->height = frame.height;
  encoder->pix_fmt = static_cast<AVPixelFormat>(frame.format);
  encoder->time_base = {1, 1};
  encoder->thread_count = 1;
  for (const CodecOption& option : options)
    check(av_opt_set_int(encoder.get(), option.name, option.value, AV_OPT_SEARCH_CHILDREN), option.name);
  check(avcodec_open2(encoder.get(), codec, nullptr), "cannot start the encoder");
  const AvPtr<AVPacket> packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  check(avcodec_send_frame(encoder.get(), &frame), "cannot encode");
  check(avcodec_send_frame(encoder.get(), nullptr), "cannot encode");
  check(avcodec_receive_packet(encoder.get(), packet.get()), "cannot encode");
  return {reinterpret_cast<const char*>(packet->data), static_cast<size_t>(packet->size)};
}

const AVCodec* webp_encoder() {
  return avcodec_find_encoder_by_name("libwebp");
}

std::string big_endian(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

// The comment as a chunk of its own, behind the header with which the file begins.
void insert_comment(std::string& png, const std::string& comment) {
  if (comment.empty()) return;
  constexpr size_t kSignatureAndHeader = 8 + 25;
  const std::string typed = std::string("tEXtComment") + '\0' + comment;
  constexpr size_t kType = 4;
  const uint32_t sum = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UINT32_MAX,
                               reinterpret_cast<const uint8_t*>(typed.data()), typed.size());
  const uint32_t length = static_cast<uint32_t>(typed.size() - kType);
  png.insert(kSignatureAndHeader, big_endian(length) + typed + big_endian(sum));
}

std::string png_of(const AVFrame& frame, const std::string& comment) {
  const AVCodec* const codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
  if (codec == nullptr) throw Error(ErrorKind::kInternal, "this libavcodec has no PNG encoder");
  constexpr int kPaeth = 4;
  const CodecOption options[] = {{"compression_level", kPngLevel}, {"pred", kPaeth}};
  std::string png = encoded(codec, frame, options);
  insert_comment(png, comment);
  return png;
}

AvPtr<AVFrame> frame_of(PlaneView<const uint8_t> plane, AVPixelFormat format) {
  AvPtr<AVFrame> frame = new_frame(plane.width, plane.height, format);
  for (int y = 0; y < plane.height; ++y)
    std::memcpy(row_of(*frame, 0, y), plane.row(y), static_cast<size_t>(plane.width));
  return frame;
}

// A pixel of three equal channels for each of grey: WebP has no grey, and they take no more.
AvPtr<AVFrame> in_bgra(PlaneView<const uint8_t> grey) {
  AvPtr<AVFrame> frame = new_frame(grey.width, grey.height, AV_PIX_FMT_BGRA);
  for (int y = 0; y < grey.height; ++y) {
    uint8_t* const row = row_of(*frame, 0, y);
    for (int x = 0; x < grey.width; ++x) {
      std::memset(row + 4 * x, grey.row(y)[x], 3);
      row[4 * x + 3] = 255;
    }
  }
  return frame;
}

AvPtr<AVFrame> in_bgra(const RgbImage& image) {
  AvPtr<AVFrame> frame = new_frame(image.width(), image.height(), AV_PIX_FMT_BGRA);
  for (int y = 0; y < image.height(); ++y) {
    const uint8_t* from = image.row(y);
    uint8_t* to = row_of(*frame, 0, y);
    for (int x = 0; x < image.width(); ++x, from += 3, to += 4) {
      std::reverse_copy(from, from + 3, to);
      to[3] = 255;
    }
  }
  return frame;
}

PagePicture webp_without_loss(const AVFrame& bgra) {
  const CodecOption options[] = {{"lossless", 1}, {"quality", kLosslessEffort}};
  return {"image/webp", encoded(webp_encoder(), bgra, options)};
}

// The best quality that fits, or else the lowest.
PagePicture webp_that_fits(const AVFrame& frame, size_t most_bytes) {
  PagePicture best = {"image/webp", "", false};
  const auto fits = [&](int quality) {
    const CodecOption options[] = {{"quality", quality}};
    std::string bytes = encoded(webp_encoder(), frame, options);
    const bool is_small = bytes.size() <= most_bytes;
    if (is_small || quality == kQualities[std::size(kQualities) - 1]) best.bytes = std::move(bytes);
    return is_small;
  };
  // The qualities that fit come last.
  static_cast<void>(std::partition_point(std::begin(kQualities), std::end(kQualities),
                                         [&](int quality) { return !fits(quality); }));
  return best;
}

bool is_grey(const RgbImage& image) {
  for (int y = 0; y < image.height(); ++y) {
    const uint8_t* const row = image.row(y);
    for (int x = 0; x < 3 * image.width(); x += 3) {
      if (row[x] != row[x + 1] || row[x] != row[x + 2]) return false;
    }
  }
  return true;
}

Plane<uint8_t> first_channel(const RgbImage& image) {
  Plane<uint8_t> grey(image.width(), image.height());
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) grey.row(y)[x] = image.row(y)[3 * x];
  }
  return grey;
}

// WebP has limited range. Of video of that range and eight bits, its levels are met again.
AvPtr<AVFrame> limited(PlaneView<const uint8_t> grey) {
  AvPtr<AVFrame> frame = new_frame(grey.width, grey.height, AV_PIX_FMT_YUV420P);
  for (int y = 0; y < grey.height; ++y) {
    uint8_t* const luma = row_of(*frame, 0, y);
    for (int x = 0; x < grey.width; ++x)
      luma[x] = static_cast<uint8_t>(16 + (grey.row(y)[x] * 219 + 127) / 255);
  }
  for (int plane = 1; plane < 3; ++plane) {
    for (int y = 0; y < (grey.height + 1) / 2; ++y)
      std::memset(row_of(*frame, plane, y), kNoChroma, static_cast<size_t>(grey.width + 1) / 2);
  }
  return frame;
}

}  // namespace

std::string encode_png(const RgbImage& image, const std::string& comment) {
  const AvPtr<AVFrame> frame = new_frame(image.width(), image.height(), AV_PIX_FMT_RGB24);
  for (int y = 0; y < image.height(); ++y)
    std::memcpy(row_of(*frame, 0, y), image.row(y), static_cast<size_t>(image.width()) * 3);
  return png_of(*frame, comment);
}

std::string encode_png(PlaneView<const uint8_t> grey, const std::string& comment) {
  return png_of(*frame_of(grey, AV_PIX_FMT_GRAY8), comment);
}

PagePicture page_picture(PlaneView<const uint8_t> grey, size_t most_bytes) {
  PagePicture png = {"image/png", encode_png(grey)};
  if (png.bytes.size() <= most_bytes || webp_encoder() == nullptr) return png;
  if (png.bytes.size() / kMostSaved <= most_bytes) {
    PagePicture webp = webp_without_loss(*in_bgra(grey));
    if (webp.bytes.size() <= most_bytes) return webp;
  }
  return webp_that_fits(*limited(grey), most_bytes);
}

PagePicture page_picture(const RgbImage& image, size_t most_bytes) {
  if (is_grey(image)) {
    const Plane<uint8_t> grey = first_channel(image);
    return page_picture(grey.view(), most_bytes);
  }
  PagePicture png = {"image/png", encode_png(image)};
  if (png.bytes.size() <= most_bytes || webp_encoder() == nullptr) return png;
  const AvPtr<AVFrame> frame = in_bgra(image);
  if (png.bytes.size() / kMostSaved <= most_bytes) {
    PagePicture webp = webp_without_loss(*frame);
    if (webp.bytes.size() <= most_bytes) return webp;
  }
  return webp_that_fits(*frame, most_bytes);
}

PagePicture lossless_picture(const RgbImage& image) {
  PagePicture png = page_picture(image, SIZE_MAX);
  if (webp_encoder() == nullptr) return png;
  PagePicture webp = webp_without_loss(*in_bgra(image));
  return webp.bytes.size() < png.bytes.size() ? webp : png;
}

PagePicture page_layer(PlaneView<const uint8_t> picks, std::span<const LayerColour> colours) {
  const AvPtr<AVFrame> frame = frame_of(picks, AV_PIX_FMT_PAL8);
  for (size_t i = 0; i < colours.size(); ++i) {
    const auto& [colour, opacity] = colours[i];
    const uint32_t word =
        uint32_t{opacity} << 24 | uint32_t{colour.red} << 16 | uint32_t{colour.green} << 8 | colour.blue;
    std::memcpy(frame->data[1] + 4 * i, &word, sizeof word);
  }
  return {"image/png", png_of(*frame, {})};
}

}  // namespace vq::cli
