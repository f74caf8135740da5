#include "feature/speed/score.h"

#include <cmath>

#include "feature/speed/logarithm.h"

namespace vq::speed {
namespace {

// What the logarithm is taken of that weights the entropies of a block.
struct Weights {
  double reference = 1, distorted = 1;
};

double weight_of(float variance) {
  return static_cast<double>(1 + variance);
}
double mean_weight(float r, float d) {
  return 1 + static_cast<double>(r + d) / 2;
}
double mixed_weight(float r, double share_of_r, float d) {
  return 1 + (share_of_r * static_cast<double>(r) + (1 - share_of_r) * static_cast<double>(d));
}

// By speed_weight_var_mode: which variances, r of the reference and d of the distorted block, weight which entropy.
Weights weights_of(int mode, float r, float d) {
  switch (mode) {
    case 0:
      return {weight_of(r), weight_of(d)};
    case 1:
      return {weight_of(r), weight_of(r)};
    case 2:
      return {weight_of(d), weight_of(d)};
    case 3:
      return {mean_weight(r, d), mean_weight(r, d)};
    case 4:
      return {weight_of(r), mean_weight(r, d)};
    case 5:
      return {weight_of(r), mixed_weight(r, 0.75, d)};
    default:
      return {weight_of(r), mixed_weight(r, 0.25, d)};
  }
}

float weighted(float entropy, double weight) {
  return static_cast<float>(static_cast<double>(entropy) * log2_of(weight));
}

double capped(float score, double max_value) {
  // What is not a number is the largest as well.
  return static_cast<double>(score) < max_value ? static_cast<double>(score) : max_value;
}

}  // namespace

PlaneScore plane_score(const SpeedPlan& plan, const PlaneFigures& reference, const PlaneFigures& distorted) {
  if (reference.is_singular || distorted.is_singular) return {.value = 0, .is_marked = true};
  const auto blocks = static_cast<size_t>(plan.plane.blocks());
  float sum = 0;
  for (size_t i = 0; i < blocks; ++i) {
    const float er = reference.entropies[i], ed = distorted.entropies[i];
    if (er < plan.base_entropy && ed < plan.base_entropy) continue;
    const Weights weights = weights_of(plan.options.weight_mode, reference.variances[i], distorted.variances[i]);
    sum += std::abs(weighted(er, weights.reference) - weighted(ed, weights.distorted));
  }
  return {.value = sum / static_cast<float>(blocks), .is_marked = false};
}

std::array<double, 3> chroma_values(const PlaneScore& u, const PlaneScore& v, double max_value) {
  float both = static_cast<float>(static_cast<double>(u.value + v.value) / 2);
  if (u.is_marked && !v.is_marked) both = v.value;
  if (v.is_marked && !u.is_marked) both = u.value;
  return {capped(u.value, max_value), capped(v.value, max_value), capped(both, max_value)};
}

}  // namespace vq::speed
