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

template <typename T>
CellSum sum_of(const T* samples, int count, const Plan& plan) {
  const S32 s;
  const hn::Rebind<T, S32> t;
  const uint32_t* const table = plan.luminance.data();
  const auto top = hn::Set(s, static_cast<int32_t>(plan.luminance.size() - 1)),
             black = hn::Set(s, static_cast<int32_t>(plan.black));
  const int step = static_cast<int>(hn::Lanes(s));
  HWY_ALIGN int32_t codes[HWY_MAX_BYTES / sizeof(int32_t)];
  // Entries are looked up one by one. To gather them takes AMD's processors 1.3 times as long with AVX-512,
  // twice as long with AVX2.
  std::array<uint64_t, 4> luminance = {};
  CellSum sum;
  int i = 0;
  for (; i + step <= count; i += step) {
    const auto code = hn::Min(hn::PromoteTo(s, hn::LoadU(t, samples + i)), top);
    hn::Store(code, s, codes);
    asm("" : "+m"(codes));  // else g++ takes each code out of the vector, in two operations
    for (int lane = 0; lane < step; lane += 4) {
      for (size_t k = 0; k < 4; ++k) luminance[k] += table[codes[lane + static_cast<int>(k)]];
    }
    sum.black += static_cast<uint32_t>(step) - static_cast<uint32_t>(hn::CountTrue(s, hn::Gt(code, black)));
  }
  for (const uint64_t part : luminance) sum.luminance += part;
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
