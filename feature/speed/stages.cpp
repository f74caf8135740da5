#include "feature/speed/stages.h"

#include "feature/simd_targets.h"

namespace vq::speed {

SpeedStages scalar_stages() {
  return {.float_row = scalar::float_row,
          .scale_row = scalar::scale_row,
          .filter_row = scalar::filter_row,
          .covariance = scalar::covariance,
          .eigenvalues = scalar::eigenvalues,
          .solve = scalar::solve,
          .entropies = scalar::entropies};
}

SpeedStages simd_stages_for(int64_t target) {
  return {.float_row = simd::float_row_for(target),
          .scale_row = simd::scale_row_for(target),
          .filter_row = simd::filter_row_for(target),
          .covariance = simd::covariance_for(target),
          .eigenvalues = simd::eigenvalues_for(target),
          .solve = simd::solve_for(target),
          .entropies = simd::entropies_for(target)};
}

SpeedStages stages_for(const Execution& execution) {
  const std::optional<SimdTarget> target = host_target(execution);
  return target ? simd_stages_for(target->id) : scalar_stages();
}

}  // namespace vq::speed
