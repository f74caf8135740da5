#include "feature/ssimulacra2/picture_scale.h"

#include <algorithm>

namespace vq::ssimulacra2 {
namespace {

constexpr int kComponents = 3;

}  // namespace

PictureScale::PictureScale(const Stages& stages, const ScalePlan& scale, bool is_last, int rows)
    : stages_(stages), scale_(scale), rows_(rows) {
  const int width = scale.size.width;
  for (size_t i = 0; i < kChannels; ++i) {
    if (scale.needs(i)) channels_[i] = {Plane<float>(width, rows), Plane<float>(width, rows)};
  }
  if (!is_last) halved_ = Plane<float>((width + 1) / 2, 2 * kComponents);
}

int64_t PictureScale::bytes(PlaneSize size, int rows) {
  const int64_t row = (int64_t{size.width} + 3 * kMargin) * int64_t{sizeof(float)};
  return (2 * static_cast<int64_t>(kChannels) * rows + kComponents) * row;
}

// Rows end with zeros on either side, which vectors may have written over.
std::optional<LightRow> PictureScale::push(const LightRow& row) {
  const int y = pushed_++, width = scale_.size.width;
  XybRow xyb = {};
  for (size_t i = 0; i < kChannels; ++i) {
    if (scale_.needs(i)) xyb[i] = channels_[i].xyb.row(y % rows_);
  }
  stages_.to_xyb(row, width, xyb);
  for (size_t i = 0; i < kChannels; ++i) {
    if (xyb[i] == nullptr) continue;
    std::fill(xyb[i] - kMargin, xyb[i], 0.0F);
    std::fill(xyb[i] + width, xyb[i] + width + kMargin, 0.0F);
    stages_.blur_row(xyb[i], width, channels_[i].blurred.row(y % rows_));
  }
  const LightRow upper = before_;
  before_ = row;
  if (halved_.height() == 0 || y % 2 == 0) return std::nullopt;
  return halved(upper, row);
}

std::optional<LightRow> PictureScale::finish() {
  if (halved_.height() == 0 || pushed_ % 2 == 0) return std::nullopt;
  return halved(before_, before_);
}

LightRow PictureScale::halved(const LightRow& upper, const LightRow& lower) {
  const int width = scale_.size.width, first = (pushed_ - 1) / 2 % 2 * kComponents;
  float* const out[kComponents] = {halved_.row(first), halved_.row(first + 1), halved_.row(first + 2)};
  stages_.halve_rows(upper.r, lower.r, width, out[0]);
  stages_.halve_rows(upper.g, lower.g, width, out[1]);
  stages_.halve_rows(upper.b, lower.b, width, out[2]);
  return {out[0], out[1], out[2]};
}

}  // namespace vq::ssimulacra2
