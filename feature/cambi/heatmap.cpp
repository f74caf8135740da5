#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi/heatmap.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "feature/cambi/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi::scalar {

void heatmap(CValuesIn values, double factor, PlaneView<uint16_t> samples) {
  HWY_DASSERT(same_size(values, samples));
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      const double sample = factor * static_cast<double>(values.row(y)[x]);
      samples.row(y)[x] = static_cast<uint16_t>(std::min(sample, 65535.0));
    }
  }
}

}  // namespace vq::cambi::scalar
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::heatmap;
#else

namespace hn = hwy::HWY_NAMESPACE;

void heatmap(CValuesIn values, double factor, PlaneView<uint16_t> samples) {
  HWY_DASSERT(same_size(values, samples));
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> f;
  const hn::Rebind<int32_t, decltype(d)> i;
  const hn::Rebind<uint16_t, decltype(d)> u;
  const int step = static_cast<int>(hn::Lanes(d));
  const auto most = hn::Set(d, 65535.0), scale = hn::Set(d, factor);
  for (int y = 0; y < values.height; ++y) {
    const float* in = values.row(y);
    uint16_t* out = samples.row(y);
    int x = 0;
    for (; x + step <= values.width; x += step) {
      const auto sample = hn::Min(hn::Mul(scale, hn::PromoteTo(d, hn::LoadU(f, in + x))), most);
      hn::StoreU(hn::DemoteTo(u, hn::DemoteTo(i, sample)), u, out + x);
    }
    for (; x < values.width; ++x) {
      const double sample = factor * static_cast<double>(in[x]);
      out[x] = static_cast<uint16_t>(sample < 65535.0 ? sample : 65535.0);
    }
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::cambi, heatmap)
#endif  // HWY_ONCE
