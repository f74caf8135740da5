// Rows of planes: as floats, scaled, and filtered.
#define HWY_TARGET_INCLUDE "feature/speed/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/speed/speed.h"

#ifndef VQ_SPEED_ROWS_ONCE
#define VQ_SPEED_ROWS_ONCE
namespace vq::speed {

inline constexpr float kMiddle = 128;

// By what samples are multiplied to be of 8 bits.
inline float scale_of(int depth) {
  HWY_DASSERT(8 <= depth && depth <= 16);
  return 1.0F / static_cast<float>(1 << (depth - 8));
}

template <typename T>
static void to_floats(const T* in, int width, float scale, float* out) {
  for (int x = 0; x < width; ++x) out[x] = static_cast<float>(in[x]) * scale - kMiddle;
}

void scalar::float_row(const SampleView& plane, int y, int width, int depth, float* out) {
  HWY_DASSERT(width <= plane.width());
  if (plane.is_u8()) {
    to_floats(plane.u8.row(y), width, scale_of(depth), out);
  } else {
    to_floats(plane.u16.row(y), width, scale_of(depth), out);
  }
}

void scalar::scale_row(const RowTaps& rows, const AxisTaps& columns, float* out) {
  for (int i = 0; i < columns.outputs; ++i) {
    float sum = 0, weights = 0;
    for (int t = 0; t < rows.count; ++t) {
      for (int u = 0; u < columns.taps; ++u) {
        const auto at = static_cast<size_t>(u * columns.stride + i);
        const float weight = columns.weight[at] * rows.weights[t];
        sum += rows.rows[t][columns.index[at]] * weight;
        weights += weight;
      }
    }
    out[i] = rows.is_normalised ? sum / weights : sum;
  }
}

void scalar::filter_row(const float* const* rows, int width, const KeptFilter& kept, float* column_sums,
                        float* out) {
  const std::vector<float>& taps = kept.filter.taps;
  for (int x = 0; x < width; ++x) {
    column_sums[x] = 0;
    for (size_t t = 0; t < taps.size(); ++t) column_sums[x] += taps[t] * rows[t][x];
  }
  for (int i = 0; i < kept.outputs; ++i) {
    out[i] = 0;
    for (size_t t = 0; t < taps.size(); ++t) {
      out[i] +=
          taps[t] * column_sums[kept.columns[t * static_cast<size_t>(kept.stride) + static_cast<size_t>(i)]];
    }
  }
}

}  // namespace vq::speed
#endif  // VQ_SPEED_ROWS_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::speed::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using S32 = hn::ScalableTag<int32_t>;
using Floats = hn::VFromD<F32>;

int lanes() { return static_cast<int>(hn::Lanes(F32())); }

// Planes have no guards: what is left of a row for less than a vector is done one by one.
template <typename T>
void to_floats(const T* in, int width, float scale, float* out) {
  const Floats factor = hn::Set(F32(), scale), middle = hn::Set(F32(), kMiddle);
  int x = 0;
  for (; x + lanes() <= width; x += lanes()) {
    const auto samples = hn::PromoteTo(S32(), hn::LoadU(hn::Rebind<T, S32>(), in + x));
    hn::StoreU(hn::Sub(hn::Mul(hn::ConvertTo(F32(), samples), factor), middle), F32(), out + x);
  }
  for (; x < width; ++x) out[x] = static_cast<float>(in[x]) * scale - kMiddle;
}

void float_row(const SampleView& plane, int y, int width, int depth, float* out) {
  HWY_DASSERT(width <= plane.width());
  if (plane.is_u8()) {
    to_floats(plane.u8.row(y), width, scale_of(depth), out);
  } else {
    to_floats(plane.u16.row(y), width, scale_of(depth), out);
  }
}

HWY_INLINE Floats gather(const float* row, const int32_t* index) {
  return hn::GatherIndex(F32(), row, hn::LoadU(S32(), index));
}

// The same, with one load if all lie side by side.
HWY_INLINE Floats gather_or_load(const float* row, const int32_t* index) {
  const auto neighbours = hn::Add(hn::Iota(S32(), 0), hn::Set(S32(), *index));
  if (hn::AllTrue(S32(), hn::Eq(hn::LoadU(S32(), index), neighbours))) return hn::LoadU(F32(), row + *index);
  return gather(row, index);
}

template <bool kIsNormalised>
void scale_columns(const RowTaps& rows, const AxisTaps& columns, float* out) {
  const auto stride = static_cast<size_t>(columns.stride);
  for (size_t i = 0; i < stride; i += static_cast<size_t>(lanes())) {
    Floats sum = hn::Zero(F32()), weights = sum;
    for (int t = 0; t < rows.count; ++t) {
      const Floats row_weight = hn::Set(F32(), rows.weights[t]);
      for (size_t u = 0; u < static_cast<size_t>(columns.taps); ++u) {
        const Floats weight = hn::Mul(hn::LoadU(F32(), &columns.weight[u * stride + i]), row_weight);
        sum = hn::Add(sum, hn::Mul(gather(rows.rows[t], &columns.index[u * stride + i]), weight));
        if constexpr (kIsNormalised) weights = hn::Add(weights, weight);
      }
    }
    if constexpr (kIsNormalised) sum = hn::Div(sum, weights);
    hn::StoreU(sum, F32(), out + i);
  }
}

void scale_row(const RowTaps& rows, const AxisTaps& columns, float* out) {
  if (rows.is_normalised) {
    scale_columns<true>(rows, columns, out);
  } else {
    scale_columns<false>(rows, columns, out);
  }
}

void filter_row(const float* const* rows, int width, const KeptFilter& kept, float* column_sums, float* out) {
  const std::vector<float>& taps = kept.filter.taps;
  for (int x = 0; x < width; x += lanes()) {
    Floats sum = hn::Zero(F32());
    for (size_t t = 0; t < taps.size(); ++t) {
      sum = hn::Add(sum, hn::Mul(hn::Set(F32(), taps[t]), hn::LoadU(F32(), rows[t] + x)));
    }
    hn::StoreU(sum, F32(), column_sums + x);
  }
  const auto stride = static_cast<size_t>(kept.stride);
  for (size_t i = 0; i < stride; i += static_cast<size_t>(lanes())) {
    Floats sum = hn::Zero(F32());
    for (size_t t = 0; t < taps.size(); ++t) {
      const Floats columns = gather_or_load(column_sums, &kept.columns[t * stride + i]);
      sum = hn::Add(sum, hn::Mul(hn::Set(F32(), taps[t]), columns));
    }
    hn::StoreU(sum, F32(), out + i);
  }
}

}  // namespace vq::speed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::speed, float_row, scale_row, filter_row)
#endif  // HWY_ONCE
