#include "cli/pictures/still.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {

namespace {

constexpr Colour kStripColour = {24, 24, 28};
constexpr Colour kTextColour = {230, 230, 230};
constexpr Colour kMiddleGrey = {110, 110, 110};
constexpr int kMinStripWidth = 320;
// Measures of the scale of colours, at text scale 1.
constexpr int kLegendWidth = 100, kLegendHeight = 5, kLegendTop = 2, kMargin = 5;

int strip_height(int picture_width) {
  return 22 * overlay_text_scale(picture_width);
}

// The colour of each grey level under each local score: a video has too many samples to blend each.
class BlendedColours {
 public:
  BlendedColours() : colours_(256 * 256) {
    for (size_t local = 0; local < 256; ++local) {
      const auto& [colour, opacity] = local_colours()[local];
      for (size_t grey = 0; grey < 256; ++grey) {
        const uint8_t level = lifted(static_cast<uint8_t>(grey));
        colours_[256 * local + grey] = blend({level, level, level}, colour, opacity / 255.0);
      }
    }
  }
  Colour at(uint8_t local, uint8_t grey) const { return colours_[size_t{256} * local + grey]; }

 private:
  std::vector<Colour> colours_;
};

void paint_overlay(const Snapshot& shot, RgbImage& image, int left) {
  static const BlendedColours blended;
  const bool has_local = shot.local.width() > 0;
  const Plane<uint8_t> grey = grey_of(shot.picture);
  for (int y = 0; y < grey.height(); ++y) {
    const uint8_t* const luma = grey.row(y);
    const uint8_t* const local = has_local ? shot.local.row(y) : nullptr;
    uint8_t* to = image.row(y) + 3 * left;
    for (int x = 0; x < grey.width(); ++x, to += 3) {
      const Colour colour = blended.at(has_local ? local[x] : 0, luma[x]);
      to[0] = colour.red;
      to[1] = colour.green;
      to[2] = colour.blue;
    }
  }
}

// The caption of a frame, after the name of the file.
std::string caption(const Snapshot& shot) {
  std::string text = words("{} {}   frame {}", shot.metric.title, fixed_text(shot.score, 2), shot.frame);
  if (shot.timestamp && std::isfinite(*shot.timestamp)) text += "   " + timecode(*shot.timestamp);
  return text;
}

std::string tick_text(double score) {
  return number_text(score, {NumberStyle::Kind::kShortest, 0});
}

// The scale of the colours with its name, both ends labelled; returns its left end. Its right end leaves the
// margin.
int draw_legend(const MetricInfo& metric, RgbImage& image, int top) {
  const int scale = overlay_text_scale(image.width());
  const int width = kLegendWidth * scale, height = kLegendHeight * scale;
  const int right = image.width() - kMargin * scale - text_width(tick_text(metric.usual_top), scale) / 2;
  const int left = right - width, bar = top + kLegendTop * scale;
  for (int x = 0; x < width; ++x) {
    const double share = static_cast<double>(x) / (width - 1);
    const auto& [colour, opacity] =
        local_colours()[static_cast<size_t>(std::lround(share * kLocalScoreSteps))];
    image.fill({left + x, bar, 1, height}, blend(kMiddleGrey, colour, opacity / 255.0));
  }
  std::vector<double> ticks = {0, metric.usual_top};
  if (metric.noteworthy && *metric.noteworthy > 0 && *metric.noteworthy < metric.usual_top)
    ticks.push_back(*metric.noteworthy);
  for (const double tick : ticks) {
    const int x = left + static_cast<int>(std::lround((width - 1) * tick / metric.usual_top));
    image.fill({x, bar + height, scale, 2 * scale}, kTextColour);
    draw_text(image, x - text_width(tick_text(tick), scale) / 2, bar + height + 3 * scale, tick_text(tick),
              {kTextColour, scale});
  }
  std::string subject(metric.subject);
  if (!subject.empty() && subject[0] >= 'a' && subject[0] <= 'z')
    subject[0] = static_cast<char>(subject[0] - 'a' + 'A');
  const int title = left - 2 * kMargin * scale - text_width(subject, scale);
  if (title < image.width() / 2) return left - kMargin * scale;
  draw_text(image, title, top + (strip_height(image.width()) - text_height(scale)) / 2, subject,
            {kTextColour, scale});
  return title - 2 * kMargin * scale;
}

// The name of the file has the room that the rest leaves.
void draw_caption(const Snapshot& shot, RgbImage& image, int room) {
  const int scale = overlay_text_scale(image.width());
  const TextStyle style = {kTextColour, scale};
  const int y = shot.picture.height() + (strip_height(image.width()) - text_height(scale)) / 2;
  int x = kMargin * scale;
  const std::string text = fitted_text(caption(shot), room - x, scale);
  const std::string name =
      fitted_text(shot.name, room - x - text_width(text, scale) - 3 * kMargin * scale, scale);
  if (!name.empty()) {
    draw_text(image, x, y, name, style);
    x += text_width(name, scale) + 3 * kMargin * scale;
  }
  draw_text(image, x, y, text, style);
}

// Evenly spaced samples of the map, interpolated linearly.
constexpr std::array<Colour, 10> kInferno = {{{0x00, 0x00, 0x04},
                                              {0x1B, 0x0C, 0x41},
                                              {0x4A, 0x0C, 0x6B},
                                              {0x78, 0x1C, 0x6D},
                                              {0xA5, 0x2C, 0x60},
                                              {0xCF, 0x44, 0x46},
                                              {0xED, 0x69, 0x25},
                                              {0xFB, 0x9B, 0x06},
                                              {0xF7, 0xD1, 0x3D},
                                              {0xFC, 0xFF, 0xA4}}};
constexpr double kDarkestUsed = 1.0 / 3.0;
constexpr double kFullCover = 0.6;
constexpr double kCoveredFrom = 1.0 / 8;  // shares from here on have the full cover

}  // namespace

int overlay_text_scale(int picture_width) {
  return std::max(1, picture_width / 480);
}

PlaneSize overlay_size(const PlaneSize& picture) {
  const int width = std::max(picture.width, kMinStripWidth);
  return {width, picture.height + strip_height(width)};
}

uint8_t lifted(uint8_t grey) {
  static const auto table = [] {
    std::array<uint8_t, 256> levels;
    for (size_t i = 0; i < levels.size(); ++i)
      levels[i] = static_cast<uint8_t>(std::lround(255 * std::sqrt(static_cast<double>(i) / 255)));
    return levels;
  }();
  return table[grey];
}

std::span<const LayerColour> local_colours() {
  static const auto table = [] {
    std::array<LayerColour, 256> colours;
    for (size_t i = 0; i < colours.size(); ++i) {
      const double share = static_cast<double>(i) / kLocalScoreSteps;
      colours[i] = {score_colour(share), static_cast<uint8_t>(std::lround(255 * score_cover(share)))};
    }
    return colours;
  }();
  return table;
}

RgbImage render_overlay(const Snapshot& shot) {
  const auto [width, height] = overlay_size({shot.picture.width(), shot.picture.height()});
  RgbImage image(width, height, kStripColour);
  paint_overlay(shot, image, (width - shot.picture.width()) / 2);
  int room = width - kMargin * overlay_text_scale(width);
  if (shot.metric.usual_top > 0) room = draw_legend(shot.metric, image, shot.picture.height());
  draw_caption(shot, image, room);
  return image;
}

Colour score_colour(double share) {
  const double inside = std::clamp(share, 0.0, 1.0);
  const double position = (kDarkestUsed + (1 - kDarkestUsed) * inside) * (kInferno.size() - 1);
  const auto below = std::min(static_cast<size_t>(position), kInferno.size() - 2);
  return blend(kInferno[below], kInferno[below + 1], position - static_cast<double>(below));
}

double score_cover(double share) {
  return kFullCover * std::clamp(share / kCoveredFrom, 0.0, 1.0);
}

}  // namespace vq::cli
