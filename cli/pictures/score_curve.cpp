#include "cli/pictures/score_curve.h"

#include <algorithm>
#include <cmath>

#include "cli/pictures/lettering.h"
#include "cli/pictures/overlay.h"
#include "core/text/number_text.h"

namespace vq::cli {
namespace {

constexpr Colour kBackground = {12, 12, 14};
constexpr Colour kLine = {150, 150, 150};
constexpr Colour kMark = {255, 255, 255};
constexpr double kAboveNoteworthy = 1.2;
constexpr int kDash = 4;  // dots on and dots off
constexpr float kUnknown = -1;

}  // namespace

ScoreCurve::ScoreCurve(const MetricInfo& metric, int width, std::optional<int64_t> total)
    : metric_(metric), width_(width), total_(total), columns_(static_cast<size_t>(width), kUnknown) {}

size_t ScoreCurve::column_of(int64_t number) const {
  const int64_t last = std::max<int64_t>(*total_ - 1, 1);
  return static_cast<size_t>(std::min<int64_t>(number, last) * (width_ - 1) / last);
}

void ScoreCurve::add(double score) {
  max_ = std::max(max_, score);
  if (total_) {
    // Where there are fewer scores than columns, each reaches back to the one before.
    const size_t to = column_of(count_);
    const size_t from = count_ == 0 ? 0 : std::min(column_of(count_ - 1) + 1, to);
    for (size_t x = from; x <= to; ++x) columns_[x] = std::max(columns_[x], static_cast<float>(score));
  } else {
    columns_.erase(columns_.begin());
    columns_.push_back(static_cast<float>(score));
  }
  ++count_;
}

double ScoreCurve::first_top() const {
  if (metric_.noteworthy && *metric_.noteworthy > 0) return kAboveNoteworthy * *metric_.noteworthy;
  return metric_.usual_top > 0 ? metric_.usual_top : 1;
}

double ScoreCurve::top() const {
  double top = first_top();
  while (top <= max_) top *= 2;
  return top;
}

void ScoreCurve::draw(RgbImage& image, const Rectangle& area) const {
  image.fill(area, kBackground);
  const int bottom = area.y + area.height;
  const double scale_top = metric_.usual_top > 0 ? metric_.usual_top : top();
  size_t newest = 0;
  for (size_t x = 0; x < columns_.size(); ++x) {
    if (columns_[x] < 0) continue;
    newest = x;
    const double score = columns_[x];
    const int height = static_cast<int>(std::lround(score / top() * (area.height - 1))) + 1;
    image.fill({area.x + static_cast<int>(x), bottom - height, 1, height}, score_colour(score / scale_top));
  }
  draw_noteworthy(image, area);
  const int scale = overlay_text_scale(image.width());
  if (count_ > 0) image.fill({area.x + static_cast<int>(newest), area.y, scale, area.height}, kMark);
}

// A dashed line, with its score above it.
void ScoreCurve::draw_noteworthy(RgbImage& image, const Rectangle& area) const {
  if (!metric_.noteworthy) return;
  const int scale = overlay_text_scale(image.width());
  const int line = area.y + area.height - 1 -
                   static_cast<int>(std::lround(*metric_.noteworthy / top() * (area.height - 1)));
  for (int x = 0; x < area.width; ++x) {
    if (x / (kDash * scale) % 2 == 0) image.fill({area.x + x, line, 1, 1}, kLine);
  }
  const std::string text = number_text(*metric_.noteworthy, {NumberStyle::Kind::kShortest, 0});
  draw_text(image, area.x + 2 * scale, line - text_height(scale) - 2 * scale, text, {kLine, scale});
}

}  // namespace vq::cli
