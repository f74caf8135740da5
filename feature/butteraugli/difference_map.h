// The map of differences of two pictures, a row at a time from top to bottom.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "feature/butteraugli/picture_bands.h"

namespace vq::butteraugli {

// The light of a picture, of its whole size in both, once for each scale.
struct PictureSources {
  LightSource whole, half;
};

// The bands of a picture at both scales. Needs: at least one.
class ScaledBands {
 public:
  // All outlive this. `behind`: for how many more rows of the whole scale, and half as many of the other,
  // bands stay valid. Throws std::bad_alloc.
  ScaledBands(const std::vector<ScalePlan>& scales, const Stages& stages, float intensity, int behind = 0);
  static int64_t bytes(PlaneSize size, int behind = 0);

  void start(const PictureSources& sources);
  PictureBands& whole() { return whole_; }
  PictureBands& half() { return *half_; }  // Needs: two scales

 private:
  void read_row(const LightSource& source, int y, std::span<RowRing> rows) const;
  LightSource halved(const LightSource& source);

  const std::vector<ScalePlan>& scales_;
  const Stages& stages_;
  PictureBands whole_;
  std::optional<PictureBands> half_;
  std::vector<RowRing> two_rows_;  // of light
};

// What a map is made with; it outlives the map.
struct MapSetting {
  const std::vector<ScalePlan>& scales;
  const Weights& weights;
  const Stages& stages;
  float intensity;
};

// The map of one scale.
class ScaleMap {
 public:
  // All outlive this. Throws std::bad_alloc.
  ScaleMap(const ScalePlan& plan, const MapSetting& setting, PictureBands& reference,
           PictureBands& distorted);
  static int64_t bytes(int width);

  // Before the first row.
  void start();
  // Row y, the one before again or the next. Valid until kTile more are made. It may be written.
  float* row(int y);

 private:
  void make_line_differences(int y);
  void make_row(int y);
  void add_lines(int y);

  const ScalePlan& plan_;
  const Weights& weights_;
  const Stages& stages_;
  PictureBands &reference_, &distorted_;
  std::vector<RowRing> line_differences_;  // by band, X's and Y's
  RowRing zeros_, mask_, map_;
  std::array<RowRing, 2> lines_;
};

// The map of a picture's differences from a reference, of both scales.
class DifferenceMap {
 public:
  // The reference outlives this, and makes its bands when this, or another map, needs them. It has been
  // started when this is. Throws std::bad_alloc.
  DifferenceMap(const MapSetting& setting, ScaledBands& reference);
  static int64_t bytes(PlaneSize size);

  void start(const PictureSources& distorted);
  // Row y: the next one. Valid until kTile more are made. Needs: no other map has read rows of the reference
  // so far below that its `behind` does not reach this one.
  const float* row(int y);

 private:
  const MapSetting setting_;
  ScaledBands distorted_;
  ScaleMap whole_;
  std::optional<ScaleMap> half_;
};

}  // namespace vq::butteraugli
