#define HWY_TARGET_INCLUDE "feature/stretches/row_sum.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/stretches/stretches.h"

#if HWY_ONCE
namespace vq::stretches {

CellSum scalar::row_sum(const RowPart& samples, const Plan& plan) {
  const auto top = static_cast<uint32_t>(plan.luminance.size() - 1);
  CellSum sum;
  for (int i = 0; i < samples.count; ++i) {
    const uint32_t code = std::min<uint32_t>(samples.u8 != nullptr ? samples.u8[i] : samples.u16[i], top);
    sum.luminance += plan.luminance[code];
    sum.black += code <= plan.black ? 1 : 0;
  }
  return sum;
}

}  // namespace vq::stretches
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::stretches::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using S32 = hn::ScalableTag<int32_t>;

// Luminance is under 2^24, and a lane has no more than a quarter of the samples: sums fit 32 bits without a
// sign.
static_assert(int64_t{kMaxSide} / kColumns / 4 * ((1 << 24) - 1) <= UINT32_MAX && kMaxSide % kColumns == 0);

template <typename T>
CellSum sum_of(const T* samples, int count, const Plan& plan) {
  const S32 s;
  const hn::RebindToUnsigned<S32> u;
  const hn::Rebind<T, S32> t;
  const auto* const table = reinterpret_cast<const int32_t*>(plan.luminance.data());
  const auto top = hn::Set(s, static_cast<int32_t>(plan.luminance.size() - 1)),
             black = hn::Set(s, static_cast<int32_t>(plan.black));
  const int step = static_cast<int>(hn::Lanes(s));
  auto luminance = hn::Zero(u);
  CellSum sum;
  int i = 0;
  for (; i + step <= count; i += step) {
    const auto code = hn::Min(hn::PromoteTo(s, hn::LoadU(t, samples + i)), top);
    luminance = hn::Add(luminance, hn::BitCast(u, hn::GatherIndex(s, table, code)));
    sum.black += static_cast<uint32_t>(step) - static_cast<uint32_t>(hn::CountTrue(s, hn::Gt(code, black)));
  }
  HWY_ALIGN uint32_t lanes[HWY_MAX_BYTES / sizeof(uint32_t)];
  hn::Store(luminance, u, lanes);
  for (int lane = 0; lane < step; ++lane) sum.luminance += lanes[lane];
  RowPart rest{.count = count - i};
  if constexpr (sizeof(T) == 1) {
    rest.u8 = samples + i;
  } else {
    rest.u16 = samples + i;
  }
  const CellSum of_rest = scalar::row_sum(rest, plan);
  return {sum.luminance + of_rest.luminance, sum.black + of_rest.black};
}

CellSum row_sum(const RowPart& samples, const Plan& plan) {
  return samples.u8 != nullptr ? sum_of(samples.u8, samples.count, plan)
                               : sum_of(samples.u16, samples.count, plan);
}

}  // namespace vq::stretches::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::stretches, row_sum)
#endif  // HWY_ONCE
