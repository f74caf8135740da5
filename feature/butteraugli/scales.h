// What is constant over a video: options, and the filters and weights that follow from them and its size.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/frame.h"
#include "feature/butteraugli/stages.h"

namespace vq::butteraugli {

// The filters, by what is blurred with them: light, to which receptors adapt; what the two finest bands, the
// middle and the lowest are made of; activity.
enum FilterName : size_t { kAroundFilter, kHighFilter, kActivityFilter, kMiddleFilter, kLowFilter, kFilters };

// A filter for pictures of one size. Beyond their borders, where samples are 0, each result is multiplied by
// the reciprocal of the sum of the taps inside.
struct Filter {
  Kernel kernel;
  std::vector<float> column_factors, row_factors;  // of columns: padded to kRowMargin more
};

// Sides of a picture whose map is not 0, and of one that is also compared at the half scale.
inline constexpr int kLeastSide = 8, kLeastHalvedSide = 15;

struct ScalePlan {
  PlaneSize size = {};
  std::array<Filter, kFilters> filters = {};
};

// The bands whose differences are summed along lines, in this order, X's and Y's.
enum LineBand : size_t { kFinestLines, kHighLines, kMiddleLines, kLineBands };

struct Weights {
  std::array<std::array<LineWeights, 2>, kLineBands> lines = {};
  SquareWeights squares = {};
};

constexpr int halved(int side) {
  return (side + 1) / 2;
}

Kernel make_kernel(FilterName name);
ScalePlan make_scale_plan(PlaneSize size);
// The whole scale and the half, or one of them, or none, for pictures of that size.
std::vector<ScalePlan> make_scales(PlaneSize size);
// `asymmetry`: how much more artefacts count than lost detail; 1 is even.
Weights make_weights(double asymmetry);

}  // namespace vq::butteraugli
