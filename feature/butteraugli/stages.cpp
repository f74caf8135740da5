#include "feature/butteraugli/stages.h"

#include <algorithm>
#include <cmath>

namespace vq::butteraugli {

namespace {

// Halves of Gaussians of sigma 1.2, 1.56416327805, 2.7, 3.22489901262 and 7.15593339443, cut off at 2.25
// sigma: exp(-i^2 / (2 sigma^2)). Written out, as exponentials differ between machines.
struct Gaussian {
  int reach;
  std::array<float, kMostReach + 1> half;
};
constexpr std::array<Gaussian, kFilters> kGaussians = {{
    {2, {1.0F, 0.7066483F, 0.2493522F}},
    {3, {1.0F, 0.81516504F, 0.44155234F, 0.15893148F}},
    {6, {1.0F, 0.9337121F, 0.7600672F, 0.5394075F, 0.3337398F, 0.18002175F, 0.08465799F}},
    {7, {1.0F, 0.9530603F, 0.82505256F, 0.64875937F, 0.46336848F, 0.30061463F, 0.17714731F, 0.09481997F}},
    {16,
     {1.0F, 0.9902833F, 0.961696F, 0.91587263F, 0.8553646F, 0.78340507F, 0.70362353F, 0.6197453F, 0.5353097F,
      0.4534358F, 0.37665647F, 0.30682728F, 0.24511023F, 0.1920206F, 0.14752074F, 0.111141756F, 0.08211459F}},
}};

// The light is mirrored at the borders.
bool is_mirrored(FilterName name) {
  return name == kAroundFilter;
}

std::vector<float> factors_of(const Kernel& kernel, int length, bool mirrored, int padding) {
  std::vector<float> factors(static_cast<size_t>(length + padding), 1.0F);
  if (mirrored) return factors;
  for (int i = 0; i < length; ++i) {
    if (i >= kernel.reach && i + kernel.reach < length) continue;
    float sum = 0;
    for (int k = kernel.reach; k >= 0; --k) {
      const float tap = kernel.taps[static_cast<size_t>(k)];
      if (i - k >= 0) sum = sum + tap;
      if (k > 0 && i + k < length) sum = sum + tap;
    }
    factors[static_cast<size_t>(i)] = 1.0F / sum;
  }
  return factors;
}

struct BandWeights {
  double up, down, norm;
  bool is_long;
};

LineWeights line_weights(const BandWeights& band) {
  constexpr double kLongFactor = 0.39905817637, kShortFactor = 0.611612573796, kLength = 8.5;
  constexpr double kOfDifference = 0.5, kOfExcess = 0.33F;
  const double factor = (band.is_long ? kLongFactor : kShortFactor) / kLength * band.norm;
  return {.norm = static_cast<float>(band.norm),
          .up = static_cast<float>(factor * std::sqrt(kOfDifference * band.up)),
          .down = static_cast<float>(factor * std::sqrt(kOfExcess * band.down)),
          .is_long = band.is_long};
}

}  // namespace

Kernel make_kernel(FilterName name) {
  const auto& [reach, half] = kGaussians[name];
  float sum = 0;
  for (int i = reach; i > 0; --i) sum = sum + 2 * half[static_cast<size_t>(i)];
  sum = sum + half[0];
  Kernel kernel{.reach = reach};
  for (size_t i = 0; i <= static_cast<size_t>(reach); ++i) kernel.taps[i] = half[i] * (1.0F / sum);
  return kernel;
}

ScalePlan make_scale_plan(PlaneSize size) {
  ScalePlan plan{.size = size};
  for (size_t i = 0; i < kFilters; ++i) {
    const auto name = static_cast<FilterName>(i);
    const Kernel kernel = make_kernel(name);
    plan.filters[i] = {.kernel = kernel,
                       .column_factors = factors_of(kernel, size.width, is_mirrored(name), kRowMargin),
                       .row_factors = factors_of(kernel, size.height, is_mirrored(name), 0)};
  }
  return plan;
}

std::vector<ScalePlan> make_scales(PlaneSize size) {
  const int shorter = std::min(size.width, size.height);
  std::vector<ScalePlan> scales;
  if (shorter >= kLeastSide) scales.push_back(make_scale_plan(size));
  if (shorter >= kLeastHalvedSide)
    scales.push_back(make_scale_plan({halved(size.width), halved(size.height)}));
  return scales;
}

Weights make_weights(double asymmetry) {
  const double a = asymmetry, r = std::sqrt(asymmetry);
  const auto both = [](const BandWeights& x, const BandWeights& y) {
    return std::array{line_weights(x), line_weights(y)};
  };
  Weights weights;
  weights.lines[kFinestLines] =
      both({173.5 * a, 173.5 / a, 5, true}, {1.10039032555 * a, 1.10039032555 / a, 71.7800275169, true});
  weights.lines[kHighLines] = both({6923.99476109 * r, 6923.99476109 / r, 8051.15833247, false},
                                   {18.7237414387 * r, 18.7237414387 / r, 4498534.45232, false});
  weights.lines[kMiddleLines] = both({8246.75321353, 8246.75321353, 1009002.70582, false},
                                     {37.0819870399, 37.0819870399, 130262059.556, false});
  constexpr double kHalf = 0.8;
  constexpr std::array<double, 2> kHighSquares = {400, 1.50815703118};
  for (size_t i = 0; i < kHighSquares.size(); ++i) {
    weights.squares.difference[i] = static_cast<float>(kHighSquares[i] * a * kHalf);
    weights.squares.excess[i] = static_cast<float>(kHighSquares[i] / a * kHalf);
  }
  return weights;
}

}  // namespace vq::butteraugli
