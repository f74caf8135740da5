// The map of differences of two pictures, a row at a time from top to bottom.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "feature/butteraugli/picture_bands.h"

namespace vq::butteraugli {

// The map of one scale.
class ScaleMap {
 public:
  // All outlive this. Throws std::bad_alloc.
  ScaleMap(const ScalePlan& plan, const Weights& weights, const Stages& stages, float intensity);
  static int64_t bytes(int width);

  void start(LightSource reference, LightSource distorted);
  // Row y, the one before again or the next. Valid until kTile more are made. It may be written.
  float* row(int y);

 private:
  void make_line_differences(int y);
  void make_row(int y);
  void add_lines(int y);

  const ScalePlan& plan_;
  const Weights& weights_;
  const Stages& stages_;
  PictureBands reference_, distorted_;
  std::vector<RowRing> line_differences_;  // by band, X's and Y's
  RowRing zeros_, mask_, map_;
  std::array<RowRing, 2> lines_;
};

// The light of a picture, of its whole size in both, once for each scale.
struct PictureSources {
  LightSource whole, half;
};

// The map of both scales. Needs: at least one.
class DifferenceMap {
 public:
  DifferenceMap(const std::vector<ScalePlan>& scales, const Weights& weights, const Stages& stages,
                float intensity);
  static int64_t bytes(PlaneSize size);

  void start(const PictureSources& reference, const PictureSources& distorted);
  // Row y: the next one. Valid until kTile more are made.
  const float* row(int y);

 private:
  void read_row(const LightSource& source, int y, std::span<RowRing> rows) const;
  LightSource halved(const LightSource& source, size_t picture);

  const std::vector<ScalePlan>& scales_;
  const Stages& stages_;
  std::optional<ScaleMap> whole_, half_;
  std::vector<RowRing> two_rows_;  // of light, for each picture
};

}  // namespace vq::butteraugli
