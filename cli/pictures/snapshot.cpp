#include "cli/pictures/snapshot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/pictures/picture.h"

namespace vq::cli {

SnapshotMaker::SnapshotMaker(const ObservedVideo& video, const PlaneSize& limit)
    : format_(video.format),
      reference_(video.reference),
      metric_(video.metric),
      histograms_(video.histograms) {
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
  const int64_t local = scales_.empty() ? 0 : (width_ + kGuards) * height_;
  return local + still_bytes(format_, {width_, height_}) +
         (reference_ ? still_bytes(*reference_, reference_size_) : 0);
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

// Rows of a heatmap made as wide as the picture, each once: two that follow each other are needed at a time.
class SnapshotMaker::WideRows {
 public:
  WideRows(const Scale& scale, const Plane<uint16_t>& map) : scale_(scale), map_(map) {
    for (std::vector<float>& row : rows_) row.resize(scale.columns.size());
  }

  // Linear between the four nearest samples: along the rows first, then between two of them.
  void add(int y, std::vector<float>& sums) {
    const Position& position = scale_.rows[static_cast<size_t>(y)];
    const float* const above = wide(position.first);
    const float* const below = wide(position.second);
    const float share = position.share;
    for (size_t x = 0; x < sums.size(); ++x) sums[x] += above[x] * (1 - share) + below[x] * share;
  }

 private:
  const float* wide(int y) {
    const size_t slot = static_cast<size_t>(y) % 2;
    std::vector<float>& row = rows_[slot];
    if (held_[slot] == y) return row.data();
    held_[slot] = y;
    const uint16_t* const samples = map_.row(y);
    for (size_t x = 0; x < row.size(); ++x) {
      const Position& column = scale_.columns[x];
      row[x] = scale_.weight * (static_cast<float>(samples[column.first]) * (1 - column.share) +
                                static_cast<float>(samples[column.second]) * column.share);
    }
    return row.data();
  }

  const Scale& scale_;
  const Plane<uint16_t>& map_;
  std::array<std::vector<float>, 2> rows_;
  std::array<int, 2> held_ = {-1, -1};
};

Snapshot SnapshotMaker::make(const ScoredFrame& frame) const {
  Snapshot shot;
  shot.metric = metric_;
  shot.name = format_.name.substr(format_.name.find_last_of('/') + 1);
  shot.frame = frame.picture.index;
  shot.timestamp = frame.picture.timestamp;
  shot.score = frame.score;
  shot.histograms = drawn(histograms_, frame.histograms);
  shot.picture = still_of(frame.picture, format_, {width_, height_});
  if (reference_ && frame.reference != nullptr)
    shot.reference = still_of(*frame.reference, *reference_, reference_size_);
  if (scales_.empty()) return shot;
  shot.local = Plane<uint8_t>(width_, height_);
  std::vector<WideRows> maps;
  for (size_t k = 0; k < scales_.size(); ++k) maps.emplace_back(scales_[k], frame.heatmaps[k]);
  std::vector<float> sums(static_cast<size_t>(width_));
  for (int y = 0; y < height_; ++y) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    for (WideRows& map : maps) map.add(y, sums);
    for (size_t x = 0; x < sums.size(); ++x) {
      shot.local.row(y)[x] = static_cast<uint8_t>(std::min(sums[x] + 0.5F, 255.0F));
    }
  }
  return shot;
}

}  // namespace vq::cli
