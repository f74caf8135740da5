// The scores of a video as a curve in a strip of a picture, drawn again for each frame as it grows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/pictures/picture.h"
#include "core/metric_info.h"

namespace vq::cli {

class ScoreCurve {
 public:
  // `total` is how many scores will come; where that is not known the last ones are shown, one a column.
  ScoreCurve(const MetricInfo& metric, int width, std::optional<int64_t> total);

  void add(double score);
  // Fills the area, which is as wide as the curve: a column for each pixel, a line where scores are
  // noteworthy, a mark at the newest score.
  void draw(RgbImage& image, const Rectangle& area) const;
  // The score at the upper edge: a fifth more than what is noteworthy, doubled until every score is below it.
  double top() const;

 private:
  size_t column_of(int64_t number) const;

  double first_top() const;
  void draw_noteworthy(RgbImage& image, const Rectangle& area) const;

  const MetricInfo metric_;
  const int width_;
  const std::optional<int64_t> total_;
  std::vector<float> columns_;  // the highest score of each; below 0 where none is known
  int64_t count_ = 0;
  double max_ = 0;
};

}  // namespace vq::cli
