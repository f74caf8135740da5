#include "cli/pictures/snapshot.h"

#include <algorithm>
#include <cmath>

#include "cli/pictures/shrink.h"

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

Plane<uint8_t> luma_of(const Frame& frame, Range range, const PlaneSize& size) {
  Plane<uint8_t> plane(size.width, size.height);
  const Levels levels(frame.bit_depth, range);
  const SampleView& luma = frame.luma();
  if (luma.is_u8()) {
    shrink_plane(luma.u8, levels, plane.view());
  } else {
    shrink_plane(luma.u16, levels, plane.view());
  }
  return plane;
}

}  // namespace

SnapshotMaker::SnapshotMaker(const ObservedVideo& video, const PlaneSize& limit)
    : format_(video.format), reference_(video.reference), metric_(video.metric), histograms_(video.histograms) {
  const PlaneSize size = fitted({format_.width, format_.height}, limit);
  width_ = size.width;
  height_ = size.height;
  if (reference_) reference_size_ = fitted({reference_->width, reference_->height}, limit);
  for (const HeatmapInfo& info : video.heatmaps) {
    scales_.push_back({positions(info.width, width_), positions(info.height, height_),
                       static_cast<float>(info.score_weight * (kLocalScoreSteps / metric_.usual_top))});
  }
}

int64_t SnapshotMaker::bytes() const {
  constexpr int64_t kGuards = 128;
  const int planes = scales_.empty() ? 1 : 2;
  return planes * (width_ + kGuards) * height_ + (reference_size_.width + kGuards) * reference_size_.height;
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
  shot.name = format_.name.substr(format_.name.find_last_of('/') + 1);
  shot.frame = frame.picture.index;
  shot.timestamp = frame.picture.timestamp;
  shot.score = frame.score;
  shot.histograms = drawn(histograms_, frame.histograms);
  shot.luma = luma_of(frame.picture, format_.range, {width_, height_});
  if (reference_ && frame.reference != nullptr) {
    shot.reference = luma_of(*frame.reference, reference_->range, reference_size_);
  }
  if (scales_.empty()) return shot;
  shot.local = Plane<uint8_t>(width_, height_);
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
