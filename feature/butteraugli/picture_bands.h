// The bands of one picture at one scale, a row at a time from top to bottom: each stage makes its rows when
// the next one needs them, and only the latest are kept.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "feature/butteraugli/row_ring.h"
#include "feature/butteraugli/scales.h"

namespace vq::butteraugli {

// Writes row y of a picture's R, G and B in linear light. Rows are asked for from the first one on.
using LightSource = std::function<void(int y, const Rows3<float>& out)>;

class PictureBands {
 public:
  // Plan and stages outlive this. `behind`: for how many more rows bands and activity stay valid. Throws
  // std::bad_alloc.
  PictureBands(const ScalePlan& plan, const Stages& stages, float intensity, int behind = 0);
  static int64_t bytes(int width, int behind = 0);

  void start(LightSource source);
  // Rows of the bands are valid until row y + kLineReach + 1 is made, those of activity as long as the next
  // kErosionReach are.
  void make_bands(int y);
  void make_activity(int y);
  BandRows<const float> bands(int y) const;
  // Row y of the blurred activity, infinite in its margins and beyond the picture.
  const float* activity(int y) const;

 private:
  struct Channels {
    Channels(int width, int rows, size_t count) {
      for (size_t i = 0; i < count; ++i) rings.emplace_back(width, rows);
    }
    Rows3<float> rows3(int y) { return {rings[0].row(y), rings[1].row(y), rings[2].row(y)}; }
    Rows2<float> rows2(int y) { return {rings[0].row(y), rings[1].row(y)}; }
    Rows3<const float> rows3(int y) const { return {rings[0].row(y), rings[1].row(y), rings[2].row(y)}; }
    Rows2<const float> rows2(int y) const { return {rings[0].row(y), rings[1].row(y)}; }
    void end_row(int y) {
      for (RowRing& ring : rings) ring.end_row(y);
    }
    template <typename Make>
    void make_until(int y, const Make& make) {
      rings.front().make_until(y, make);
    }
    std::vector<RowRing> rings;
  };

  int last_of(int y) const { return y < plan_.size.height ? y : plan_.size.height - 1; }
  void filter_across(FilterName name, const Channels& in, Channels& out, int y);
  void filter_down(FilterName name, const Channels& in, int y, int count, Channels& out);
  void make_light_across(int y);
  void make_picture(int y);
  void make_low(int y);
  void make_middle(int y);

  const ScalePlan& plan_;
  const Stages& stages_;
  const float intensity_;
  LightSource source_;
  // What each stage makes; of filters, first along rows.
  Channels light_, light_across_, picture_, low_across_, low_, middle_, middle_across_, high_, high_across_,
      finest_, raw_activity_, activity_across_, activity_;
  Channels soft_, zeros_, infinite_;
};

}  // namespace vq::butteraugli
