#include "feature/ssimulacra2/comparison.h"

#include <algorithm>

namespace vq::ssimulacra2 {
namespace {

constexpr int kHalfTile = kTile / 2;

}  // namespace

ScaleComparison::ScaleComparison(const Stages& stages, const ScalePlan& scale, const PictureScale& reference,
                                 bool is_last, bool with_local)
    : stages_(stages),
      scale_(scale),
      reference_(reference),
      distorted_(stages, scale, is_last, kWindow),
      scratch_(scale.size.width + kMargin, 2),
      zeros_(scale.size.width, 1) {
  const auto [width, height] = scale.size;
  for (size_t i = 0; i < kChannels; ++i) {
    if (!scale.needs(i)) continue;
    channels_[i].mixed = Plane<float>(width, kWindow * kMixed);
    for (size_t k = 0; k < kSums; ++k) {
      if (scale.weights[i][k] > 0) channels_[i].sums[k] = Plane<float>(width, kHalfTile);
    }
  }
  if (with_local) local_ = Plane<float>(width, height);
}

int64_t ScaleComparison::bytes(PlaneSize size, bool with_local) {
  constexpr int64_t kRows = kChannels * (kWindow * kMixed + kSums * kHalfTile) + 3;
  const int64_t row = (int64_t{size.width} + 3 * kMargin) * int64_t{sizeof(float)};
  const int64_t tiles = int64_t{tiles_of(size.width)} * tiles_of(size.height);
  return PictureScale::bytes(size, kWindow) + kRows * row +
         tiles * static_cast<int64_t>(kChannels * kSums * sizeof(float)) +
         (with_local ? size.height * row : 0);
}

void ScaleComparison::start() {
  distorted_.start();
  for (Channel& channel : channels_) {
    for (std::vector<float>& tiles : channel.tiles) tiles.clear();
  }
}

std::optional<LightRow> ScaleComparison::push(const LightRow& row) {
  const int y = distorted_.pushed();
  const std::optional<LightRow> halved = distorted_.push(row);
  HWY_DASSERT(reference_.pushed() > y);
  for (size_t i = 0; i < kChannels; ++i) {
    if (!scale_.needs(i)) continue;
    stages_.blur_mixed(
        reference_.xyb(i, y), distorted_.xyb(i, y), scale_.size.width, {scratch_.row(0), scratch_.row(1)},
        {channels_[i].mixed_row(kMixedSquares, y), channels_[i].mixed_row(kMixedDifference, y)});
  }
  if (y >= kReach) compare(y - kReach);
  return halved;
}

std::optional<LightRow> ScaleComparison::finish() {
  const int height = scale_.size.height;
  HWY_DASSERT(distorted_.pushed() == height);
  for (int y = std::max(height - kReach, 0); y < height; ++y) compare(y);
  return distorted_.finish();
}

void ScaleComparison::compare(int y) {
  if (local_.height() > 0) std::fill_n(local_.row(y), scale_.size.width, 0.0F);
  for (size_t channel = 0; channel < kChannels; ++channel) {
    if (!scale_.needs(channel)) continue;
    compare_channel(channel, y);
    const int used = y % kTile + 1;
    if (used == kTile || y + 1 == scale_.size.height) fold(channels_[channel], used);
  }
}

void ScaleComparison::compare_channel(size_t channel, int y) {
  Channel& kept = channels_[channel];
  CompareInput in = {
      .p = reference_.xyb(channel, y), .q = distorted_.xyb(channel, y), .width = scale_.size.width};
  const float* const outside = zeros_.row(0);
  for (int k = 0; k < kWindow; ++k) {
    const int at = y + k - kReach;
    const bool is_inside = 0 <= at && at < scale_.size.height;
    in.rows[static_cast<size_t>(k)] =
        is_inside
            ? QuantityRows<const float>{reference_.blurred(channel, at), distorted_.blurred(channel, at),
                                        kept.mixed_row(kMixedSquares, at),
                                        kept.mixed_row(kMixedDifference, at)}
            : QuantityRows<const float>{outside, outside, outside, outside};
  }
  const int row = y % kTile;
  CompareOutput out = {.adds = row >= kHalfTile};
  for (size_t i = 0; i < kSums; ++i) {
    if (kept.sums[i].height() > 0) out.sums[i] = kept.sums[i].row(row % kHalfTile);
  }
  if (local_.height() > 0) {
    out.local = local_.row(y);
    out.weights = local_weights(scale_, channel);
  }
  stages_.compare_row(in, out);
}

// The last tiles may have fewer rows; the others are 0.
void ScaleComparison::fold(Channel& channel, int used_rows) {
  const int width = scale_.size.width, count = tiles_of(width);
  for (size_t i = 0; i < kSums; ++i) {
    Plane<float>& sums = channel.sums[i];
    if (sums.height() == 0) continue;
    for (int y = used_rows; y < kHalfTile; ++y) std::fill_n(sums.row(y), count * kTile, 0.0F);
    std::array<float*, kHalfTile> all = {};
    for (int y = 0; y < kHalfTile; ++y) all[static_cast<size_t>(y)] = sums.row(y);
    std::vector<float>& tiles = channel.tiles[i];
    tiles.resize(tiles.size() + static_cast<size_t>(count));
    fold_tiles(all, width, tiles.data() + tiles.size() - count);
  }
}

ScaleTotals ScaleComparison::totals() const {
  ScaleTotals totals = {};
  for (size_t channel = 0; channel < kChannels; ++channel) {
    for (size_t i = 0; i < kSums; ++i) totals[channel][i] = total(channels_[channel].tiles[i]);
  }
  return totals;
}

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
