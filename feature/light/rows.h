// Pictures as rows of light, on the host.
#pragma once

#include <array>
#include <cstdint>

#include "core/frame.h"
#include "core/plane.h"
#include "feature/feature.h"
#include "feature/light/stages.h"

namespace vq::light {

// The stages for an execution: scalar, or the best instruction set that is allowed.
Stages stages_for(const Execution& execution);

// Makes the light of one picture after another, row by row. For one thread.
class LightRows {
 public:
  // The conversion outlives this. Throws std::bad_alloc.
  LightRows(const Stages& stages, const Conversion& conversion);

  // The frame's samples are read until the next call. Needs: the format that the conversion was made for.
  void start(const Frame& frame);
  // Row y of the light. Chroma rows in use are kept, so ascending y is fastest. Needs: start(); 0 <= y <
  // height; rows of the picture's width, with guards.
  void row(int y, RgbRow<float> out);

  // What the constructor allocates.
  static int64_t bytes(const VideoFormat& video);

 private:
  const float* chroma_row(size_t plane, int row);
  const float* chroma_at(size_t plane, int y);

  const Stages stages_;
  const Conversion& conversion_;
  const Frame* frame_ = nullptr;
  // Chroma rows at the picture's columns, row k at k % kTaps, and which row each is.
  std::array<Plane<float>, 2> spread_;
  std::array<std::array<int, Axis::kTaps>, 2> spread_rows_ = {};
  Plane<float> blended_;  // a row of Cb, a row of Cr
  Plane<float> scratch_;
};

// All of a picture. Shapes: of the picture, each; planes with guards.
void fill_light(LightRows& rows, const Frame& frame, const std::array<PlaneView<float>, 3>& rgb);

}  // namespace vq::light
