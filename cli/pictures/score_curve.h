// The scores of a video as a curve in a strip of a picture, redrawn for each frame.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/pictures/picture.h"
#include "core/metric_info.h"

namespace vq::cli {

class ScoreCurve {
 public:
  // `total`: expected number of scores; if unknown, the last ones are shown, one per column.
  ScoreCurve(const MetricInfo& metric, int width, std::optional<int64_t> total);

  void add(double score);
  // Fills the area, which is as wide as the curve: a column per pixel, a line at the noteworthy level, a mark
  // at the newest score.
  void draw(RgbImage& image, const Rectangle& area) const;
  // The score at the upper edge: 1.2 times the noteworthy level, doubled until every score is below it.
  double top() const;

 private:
  size_t column_of(int64_t number) const;

  double first_top() const;
  void draw_noteworthy(RgbImage& image, const Rectangle& area) const;

  const MetricInfo metric_;
  const int width_;
  const std::optional<int64_t> total_;
  std::vector<float> columns_;  // the highest score of each; below 0 if none is known
  int64_t count_ = 0;
  double max_ = 0;
};

}  // namespace vq::cli
