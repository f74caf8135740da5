#include "feature/adm/stages.h"

namespace vq::adm {

const AdmStages& scalar_stages() {
  static constexpr AdmStages kStages = {
      .fine_wavelet = scalar::fine_wavelet,
      .coarse_wavelet = scalar::coarse_wavelet,
      .fine_decouple = scalar::decouple,
      .coarse_decouple = scalar::decouple,
      .fine_weigh = scalar::fine_weigh,
      .coarse_weigh = scalar::coarse_weigh,
      .reference_cubes = scalar::reference_cubes,
      .masked_cubes = scalar::masked_cubes,
  };
  return kStages;
}

AdmStages simd_stages(int64_t target) {
  return {
      .fine_wavelet = simd::fine_wavelet_for(target),
      .coarse_wavelet = simd::coarse_wavelet_for(target),
      .fine_decouple = simd::fine_decouple_for(target),
      .coarse_decouple = simd::coarse_decouple_for(target),
      .fine_weigh = simd::fine_weigh_for(target),
      .coarse_weigh = simd::coarse_weigh_for(target),
      .reference_cubes = simd::reference_cubes_for(target),
      .masked_cubes = simd::masked_cubes_for(target),
  };
}

}  // namespace vq::adm
