#define HWY_TARGET_INCLUDE "feature/fitting/scaling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "feature/fitting/fitting.h"

#ifndef VQ_FITTING_SCALING_ONCE
#define VQ_FITTING_SCALING_ONCE
namespace vq::fitting {
namespace {

const int32_t* weights_of(const Axis& axis, int i) {
  return &axis.weights[static_cast<size_t>(i) * static_cast<size_t>(axis.count)];
}

// Distances are in 1 / 2^30 of a sample, weights in 1 / `one`.
constexpr int64_t kSample = int64_t{1} << 30;

int64_t cubic_weight(int64_t distance, int64_t one) {
  if (distance >= 2 * kSample) return 0;
  constexpr int64_t kUnit = 1 << 24;
  constexpr auto kC = static_cast<int64_t>(0.6 * kUnit);
  const int64_t square = distance * distance >> 30, cube = square * distance >> 30;
  const int64_t weight =
      distance < kSample ? (12 * kUnit - 6 * kC) * cube + (6 * kC - 18 * kUnit) * square + 6 * kUnit * kSample
                         : -6 * kC * cube + 30 * kC * square - 48 * kC * distance + 24 * kC * kSample;
  return weight / ((int64_t{1} << 54) / one);
}

int64_t lanczos_weight(int64_t distance, int64_t one) {
  constexpr double kLobes = 3, kPi = std::numbers::pi;
  if (distance == 0) return one;
  const double x = static_cast<double>(distance) / kSample;
  if (x > kLobes) return 0;
  return static_cast<int64_t>(std::sin(x * kPi) * std::sin(x * kPi / kLobes) / (x * x * kPi * kPi / kLobes) *
                              static_cast<double>(one));
}

// Weights before they are rounded.
struct FineAxis {
  int64_t one = 0;
  int count = 0;
  std::vector<int> first;  // may lie beyond an edge
  std::vector<int64_t> weights;

  int64_t* row(int i) { return &weights[static_cast<size_t>(i) * static_cast<size_t>(count)]; }
};

// `step`: old samples for each new one, in 1 / 2^16.
FineAxis fine_axis(int from, int to, int64_t step, ScaleKernel kernel) {
  constexpr int64_t kSampleOfCentre = 1 << 17;
  const bool is_lanczos = kernel == ScaleKernel::kLanczos;
  const int doublings = static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(from / to, 1)))) - 1;
  FineAxis axis;
  axis.one = int64_t{1} << (54 - std::min(doublings, 8));
  const int support = is_lanczos ? 6 : 4;
  const bool is_reduced = step > 1 << 16;
  axis.count = 1 + (is_reduced ? (support * from + to - 1) / to : support);
  axis.count = std::max(std::min(axis.count, from - 2), 1);
  axis.weights.resize(static_cast<size_t>(axis.count) * static_cast<size_t>(to));
  int64_t centre = step - (1 << 16);
  for (int i = 0; i < to; ++i, centre += 2 * step) {
    const auto first = static_cast<int>((centre - int64_t{axis.count - 2} * (1 << 16)) / kSampleOfCentre);
    axis.first.push_back(first);
    for (int k = 0; k < axis.count; ++k) {
      int64_t distance = std::abs((first + k) * kSampleOfCentre - centre) << 13;
      if (is_reduced) distance = distance * to / from;
      axis.row(i)[k] = is_lanczos ? lanczos_weight(distance, axis.one) : cubic_weight(distance, axis.one);
    }
  }
  return axis;
}

// Moves the first sample on over weights that add up to next to nothing, unless it would pass that of the
// next new sample. Returns how many weights are left that do not.
int skip_small_weights(FineAxis& axis) {
  const double little = 0.002 * static_cast<double>(axis.one);
  const auto is_little = [&](int64_t sum) { return static_cast<double>(sum) <= little; };
  int longest = 0;
  for (size_t i = axis.first.size(); i-- > 0;) {
    int64_t* const row = axis.row(static_cast<int>(i));
    int64_t sum = 0;
    for (int k = 0; k < axis.count && is_little(sum += std::abs(row[0])); ++k) {
      if (i + 1 < axis.first.size() && axis.first[i] >= axis.first[i + 1]) break;
      std::copy(row + 1, row + axis.count, row);
      row[axis.count - 1] = 0;
      ++axis.first[i];
    }
    int length = axis.count;
    sum = 0;
    while (length > 1 && is_little(sum += std::abs(row[length - 1]))) --length;
    longest = std::max(longest, length);
  }
  return longest;
}

// Halves away from zero.
int64_t rounded_quotient(int64_t value, int64_t divisor) {
  return (value + (value > 0 ? divisor / 2 : -(divisor / 2))) / divisor;
}

}  // namespace

Axis make_axis(int from, int to, ScaleKernel kernel, int unit) {
  const int64_t step = ((int64_t{from} << 16) + (to >> 1)) / to;
  Axis axis;
  if (std::abs(step - (1 << 16)) < 10) {
    axis.weights.assign(static_cast<size_t>(to), unit);
    for (int i = 0; i < to; ++i) axis.first.push_back(std::min(i, from - 1));
    return axis;
  }
  FineAxis fine = fine_axis(from, to, step, kernel);
  axis.count = skip_small_weights(fine);
  for (int i = 0; i < to; ++i) {
    const int wanted = fine.first[static_cast<size_t>(i)];
    const int first = std::clamp(wanted, 0, std::max(from - axis.count, 0));
    std::vector<int64_t> weights(static_cast<size_t>(axis.count));
    for (int k = 0; k < axis.count; ++k) {
      const int at = std::clamp(wanted + k, 0, from - 1);
      weights[static_cast<size_t>(std::clamp(at - first, 0, axis.count - 1))] += fine.row(i)[k];
    }
    int64_t sum = 0, error = 0;
    for (const int64_t weight : weights) sum += weight;
    const int64_t divisor = std::max<int64_t>((sum + unit / 2) / unit, 1);
    axis.first.push_back(first);
    for (const int64_t weight : weights) {
      const int64_t rounded = rounded_quotient(weight + error, divisor);
      axis.weights.push_back(static_cast<int32_t>(rounded));
      error += weight - rounded * divisor;
    }
  }
  return axis;
}

Rounding make_rounding(int from_bits, int to_bits) {
  HWY_DASSERT(8 <= from_bits && from_bits <= to_bits && to_bits <= 16);
  if (to_bits > 14) {
    // Sums are lowered by half their range, and 2^14 rounds them.
    return {.across_shift = from_bits - 5,
            .across_most = (1 << 19) - 1,
            .down_start = (1 << 14) - (1 << 30),
            .down_shift = 15,
            .down_least = INT16_MIN,
            .down_most = INT16_MAX,
            .down_offset = 1 << 15};
  }
  const int shift = 27 - to_bits;
  return {.across_shift = from_bits - 1,
          .across_most = INT16_MAX,
          .down_start = 1 << (shift - 1),
          .down_shift = shift,
          .down_least = 0,
          .down_most = (1 << to_bits) - 1,
          .down_offset = 0};
}

static PackedAxis packed(const Axis& axis, int from) {
  constexpr int kGroup = PackedAxis::kGroup;
  PackedAxis packed{.groups = (axis.count + kGroup - 1) / kGroup, .first = {}, .weights = {}};
  const int length = packed.groups * kGroup;
  if (length > from) return {};
  const size_t count = axis.first.size();
  packed.weights.resize(count * static_cast<size_t>(length) +
                        kRowGuardBytes * kGroup / sizeof(int32_t));  // a vector's end
  for (size_t i = 0; i < count; ++i) {
    const int first = std::min(axis.first[i], from - length);
    packed.first.push_back(first);
    for (int k = 0; k < axis.count; ++k) {
      const int at = axis.first[i] - first + k;
      packed.weights[(static_cast<size_t>(at / kGroup) * count + i) * kGroup +
                     static_cast<size_t>(at % kGroup)] =
          static_cast<int16_t>(weights_of(axis, static_cast<int>(i))[k]);
    }
  }
  return packed;
}

static int sample(const SampleView& plane, int x, int y) {
  return plane.is_u8() ? int{plane.u8.row(y)[x]} : int{plane.u16.row(y)[x]};
}

Scaling::Scaling(const VideoFormat& from, const VideoFormat& to, ScaleKernel kernel) {
  const auto scaling = [&](int plane) {
    PlaneScaling one;
    one.from = plane_size(from, plane);
    one.to = plane_size(to, plane);
    one.across = make_axis(one.from.width, one.to.width, kernel, kAcrossUnit);
    one.down = make_axis(one.from.height, one.to.height, kernel, kDownUnit);
    one.packed = packed(one.across, one.from.width);
    one.rounding = make_rounding(from.bit_depth, to.bit_depth);
    return one;
  };
  luma_ = scaling(0);
  if (plane_count(from.chroma) > 1) chroma_ = scaling(1);
}

ScalingRows::ScalingRows(const PlaneScaling& plane)
    : sums(plane.to.width, plane.down.count + 1),
      weights(plane.down.count / 2 + 1, 1),
      pairs(static_cast<size_t>(plane.down.count / 2 + 1)),
      samples(plane.to.width * PackedAxis::kGroup * plane.packed.groups + 256, 2) {}

void scalar::scale_plane(const SampleView& from, const PlaneScaling& scaling, ScalingRows& rows,
                         const ScaledPlane& to) {
  const Rounding& rounding = scaling.rounding;
  const int capacity = rows.sums.height();
  int ready = 0;
  for (int y = 0; y < scaling.to.height; ++y) {
    const int first = scaling.down.first[static_cast<size_t>(y)];
    for (; ready < first + scaling.down.count; ++ready) {
      int32_t* const out = rows.sums.row(ready % capacity);
      for (int x = 0; x < scaling.to.width; ++x) {
        const int32_t* const weights = weights_of(scaling.across, x);
        int32_t sum = 0;
        for (int k = 0; k < scaling.across.count; ++k)
          sum += weights[k] * sample(from, scaling.across.first[static_cast<size_t>(x)] + k, ready);
        out[x] = std::min(sum >> rounding.across_shift, rounding.across_most);
      }
    }
    const int32_t* const weights = weights_of(scaling.down, y);
    for (int x = 0; x < scaling.to.width; ++x) {
      auto sum = static_cast<uint32_t>(rounding.down_start);
      for (int k = 0; k < scaling.down.count; ++k)
        sum += static_cast<uint32_t>(weights[k]) *
               static_cast<uint32_t>(rows.sums.row((first + k) % capacity)[x]);
      const int value = std::clamp(static_cast<int32_t>(sum) >> rounding.down_shift, rounding.down_least,
                                   rounding.down_most) +
                        rounding.down_offset;
      to.u8.data != nullptr ? void(to.u8.row(y)[x] = static_cast<uint8_t>(value))
                            : void(to.u16.row(y)[x] = static_cast<uint16_t>(value));
    }
  }
}

}  // namespace vq::fitting
#endif  // VQ_FITTING_SCALING_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::fitting::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using S32 = hn::CappedTag<int32_t, kRowGuardBytes / sizeof(int32_t)>;
using S16 = hn::Repartition<int16_t, S32>;

// Adds to every sum the two products of its lane.
struct PairSum {
  hn::VFromD<S32> sum, rest;

  HWY_INLINE PairSum() : sum(hn::Zero(S32())), rest(hn::Zero(S32())) {}
  HWY_INLINE void add(hn::VFromD<S16> a, hn::VFromD<S16> b) {
    sum = hn::ReorderWidenMulAccumulate(S32(), a, b, sum, rest);
  }
  HWY_INLINE hn::VFromD<S32> total() const { return hn::RearrangeToOddPlusEven(sum, rest); }
};

// `lanes` groups of samples, as words.
HWY_INLINE hn::VFromD<S16> load_words(const uint16_t* words) {
  return hn::BitCast(S16(), hn::LoadU(hn::RebindToUnsigned<S16>(), words));
}
HWY_INLINE hn::VFromD<S16> load_words(const uint8_t* bytes) {
  return hn::PromoteTo(S16(), hn::LoadU(hn::Rebind<uint8_t, S16>(), bytes));
}

// Copies the samples of each group of a row side by side.
template <typename T>
HWY_INLINE void group_samples(const T* row, const PackedAxis& axis, T* out) {
  constexpr int kGroup = PackedAxis::kGroup;
  const int32_t* const first = axis.first.data();
  const size_t count = axis.first.size();
  for (int group = 0; group < axis.groups; ++group, row += kGroup) {
    for (size_t i = 0; i < count; ++i, out += kGroup) std::memcpy(out, row + first[i], kGroup * sizeof(T));
  }
}

// Sums along a row for new samples x..x+lanes-1 from their groups, limited.
template <typename T>
HWY_INLINE hn::VFromD<S32> sums_across(const T* samples, int x, const PlaneScaling& scaling) {
  const S32 d;
  const size_t words = hn::Lanes(S16());
  const PackedAxis& axis = scaling.packed;
  const size_t stride = axis.first.size() * PackedAxis::kGroup;
  const int16_t* weights = axis.weights.data() + static_cast<size_t>(x) * PackedAxis::kGroup;
  samples += static_cast<size_t>(x) * PackedAxis::kGroup;
  PairSum lower, upper;
  for (int group = 0; group < axis.groups; ++group, samples += stride, weights += stride) {
    lower.add(load_words(samples), hn::LoadU(S16(), weights));
    upper.add(load_words(samples + words), hn::LoadU(S16(), weights + words));
  }
  const auto low = lower.total(), high = upper.total();
  const auto sums = hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
  return hn::Min(hn::ShiftRightSame(sums, scaling.rounding.across_shift),
                 hn::Set(d, scaling.rounding.across_most));
}

// Sums along two rows: as many words of each value.
template <typename T>
void sum_across(PlaneView<const T> from, int y, const PlaneScaling& scaling, Plane<uint16_t>& samples,
                int32_t* out) {
  const S32 d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  T *const first = reinterpret_cast<T*>(samples.row(0)), *const second = reinterpret_cast<T*>(samples.row(1));
  group_samples(from.row(y), scaling.packed, first);
  group_samples(from.row(std::min(y + 1, from.height - 1)), scaling.packed, second);
  for (int x = 0; x < scaling.to.width; x += lanes) {
    const auto low = sums_across(first, x, scaling), high = sums_across(second, x, scaling);
    hn::Store(hn::Or(hn::And(low, hn::Set(d, 0xFFFF)), hn::ShiftLeft<16>(high)), d, out + x);
  }
}

template <typename T>
void sum_down(const PlaneScaling& scaling, ScalingRows& rows, int y, T* out) {
  const S32 d;
  const hn::Rebind<T, S32> narrow;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const Rounding& rounding = scaling.rounding;
  const int first = scaling.down.first[static_cast<size_t>(y)], end = first + scaling.down.count;
  const int first_pair = first / 2, pairs = (end + 1) / 2 - first_pair, capacity = rows.sums.height();
  const int32_t* const weights = weights_of(scaling.down, y);
  const auto weight = [&](int row) { return row < first || row >= end ? 0 : weights[row - first]; };
  int32_t* const both = rows.weights.row(0);
  const int32_t** const in = rows.pairs.data();
  for (int k = 0; k < pairs; ++k) {
    const int row = 2 * (first_pair + k);
    in[k] = rows.sums.row((first_pair + k) % capacity);
    both[k] = static_cast<int32_t>((static_cast<uint32_t>(weight(row)) & 0xFFFF) |
                                   static_cast<uint32_t>(weight(row + 1)) << 16);
  }
  const auto start = hn::Set(d, rounding.down_start);
  const auto least = hn::Set(d, rounding.down_least), most = hn::Set(d, rounding.down_most);
  for (int x = 0; x < scaling.to.width; x += lanes) {
    PairSum sum;
    for (int k = 0; k < pairs; ++k) {
      sum.add(hn::BitCast(S16(), hn::Load(d, in[k] + x)), hn::BitCast(S16(), hn::Set(d, both[k])));
    }
    const auto value = hn::ShiftRightSame(hn::Add(sum.total(), start), rounding.down_shift);
    hn::StoreU(hn::DemoteTo(narrow, hn::Min(hn::Max(value, least), most)), narrow, out + x);
  }
}

template <typename T>
void scale(PlaneView<const T> from, const PlaneScaling& scaling, ScalingRows& rows, const ScaledPlane& to) {
  const int capacity = rows.sums.height();
  int ready = 0;  // pairs of rows
  for (int y = 0; y < scaling.to.height; ++y) {
    const int end = scaling.down.first[static_cast<size_t>(y)] + scaling.down.count;
    for (; 2 * ready < end; ++ready)
      sum_across(from, 2 * ready, scaling, rows.samples, rows.sums.row(ready % capacity));
    to.u8.data != nullptr ? sum_down(scaling, rows, y, to.u8.row(y))
                          : sum_down(scaling, rows, y, to.u16.row(y));
  }
}

void scale_plane(const SampleView& from, const PlaneScaling& scaling, ScalingRows& rows,
                 const ScaledPlane& to) {
  // Words hold samples and sums of up to 15 bits.
  if (scaling.rounding.across_most > INT16_MAX || scaling.packed.groups == 0)
    return scalar::scale_plane(from, scaling, rows, to);
  from.is_u8() ? scale(from.u8, scaling, rows, to) : scale(from.u16, scaling, rows, to);
}

}  // namespace vq::fitting::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::fitting, scale_plane)
#endif  // HWY_ONCE
