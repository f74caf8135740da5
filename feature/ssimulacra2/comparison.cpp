#include "feature/ssimulacra2/comparison.h"

#include <algorithm>

namespace vq::ssimulacra2 {
namespace {

constexpr int kHalfTile = kTile / 2;
constexpr int kComponents = 3;

}  // namespace

ScaleComparison::ScaleComparison(const Stages& stages, const ScalePlan& scale, ScaleComparison* next,
                                 bool with_local)
    : stages_(stages),
      scale_(scale),
      next_(next),
      scratch_(scale.size.width + kMargin, 2),
      zeros_(scale.size.width, 1) {
  const auto [width, height] = scale.size;
  for (size_t channel = 0; channel < kChannels; ++channel) {
    if (!scale.needs(channel)) continue;
    ChannelRows& rows = channels_[channel];
    rows.pictures = Plane<float>(width, kWindow * static_cast<int>(kPictures));
    rows.blurred = Plane<float>(width, kWindow * static_cast<int>(kQuantities));
    for (size_t i = 0; i < kSums; ++i) {
      if (scale.weights[channel][i] > 0) rows.sums[i] = Plane<float>(width, kHalfTile);
    }
  }
  if (next != nullptr) halved_ = Plane<float>((width + 1) / 2, 2 * static_cast<int>(kPictures) * kComponents);
  if (with_local) local_ = Plane<float>(width, height);
}

int64_t ScaleComparison::bytes(PlaneSize size, bool with_local) {
  constexpr int64_t kRows = kChannels * (kWindow * (kPictures + kQuantities) + kSums * kHalfTile) + 3 + 6;
  const int64_t row = (int64_t{size.width} + 3 * kMargin) * int64_t{sizeof(float)};
  const int64_t tiles = int64_t{tiles_of(size.width)} * tiles_of(size.height);
  return kRows * row + tiles * static_cast<int64_t>(kChannels * kSums * sizeof(float)) +
         (with_local ? size.height * row : 0);
}

void ScaleComparison::start() {
  pushed_ = 0;
  for (ChannelRows& rows : channels_) {
    for (std::vector<float>& tiles : rows.tiles) tiles.clear();
  }
  if (next_ != nullptr) next_->start();
}

// Rows end with zeros on either side, which vectors may have written over.
void ScaleComparison::make_xyb(const LightRows& light) {
  const int width = scale_.size.width;
  for (size_t i = 0; i < kPictures; ++i) {
    XybRow out = {};
    for (size_t channel = 0; channel < kChannels; ++channel) {
      if (scale_.needs(channel)) out[channel] = channels_[channel].picture(i, pushed_);
    }
    stages_.to_xyb(light[i], width, out);
    for (float* const row : out) {
      if (row == nullptr) continue;
      std::fill(row - kMargin, row, 0.0F);
      std::fill(row + width, row + width + kMargin, 0.0F);
    }
  }
}

void ScaleComparison::push(const LightRows& rows) {
  make_xyb(rows);
  const int y = pushed_;
  const BlurScratch scratch = {scratch_.row(0), scratch_.row(1)};
  for (size_t channel = 0; channel < kChannels; ++channel) {
    if (!scale_.needs(channel)) continue;
    ChannelRows& kept = channels_[channel];
    QuantityRows<float> out = {};
    for (size_t i = 0; i < kQuantities; ++i) out[i] = kept.blurred_row(i, y);
    stages_.blur_row(kept.picture(0, y), kept.picture(1, y), scale_.size.width, scratch, out);
  }
  ++pushed_;
  if (y >= kReach) compare(y - kReach);
  if (next_ != nullptr && y % 2 != 0) pass_on(before_, rows);
  before_ = rows;
}

void ScaleComparison::finish() {
  const int height = scale_.size.height;
  HWY_DASSERT(pushed_ == height);
  for (int y = std::max(height - kReach, 0); y < height; ++y) compare(y);
  if (next_ == nullptr) return;
  if (height % 2 != 0) pass_on(before_, before_);
  next_->finish();
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
  ChannelRows& kept = channels_[channel];
  CompareInput in = {.p = kept.picture(0, y), .q = kept.picture(1, y), .width = scale_.size.width};
  for (int k = 0; k < kWindow; ++k) {
    const int row = y + k - kReach;
    for (size_t i = 0; i < kQuantities; ++i) {
      const bool is_outside = row < 0 || row >= scale_.size.height;
      in.rows[static_cast<size_t>(k)][i] = is_outside ? zeros_.row(0) : kept.blurred_row(i, row);
    }
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
void ScaleComparison::fold(ChannelRows& rows, int used_rows) {
  const int width = scale_.size.width, count = tiles_of(width);
  for (size_t i = 0; i < kSums; ++i) {
    Plane<float>& sums = rows.sums[i];
    if (sums.height() == 0) continue;
    for (int y = used_rows; y < kHalfTile; ++y) std::fill_n(sums.row(y), count * kTile, 0.0F);
    std::array<float*, kHalfTile> all = {};
    for (int y = 0; y < kHalfTile; ++y) all[static_cast<size_t>(y)] = sums.row(y);
    std::vector<float>& tiles = rows.tiles[i];
    tiles.resize(tiles.size() + static_cast<size_t>(count));
    fold_tiles(all, width, tiles.data() + tiles.size() - count);
  }
}

void ScaleComparison::pass_on(const LightRows& upper, const LightRows& lower) {
  const int width = scale_.size.width, turn = next_->pushed_ % 2;
  LightRows halved = {};
  for (size_t i = 0; i < kPictures; ++i) {
    const int first = (turn * static_cast<int>(kPictures) + static_cast<int>(i)) * kComponents;
    float* const out[kComponents] = {halved_.row(first), halved_.row(first + 1), halved_.row(first + 2)};
    stages_.halve_rows(upper[i].r, lower[i].r, width, out[0]);
    stages_.halve_rows(upper[i].g, lower[i].g, width, out[1]);
    stages_.halve_rows(upper[i].b, lower[i].b, width, out[2]);
    halved[i] = {out[0], out[1], out[2]};
  }
  next_->push(halved);
}

ScaleTotals ScaleComparison::totals() const {
  ScaleTotals totals = {};
  for (size_t channel = 0; channel < kChannels; ++channel) {
    for (size_t i = 0; i < kSums; ++i) totals[channel][i] = total(channels_[channel].tiles[i]);
  }
  return totals;
}

}  // namespace vq::ssimulacra2
