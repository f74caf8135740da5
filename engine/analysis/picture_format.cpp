#include "engine/analysis/picture_format.h"

#include <bit>
#include <cmath>

namespace vq {

constexpr int kPlainSlack = 32;                    // levels of 8-bit video above black
constexpr int kPlainTolerance = kWholeShare / 10;  // see LitRule
constexpr double kLeastBar = 0.02;                 // of the side
constexpr int kRinging = 16;  // samples of a bar, counted from the picture, that compression may light

// Whether one has a bar if the other is plainly lit.
static bool has_more_bars(const LitShares& barred, const LitShares& other) {
  return barred.left - other.left > kLeastBar || barred.top - other.top > kLeastBar ||
         other.right - barred.right > kLeastBar || other.bottom - barred.bottom > kLeastBar;
}

static bool has_more_bars_on_both_sides(const LitShares& barred, const LitShares& other) {
  return (barred.left - other.left > kLeastBar && other.right - barred.right > kLeastBar) ||
         (barred.top - other.top > kLeastBar && other.bottom - barred.bottom > kLeastBar);
}

// Where the picture begins, counted from the edge of the frame.
static int picture_edge(int lit, int plain) { return lit > 0 && plain - lit <= kRinging ? plain : lit; }

static std::string text_of(const BarFinder& bars) {
  const std::optional<Rectangle> picture = bars.picture();
  return picture ? crop_text(*picture) : "none";
}

BarFinder::BarFinder(const VideoFormat& format, const Execution& execution)
    : width_(format.width),
      height_(format.height),
      step_x_(std::max(2, 1 << chroma_shifts(format.chroma).x)),
      step_y_(std::max(2, 1 << chroma_shifts(format.chroma).y)),
      lit_rule_(lit_rule(format)),
      plain_rule_(lit_rule(format, kPlainSlack, kPlainTolerance)),
      count_lit_(count_lit_for(execution)),
      counts_(format.width, format.height) {}

void BarFinder::add(ActiveArea& all, const ActiveArea& lit) {
  if (!lit.has_rows() || !lit.has_columns()) return;
  if (!all.has_rows()) all = lit;
  all = {std::min(all.left, lit.left), std::min(all.top, lit.top), std::max(all.right, lit.right),
         std::max(all.bottom, lit.bottom)};
}

bool BarFinder::look(const Frame& picture) {
  const Frame frame = on_host(picture);
  bool shows_anything = false;
  for (const auto& [rule, all] : {std::pair(&lit_rule_, &lit_), {&plain_rule_, &plainly_}}) {
    count_lit_(frame.luma(), rule->black, counts_);
    const ActiveArea lit = vq::active_area(counts_, *rule);
    shows_anything = shows_anything || lit.has_rows();
    add(*all, lit);
  }
  return shows_anything;
}

void BarFinder::add(const BarsSeen& other) {
  add(lit_, other.lit);
  add(plainly_, other.plainly);
}

bool BarFinder::is_whole() const { return plainly_ == ActiveArea{0, 0, width_, height_}; }

std::optional<LitShares> BarFinder::shares_of(const ActiveArea& area) const {
  if (!area.has_rows()) return std::nullopt;
  const double width = width_, height = height_;
  return LitShares{area.left / width, area.top / height, area.right / width, area.bottom / height};
}

std::optional<Rectangle> BarFinder::picture() const {
  if (!lit_.has_rows()) return std::nullopt;
  const ActiveArea plain = plainly_.has_rows() ? plainly_ : lit_;
  // An edge of the frame is where samples of chroma end, whatever its number.
  const auto far_edge = [](int side, int lit, int plainly, int step) {
    const int bar = picture_edge(side - lit, side - plainly);
    return bar > 0 ? (side - bar) / step * step : side;
  };
  const int left = round_up(picture_edge(lit_.left, plain.left), step_x_),
            top = round_up(picture_edge(lit_.top, plain.top), step_y_);
  const int right = far_edge(width_, lit_.right, plain.right, step_x_),
            bottom = far_edge(height_, lit_.bottom, plain.bottom, step_y_);
  if (right <= left || bottom <= top) return std::nullopt;
  return Rectangle{left, top, right - left, bottom - top};
}

std::optional<Rectangle> BarFinder::active_area() const {
  const std::optional<Rectangle> found = picture();
  return found && is_too_little(*found) ? std::nullopt : found;
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

bool have_bars_on_both_sides(const BarFinder& reference, const BarFinder& distorted) {
  if (!reference.plainly_lit() || !distorted.plainly_lit()) return false;
  return has_more_bars_on_both_sides(*reference.lit(), *distorted.plainly_lit()) ||
         has_more_bars_on_both_sides(*distorted.lit(), *reference.plainly_lit());
}

std::optional<Rectangle> shown_by_both(const BarFinder& a, const BarFinder& b) {
  if (a.width_ != b.width_ || a.height_ != b.height_) return std::nullopt;
  const std::optional<Rectangle> one = a.picture(), other = b.picture();
  if (!one || !other) return std::nullopt;
  const int left = std::max(one->x, other->x), top = std::max(one->y, other->y);
  const int right = std::min(one->x + one->width, other->x + other->width),
            bottom = std::min(one->y + one->height, other->y + other->height);
  if (right <= left || bottom <= top) return std::nullopt;
  return Rectangle{left, top, right - left, bottom - top};
}

bool is_looked_at_for_bars(int64_t number) { return (number & (number - 1)) == 0; }

namespace {

constexpr double kBlack = 16, kWhite = 235, kMost = 255;
// Levels, at black and at white. More would take contrast that was raised around the middle for full range.
constexpr double kSlack = 2;
constexpr double kLeastDeviation = 12;  // levels, below which a line says little of its ends
constexpr double kLeastCorrelation = 0.99;
// Sharpening makes up to 1.05 of a slope; blur and noise take up to a fifth, but fit no line that well.
constexpr double kMoreSlope = 1.06, kLessSlope = 0.88, kChangedCorrelation = 0.98;
constexpr double kChangedMean = 6;  // levels

// Where the line takes black and white.
struct Ends {
  double black = 0, white = 0;
};

bool is_near(const Ends& a, const Ends& b) {
  return std::fabs(a.black - b.black) <= kSlack && std::fabs(a.white - b.white) <= kSlack;
}

double limited(double full) { return kBlack + full * (kWhite - kBlack) / kMost; }

}  // namespace

void RangeFinder::add(const Signature& reference, const Signature& distorted) {
  for (size_t i = 0; i < reference.levels.size(); ++i) {
    const double x = reference.levels[i] / 16.0, y = distorted.levels[i] / 16.0;
    count_ += 1;
    x_ += x;
    y_ += y;
    xx_ += x * x;
    xy_ += x * y;
    yy_ += y * y;
  }
}

RangeFinder::Finding RangeFinder::finding() const {
  if (count_ == 0) return Finding::kAlike;
  const double x = x_ / count_, y = y_ / count_;
  const double xx = xx_ / count_ - x * x, xy = xy_ / count_ - x * y, yy = yy_ / count_ - y * y;
  if (xx < kLeastDeviation * kLeastDeviation || xy < kChangedCorrelation * std::sqrt(xx * yy))
    return Finding::kAlike;
  const bool fits_well = xy >= kLeastCorrelation * std::sqrt(xx * yy);
  const double slope = xy / xx;
  const Ends ends = {y + slope * (kBlack - x), y + slope * (kWhite - x)};
  if (fits_well && is_near(ends, {0, kMost})) return Finding::kDistortedIsFuller;
  if (fits_well && is_near(ends, {limited(kBlack), limited(kWhite)})) return Finding::kReferenceIsFuller;
  if (slope >= kMoreSlope) return Finding::kMoreContrast;
  if (fits_well && slope <= kLessSlope) return Finding::kLessContrast;
  if (std::fabs(y - x) < kChangedMean) return Finding::kAlike;
  return y > x ? Finding::kBrighter : Finding::kDarker;
}

void PaddedDepth::look(const Frame& picture) {
  if (picture.bit_depth <= 8 || (state_.differing & 1) != 0) return;
  const Frame frame = on_host(picture);
  const PlaneView<const uint16_t> luma = frame.luma().u16;
  if (luma.empty()) return;
  if (state_.bit_depth == 0) state_.first = luma.row(0)[0];
  state_.bit_depth = frame.bit_depth;
  for (int y = 0; y < luma.height && (state_.differing & 1) == 0; ++y) {
    uint16_t bits = 0;
    for (int x = 0; x < luma.width; ++x) bits |= static_cast<uint16_t>(luma.row(y)[x] ^ state_.first);
    state_.differing |= bits;
  }
}

std::optional<int> PaddedDepth::depth() const {
  if (state_.differing == 0) return std::nullopt;
  const int depth = state_.bit_depth - std::countr_zero(state_.differing);
  if (depth >= state_.bit_depth) return std::nullopt;
  return depth;
}

// Where all samples that somebody saw agree in a bit, they differ from ours if one of them does.
void PaddedDepth::add(const State& other) {
  if (other.bit_depth == 0) return;
  if (state_.bit_depth == 0) {
    state_ = other;
    return;
  }
  state_.differing |= static_cast<uint16_t>(other.differing | (other.first ^ state_.first));
}

}  // namespace vq
