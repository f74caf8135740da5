#include "cli/pictures/snapshot.h"

#include <algorithm>
#include <cmath>

namespace vq::cli {
namespace {

// Eight-bit levels for every luma sample of a video.
class Levels {
 public:
  Levels(int bit_depth, Range range) {
    const double unit = std::ldexp(1.0, bit_depth - 8);
    const bool full = range == Range::kFull;
    black_ = full ? 0 : 16 * unit;
    scale_ = 255.0 / (full ? std::ldexp(1.0, bit_depth) - 1 : 219 * unit);
  }
  uint8_t operator()(double sample) const {
    return static_cast<uint8_t>(std::clamp(std::lround((sample - black_) * scale_), 0L, 255L));
  }

 private:
  double black_ = 0, scale_ = 1;
};

// Each sample is the mean of those it stands for.
template <typename T>
void shrink_luma(PlaneView<const T> from, const Levels& levels, PlaneView<uint8_t> to) {
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
      to.row(y)[x] = levels(static_cast<double>(sum) / ((bottom - top) * (right - left)));
    }
  }
}

}  // namespace

SnapshotMaker::SnapshotMaker(const ObservedVideo& video, const SnapshotLimit& limit) : format_(video.format), metric_(video.metric), histograms_(video.histograms) {
  const double shrinking = std::max({1.0, static_cast<double>(format_.width) / limit.width,
                                     static_cast<double>(format_.height) / limit.height});
  width_ = std::max(1, static_cast<int>(format_.width / shrinking));
  height_ = std::max(1, static_cast<int>(format_.height / shrinking));
  for (const HeatmapInfo& info : video.heatmaps) {
    scales_.push_back({positions(info.width, width_), positions(info.height, height_),
                       static_cast<float>(info.score_weight * (kLocalScoreSteps / metric_.usual_top))});
  }
}

std::vector<SnapshotMaker::Position> SnapshotMaker::positions(int heatmap_side, int picture_side) {
  std::vector<Position> table(static_cast<size_t>(picture_side));
  for (size_t i = 0; i < table.size(); ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * heatmap_side / picture_side - 0.5;
    const double inside = std::clamp(centre, 0.0, static_cast<double>(heatmap_side - 1));
    table[i].first = static_cast<int>(inside);
    table[i].second = std::min(table[i].first + 1, heatmap_side - 1);
    table[i].share = static_cast<float>(inside - table[i].first);
  }
  return table;
}

// Linear between the four nearest samples of the heatmap: first between two rows, then along the result.
void SnapshotMaker::add_row(const Scale& scale, const Plane<uint16_t>& map, int y,
                            std::vector<float>& sums) const {
  const Position& row = scale.rows[static_cast<size_t>(y)];
  const uint16_t* const above = map.row(row.first);
  const uint16_t* const below = map.row(row.second);
  std::vector<float> blended(static_cast<size_t>(map.width()));
  for (size_t x = 0; x < blended.size(); ++x) {
    blended[x] = scale.weight *
                 (static_cast<float>(above[x]) * (1 - row.share) + static_cast<float>(below[x]) * row.share);
  }
  for (size_t x = 0; x < sums.size(); ++x) {
    const Position& column = scale.columns[x];
    sums[x] += blended[static_cast<size_t>(column.first)] * (1 - column.share) +
               blended[static_cast<size_t>(column.second)] * column.share;
  }
}

Snapshot SnapshotMaker::make(const ScoredFrame& frame) const {
  Snapshot shot;
  shot.metric = metric_;
  shot.frame = frame.picture.index;
  shot.timestamp = frame.picture.timestamp;
  shot.score = frame.score;
  shot.histograms = drawn(histograms_, frame.histograms);
  shot.luma = Plane<uint8_t>(width_, height_);
  shot.local = Plane<uint8_t>(width_, height_);
  const Levels levels(frame.picture.bit_depth, format_.range);
  const SampleView& luma = frame.picture.luma();
  if (luma.is_u8()) {
    shrink_luma(luma.u8, levels, shot.luma.view());
  } else {
    shrink_luma(luma.u16, levels, shot.luma.view());
  }
  std::vector<float> sums(static_cast<size_t>(width_));
  for (int y = 0; y < height_; ++y) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    for (size_t k = 0; k < scales_.size(); ++k) add_row(scales_[k], frame.heatmaps[k], y, sums);
    for (size_t x = 0; x < sums.size(); ++x) {
      shot.local.row(y)[x] = static_cast<uint8_t>(std::min(sums[x] + 0.5F, 255.0F));
    }
  }
  return shot;
}

}  // namespace vq::cli
