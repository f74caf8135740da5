// Pictures in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/frame.h"
#include "core/plane.h"
#include "feature/feature.h"

namespace vq::cli {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
};

// A W x H picture of red, green and blue bytes, rows without gaps.
class RgbImage {
 public:
  RgbImage() = default;
  RgbImage(int width, int height, Colour colour = {});

  int width() const { return width_; }
  int height() const { return height_; }
  const uint8_t* row(int y) const { return bytes_.data() + offset(y); }
  uint8_t* row(int y) { return bytes_.data() + offset(y); }
  // Pixels outside the picture are ignored.
  void set(int x, int y, Colour colour);
  Colour at(int x, int y) const;
  // Fills the part of `area` inside the picture.
  void fill(const Rectangle& area, Colour colour);

 private:
  size_t offset(int y) const { return static_cast<size_t>(y) * static_cast<size_t>(width_) * 3; }

  int width_ = 0, height_ = 0;
  std::vector<uint8_t> bytes_;
};

// Mixes `weight` (0..1) of `over` with the rest of `under`.
Colour blend(Colour under, Colour over, double weight);

// As large as fits the limit, of the same shape as far as whole samples allow; never enlarged, never empty.
inline PlaneSize fitted(const PlaneSize& size, const PlaneSize& limit) {
  const double shrinking = std::max(
      {1.0, static_cast<double>(size.width) / limit.width, static_cast<double>(size.height) / limit.height});
  return {std::max(1, static_cast<int>(size.width / shrinking)),
          std::max(1, static_cast<int>(size.height / shrinking))};
}

// Fills a plane that is no larger with the mean of the samples that each of its own stands for, as `level`
// makes it of that.
template <typename T, typename Level, typename To>
void shrink_plane(PlaneView<const T> from, const Level& level, PlaneView<To> to) {
  const auto start = [](int position, int in, int out) {
    return static_cast<int>(int64_t{position} * in / out);
  };
  for (int y = 0; y < to.height; ++y) {
    const int top = start(y, from.height, to.height);
    const int bottom = std::max(top + 1, start(y + 1, from.height, to.height));
    for (int x = 0; x < to.width; ++x) {
      const int left = start(x, from.width, to.width);
      const int right = std::max(left + 1, start(x + 1, from.width, to.width));
      int64_t sum = 0;
      for (int v = top; v < bottom; ++v) {
        for (int u = left; u < right; ++u) sum += from.row(v)[u];
      }
      to.row(y)[x] = level(static_cast<double>(sum) / ((bottom - top) * (right - left)));
    }
  }
}

// Histograms of a run reduced for drawing: of single frames, of all together, and the levels of each frame.

// Maximum number of bins of a drawn histogram.
inline constexpr size_t kDrawnBins = 128;
// Number of units in which the shares of these bins are expressed.
inline constexpr double kDrawnUnit = 10000;

struct DrawnHistogram {
  // Share of samples in each of kDrawnBins equal parts of the range, in units of 1 / kDrawnUnit; one part per
  // bin if there are fewer.
  std::vector<uint16_t> shares;
  double clipped_low = 0, clipped_high = 0;  // fractions of the samples, 0..1
};
// Needs: as many counts as there are bins.
DrawnHistogram drawn(const HistogramInfo& info, std::span<const uint64_t> counts);
// For each channel of a frame; none if it has no histograms.
std::vector<DrawnHistogram> drawn(std::span<const HistogramInfo> infos,
                                  std::span<const std::vector<uint32_t>> histograms);

// One channel over all frames.
struct ChannelLevels {
  HistogramInfo info;
  // For each frame, the bin at or below which 1, 50 and 99 % of the samples lie.
  std::vector<uint16_t> p1, p50, p99;
  std::vector<uint64_t> counts;  // of all frames together
};

// Records the levels of a run's frames.
class LevelRecorder {
 public:
  explicit LevelRecorder(const std::vector<HistogramInfo>& infos);
  // The histograms of the next frame. Needs: as many channels as there are infos, each with a sample.
  void add(std::span<const std::vector<uint32_t>> histograms);
  const std::vector<ChannelLevels>& channels() const { return channels_; }

 private:
  std::vector<ChannelLevels> channels_;
};

// Captions in pictures, in DejaVu Sans.

struct TextStyle {
  Colour colour = {230, 230, 230};
  int scale = 1;  // 1 is the smallest legible size
};

// Height of capitals and digits.
int text_height(int scale);

// Width of the text. Invalid UTF-8, and letters that the font lacks, are empty boxes.
int text_width(std::string_view text, int scale);

// Draws with the top left corner of the first capital at (x, y), clipped to the picture.
void draw_text(RgbImage& image, int x, int y, std::string_view text, const TextStyle& style);

// The text, with its middle replaced by dots if it is wider.
std::string fitted_text(const std::string& text, int width, int scale);

// The embedded font, a TrueType file: pictures look the same on every machine, even if no font is installed.
// Generated by cli/pictures/embed_font.py.
std::string_view lettering_font();

// Encoding of pictures by libavcodec.

// The bytes of a PNG file, with the comment (Latin-1) unless that is empty. Throws Error{kInternal} if
// libavcodec lacks the encoder.
std::string encode_png(const RgbImage& image, const std::string& comment = {});
// The same for a grey picture, which takes a third of the space.
std::string encode_png(PlaneView<const uint8_t> grey, const std::string& comment = {});

// A picture for a page.
struct PagePicture {
  std::string mime;   // "image/png", "image/webp"
  std::string bytes;  // empty: no picture
  bool exact = true;  // lossless
};

// Lossless if that takes at most `most_bytes`, otherwise at the best quality that fits. Also lossless if this
// libavcodec has no WebP encoder. Throws as encode_png().
PagePicture page_picture(PlaneView<const uint8_t> grey, size_t most_bytes);
// The same for colours, which take the space of grey if there are none.
PagePicture page_picture(const RgbImage& image, size_t most_bytes);
// Lossless in any case, in the smallest form that there is. Throws as encode_png().
PagePicture lossless_picture(const RgbImage& image);

struct LayerColour {
  Colour colour;
  uint8_t opacity = 255;
};

// A picture to overlay on another: each sample is an index of a colour. Lossless. Needs: 256 colours. Throws
// as encode_png().
PagePicture page_layer(PlaneView<const uint8_t> picks, std::span<const LayerColour> colours);

}  // namespace vq::cli
