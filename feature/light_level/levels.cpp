#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/light_level/levels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "feature/light_level/light_level.h"

#if HWY_ONCE
namespace vq::light_level {

void scalar::levels(light::RgbRow<const float> light, float factor, int width, uint32_t* out) {
  for (int x = 0; x < width; ++x) {
    const float most = std::max(std::max(std::max(light.r[x], light.g[x]), light.b[x]), 0.0F);
    out[x] = static_cast<uint32_t>(std::min(most * factor + 0.5F, static_cast<float>(light::kMostAmount)));
  }
}

}  // namespace vq::light_level
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::light_level {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::levels;
#else

namespace hn = hwy::HWY_NAMESPACE;

// Runs on into guards.
void levels(light::RgbRow<const float> light, float factor, int width, uint32_t* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> s;
  const hn::RebindToUnsigned<decltype(d)> u;
  const auto scale = hn::Set(d, factor), half = hn::Set(d, 0.5F),
             top = hn::Set(d, static_cast<float>(light::kMostAmount));
  const int step = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += step) {
    const auto colours =
        hn::Max(hn::Max(hn::LoadU(d, light.r + x), hn::LoadU(d, light.g + x)), hn::LoadU(d, light.b + x));
    const auto most = hn::Max(colours, hn::Zero(d));
    const auto amount = hn::ConvertTo(s, hn::Min(hn::Add(hn::Mul(most, scale), half), top));
    hn::StoreU(hn::BitCast(u, amount), u, out + x);
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::light_level
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_DISPATCH(vq::light_level, levels)
#endif  // HWY_ONCE
