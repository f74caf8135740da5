#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/ciede/differences.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/ciede/constants.h"
#include "feature/ciede/elementary-inl.h"
#include "feature/ciede/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::ciede {
namespace {

// What the standard names is a float, rounded when it is known; expressions between are in double.
float rounded(double v) {
  return static_cast<float>(v);
}
double square(double v) {
  return v * v;
}
float length(float x, float y) {
  return rounded(std::sqrt(square(x) + square(y)));
}
double seventh_power(double v) {
  const double third = square(v) * v;
  return square(third) * v;
}

float hue(float b, float a) {
  const float h = rounded(angle(b, a));
  return h < 0 ? rounded(h + 2 * kPi) : h;
}

// From the first hue to the second the short way, and what counts as their mean. Where a colour has no chroma
// neither counts: the difference is multiplied by its chroma.
struct Hues {
  float difference, mean;
};
Hues compare_hues(float first, float second) {
  const float difference = second - first, sum = first + second;
  if (std::abs(difference) <= kPi) return {difference, rounded(sum / 2.0)};
  const double turn = second <= first ? 2 * kPi : -2 * kPi;
  return {rounded(difference + turn), rounded((sum + 2 * kPi) / 2)};
}

// T of the standard: cosines of the hue and its multiples by the addition theorems.
float hue_weight(float hue) {
  const auto [s1, c1] = sine_cosine(hue);
  const double s2 = 2 * s1 * c1, c2 = 2 * c1 * c1 - 1;
  const double s3 = s2 * c1 + c2 * s1, c3 = c2 * c1 - s2 * s1;
  const double s4 = 2 * s2 * c2, c4 = 2 * c2 * c2 - 1;
  return rounded(1 - 0.17 * (c1 * kCos30 + s1 * kSin30) + 0.24 * c2 + 0.32 * (c3 * kCos6 - s3 * kSin6) -
                 0.20 * (c4 * kCos63 + s4 * kSin63));
}

// R_T of the standard.
float rotation(float mean_chroma, float mean_hue) {
  const float chroma_7 = rounded(seventh_power(mean_chroma));
  const float share = chroma_7 / (chroma_7 + kFloat25To7);
  const float degrees = rounded(mean_hue * (180 / kPi));
  const float distance = rounded((degrees - 275.0) * (1.0 / 25.0));
  const float angle_in_degrees = rounded(60 * exponential(-(distance * distance)));
  const float turned = rounded(angle_in_degrees * (kPi / 180));
  return rounded(-2 * std::sqrt(double{share}) * sine(turned));
}

struct Lab {
  float l, a, b;
};

float difference(const Lab& first, const Lab& second) {
  const float mean_l = (first.l + second.l) / 2;
  const double off_middle = square(mean_l - 50.0F);
  const float weight_l = rounded(1 + 0.015 * off_middle / std::sqrt(20 + off_middle));

  const double chroma_7 = seventh_power((length(first.a, first.b) + length(second.a, second.b)) / 2);
  const double stretch = 1 - std::sqrt(chroma_7 / (chroma_7 + k25To7));
  const float a1 = rounded(first.a + first.a / 2 * stretch), a2 = rounded(second.a + second.a / 2 * stretch);
  const float chroma1 = length(a1, first.b), chroma2 = length(a2, second.b);
  const float mean_chroma = (chroma1 + chroma2) / 2;
  const float weight_c = rounded(1 + 0.045 * mean_chroma);

  const Hues hues = compare_hues(hue(first.b, a1), hue(second.b, a2));
  const float delta_h = rounded(2 * std::sqrt(double{chroma1 * chroma2}) * sine(hues.difference / 2.0));
  const float weight_h = rounded(1 + 0.015 * mean_chroma * hue_weight(hues.mean));

  const float l = (second.l - first.l) / (kWeightL * weight_l);
  const float c = (chroma2 - chroma1) / (kWeightC * weight_c);
  const float h = delta_h / (kWeightH * weight_h);
  const float turned = rotation(mean_chroma, hues.mean) * c * h;
  return rounded(std::sqrt(square(l) + square(c) + square(h) + turned));
}

}  // namespace

void scalar::differences(LabRow<const float> first, LabRow<const float> second, int width, float* out) {
  for (int i = 0; i < width; ++i) {
    out[i] = difference({first.l[i], first.a[i], first.b[i]}, {second.l[i], second.a[i], second.b[i]});
  }
}

}  // namespace vq::ciede
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::ciede {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::differences;
#else

using F32 = hn::Rebind<float, F64>;
using V32 = hn::VFromD<F32>;

// The functions of the scalar version, one by one.
HWY_INLINE V32 floats(float value) {
  return hn::Set(F32(), value);
}
HWY_INLINE V32 rounded(V64 v) {
  return hn::DemoteTo(F32(), v);
}
HWY_INLINE V64 in_double(V32 v) {
  return hn::PromoteTo(F64(), v);
}
HWY_INLINE V64 square(V64 v) {
  return hn::Mul(v, v);
}
HWY_INLINE V32 length(V32 x, V32 y) {
  return rounded(hn::Sqrt(hn::Add(square(in_double(x)), square(in_double(y)))));
}
HWY_INLINE V64 seventh_power(V64 v) {
  const V64 third = hn::Mul(square(v), v);
  return hn::Mul(square(third), v);
}
HWY_INLINE V32 half(V32 v) {
  return hn::Mul(v, floats(0.5F));
}

HWY_INLINE V32 hue(V32 b, V32 a) {
  const V64 h = in_double(rounded(angle(in_double(b), in_double(a))));
  return rounded(hn::IfThenElse(hn::Lt(h, hn::Zero(F64())), hn::Add(h, all(2 * kPi)), h));
}

HWY_INLINE void compare_hues(V32 first, V32 second, V32& difference, V32& mean) {
  const V64 apart = in_double(hn::Sub(second, first)), sum = in_double(hn::Add(first, second));
  const auto is_near = hn::Le(hn::Abs(apart), all(kPi));
  const V64 turn = hn::IfThenElse(hn::Le(in_double(second), in_double(first)), all(2 * kPi), all(-2 * kPi));
  difference = rounded(hn::IfThenElse(is_near, apart, hn::Add(apart, turn)));
  mean = rounded(hn::Mul(hn::IfThenElse(is_near, sum, hn::Add(sum, all(2 * kPi))), all(0.5)));
}

HWY_INLINE V32 hue_weight(V32 hue) {
  const V64 two = all(2), one = all(1);
  V64 s1, c1;
  sine_cosine(in_double(hue), s1, c1);
  const V64 s2 = hn::Mul(hn::Mul(two, s1), c1), c2 = hn::Sub(hn::Mul(hn::Mul(two, c1), c1), one);
  const V64 s3 = hn::Add(hn::Mul(s2, c1), hn::Mul(c2, s1)), c3 = hn::Sub(hn::Mul(c2, c1), hn::Mul(s2, s1));
  const V64 s4 = hn::Mul(hn::Mul(two, s2), c2), c4 = hn::Sub(hn::Mul(hn::Mul(two, c2), c2), one);
  const V64 first = hn::Add(hn::Mul(c1, all(kCos30)), hn::Mul(s1, all(kSin30)));
  const V64 third = hn::Sub(hn::Mul(c3, all(kCos6)), hn::Mul(s3, all(kSin6)));
  const V64 fourth = hn::Add(hn::Mul(c4, all(kCos63)), hn::Mul(s4, all(kSin63)));
  V64 sum = hn::Sub(one, hn::Mul(all(0.17), first));
  sum = hn::Add(sum, hn::Mul(all(0.24), c2));
  sum = hn::Add(sum, hn::Mul(all(0.32), third));
  return rounded(hn::Sub(sum, hn::Mul(all(0.20), fourth)));
}

HWY_INLINE V32 rotation(V32 mean_chroma, V32 mean_hue) {
  const V32 chroma_7 = rounded(seventh_power(in_double(mean_chroma)));
  const V32 share = hn::Div(chroma_7, hn::Add(chroma_7, floats(kFloat25To7)));
  const V64 degrees = in_double(rounded(hn::Mul(in_double(mean_hue), all(180 / kPi))));
  const V32 distance = rounded(hn::Mul(hn::Sub(degrees, all(275)), all(1.0 / 25.0)));
  const V64 negative = hn::Neg(in_double(hn::Mul(distance, distance)));
  const V64 angle_in_degrees = in_double(rounded(hn::Mul(all(60), exponential(negative))));
  const V64 turned = in_double(rounded(hn::Mul(angle_in_degrees, all(kPi / 180))));
  return rounded(hn::Mul(hn::Mul(all(-2), hn::Sqrt(in_double(share))), sine(turned)));
}

struct Chroma {
  const float *a1, *b1, *a2, *b2;
};

// Chromas with a stretched by what the mean chroma says, and how hues compare.
HWY_INLINE void compare_chroma(const Chroma& in, V32& chroma1, V32& chroma2, V32& hue_difference,
                               V32& mean_hue) {
  const V32 a1 = hn::LoadU(F32(), in.a1), b1 = hn::LoadU(F32(), in.b1);
  const V32 a2 = hn::LoadU(F32(), in.a2), b2 = hn::LoadU(F32(), in.b2);
  const V64 chroma_7 = seventh_power(in_double(half(hn::Add(length(a1, b1), length(a2, b2)))));
  const V64 stretch = hn::Sub(all(1), hn::Sqrt(hn::Div(chroma_7, hn::Add(chroma_7, all(k25To7)))));
  const V32 wide1 = rounded(hn::Add(in_double(a1), hn::Mul(in_double(half(a1)), stretch)));
  const V32 wide2 = rounded(hn::Add(in_double(a2), hn::Mul(in_double(half(a2)), stretch)));
  chroma1 = length(wide1, b1);
  chroma2 = length(wide2, b2);
  compare_hues(hue(b1, wide1), hue(b2, wide2), hue_difference, mean_hue);
}

HWY_INLINE V32 scaled_lightness(const float* first, const float* second) {
  const V32 l1 = hn::LoadU(F32(), first), l2 = hn::LoadU(F32(), second);
  const V64 off_middle = square(in_double(hn::Sub(half(hn::Add(l1, l2)), floats(50))));
  const V64 slope = hn::Div(hn::Mul(all(0.015), off_middle), hn::Sqrt(hn::Add(all(20), off_middle)));
  return hn::Div(hn::Sub(l2, l1), hn::Mul(floats(kWeightL), rounded(hn::Add(all(1), slope))));
}

HWY_INLINE V32 difference(V32 l, const Chroma& in) {
  V32 chroma1, chroma2, hue_difference, mean_hue;
  compare_chroma(in, chroma1, chroma2, hue_difference, mean_hue);
  const V32 mean_chroma = half(hn::Add(chroma1, chroma2));
  const V64 mean = in_double(mean_chroma);
  const V32 weight_c = rounded(hn::Add(all(1), hn::Mul(all(0.045), mean)));
  const V64 root = hn::Sqrt(in_double(hn::Mul(chroma1, chroma2)));
  const V64 half_turned = hn::Mul(in_double(hue_difference), all(0.5));
  const V32 delta_h = rounded(hn::Mul(hn::Mul(all(2), root), sine(half_turned)));
  const V64 slope_h = hn::Mul(hn::Mul(all(0.015), mean), in_double(hue_weight(mean_hue)));
  const V32 weight_h = rounded(hn::Add(all(1), slope_h));

  const V32 c = hn::Div(hn::Sub(chroma2, chroma1), hn::Mul(floats(kWeightC), weight_c));
  const V32 h = hn::Div(delta_h, hn::Mul(floats(kWeightH), weight_h));
  const V32 turned = hn::Mul(hn::Mul(rotation(mean_chroma, mean_hue), c), h);
  const V64 squares = hn::Add(hn::Add(square(in_double(l)), square(in_double(c))), square(in_double(h)));
  return rounded(hn::Sqrt(hn::Add(squares, in_double(turned))));
}

// Runs on behind the row up to a whole vector, into the guards.
void differences(LabRow<const float> first, LabRow<const float> second, int width, float* out) {
  const int step = static_cast<int>(hn::Lanes(F64()));
  for (int i = 0; i < width; i += step) {
    const V32 l = scaled_lightness(first.l + i, second.l + i);
    hn::StoreU(difference(l, {first.a + i, first.b + i, second.a + i, second.b + i}), F32(), out + i);
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::ciede
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::ciede {
HWY_EXPORT(differences);

Differences simd::differences_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(differences), target);
}

}  // namespace vq::ciede
#endif  // HWY_ONCE
