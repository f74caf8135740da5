#include "cli/run/bars.h"

#include <algorithm>

#include "cli/run/crop.h"
#include "core/frame_place.h"

namespace vq::cli {
namespace {

constexpr int kPlainSlack = 32;     // levels of 8-bit video above black
constexpr double kLeastBar = 0.02;  // of the side

// Whether one has a bar where the other is plainly lit.
bool has_more_bars(const LitShares& barred, const LitShares& other) {
  return barred.left - other.left > kLeastBar || barred.top - other.top > kLeastBar ||
         other.right - barred.right > kLeastBar || other.bottom - barred.bottom > kLeastBar;
}

std::string text_of(const BarFinder& bars) {
  const std::optional<Rectangle> picture = bars.picture();
  return picture ? crop_text(*picture) : "none";
}

}  // namespace

BarFinder::BarFinder(const VideoFormat& format, const Execution& execution)
    : width_(format.width),
      height_(format.height),
      lit_rule_(lit_rule(format)),
      plain_rule_(lit_rule(format, kPlainSlack)),
      count_lit_(count_lit_for(execution)),
      counts_(format.width, format.height) {}

void BarFinder::add(LitArea& all, const LitArea& lit) {
  if (!lit.has_rows() || !lit.has_columns()) return;
  if (!all.has_rows()) all = lit;
  all = {std::min(all.left, lit.left), std::min(all.top, lit.top), std::max(all.right, lit.right),
         std::max(all.bottom, lit.bottom)};
}

void BarFinder::look(const Frame& picture) {
  const Frame frame = on_host(picture);
  for (const auto& [rule, all] : {std::pair(&lit_rule_, &lit_), {&plain_rule_, &plainly_}}) {
    count_lit_(frame.luma(), rule->black, counts_);
    add(*all, lit_area(counts_, *rule));
  }
}

void BarFinder::add(const BarsSeen& other) {
  add(lit_, other.lit);
  add(plainly_, other.plainly);
}

bool BarFinder::is_whole() const {
  return plainly_ == LitArea{0, 0, width_, height_};
}

std::optional<LitShares> BarFinder::shares_of(const LitArea& area) const {
  if (!area.has_rows()) return std::nullopt;
  const double width = width_, height = height_;
  return LitShares{area.left / width, area.top / height, area.right / width, area.bottom / height};
}

std::optional<Rectangle> BarFinder::picture() const {
  if (!lit_.has_rows()) return std::nullopt;
  const int left = lit_.left / 2 * 2, top = lit_.top / 2 * 2;
  return Rectangle{left, top, std::min((lit_.right + 1) / 2 * 2, width_) - left,
                   std::min((lit_.bottom + 1) / 2 * 2, height_) - top};
}

std::optional<std::string> difference_of_bars(const BarFinder& reference, const BarFinder& distorted) {
  if (!reference.plainly_lit() || !distorted.plainly_lit()) return std::nullopt;
  if (!has_more_bars(*reference.lit(), *distorted.plainly_lit()) &&
      !has_more_bars(*distorted.lit(), *reference.plainly_lit())) {
    return std::nullopt;
  }
  return "black bars differ: without them the distorted picture is " + text_of(distorted) +
         " and the reference's " + text_of(reference);
}

std::optional<Rectangle> shown_by_both(const BarFinder& a, const BarFinder& b) {
  if (a.width_ != b.width_ || a.height_ != b.height_ || !a.lit_.has_rows() || !b.lit_.has_rows())
    return std::nullopt;
  const int left = (std::max(a.lit_.left, b.lit_.left) + 1) / 2 * 2,
            top = (std::max(a.lit_.top, b.lit_.top) + 1) / 2 * 2;
  const int right = std::min(a.lit_.right, b.lit_.right) / 2 * 2,
            bottom = std::min(a.lit_.bottom, b.lit_.bottom) / 2 * 2;
  if (right <= left || bottom <= top) return std::nullopt;
  return Rectangle{left, top, right - left, bottom - top};
}

bool is_looked_at_for_bars(int64_t number) {
  return (number & (number - 1)) == 0;
}

}  // namespace vq::cli
