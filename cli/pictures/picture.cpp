#include "cli/pictures/picture.h"

#include <ft2build.h>

#include <cmath>
#include <memory>
#include <new>
#include <numeric>

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
  if (error != 0) throw Error(ErrorKind::kInternal, words("FreeType error {}", error));
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

constexpr int pixels(FT_Pos units) {
  return static_cast<int>((units + 32) >> 6);
}

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

}  // namespace

int text_height(int scale) {
  return (kEmPixels * scale * kHeightShare + 50) / 100;
}

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

}  // namespace vq::cli
