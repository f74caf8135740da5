#include "cli/pictures/picture.h"

#include <ft2build.h>

#include <cmath>
#include <iterator>
#include <numeric>

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/ffmpeg_log.h"
#include "core/error.h"
#include "core/metric.h"
#include "core/text.h"

#include FT_FREETYPE_H

namespace vq::cli {

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
  const int left = std::max(area.x, 0), right = std::min(area.x + area.width, width_);
  const int top = std::max(area.y, 0), bottom = std::min(area.y + area.height, height_);
  if (left >= right || top >= bottom) return;
  for (int x = left; x < right; ++x) set(x, top, colour);
  for (int y = top + 1; y < bottom; ++y)
    std::copy_n(row(top) + 3 * left, 3 * (right - left), row(y) + 3 * left);
}

Colour blend(Colour under, Colour over, double weight) {
  const auto mix = [weight](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(std::lround(a + (b - a) * weight));
  };
  return {mix(under.red, over.red), mix(under.green, over.green), mix(under.blue, over.blue)};
}

DrawnHistogram drawn(const HistogramInfo& info, std::span<const uint64_t> counts) {
  const size_t parts = std::min(kDrawnBins, counts.size());
  const auto low = static_cast<size_t>(info.low), high = static_cast<size_t>(info.high);
  std::vector<uint64_t> sums(parts);
  uint64_t samples = 0, clipped_low = 0, clipped_high = 0;
  for (size_t bin = 0; bin < counts.size(); ++bin) {
    sums[bin * parts / counts.size()] += counts[bin];
    samples += counts[bin];
    if (bin <= low) clipped_low += counts[bin];
    if (bin >= high) clipped_high += counts[bin];
  }
  const auto share_of = [&](uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(std::max<uint64_t>(samples, 1));
  };
  DrawnHistogram result = {{}, share_of(clipped_low), share_of(clipped_high)};
  for (const uint64_t sum : sums)
    result.shares.push_back(static_cast<uint16_t>(std::lround(share_of(sum) * kDrawnUnit)));
  return result;
}

std::vector<DrawnHistogram> drawn(std::span<const HistogramInfo> infos,
                                  std::span<const std::vector<uint32_t>> histograms) {
  std::vector<DrawnHistogram> result;
  for (size_t i = 0; i < histograms.size(); ++i) {
    result.push_back(drawn(infos[i], std::vector<uint64_t>(histograms[i].begin(), histograms[i].end())));
  }
  return result;
}

LevelRecorder::LevelRecorder(const std::vector<HistogramInfo>& infos) {
  for (const HistogramInfo& info : infos) {
    channels_.push_back({info, {}, {}, {}, std::vector<uint64_t>(static_cast<size_t>(info.bins))});
  }
}

void LevelRecorder::add(std::span<const std::vector<uint32_t>> histograms) {
  for (size_t i = 0; i < channels_.size(); ++i) {
    ChannelLevels& channel = channels_[i];
    const std::vector<uint32_t>& histogram = histograms[i];
    const uint64_t samples = std::accumulate(histogram.begin(), histogram.end(), uint64_t{0});
    const auto percentile = [&](uint64_t percent) {
      return static_cast<uint16_t>(percentile_bin(histogram, samples, percent));
    };
    channel.p1.push_back(percentile(1));
    channel.p50.push_back(percentile(50));
    channel.p99.push_back(percentile(99));
    for (size_t bin = 0; bin < histogram.size(); ++bin) channel.counts[bin] += histogram[bin];
  }
}

namespace {

constexpr int kEmPixels = 12;     // at scale 1
constexpr int kHeightShare = 73;  // of capitals, in hundredths of that
constexpr uint32_t kReplacement = 0xFFFD;

// Takes the next character off the text.
uint32_t next_character(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  const uint32_t first = byte(0);
  const size_t length = first < 0x80         ? 1
                        : first >> 5 == 0x06 ? 2
                        : first >> 4 == 0x0E ? 3
                        : first >> 3 == 0x1E ? 4
                                             : 0;
  uint32_t character = length <= 1 ? first : first & (0x7FU >> length);
  bool whole = length > 0 && length <= text.size();
  for (size_t i = 1; whole && i < length; ++i) {
    whole = (byte(i) & 0xC0) == 0x80;
    character = character << 6 | (byte(i) & 0x3F);
  }
  text.remove_prefix(whole ? length : 1);
  return whole ? character : kReplacement;
}

void check(FT_Error error) {
  if (error == FT_Err_Out_Of_Memory) throw std::bad_alloc();
  if (error != 0) throw Error(ErrorKind::kInternal, "FreeType error {}", error);
}

// The font at one size. Opening it takes some twenty microseconds, so nobody keeps one.
class Typeface {
 public:
  explicit Typeface(int scale) {
    FT_Library library = nullptr;
    check(FT_Init_FreeType(&library));
    library_.reset(library);
    const std::string_view font = lettering_font();
    FT_Face face = nullptr;
    check(FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(font.data()),
                             static_cast<FT_Long>(font.size()), 0, &face));
    face_.reset(face);
    check(FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(kEmPixels * scale)));
  }

  // The next character, drawn in greys.
  const FT_GlyphSlotRec& glyph(std::string_view& text, bool drawn) {
    check(FT_Load_Char(face_.get(), next_character(text), drawn ? FT_LOAD_RENDER : FT_LOAD_DEFAULT));
    return *face_->glyph;
  }

 private:
  struct Done {
    void operator()(FT_Library library) const { FT_Done_FreeType(library); }
    void operator()(FT_Face face) const { FT_Done_Face(face); }
  };
  std::unique_ptr<FT_LibraryRec_, Done> library_;
  std::unique_ptr<FT_FaceRec_, Done> face_;  // goes before its library
};

constexpr int pixels(FT_Pos units) { return static_cast<int>((units + 32) >> 6); }

void draw_glyph(RgbImage& image, int x, int baseline, const FT_GlyphSlotRec& glyph, Colour colour) {
  for (int v = 0; v < static_cast<int>(glyph.bitmap.rows); ++v) {
    const int y = baseline - glyph.bitmap_top + v;
    for (int u = 0; u < static_cast<int>(glyph.bitmap.width); ++u) {
      const int at = x + glyph.bitmap_left + u;
      if (at < 0 || y < 0 || at >= image.width() || y >= image.height()) continue;
      const uint8_t cover = glyph.bitmap.buffer[ptrdiff_t{glyph.bitmap.pitch} * v + u];
      image.set(at, y, blend(image.at(at, y), colour, cover / 255.0));
    }
  }
}

// Levels of the PNG encoder: for a picture, and for a guess of what that will take, in a fourth of the time.
constexpr int kPngLevel = 6, kPngGuessLevel = 1;
constexpr int kPngUp = 2, kPngPaeth = 4;
// WebP's methods: the next ones take two to three times as long for a twentieth of the bytes (ADR 0019).
constexpr int kLosslessMethod = 1, kLossyMethod = 2;
constexpr int kLosslessEffort = 20;
// The best of them keep the steps that CAMBI sees nearly all of the time; those below 90 are for noise, in
// which there are none. See ADR 0019.
constexpr int kQualities[] = {98, 94, 90, 85, 80, 70, 60, 40};
constexpr uint8_t kNoChroma = 128;
// WebP without loss takes two thirds of a PNG, seldom less than half; a PNG takes two thirds of the guess.
constexpr size_t kMostSaved = 2;
constexpr double kMostGuessed = 3;
// The size of a picture is estimated from strips of it, which are rows of WebP's blocks.
constexpr int kStripRows = 16, kFewestStrips = 8;
// A sample of detail takes more than its share by up to this, since each has a header.
constexpr double kSampleError = 1.06;

void check(int code, const char* what) {
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code < 0) throw Error(ErrorKind::kInternal, "picture: {}: {}", what, ffmpeg_reason(code));
}

AvPtr<AVFrame> new_frame(int width, int height, AVPixelFormat format) {
  AvPtr<AVFrame> frame = owned(av_frame_alloc());
  frame->width = width;
  frame->height = height;
  frame->format = format;
  check(av_frame_get_buffer(frame.get(), 0), "no buffer");
  return frame;
}

uint8_t* row_of(const AVFrame& frame, int plane, int y) {
  return frame.data[plane] + ptrdiff_t{frame.linesize[plane]} * y;
}

using CodecOption = std::pair<const char*, int>;

// Needs: `codec` is not null.
std::string encoded(const AVCodec* codec, const AVFrame& frame, std::span<const CodecOption> options) {
  const AvPtr<AVCodecContext> encoder = owned(avcodec_alloc_context3(codec));
  encoder->width = frame.width;
  encoder->height = frame.height;
  encoder->pix_fmt = static_cast<AVPixelFormat>(frame.format);
  encoder->time_base = {1, 1};
  encoder->thread_count = 1;
  for (const auto& [name, value] : options)
    check(av_opt_set_int(encoder.get(), name, value, AV_OPT_SEARCH_CHILDREN), name);
  check(avcodec_open2(encoder.get(), codec, nullptr), "cannot start the encoder");
  const AvPtr<AVPacket> packet = new_packet();
  check(avcodec_send_frame(encoder.get(), &frame), "cannot encode");
  check(avcodec_send_frame(encoder.get(), nullptr), "cannot encode");
  check(avcodec_receive_packet(encoder.get(), packet.get()), "cannot encode");
  return {reinterpret_cast<const char*>(packet->data), static_cast<size_t>(packet->size)};
}

const AVCodec* webp_encoder() { return avcodec_find_encoder_by_name("libwebp"); }

std::string big_endian(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

// The comment is a chunk of its own, behind the header with which the file begins.
std::string with_comment(std::string png, const std::string& comment) {
  if (comment.empty()) return png;
  constexpr size_t kSignatureAndHeader = 8 + 25;
  const std::string typed = std::string("tEXtComment") + '\0' + comment;
  constexpr size_t kType = 4;
  const uint32_t sum = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UINT32_MAX,
                               reinterpret_cast<const uint8_t*>(typed.data()), typed.size());
  const uint32_t length = static_cast<uint32_t>(typed.size() - kType);
  png.insert(kSignatureAndHeader, big_endian(length) + typed + big_endian(sum));
  return png;
}

std::string png_of(const AVFrame& frame, int level = kPngLevel, int prediction = kPngPaeth) {
  const AVCodec* const codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
  if (codec == nullptr) throw Error(ErrorKind::kInternal, "this libavcodec has no PNG encoder");
  const CodecOption options[] = {{"compression_level", level}, {"pred", prediction}};
  return encoded(codec, frame, options);
}

// `channels` bytes are a pixel.
AvPtr<AVFrame> frame_of(PlaneView<const uint8_t> bytes, AVPixelFormat format, int channels = 1) {
  AvPtr<AVFrame> frame = new_frame(bytes.width / channels, bytes.height, format);
  for (int y = 0; y < bytes.height; ++y)
    std::memcpy(row_of(*frame, 0, y), bytes.row(y), static_cast<size_t>(bytes.width));
  return frame;
}

AvPtr<AVFrame> in_rgb(const RgbImage& image) {
  const int row_bytes = 3 * image.width();
  return frame_of({image.row(0), row_bytes, image.height(), row_bytes}, AV_PIX_FMT_RGB24, 3);
}

// Needs: the picture is grey.
AvPtr<AVFrame> in_grey(const RgbImage& image) {
  AvPtr<AVFrame> frame = new_frame(image.width(), image.height(), AV_PIX_FMT_GRAY8);
  for (int y = 0; y < image.height(); ++y) {
    uint8_t* const row = row_of(*frame, 0, y);
    for (int x = 0; x < image.width(); ++x) row[x] = image.row(y)[3 * x];
  }
  return frame;
}

// A frame in grey or RGB. WebP has no grey, and pixels of three equal channels take no more.
AvPtr<AVFrame> in_bgra(const AVFrame& frame) {
  const int channels = frame.format == AV_PIX_FMT_GRAY8 ? 1 : 3;
  AvPtr<AVFrame> bgra = new_frame(frame.width, frame.height, AV_PIX_FMT_BGRA);
  for (int y = 0; y < frame.height; ++y) {
    const uint8_t* from = row_of(frame, 0, y);
    uint8_t* to = row_of(*bgra, 0, y);
    for (int x = 0; x < frame.width; ++x, from += channels, to += 4) {
      for (int i = 0; i < 3; ++i) to[i] = from[channels == 1 ? 0 : 2 - i];
      to[3] = 255;
    }
  }
  return bgra;
}

// Strips of a picture one below the other, from all of its height, and how many times as much the picture is.
// Low pictures are taken whole.
struct Sample {
  AvPtr<AVFrame> strips;
  double times = 1;
};

Sample sample_of(const AVFrame& frame) {
  const int all = frame.height / kStripRows, every = std::max(1, all / kFewestStrips);
  const int count = every == 1 ? 1 : all / every, rows = every == 1 ? frame.height : kStripRows;
  Sample sample{new_frame(frame.width, count * rows, static_cast<AVPixelFormat>(frame.format)),
                static_cast<double>(frame.height) / (count * rows)};
  for (int i = 0; i < count * rows; ++i) {
    const int from = every == 1 ? i : ((i / rows) * every + every / 2) * kStripRows + i % rows;
    for (int plane = 0; plane < 3 && frame.data[plane] != nullptr; ++plane) {
      const int shift = plane == 0 ? 0 : 1;  // of chroma, which strips have in whole rows
      const size_t bytes =
          static_cast<size_t>(std::min(frame.linesize[plane], sample.strips->linesize[plane]));
      std::memcpy(row_of(*sample.strips, plane, i >> shift), row_of(frame, plane, from >> shift), bytes);
    }
  }
  return sample;
}

// Whether a lossless picture is worth trying. A guess.
bool may_be_exact(const AVFrame& frame, size_t most_bytes) {
  const Sample sample = sample_of(frame);
  const size_t bytes = png_of(*sample.strips, kPngGuessLevel, kPngUp).size();
  return static_cast<double>(bytes) * sample.times <= kMostGuessed * static_cast<double>(most_bytes);
}

PagePicture webp_without_loss(const AVFrame& bgra) {
  const CodecOption options[] = {
      {"lossless", 1}, {"compression_level", kLosslessMethod}, {"quality", kLosslessEffort}};
  return {"image/webp", encoded(webp_encoder(), bgra, options)};
}

std::string webp_of(const AVFrame& frame, int quality) {
  const CodecOption options[] = {{"quality", quality}, {"compression_level", kLossyMethod}};
  return encoded(webp_encoder(), frame, options);
}

// The best quality that fits, as far as a sample tells; the lowest if none fits.
PagePicture webp_that_fits(const AVFrame& frame, size_t most_bytes) {
  const Sample sample = sample_of(frame);
  const auto is_too_large = [&](int quality) {
    return static_cast<double>(webp_of(*sample.strips, quality).size()) * sample.times >
           kSampleError * static_cast<double>(most_bytes);
  };
  // The qualities that fit come last.
  const int* quality = std::partition_point(std::begin(kQualities), std::end(kQualities) - 1, is_too_large);
  PagePicture picture = {"image/webp", webp_of(frame, *quality), false};
  while (picture.bytes.size() > most_bytes && ++quality != std::end(kQualities))
    picture.bytes = webp_of(frame, *quality);
  return picture;
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

// WebP has limited range. Of video of that range and eight bits, its levels are met again.
AvPtr<AVFrame> limited(const AVFrame& grey) {
  AvPtr<AVFrame> frame = new_frame(grey.width, grey.height, AV_PIX_FMT_YUV420P);
  for (int y = 0; y < grey.height; ++y) {
    const uint8_t* const from = row_of(grey, 0, y);
    uint8_t* const luma = row_of(*frame, 0, y);
    for (int x = 0; x < grey.width; ++x) luma[x] = static_cast<uint8_t>(16 + (from[x] * 219 + 127) / 255);
  }
  for (int plane = 1; plane < 3; ++plane) {
    for (int y = 0; y < (grey.height + 1) / 2; ++y)
      std::memset(row_of(*frame, plane, y), kNoChroma, static_cast<size_t>(grey.width + 1) / 2);
  }
  return frame;
}

std::optional<PagePicture> exact_picture(const AVFrame& frame, size_t most_bytes) {
  const bool has_webp = webp_encoder() != nullptr;
  if (has_webp && !may_be_exact(frame, most_bytes)) return std::nullopt;
  PagePicture png = {"image/png", png_of(frame)};
  if (png.bytes.size() <= most_bytes || !has_webp) return png;
  if (png.bytes.size() / kMostSaved > most_bytes) return std::nullopt;
  PagePicture webp = webp_without_loss(*in_bgra(frame));
  return webp.bytes.size() <= most_bytes ? std::optional(std::move(webp)) : std::nullopt;
}

// Needs: a frame in grey or RGB.
PagePicture picture_that_fits(const AVFrame& frame, size_t most_bytes) {
  if (std::optional<PagePicture> picture = exact_picture(frame, most_bytes)) return *std::move(picture);
  const bool is_grey = frame.format == AV_PIX_FMT_GRAY8;
  return webp_that_fits(is_grey ? *limited(frame) : *in_bgra(frame), most_bytes);
}

}  // namespace

int text_height(int scale) { return (kEmPixels * scale * kHeightShare + 50) / 100; }

int text_width(std::string_view text, int scale) {
  if (text.empty()) return 0;
  Typeface typeface(scale);
  int width = 0;
  while (!text.empty()) width += pixels(typeface.glyph(text, false).advance.x);
  return width;
}

void draw_text(RgbImage& image, int x, int y, std::string_view text, const TextStyle& style) {
  if (text.empty()) return;
  Typeface typeface(style.scale);
  while (!text.empty()) {
    const FT_GlyphSlotRec& glyph = typeface.glyph(text, true);
    draw_glyph(image, x, y + text_height(style.scale), glyph, style.colour);
    x += pixels(glyph.advance.x);
  }
}

std::string fitted_text(const std::string& text, int width, int scale) {
  if (text_width(text, scale) <= width) return text;
  constexpr std::string_view kDots = "...";
  std::vector<size_t> starts;  // of characters
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  for (size_t kept = starts.size(); kept > 1;) {
    --kept;
    const size_t head = kept - kept / 2, tail = kept / 2;
    std::string shorter = text.substr(0, starts[head]);
    shorter += kDots;
    if (tail > 0) shorter += text.substr(starts[starts.size() - tail]);
    if (text_width(shorter, scale) <= width) return shorter;
  }
  return {};
}

std::string encode_png(const RgbImage& image, const std::string& comment) {
  return with_comment(png_of(*in_rgb(image)), comment);
}

PagePicture page_picture(PlaneView<const uint8_t> grey, size_t most_bytes) {
  return picture_that_fits(*frame_of(grey, AV_PIX_FMT_GRAY8), most_bytes);
}

PagePicture page_picture(const RgbImage& image, size_t most_bytes) {
  return picture_that_fits(is_grey(image) ? *in_grey(image) : *in_rgb(image), most_bytes);
}

PagePicture lossless_picture(const RgbImage& image) {
  PagePicture png = page_picture(image, SIZE_MAX);
  if (webp_encoder() == nullptr) return png;
  PagePicture webp = webp_without_loss(*in_bgra(*in_rgb(image)));
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
  return {"image/png", png_of(*frame)};
}

}  // namespace vq::cli
