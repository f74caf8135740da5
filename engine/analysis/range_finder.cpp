#include "engine/analysis/range_finder.h"

#include <bit>
#include <cmath>

#include "core/frame.h"

namespace vq {

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

double limited(double full) {
  return kBlack + full * (kWhite - kBlack) / kMost;
}

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

// Where all samples that somebody saw agree in a bit, they differ from ours where one of them does.
void PaddedDepth::add(const State& other) {
  if (other.bit_depth == 0) return;
  if (state_.bit_depth == 0) {
    state_ = other;
    return;
  }
  state_.differing |= static_cast<uint16_t>(other.differing | (other.first ^ state_.first));
}

}  // namespace vq
