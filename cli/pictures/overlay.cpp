#include "cli/pictures/overlay.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/pictures/bitmap_font.h"
#include "cli/pictures/colour_map.h"
#include "cli/text/number_text.h"
#include "cli/text/timecode.h"

namespace vq::cli {
namespace {

constexpr Colour kStripColour = {24, 24, 28};
constexpr Colour kTextColour = {230, 230, 230};
constexpr int kMinStripWidth = 320;
constexpr int kPlainTicks = 4;  // of a scale without a noteworthy score

// Colour and cover of every value of Snapshot::local.
struct LocalColours {
  LocalColours() {
    for (size_t i = 0; i < colour.size(); ++i) {
      colour[i] = score_colour(static_cast<double>(i) / kLocalScoreSteps);
      cover[i] = score_cover(static_cast<double>(i) / kLocalScoreSteps);
    }
  }
  std::array<Colour, 256> colour;
  std::array<double, 256> cover;
};

int canvas_width(const Snapshot& shot) {
  return std::max(shot.luma.width(), kMinStripWidth);
}

void paint_plain(const Snapshot& shot, RgbImage& image, int left) {
  for (int y = 0; y < shot.luma.height(); ++y) {
    for (int x = 0; x < shot.luma.width(); ++x) {
      const uint8_t grey = shot.luma.row(y)[x];
      image.set(left + x, y, {grey, grey, grey});
    }
  }
}

void paint_overlay(const Snapshot& shot, RgbImage& image, int left) {
  static const LocalColours colours;
  for (int y = 0; y < shot.luma.height(); ++y) {
    for (int x = 0; x < shot.luma.width(); ++x) {
      const uint8_t grey = shot.luma.row(y)[x];
      const size_t local = shot.local.row(y)[x];
      image.set(left + x, y, blend({grey, grey, grey}, colours.colour[local], colours.cover[local]));
    }
  }
}

std::string caption(const Snapshot& shot) {
  std::string text = std::string(shot.metric.title) + " " + fixed_text(shot.score, 2) + "  #" + std::to_string(shot.frame);
  if (shot.timestamp && std::isfinite(*shot.timestamp)) text += "  " + timecode(*shot.timestamp);
  return text;
}

// The scale of the colours, its right end at `right`. Ticks are as far from each other as the noteworthy score is from 0.
void draw_legend(const MetricInfo& metric, RgbImage& image, int right, int top) {
  const auto written = [](double score) { return number_text(score, {NumberStyle::Kind::kShortest, 0}); };
  const int scale = overlay_text_scale(image.width());
  const int width = 100 * scale, height = 5 * scale;
  const int left = right - width - text_width(written(metric.usual_top), scale) / 2;
  for (int x = 0; x < width; ++x) {
    const double share = static_cast<double>(x) / (width - 1);
    image.fill({left + x, top, 1, height},
               blend(kStripColour, score_colour(share), std::min(1.0, share * metric.usual_top * 2)));
  }
  const double step = metric.noteworthy.value_or(metric.usual_top / kPlainTicks);
  for (double tick = 0; tick <= metric.usual_top; tick += step) {
    const int x = left + static_cast<int>(std::lround((width - 1) * tick / metric.usual_top));
    image.fill({x, top + height, scale, 2 * scale}, kTextColour);
    draw_text(image, x - text_width(written(tick), scale) / 2, top + height + 3 * scale, written(tick),
              {kTextColour, scale});
  }
  const int title_left = left - 6 * scale - text_width(metric.subject, scale);
  if (title_left > image.width() / 2) draw_text(image, title_left, top, metric.subject, {kTextColour, scale});
}

RgbImage with_strip(const Snapshot& shot) {
  const int width = canvas_width(shot);
  RgbImage image(width, shot.luma.height() + overlay_strip_height(width), kStripColour);
  const int scale = overlay_text_scale(width);
  const int margin = 4 * scale;
  const int middle = shot.luma.height() + (overlay_strip_height(width) - kGlyphHeight * scale) / 2;
  draw_text(image, margin, middle, caption(shot), {kTextColour, scale});
  return image;
}

}  // namespace

int overlay_text_scale(int picture_width) {
  return std::max(1, picture_width / 480);
}

int overlay_strip_height(int picture_width) {
  return 22 * overlay_text_scale(picture_width);
}

RgbImage render_plain(const Snapshot& shot) {
  RgbImage image = with_strip(shot);
  paint_plain(shot, image, (image.width() - shot.luma.width()) / 2);
  return image;
}

RgbImage render_overlay(const Snapshot& shot) {
  RgbImage image = with_strip(shot);
  paint_overlay(shot, image, (image.width() - shot.luma.width()) / 2);
  const int scale = overlay_text_scale(image.width());
  draw_legend(shot.metric, image, image.width() - 4 * scale, shot.luma.height() + 4 * scale);
  return image;
}

RgbImage render_thumbnail(const Snapshot& shot, int width) {
  RgbImage image(shot.luma.width(), shot.luma.height());
  paint_overlay(shot, image, 0);
  return shrink(image, width);
}

}  // namespace vq::cli
