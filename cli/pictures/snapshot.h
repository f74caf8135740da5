// A scored frame reduced for storage: its planes, and the local score of each sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/pictures/levels.h"
#include "cli/pictures/picture_tap.h"
#include "cli/pictures/still.h"
#include "core/frame.h"
#include "core/plane.h"

namespace vq::cli {

// Pictures are shrunk to fit this, and never enlarged.
inline constexpr PlaneSize kSnapshotLimit = {1920, 1080};
// Steps of Snapshot::local within a metric's usual scale; higher values are beyond it.
inline constexpr int kLocalScoreSteps = 192;

struct Snapshot {
  std::string name;  // of the video's file
  int64_t frame = 0;
  std::optional<double> timestamp;
  double score = 0;
  Still picture;
  // The local score of each sample: kLocalScoreSteps at the top of the metric's usual scale. Empty if no
  // feature delivers it.
  Plane<uint8_t> local;
  Still reference;  // possibly of another size; empty without a reference
  MetricInfo metric;
  std::vector<DrawnHistogram> histograms;  // by channel; empty if none were delivered
};

// Makes snapshots of one video. Local scores are sums of the heatmaps of all scales, weighted as in the
// frame's score.
class SnapshotMaker {
 public:
  explicit SnapshotMaker(const ObservedVideo& video, const PlaneSize& limit = kSnapshotLimit);

  Snapshot make(const ScoredFrame& frame) const;
  int width() const { return width_; }
  int height() const { return height_; }
  // Memory of one snapshot.
  int64_t bytes() const;

 private:
  // Position of a row or column of the picture between two of a heatmap.
  struct Position {
    int first = 0, second = 0;
    float share = 0;  // of the second
  };
  struct Scale {
    std::vector<Position> columns, rows;
    float weight = 0;
  };
  static std::vector<Position> positions(int heatmap_side, int picture_side);
  class WideRows;

  VideoFormat format_;
  std::optional<VideoFormat> reference_;
  MetricInfo metric_;
  std::vector<HistogramInfo> histograms_;
  int width_ = 0, height_ = 0;
  PlaneSize reference_size_;
  std::vector<Scale> scales_;
};

}  // namespace vq::cli
