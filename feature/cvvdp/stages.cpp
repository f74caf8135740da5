#define HWY_TARGET_INCLUDE "feature/cvvdp/stages.cpp"
#include <hwy/foreach_target.h>

#include "feature/cvvdp/cvvdp.h"
#include "feature/light/powers-inl.h"

#ifndef VQ_CVVDP_STAGES_ONCE
#define VQ_CVVDP_STAGES_ONCE
namespace vq::cvvdp {

// Weights of reducing and expanding.
constexpr float kOuter = 0.05F, kInner = 0.25F, kCentre = 0.4F;
constexpr float kSides = 0.1F, kMiddle = 0.8F, kHalf = 0.5F;
// Values of sRGB that go through its power are no less.
constexpr float kLeastPowered = 0.04F;

// Mirrors the ends, as reduce_row() has it.
static void mirror_ends(float* row, int width) {
  row[-1] = row[0];
  row[-2] = row[1];
  row[width] = row[width - 1];
  row[width + 1] = row[width - 2];
}

// The last sample if the reference takes the end of the row for one of the other parity.
static void mend_end(const float* row, int width, bool ends_even, float* out) {
  if (ends_even == (width % 2 == 0)) return;
  const float* const end = row + width;
  float& last = out[(width - 1) / 2];
  if (width % 2 == 0) {
    last = (kOuter * (end[-4] + end[-2]) + kInner * (end[-3] + end[-1])) +
           (kCentre * end[-2] + kInner * end[-1]);
  } else {
    last = (kOuter * (end[-3] + end[-1]) + kInner * end[-2]) + kCentre * end[-1];
  }
}

static void mirror_for_blur(float* row, int width) {
  for (int i = 1; i <= kBlurReach; ++i) {
    row[-i] = row[i];
    row[width - 1 + i] = row[width - 1 - i];
  }
}

static float srgb(float v) {
  if (v <= light::kSrgbLimit) return v * light::kSrgbSlope;
  return light::power_2_4((std::max(v, kLeastPowered) + light::kSrgbOffset) * light::kSrgbFactor);
}

using Rgb = std::array<float, 3>;

static Rgb shown(Rgb rgb, const Conversion& how) {
  switch (how.curve) {
    case Curve::kSrgb:
      for (float& v : rgb) v = srgb(v) * how.scale + how.base;
      break;
    case Curve::kPq:
      for (float& v : rgb)
        v = std::clamp(light::from_table(how.table.data(), v), kLeastLight, how.peak) + how.base;
      break;
    case Curve::kHlg: {
      for (float& v : rgb) v = light::from_table(how.table.data(), v);
      const float y =
          (light::kLuminance[0] * rgb[0] + light::kLuminance[1] * rgb[1]) + light::kLuminance[2] * rgb[2];
      const float gain = y > light::kLeastValue ? exp2_of(how.gamma_less_1 * log2_of(y)) : 0.0F;
      for (float& v : rgb) v = (v * gain) * how.scale + how.base;
      break;
    }
  }
  return rgb;
}

static float power_of(const Power& power, float x) {
  return exp2_of(power.exponent * log2_of(x + static_cast<float>(kEpsilon))) - power.at_zero;
}

// at(k) is the sample at distance k.
template <typename At>
static float blurred_sample(const Masking& masking, const At& at) {
  float sum = masking.blur[0] * (at(-kBlurReach) + at(kBlurReach));
  for (int k = 1; k < kBlurReach; ++k)
    sum = sum + masking.blur[static_cast<size_t>(k)] * (at(k - kBlurReach) + at(kBlurReach - k));
  return sum + masking.blur[kBlurReach] * at(0);
}

void scalar::to_dkl(const light::RgbRow<const float>& rgb, int width, const Conversion& how,
                    const std::array<float*, kComponents>& out) {
  const auto limited = [](float v) { return std::clamp(v, 0.0F, 1.0F); };
  for (int x = 0; x < width; ++x) {
    const Rgb light = shown({limited(rgb.r[x]), limited(rgb.g[x]), limited(rgb.b[x])}, how);
    for (size_t k = 0; k < kComponents; ++k)
      out[k][x] = (how.matrix[k][0] * light[0] + how.matrix[k][1] * light[1]) + how.matrix[k][2] * light[2];
  }
}

void scalar::filter_row(const FilterInput& in, int width, const FilterOutput& out) {
  const size_t last = in.frames.size() - 1, half = last / 2;
  const auto filtered = [&](const float* taps, int x) {
    float sum = taps[0] * (in.frames[0][x] + in.frames[last][x]);
    for (size_t k = 1; k < half; ++k) sum = sum + taps[k] * (in.frames[k][x] + in.frames[last - k][x]);
    return sum + taps[half] * in.frames[half][x];
  };
  for (int x = 0; x < width; ++x) {
    out.row[x] = filtered(in.taps, x);
    if (in.change != nullptr) out.change[x] = filtered(in.change, x);
  }
}

void scalar::reduce_row(const ReduceInput& in, float* scratch, float* out) {
  const auto& rows = in.rows;
  for (int x = 0; x < in.width; ++x) {
    scratch[x] =
        (kOuter * (rows[0][x] + rows[4][x]) + kInner * (rows[1][x] + rows[3][x])) + kCentre * rows[2][x];
  }
  mirror_ends(scratch, in.width);
  for (int x = 0; x < in.width; x += 2) {
    const float* const at = scratch + x;
    out[x / 2] = (kOuter * (at[-2] + at[2]) + kInner * (at[-1] + at[1])) + kCentre * at[0];
  }
  mend_end(scratch, in.width, in.ends_even, out);
}

void scalar::expand_row(const ExpandInput& in, float* scratch, float* out) {
  const auto& rows = in.rows;
  for (int x = 0; x < in.narrow; ++x) {
    scratch[x] = in.is_odd ? kHalf * (rows[1][x] + rows[2][x])
                           : kSides * (rows[0][x] + rows[2][x]) + kMiddle * rows[1][x];
  }
  scratch[-1] = scratch[0];
  scratch[in.narrow] = scratch[in.narrow - 1];
  for (int x = 0; x < in.width; ++x) {
    const float* const at = scratch + x / 2;
    out[x] = x % 2 == 1 ? kHalf * (at[0] + at[1]) : kSides * (at[-1] + at[1]) + kMiddle * at[0];
  }
}

void scalar::background_row(const float* light, int width, float* out) {
  for (int x = 0; x < width; ++x) out[x] = std::max(light[x], kLeastBackground);
}

void scalar::contrast_row(const LayerRow& layer, const float* sensitivity, int width, float* out) {
  for (int x = 0; x < width; ++x) {
    const float contrast = (layer.row[x] - layer.expanded[x]) / layer.background[x];
    out[x] = (std::min(contrast, kMostContrast) * layer.gain) * sensitivity[x];
  }
}

void scalar::sensitivity_rows(const float* background, int width, const Level& level,
                              const Constants& constants, const Rows<float>& out) {
  for (int x = 0; x < width; ++x) {
    const float place = (log2_of(background[x]) - constants.first_luminance) * constants.luminance_steps;
    const float step = std::clamp(place, 0.0F, static_cast<float>(kLuminances - 1));
    const auto i = static_cast<size_t>(step);
    const float t = step - static_cast<float>(i);
    for (size_t k = 0; k < kChannels; ++k) {
      const Sensitivity& s = level.sensitivity[k];
      if (out[k] != nullptr) out[k][x] = exp2_of(s[i] + t * (s[i + 1] - s[i])) * constants.masking.gain[k];
    }
  }
}

void scalar::compare_rows(const float* a, const float* b, int width, float* mutual, float* difference) {
  for (int x = 0; x < width; ++x) {
    mutual[x] = std::min(std::fabs(a[x]), std::fabs(b[x]));
    difference[x] = std::fabs(a[x] - b[x]);
  }
}

void scalar::blur_row(float* row, int width, const Constants& constants, float* out) {
  mirror_for_blur(row, width);
  for (int x = 0; x < width; ++x)
    out[x] = blurred_sample(constants.masking, [&](int k) { return row[x + k]; });
}

void scalar::mask_row(const MaskInput& in, const Constants& constants, const MaskOutput& out) {
  const Masking& masking = constants.masking;
  for (int x = 0; x < in.width; ++x) {
    std::array<float, kChannels> masks = {};
    for (size_t k = 0; k < in.channels; ++k) {
      const auto& rows = in.mutual[k];
      const auto at = [&](int i) { return rows[static_cast<size_t>(i + kBlurReach)][x]; };
      const float mutual = in.is_blurred ? blurred_sample(masking, at) : at(0);
      masks[k] = power_of(masking.mutual[k], mutual * masking.mutual_gain);
    }
    for (size_t k = 0; k < in.channels; ++k) {
      float mask = masks[0] * masking.weights[0][k];
      for (size_t j = 1; j < in.channels; ++j) mask = mask + masks[j] * masking.weights[j][k];
      const float d = power_of(masking.difference, in.difference[k][x]);
      const float masked = (masking.most * d) / (masking.most * (1.0F + mask) + d);
      const float sum = masked * (masked + constants.sum_offset);
      out.sums[k][x] = out.adds ? out.sums[k][x] + sum : sum;
      if (out.differences[k] != nullptr) out.differences[k][x] = masked;
    }
  }
  for (size_t k = 0; k < in.channels; ++k)
    std::fill(out.sums[k] + in.width, out.sums[k] + light::tiles_of(in.width) * light::kTile, 0.0F);
}

}  // namespace vq::cvvdp
#endif  // VQ_CVVDP_STAGES_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cvvdp::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using light::HWY_NAMESPACE::all;
using light::HWY_NAMESPACE::between_entries;
using light::HWY_NAMESPACE::F32;
using light::HWY_NAMESPACE::from_table;
using light::HWY_NAMESPACE::power_2_4;
using light::HWY_NAMESPACE::S32;
using light::HWY_NAMESPACE::V32;
using light::HWY_NAMESPACE::weighted;

HWY_INLINE V32 load(const float* from) { return hn::LoadU(F32(), from); }
HWY_INLINE void store(V32 value, float* to) { hn::StoreU(value, F32(), to); }
HWY_INLINE int lanes() { return static_cast<int>(hn::Lanes(F32())); }

HWY_INLINE V32 log2_of(V32 x) {
  const auto bits = hn::BitCast(S32(), x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(S32(), kRootOfHalf)));
  const V32 t = hn::Sub(hn::BitCast(F32(), hn::Sub(bits, hn::ShiftLeft<23>(exponent))), all(1));
  V32 p = all(kLog2[kLog2Terms - 1]);
  for (int k = kLog2Terms - 2; k >= 0; --k) p = hn::Add(hn::Mul(p, t), all(kLog2[k]));
  return hn::Add(hn::Mul(p, t), hn::ConvertTo(F32(), exponent));
}

HWY_INLINE V32 exp2_of(V32 x) {
  const V32 n = hn::Sub(hn::Add(x, all(kRounder)), all(kRounder)), f = hn::Sub(x, n);
  V32 p = all(kExp2[kExp2Terms - 1]);
  for (int k = kExp2Terms - 2; k >= 0; --k) p = hn::Add(hn::Mul(p, f), all(kExp2[k]));
  const auto exponent = hn::ShiftLeft<23>(hn::ConvertTo(S32(), n));
  return hn::BitCast(F32(), hn::Add(hn::BitCast(S32(), p), exponent));
}

HWY_INLINE V32 srgb(V32 v) {
  const V32 power = power_2_4(
      hn::Mul(hn::Add(hn::Max(v, all(kLeastPowered)), all(light::kSrgbOffset)), all(light::kSrgbFactor)));
  return hn::IfThenElse(hn::Gt(v, all(light::kSrgbLimit)), power, hn::Mul(v, all(light::kSrgbSlope)));
}

// Guards may hold any value. Within 0 to 1 each value has a place in the table.
HWY_INLINE V32 limited(const float* from) { return hn::Min(hn::Max(load(from), hn::Zero(F32())), all(1)); }

template <Curve curve>
HWY_INLINE void show(const Conversion& how, V32& r, V32& g, V32& b) {
  const V32 scale = all(how.scale), base = all(how.base);
  if constexpr (curve == Curve::kSrgb) {
    r = hn::Add(hn::Mul(srgb(r), scale), base);
    g = hn::Add(hn::Mul(srgb(g), scale), base);
    b = hn::Add(hn::Mul(srgb(b), scale), base);
    return;
  }
  const float* const table = how.table.data();
  r = from_table(table, r), g = from_table(table, g), b = from_table(table, b);
  if constexpr (curve == Curve::kPq) {
    const auto within = [&](V32 v) HWY_ATTR { return hn::Min(hn::Max(v, all(kLeastLight)), all(how.peak)); };
    r = hn::Add(within(r), base), g = hn::Add(within(g), base), b = hn::Add(within(b), base);
  } else {
    const V32 y = weighted(light::kLuminance, r, g, b), least = all(light::kLeastValue);
    const V32 gain = hn::IfThenElseZero(hn::Gt(y, least),
                                        exp2_of(hn::Mul(all(how.gamma_less_1), log2_of(hn::Max(y, least)))));
    r = hn::Add(hn::Mul(hn::Mul(r, gain), scale), base);
    g = hn::Add(hn::Mul(hn::Mul(g, gain), scale), base);
    b = hn::Add(hn::Mul(hn::Mul(b, gain), scale), base);
  }
}

template <Curve curve>
void to_dkl_by(const light::RgbRow<const float>& rgb, int width, const Conversion& how,
               const std::array<float*, kComponents>& out) {
  for (int x = 0; x < width; x += lanes()) {
    V32 r = limited(rgb.r + x), g = limited(rgb.g + x), b = limited(rgb.b + x);
    show<curve>(how, r, g, b);
    for (size_t k = 0; k < kComponents; ++k) store(weighted(how.matrix[k], r, g, b), out[k] + x);
  }
}

void to_dkl(const light::RgbRow<const float>& rgb, int width, const Conversion& how,
            const std::array<float*, kComponents>& out) {
  switch (how.curve) {
    case Curve::kSrgb:
      return to_dkl_by<Curve::kSrgb>(rgb, width, how, out);
    case Curve::kPq:
      return to_dkl_by<Curve::kPq>(rgb, width, how, out);
    case Curve::kHlg:
      return to_dkl_by<Curve::kHlg>(rgb, width, how, out);
  }
}

template <bool with_change>
void filter_row_with(const FilterInput& in, int width, const FilterOutput& out) {
  const size_t last = in.frames.size() - 1, half = last / 2;
  const float* const* const frames = in.frames.data();
  for (int x = 0; x < width; x += lanes()) {
    const V32 first = hn::Add(load(frames[0] + x), load(frames[last] + x));
    V32 sum = hn::Mul(all(in.taps[0]), first), change = first;
    if constexpr (with_change) change = hn::Mul(all(in.change[0]), first);
    for (size_t k = 1; k < half; ++k) {
      const V32 pair = hn::Add(load(frames[k] + x), load(frames[last - k] + x));
      sum = hn::Add(sum, hn::Mul(all(in.taps[k]), pair));
      if constexpr (with_change) change = hn::Add(change, hn::Mul(all(in.change[k]), pair));
    }
    const V32 middle = load(frames[half] + x);
    store(hn::Add(sum, hn::Mul(all(in.taps[half]), middle)), out.row + x);
    if constexpr (with_change) store(hn::Add(change, hn::Mul(all(in.change[half]), middle)), out.change + x);
  }
}

void filter_row(const FilterInput& in, int width, const FilterOutput& out) {
  if (in.change != nullptr) return filter_row_with<true>(in, width, out);
  filter_row_with<false>(in, width, out);
}

HWY_INLINE V32 reduced(V32 a, V32 b, V32 c, V32 e, V32 f) {
  const V32 sides = hn::Add(hn::Mul(all(kOuter), hn::Add(a, f)), hn::Mul(all(kInner), hn::Add(b, e)));
  return hn::Add(sides, hn::Mul(all(kCentre), c));
}

void reduce_row(const ReduceInput& in, float* scratch, float* out) {
  const F32 d;
  const auto& rows = in.rows;
  for (int x = 0; x < in.width; x += lanes()) {
    store(reduced(load(rows[0] + x), load(rows[1] + x), load(rows[2] + x), load(rows[3] + x),
                  load(rows[4] + x)),
          scratch + x);
  }
  mirror_ends(scratch, in.width);
  for (int x = 0; 2 * x < in.width; x += lanes()) {
    const float* const at = scratch + ptrdiff_t{2} * x;
    V32 a, b, c, e, f, next;
    hn::LoadInterleaved2(d, at - 2, a, b);
    hn::LoadInterleaved2(d, at, c, e);
    hn::LoadInterleaved2(d, at + 2, f, next);
    store(reduced(a, b, c, e, f), out + x);
  }
  mend_end(scratch, in.width, in.ends_even, out);
}

HWY_INLINE V32 between(V32 a, V32 b) { return hn::Mul(all(kHalf), hn::Add(a, b)); }
HWY_INLINE V32 around(V32 a, V32 b, V32 c) {
  return hn::Add(hn::Mul(all(kSides), hn::Add(a, c)), hn::Mul(all(kMiddle), b));
}

void expand_row(const ExpandInput& in, float* scratch, float* out) {
  const auto& rows = in.rows;
  for (int x = 0; x < in.narrow; x += lanes()) {
    const V32 b = load(rows[1] + x), c = load(rows[2] + x);
    store(in.is_odd ? between(b, c) : around(load(rows[0] + x), b, c), scratch + x);
  }
  scratch[-1] = scratch[0];
  scratch[in.narrow] = scratch[in.narrow - 1];
  for (int x = 0; x < in.narrow; x += lanes()) {
    const V32 b = load(scratch + x), c = load(scratch + x + 1);
    hn::StoreInterleaved2(around(load(scratch + x - 1), b, c), between(b, c), F32(), out + ptrdiff_t{2} * x);
  }
}

void background_row(const float* light, int width, float* out) {
  for (int x = 0; x < width; x += lanes()) store(hn::Max(load(light + x), all(kLeastBackground)), out + x);
}

void contrast_row(const LayerRow& layer, const float* sensitivity, int width, float* out) {
  for (int x = 0; x < width; x += lanes()) {
    const V32 contrast =
        hn::Div(hn::Sub(load(layer.row + x), load(layer.expanded + x)), load(layer.background + x));
    const V32 gained = hn::Mul(hn::Min(contrast, all(kMostContrast)), all(layer.gain));
    store(hn::Mul(gained, load(sensitivity + x)), out + x);
  }
}

void sensitivity_rows(const float* background, int width, const Level& level, const Constants& constants,
                      const Rows<float>& out) {
  const F32 d;
  const auto last = hn::Set(S32(), kLuminances - 1);
  for (int x = 0; x < width; x += lanes()) {
    const V32 place = hn::Mul(hn::Sub(log2_of(load(background + x)), all(constants.first_luminance)),
                              all(constants.luminance_steps));
    const V32 step = hn::Min(hn::Max(place, hn::Zero(d)), all(static_cast<float>(kLuminances - 1)));
    // The light in guards may be anything.
    const auto i = hn::Min(hn::Max(hn::ConvertTo(S32(), step), hn::Zero(S32())), last);
    const V32 t = hn::Sub(step, hn::ConvertTo(d, i));
    for (size_t k = 0; k < kChannels; ++k) {
      if (out[k] == nullptr) continue;
      const float* const s = level.sensitivity[k].data();
      const V32 value = exp2_of(between_entries(s, i, t));
      store(hn::Mul(value, all(constants.masking.gain[k])), out[k] + x);
    }
  }
}

void compare_rows(const float* a, const float* b, int width, float* mutual, float* difference) {
  for (int x = 0; x < width; x += lanes()) {
    const V32 p = load(a + x), q = load(b + x);
    store(hn::Min(hn::Abs(p), hn::Abs(q)), mutual + x);
    store(hn::Abs(hn::Sub(p, q)), difference + x);
  }
}

// at(k) is the vector at distance k.
template <typename At>
HWY_INLINE V32 blurred(const Masking& masking, const At& at) {
  V32 sum = hn::Mul(all(masking.blur[0]), hn::Add(at(-kBlurReach), at(kBlurReach)));
  for (int k = 1; k < kBlurReach; ++k) {
    const V32 pair = hn::Add(at(k - kBlurReach), at(kBlurReach - k));
    sum = hn::Add(sum, hn::Mul(all(masking.blur[static_cast<size_t>(k)]), pair));
  }
  return hn::Add(sum, hn::Mul(all(masking.blur[kBlurReach]), at(0)));
}

void blur_row(float* row, int width, const Constants& constants, float* out) {
  mirror_for_blur(row, width);
  for (int x = 0; x < width; x += lanes()) {
    store(blurred(constants.masking, [&](int k) HWY_ATTR { return load(row + x + k); }), out + x);
  }
}

HWY_INLINE V32 power_of(const Power& power, V32 x) {
  const V32 log = log2_of(hn::Add(x, all(static_cast<float>(kEpsilon))));
  return hn::Sub(exp2_of(hn::Mul(all(power.exponent), log)), all(power.at_zero));
}

HWY_INLINE V32 mask_of(const MaskInput& in, const Masking& masking, size_t channel, int x) {
  const auto& rows = in.mutual[channel];
  const auto at = [&](int i) HWY_ATTR { return load(rows[static_cast<size_t>(i + kBlurReach)] + x); };
  const V32 mutual = in.is_blurred ? blurred(masking, at) : at(0);
  return power_of(masking.mutual[channel], hn::Mul(mutual, all(masking.mutual_gain)));
}

// The last masker is none if there are three channels.
template <bool is_still>
void mask_row_of(const MaskInput& in, const Constants& constants, const MaskOutput& out) {
  const F32 d;
  const int step = lanes();
  const Masking& masking = constants.masking;
  const V32 most = all(masking.most);
  for (int x = 0; x < in.width; x += step) {
    const V32 light = mask_of(in, masking, kLight, x), red_green = mask_of(in, masking, kRedGreen, x),
              violet = mask_of(in, masking, kViolet, x),
              change = is_still ? hn::Zero(d) : mask_of(in, masking, kChange, x);
    const auto inside = hn::FirstN(d, static_cast<size_t>(std::min(in.width - x, step)));
    for (size_t k = 0; k < (is_still ? kStillChannels : kChannels); ++k) {
      const auto weighted_by = [&](V32 mask, Channel masker)
                                   HWY_ATTR { return hn::Mul(mask, all(masking.weights[masker][k])); };
      V32 mask = hn::Add(weighted_by(light, kLight), weighted_by(red_green, kRedGreen));
      mask = hn::Add(mask, weighted_by(violet, kViolet));
      if (!is_still) mask = hn::Add(mask, weighted_by(change, kChange));
      const V32 difference = power_of(masking.difference, load(in.difference[k] + x));
      const V32 divisor = hn::Add(hn::Mul(most, hn::Add(all(1), mask)), difference);
      const V32 masked = hn::Div(hn::Mul(most, difference), divisor);
      V32 sum = hn::Mul(masked, hn::Add(masked, all(constants.sum_offset)));
      if (out.adds) sum = hn::Add(load(out.sums[k] + x), sum);
      store(hn::IfThenElseZero(inside, sum), out.sums[k] + x);
      if (out.differences[k] != nullptr) store(masked, out.differences[k] + x);
    }
  }
  const int written = (in.width + step - 1) / step * step, end = light::tiles_of(in.width) * light::kTile;
  for (size_t k = 0; k < in.channels; ++k) {
    if (written < end) std::fill(out.sums[k] + written, out.sums[k] + end, 0.0F);
  }
}

void mask_row(const MaskInput& in, const Constants& constants, const MaskOutput& out) {
  if (in.channels == kChannels) return mask_row_of<false>(in, constants, out);
  mask_row_of<true>(in, constants, out);
}

}  // namespace vq::cvvdp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::cvvdp, to_dkl, filter_row, reduce_row, expand_row, background_row, contrast_row,
            sensitivity_rows, compare_rows, blur_row, mask_row)
#endif  // HWY_ONCE
