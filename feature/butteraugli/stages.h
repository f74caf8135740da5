// The stages of Butteraugli (Alakuijala et al., as in libjxl 0.11), a row at a time. Every implementation
// gives the same bits: sums and products are rounded one by one in the order of the scalar version, and
// nothing is divided or rooted but by the functions below. Stages never throw and never allocate.
//
// Shapes: rows of `width` floats. In front of and behind each, kRowMargin more may be read; kRowGuardBytes
// behind it may be written, with anything. Outputs may be inputs, but for filters and sums along lines.
#pragma once

#include <bit>
#include <cmath>

#include "core/frame.h"
#include "feature/simd_targets.h"
#include "shaders/butteraugli/constants.h"

namespace vq::butteraugli {

// Quotients, roots and logarithms of sums, products and whole numbers alone, whose bits are the same on the
// CPU, in vectors (arithmetic-inl.h) and on devices (shaders/butteraugli/arithmetic.glsl).

// 1 / x to two units of the last place. Needs: 2^-100 < x < 2^100.
inline float reciprocal(float x) {
  float r = std::bit_cast<float>(kReciprocalBits - std::bit_cast<uint32_t>(x));
  for (int i = 0; i < 3; ++i) r = r * (2.0F - x * r);
  return r;
}

// The part of x whose products with such a part are exact.
inline float upper_part(float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & kUpperBits); }

// a / b, rounded as the exact quotient nearly always: one step with what is left of a. Needs: 2^-30 < b <
// 2^30, and a likewise or of 0.
inline float quotient(float a, float b) {
  const float r = reciprocal(b), q = a * r;
  const float upper_q = upper_part(q), lower_q = q - upper_q, upper_b = upper_part(b), lower_b = b - upper_b;
  const float rest = (((a - upper_q * upper_b) - upper_q * lower_b) - lower_q * upper_b) - lower_q * lower_b;
  return q + rest * r;
}

// The square root to two units of the last place; 0 of 0. Needs: 0, or 2^-100 < x < 2^100.
inline float root(float x) {
  float r = std::bit_cast<float>(kRootBits - (std::bit_cast<uint32_t>(x) >> 1));
  for (int i = 0; i < 3; ++i) r = r * (1.5F - ((0.5F * x) * r) * r);
  return x * r;
}

// log2(x) to 4e-6. Needs: x > 0, not subnormal.
inline float logarithm(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const int32_t exponent = static_cast<int32_t>(bits - kLogarithmBits) >> 23;
  const float m = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0F;
  const float p = (kLogP2 * m + kLogP1) * m + kLogP0;
  const float q = (kLogQ2 * m + kLogQ1) * m + kLogQ0;
  return quotient(p, q) + static_cast<float>(exponent);
}

// x, or 0 for what is too small to be squared.
inline float settled(float x) { return std::abs(x) < kLeast ? 0.0F : x; }

inline constexpr int kMostReach = 16;
inline constexpr int kRowMargin = 32;

// A symmetric filter of 2 reach + 1 taps, the middle one first, whose sum is 1.
struct Kernel {
  int reach = 0;
  std::array<float, kMostReach + 1> taps = {};
};

// Rows of X, Y and B, or of R, G and B; rows of X and Y.
template <typename T>
using Rows3 = std::array<T*, 3>;
template <typename T>
using Rows2 = std::array<T*, 2>;

// One row of each band of a picture.
template <typename T>
struct BandRows {
  Rows3<T> low = {}, middle = {};
  Rows2<T> high = {}, finest = {};
};

// Weights of the differences of a band.
struct LineWeights {
  float norm = 1;       // what differences are divided by, for samples near 0
  float up = 1;         // of a difference
  float down = 1;       // of what lies beyond a range of ratios of the samples
  bool is_long = true;  // whether lines have nine or seven samples, or else five
};
inline constexpr int kLineReach = 4;
inline constexpr int kLineRows = 2 * kLineReach + 1;
// How far away erosion looks.
inline constexpr int kErosionReach = 3;

// Weights of squared differences of the high bands, and of those beyond a range of ratios.
struct SquareWeights {
  std::array<float, 2> difference = {1, 1}, excess = {1, 1};
};

// Inputs of a row of the map.
struct Differences {
  BandRows<const float> reference, distorted;
  const float* reference_activity = nullptr;
  const float* distorted_activity = nullptr;
  const float* mask = nullptr;
  Rows2<const float> lines = {};  // the sums of X and of Y along lines
};

// A filter along a row of that width, and what each result is multiplied with.
struct RowFilter {
  const Kernel& kernel;
  const float* factors;
  int width;
};

// One or several rows below each other that are filtered along columns, and what each is multiplied with.
inline constexpr int kMostFiltered = 4;
struct FilteredRows {
  int count = 1;
  std::array<float, kMostFiltered> factors = {};
  std::array<float*, kMostFiltered> rows = {};
};
// Rows of light, and of what is around it; 1 is this intensity, in cd/m2.
struct Light {
  Rows3<const float> here = {}, around = {};
  float intensity = 0;
};
// Rows of one band of both pictures.
struct RowPair {
  const float* reference = nullptr;
  const float* distorted = nullptr;
};

namespace scalar {
// Filters a row. Samples beyond it are what its margins hold.
void filter_row(const float* in, const RowFilter& filter, float* out);

// Filters columns. `rows` are those that the first row of the output sees, and one more for each other.
void filter_columns(const float* const* rows, int width, const Kernel& kernel, const FilteredRows& out);

// X, Y and B as the eye sees light, adapted to what is around.
void opsin(const Light& light, int width, const Rows3<float>& out);

// The lowest band and what is left, from the blurred picture in `low`.
void split_low(const Rows3<const float>& picture, int width, const Rows3<float>& low,
               const Rows3<float>& middle);

// The middle band and what is left of X and Y, from what split_low left in `middle`, and the same blurred.
void split_middle(const Rows3<const float>& blurred, int width, const Rows3<float>& middle,
                  const Rows2<float>& high);

// The two finest bands, from what split_middle left in `high`, and the same blurred.
void split_high(const Rows2<const float>& blurred, int width, const Rows2<float>& high,
                const Rows2<float>& finest);

// How much goes on in the finest bands.
void activity(const Rows2<const float>& high, const Rows2<const float>& finest, int width, float* out);

// Weighted differences.
void line_differences(const RowPair& rows, const LineWeights& weights, int width, float* out);

// Adds the squared sums along 16 lines through each sample to `sum`. `rows`: the differences of kLineRows
// rows, the sample's in the middle, with zeros in their margins.
void add_lines(const float* const* rows, bool is_long, int width, float* sum);

// The mask: a mean of the three smallest of each sample, its double, that once more, and the eight samples
// three rows or columns away, of which those that do not exist are infinite.
void erode(const std::array<const float*, 3>& rows, int width, float* out);

// The map of one scale.
void map_row(const Differences& differences, const SquareWeights& weights, int width, float* out);

// Adds the map of the half scale to that of the whole. `half`: as many samples as half of `map`, rounded up.
void add_half(const float* half, int width, float* map);

// Means of 2 x 2 samples. `width`: of `out`; the rows' last column is doubled in their margin if it has no
// neighbour.
void halve(const float* upper, const float* lower, int width, float* out);
}  // namespace scalar
VQ_STAGES(filter_row, filter_columns, opsin, split_low, split_middle, split_high, activity, line_differences,
          add_lines, erode, map_row, add_half, halve);

// Constants of a video: options, and the filters and weights that follow from them and its size.

// The filters, by what is blurred with them: light, to which receptors adapt; what the two finest bands, the
// middle and the lowest are made of; activity.
enum FilterName : size_t { kAroundFilter, kHighFilter, kActivityFilter, kMiddleFilter, kLowFilter, kFilters };

// A filter for pictures of one size. Beyond their borders, if samples are 0, each result is multiplied by the
// reciprocal of the sum of the taps inside.
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

constexpr int halved(int side) { return (side + 1) / 2; }

Kernel make_kernel(FilterName name);
ScalePlan make_scale_plan(PlaneSize size);
// The whole scale and the half, or one of them, or none, for pictures of that size.
std::vector<ScalePlan> make_scales(PlaneSize size);
// `asymmetry`: how much more artefacts count than lost detail; 1 is even.
Weights make_weights(double asymmetry);

}  // namespace vq::butteraugli
