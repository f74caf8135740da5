#define HWY_TARGET_INCLUDE "feature/ciede/ciede.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/elementary.h"
#include "feature/ciede/ciede.h"

#ifndef VQ_CIEDE_ONCE
#define VQ_CIEDE_ONCE
namespace vq::ciede {
using namespace elementary;

static double linear(double c) {
  if (c > kGammaLimit) return power((c + kGammaOffset) * kGammaFactor, kGamma);
  return c * kGammaSlope;
}

// Rounded, as all that follows from it.
static double lightness_of(double t) {
  const double f = t > kCubeLimit ? power(t, kCubeRoot) : (kCubeSlope * t + 16) * kCubeFactor;
  return static_cast<float>(f);
}

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

namespace {

// Quantities that the standard names are floats, rounded when they are known; expressions between are in
// double.
float rounded(double v) { return static_cast<float>(v); }
double square(double v) { return v * v; }
float length(float x, float y) { return rounded(std::sqrt(square(x) + square(y))); }
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
#endif  // VQ_CIEDE_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::ciede::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F64 = hn::ScalableTag<double>;
using U64 = hn::RebindToUnsigned<F64>;
using V64 = hn::VFromD<F64>;

// The functions of elementary.h for vectors of doubles, with the same bits.

HWY_INLINE V64 all(double value) { return hn::Set(F64(), value); }

template <size_t size>
HWY_INLINE V64 polynomial(const std::array<double, size>& coefficients, V64 x) {
  constexpr size_t kEven = (size - 1) / 2 * 2, kOdd = (size - 2) / 2 * 2 + 1;
  const V64 square = hn::Mul(x, x);
  V64 even = all(coefficients[kEven]), odd = all(coefficients[kOdd]);
  for (size_t i = kEven; i >= 2; i -= 2) even = hn::Add(hn::Mul(even, square), all(coefficients[i - 2]));
  for (size_t i = kOdd; i >= 3; i -= 2) odd = hn::Add(hn::Mul(odd, square), all(coefficients[i - 2]));
  return hn::Add(even, hn::Mul(odd, x));
}

HWY_INLINE V64 log_2(V64 x) {
  const U64 u;
  const F64 d;
  const auto bits = hn::BitCast(u, x), bias = hn::Set(u, kBiasBits);
  const auto exponent =
      hn::ShiftRight<kMantissaBits>(hn::Add(hn::Sub(bits, hn::Set(u, kRootOfHalfBits)), bias));
  const V64 mantissa = hn::BitCast(d, hn::Add(hn::Sub(bits, hn::ShiftLeft<kMantissaBits>(exponent)), bias));
  const V64 z = hn::Div(hn::Sub(mantissa, all(1)), hn::Add(mantissa, all(1)));
  const V64 integer = hn::Sub(hn::BitCast(d, hn::Or(hn::BitCast(u, all(kIntegers)), exponent)),
                              all(kIntegers + kExponentBias));
  return hn::Add(integer, hn::Mul(z, polynomial(kLog2, hn::Mul(z, z))));
}

HWY_INLINE V64 exp_2(V64 x) {
  const U64 u;
  const V64 rounded = hn::Add(x, all(kRounder));
  const V64 power = polynomial(kExp2, hn::Sub(x, hn::Sub(rounded, all(kRounder))));
  return hn::BitCast(F64(),
                     hn::Add(hn::BitCast(u, power), hn::ShiftLeft<kMantissaBits>(hn::BitCast(u, rounded))));
}

HWY_INLINE V64 power(V64 base, double exponent) { return exp_2(hn::Mul(all(exponent), log_2(base))); }

HWY_INLINE V64 exponential(V64 x) { return exp_2(hn::Mul(x, all(std::numbers::log2e))); }

HWY_INLINE V64 sine(V64 x) { return hn::Mul(x, polynomial(kSine, hn::Mul(x, x))); }

HWY_INLINE void sine_cosine(V64 x, V64& sine_of_x, V64& cosine_of_x) {
  const V64 rounded = hn::Add(hn::Mul(x, all(std::numbers::inv_pi)), all(kRounder));
  const V64 half_turns = hn::Sub(rounded, all(kRounder));
  const V64 rest =
      hn::Sub(hn::Sub(x, hn::Mul(half_turns, all(kPiUpper))), hn::Mul(half_turns, all(kPiLower)));
  const V64 sign = hn::BitCast(F64(), hn::ShiftLeft<63>(hn::BitCast(U64(), rounded)));
  sine_of_x = hn::Xor(sine(rest), sign);
  cosine_of_x = hn::Xor(polynomial(kCosine, hn::Mul(rest, rest)), sign);
}

HWY_INLINE V64 angle(V64 y, V64 x) {
  const V64 size_x = hn::Abs(x), size_y = hn::Abs(y);
  const V64 larger = hn::Max(size_x, size_y), smaller = hn::Min(size_x, size_y);
  const auto is_steep = hn::Gt(smaller, hn::Mul(all(kEighthTurnHalfTangent), larger));
  const V64 dividend = hn::IfThenElse(is_steep, hn::Sub(smaller, larger), smaller);
  const V64 divisor = hn::IfThenElse(is_steep, hn::Add(smaller, larger), larger);
  const V64 ratio = hn::Div(dividend, hn::Max(divisor, all(kLeastDivisor)));
  V64 result = hn::Mul(ratio, polynomial(kArcTangent, hn::Mul(ratio, ratio)));
  result = hn::IfThenElse(is_steep, hn::Add(result, all(kPi / 4)), result);
  result = hn::IfThenElse(hn::Gt(size_y, size_x), hn::Sub(all(kPi / 2), result), result);
  result = hn::IfThenElse(hn::Lt(x, hn::Zero(F64())), hn::Sub(all(kPi), result), result);
  return hn::CopySign(result, y);
}

using F32 = hn::Rebind<float, F64>;
using S32 = hn::Rebind<int32_t, F64>;
using U16 = hn::Rebind<uint16_t, F64>;

HWY_INLINE V64 in_unit(const uint16_t* samples, double zero, double unit) {
  const V64 values = hn::PromoteTo(F64(), hn::PromoteTo(S32(), hn::LoadU(U16(), samples)));
  return hn::Mul(hn::Sub(values, all(zero)), all(unit));
}

// Each branch gets values that it can take.
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
HWY_INLINE void store(V64 v, float* out) { hn::StoreU(hn::DemoteTo(F32(), v), F32(), out); }

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

using V32 = hn::VFromD<F32>;

// The functions of the scalar version, one by one.
HWY_INLINE V32 floats(float value) { return hn::Set(F32(), value); }
HWY_INLINE V32 rounded(V64 v) { return hn::DemoteTo(F32(), v); }
HWY_INLINE V64 in_double(V32 v) { return hn::PromoteTo(F64(), v); }
HWY_INLINE V64 square(V64 v) { return hn::Mul(v, v); }
HWY_INLINE V32 length(V32 x, V32 y) {
  return rounded(hn::Sqrt(hn::Add(square(in_double(x)), square(in_double(y)))));
}
HWY_INLINE V64 seventh_power(V64 v) {
  const V64 third = hn::Mul(square(v), v);
  return hn::Mul(square(third), v);
}
HWY_INLINE V32 half(V32 v) { return hn::Mul(v, floats(0.5F)); }

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

}  // namespace vq::ciede::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::ciede, colours, differences)

namespace vq::ciede {

// libvmaf's library takes 4:2:2 for 4:4:0: it reads each row of chroma beyond its end, which in its pictures
// is followed by the next, and only the upper half of them. Scores of its pictures are the same.
static ChromaShifts spread_of(const VideoFormat& video) {
  const bool is_exchanged = video.rounds_chroma_down && video.chroma == Chroma::k422;
  return is_exchanged ? ChromaShifts{.x = 0, .y = 1} : chroma_shifts(video.chroma);
}

// Where chroma was rounded down, its last sample is also that of the column behind.
template <typename T>
static void spread_row(PlaneView<const T> in, int shift, int chroma_shift, PlaneView<uint16_t> out) {
  const auto shifted = [&](int i) { return static_cast<uint16_t>(in.data[i] << shift); };
  uint16_t* const to = out.data;
  if (chroma_shift == 0) {
    for (int x = 0; x < out.width; ++x) to[x] = shifted(x);
    return;
  }
  const int last = in.width - 1;
  if (chroma_shift == 1) {
    for (int x = 0; x + 1 < out.width; x += 2) to[x] = to[x + 1] = shifted(x / 2);
    if (out.width % 2 != 0) to[out.width - 1] = shifted(std::min(out.width / 2, last));
    return;
  }
  for (int x = 0; x < out.width; ++x) to[x] = shifted(std::min(x >> chroma_shift, last));
}

// Row `y` of the luma as chroma has it: likewise.
template <typename T>
static PlaneView<const T> row_of(PlaneView<const T> plane, int y, int chroma_shift) {
  return {plane.row(std::min(y >> chroma_shift, plane.height - 1)), plane.width, 1, plane.stride};
}

CiedePlan Ciede::make_plan(const Options&, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos(kFeatureName, formats);
  require_chroma(kFeatureName, formats);
  return {.videos = videos,
          .distorted = {videos.distorted_shift, spread_of(formats.distorted)},
          .reference = {videos.reference_shift, spread_of(*formats.reference)}};
}

double score(const CiedePlan& plan, double sum_of_differences) {
  const double samples = static_cast<double>(plan.videos.size.width) * plan.videos.size.height;
  return 45 - 20 * std::log10(sum_of_differences / samples);
}

void SpreadRows::fill(const Frame& frame, const Spread& spread, int y) {
  for (int i = 0; i < kMaxPlanes; ++i) {
    const SampleView& plane = frame.planes[static_cast<size_t>(i)];
    const ChromaShifts shifts = i == 0 ? ChromaShifts{} : spread.chroma;
    const PlaneView<uint16_t> out = {samples_.row(i), samples_.width(), 1, 0};
    if (plane.is_u8()) {
      spread_row(row_of(plane.u8, y, shifts.y), spread.shift, shifts.x, out);
    } else {
      spread_row(row_of(plane.u16, y, shifts.y), spread.shift, shifts.x, out);
    }
  }
}

namespace {

// Rows of both pictures.
struct Workspace {
  explicit Workspace(const CiedePlan& plan)
      : distorted(plan.videos.size.width),
        reference(plan.videos.size.width),
        differences(plan.videos.size.width, 1) {}

  struct Picture {
    explicit Picture(int width) : samples(width), colours(width, 3) {}
    LabRow<float> lab() { return {colours.row(0), colours.row(1), colours.row(2)}; }
    SpreadRows samples;
    Plane<float> colours;
  };
  Picture distorted, reference;
  Plane<float> differences;
};

class CiedeHost final : public WorkspaceHost<CiedePlan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    const auto [width, height] = plan_.videos.size;
    float* const differences = workspace->differences.row(0);
    double sum = 0;
    for (int y = 0; y < height; ++y) {
      const LabRow<float> reference =
          colours(frames.reference.value(), plan_.reference, y, workspace->reference);
      const LabRow<float> distorted = colours(frames.distorted, plan_.distorted, y, workspace->distorted);
      stages_.differences({reference.l, reference.a, reference.b}, {distorted.l, distorted.a, distorted.b},
                          width, differences);
      for (int x = 0; x < width; ++x) sum += differences[x];
    }
    return {.values = {ciede::score(plan_, sum)}};
  }

 private:
  LabRow<float> colours(const Frame& frame, const Spread& spread, int y, Workspace::Picture& picture) const {
    picture.samples.fill(frame, spread, y);
    stages_.colours(picture.samples.row(plan_.videos.bit_depth), picture.lab());
    return picture.lab();
  }
};

constexpr MetricInfo kMetrics[] = {
    {.name = kMetricName,
     .title = "CIEDE2000",
     .unit = "dB",
     .subject = "distortion",
     .better = Better::kHigher,
     .usual_top = 60,
     .explanation =
         "How little the colours differ from the reference's for the eye, in decibels: 6 dB less is twice "
         "the mean difference, and a mean difference of 1, which is about the smallest that is seen, has "
         "45 dB.",
     .is_unbounded = true}};

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Ciede, CiedeHost>({
      .name = kFeatureName,
      .summary = "mean CIEDE2000 difference of colours from the reference, in dB",
      .publication =
          {.citation =
               "Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula: Implementation Notes, "
               "Supplementary Test Data, and Mathematical Observations, Color Research & Application, 2005",
           .doi = "10.1002/col.20070"},
      .metrics = kMetrics,
      .spreads_chroma = true,
  });
  return kInfo;
}

}  // namespace vq::ciede
#endif  // HWY_ONCE
