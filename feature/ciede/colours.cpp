#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/ciede/colours.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/ciede/constants.h"
#include "feature/ciede/elementary-inl.h"
#include "feature/ciede/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::ciede {
namespace {

double linear(double c) {
  if (c > kGammaLimit) return power((c + kGammaOffset) * kGammaFactor, kGamma);
  return c * kGammaSlope;
}

// Rounded, as all that follows from it.
double lightness_of(double t) {
  const double f = t > kCubeLimit ? power(t, kCubeRoot) : (kCubeSlope * t + 16) * kCubeFactor;
  return static_cast<float>(f);
}

}  // namespace

void scalar::colours(const SampleRow& samples, LabRow<float> out) {
  const SampleRange range(samples.bit_depth);
  for (int i = 0; i < samples.width; ++i) {
    const double y = (samples.y[i] - range.black) * range.luma_unit;
    const double cb = (samples.cb[i] - range.grey) * range.chroma_unit;
    const double cr = (samples.cr[i] - range.grey) * range.chroma_unit;
    const double red = linear(y + kRedOfCr * cr);
    const double green = linear(y - kGreenOfCb * cb - kGreenOfCr * cr);
    const double blue = linear(y + kBlueOfCb * cb);
    const auto sum = [&](const std::array<double, 3>& row) {
      return red * row[0] + green * row[1] + blue * row[2];
    };
    const double fx = lightness_of(sum(kX) * kWhiteX), fy = lightness_of(sum(kY)),
                 fz = lightness_of(sum(kZ) * kWhiteZ);
    out.l[i] = static_cast<float>(116 * fy - 16);
    out.a[i] = static_cast<float>(500 * (fx - fy));
    out.b[i] = static_cast<float>(200 * (fy - fz));
  }
}

}  // namespace vq::ciede
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::ciede {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::colours;
#else

using F32 = hn::Rebind<float, F64>;
using S32 = hn::Rebind<int32_t, F64>;
using U16 = hn::Rebind<uint16_t, F64>;

HWY_INLINE V64 in_unit(const uint16_t* samples, double zero, double unit) {
  const V64 values = hn::PromoteTo(F64(), hn::PromoteTo(S32(), hn::LoadU(U16(), samples)));
  return hn::Mul(hn::Sub(values, all(zero)), all(unit));
}

// Of both branches each is fed with what it can take.
HWY_INLINE V64 linear(V64 c) {
  const V64 base = hn::Mul(hn::Add(hn::Max(c, all(kGammaLimit)), all(kGammaOffset)), all(kGammaFactor));
  return hn::IfThenElse(hn::Gt(c, all(kGammaLimit)), power(base, kGamma), hn::Mul(c, all(kGammaSlope)));
}
HWY_INLINE V64 lightness_of(V64 t) {
  const V64 root = power(hn::Max(t, all(kCubeLimit)), kCubeRoot);
  const V64 line = hn::Mul(hn::Add(hn::Mul(all(kCubeSlope), t), all(16)), all(kCubeFactor));
  const V64 f = hn::IfThenElse(hn::Gt(t, all(kCubeLimit)), root, line);
  return hn::PromoteTo(F64(), hn::DemoteTo(F32(), f));
}

HWY_INLINE V64 sum(const std::array<double, 3>& row, V64 red, V64 green, V64 blue) {
  return hn::Add(hn::Add(hn::Mul(red, all(row[0])), hn::Mul(green, all(row[1]))), hn::Mul(blue, all(row[2])));
}
HWY_INLINE void store(V64 v, float* out) {
  hn::StoreU(hn::DemoteTo(F32(), v), F32(), out);
}

// Runs on behind the row up to a whole vector, into the guards.
void colours(const SampleRow& samples, LabRow<float> out) {
  const SampleRange range(samples.bit_depth);
  const int step = static_cast<int>(hn::Lanes(F64()));
  for (int i = 0; i < samples.width; i += step) {
    const V64 y = in_unit(samples.y + i, range.black, range.luma_unit);
    const V64 cb = in_unit(samples.cb + i, range.grey, range.chroma_unit);
    const V64 cr = in_unit(samples.cr + i, range.grey, range.chroma_unit);
    const V64 red = linear(hn::Add(y, hn::Mul(all(kRedOfCr), cr)));
    const V64 green = linear(hn::Sub(hn::Sub(y, hn::Mul(all(kGreenOfCb), cb)), hn::Mul(all(kGreenOfCr), cr)));
    const V64 blue = linear(hn::Add(y, hn::Mul(all(kBlueOfCb), cb)));
    const V64 fx = lightness_of(hn::Mul(sum(kX, red, green, blue), all(kWhiteX)));
    const V64 fy = lightness_of(sum(kY, red, green, blue));
    const V64 fz = lightness_of(hn::Mul(sum(kZ, red, green, blue), all(kWhiteZ)));
    store(hn::Sub(hn::Mul(all(116), fy), all(16)), out.l + i);
    store(hn::Mul(all(500), hn::Sub(fx, fy)), out.a + i);
    store(hn::Mul(all(200), hn::Sub(fy, fz)), out.b + i);
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::ciede
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::ciede {
HWY_EXPORT(colours);

Colours simd::colours_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(colours), target);
}

}  // namespace vq::ciede
#endif  // HWY_ONCE
