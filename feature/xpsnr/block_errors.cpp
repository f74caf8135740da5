#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/xpsnr/block_errors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/simd_targets.h"
#include "feature/xpsnr/rows-inl.h"
#include "feature/xpsnr/stages.h"

#if HWY_ONCE
namespace vq::xpsnr {
namespace {

uint16_t sample_at(const Samples& samples, int x, int y) {
  const int sample = samples.view.is_u8() ? samples.view.u8.row(y)[x] : samples.view.u16.row(y)[x];
  return static_cast<uint16_t>(sample << samples.shift);
}

}  // namespace

void scalar::block_errors(const Grid& grid, const std::array<Samples, 2>& planes, Rows&,
                          std::span<uint64_t> out) {
  HWY_DASSERT(out.size() == grid.count());
  const auto& [a, b] = planes;
  for (size_t k = 0; k < out.size(); ++k) {
    const auto columns = static_cast<size_t>(grid.columns);
    const Span across = grid.column(static_cast<int>(k % columns)),
               down = grid.row(static_cast<int>(k / columns));
    out[k] = 0;
    for (int y = down.start; y < down.end; ++y) {
      for (int x = across.start; x < across.end; ++x) {
        const int64_t difference = int64_t{sample_at(a, x, y)} - sample_at(b, x, y);
        out[k] += static_cast<uint64_t>(difference * difference);
      }
    }
  }
}

}  // namespace vq::xpsnr
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::xpsnr {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::block_errors;
#else

// Adds squared differences of words up to `largest` to sums of columns.
void add_squares(const uint16_t* a, const uint16_t* b, int width, uint32_t largest, uint32_t* sums) {
  const U16 d;
  const int step = static_cast<int>(hn::Lanes(d));
  if (largest <= 255) {
    for (int x = 0; x < width; x += step) {
      const auto difference = absolute_difference(load(d, a + x), load(d, b + x));
      add(hn::Mul(difference, difference), sums + x);
    }
    return;
  }
  for (int x = 0; x < width; x += step) {
    const auto difference = absolute_difference(load(d, a + x), load(d, b + x));
    const auto lower = lower_half(difference), upper = upper_half(difference);
    add(hn::Mul(lower, lower), sums + x);
    add(hn::Mul(upper, upper), sums + x + hn::Lanes(U32()));
  }
}

void block_errors(const Grid& grid, const std::array<Samples, 2>& planes, Rows& rows,
                  std::span<uint64_t> out) {
  HWY_DASSERT(out.size() == grid.count());
  const int width = grid.plane.width;
  uint16_t *const a = rows.now.row(0), *const b = rows.now.row(1);
  uint32_t* const sums = rows.columns.row(0);
  std::fill(out.begin(), out.end(), 0);
  for (int block_row = 0; block_row < grid.rows; ++block_row) {
    const Span down = grid.row(block_row);
    uint64_t* const of_row = out.data() + static_cast<ptrdiff_t>(block_row) * grid.columns;
    uint64_t highest = 0;  // that a sum of a column may have reached
    const auto flush = [&] {
      for (int i = 0; i < grid.columns; ++i) of_row[i] += sum_of(sums, grid.column(i));
      std::fill(sums, sums + width, 0);
      highest = 0;
    };
    std::fill(sums, sums + width, 0);
    for (int y = down.start; y < down.end; ++y) {
      const uint64_t largest = std::max(to_words(planes[0], y, a), to_words(planes[1], y, b));
      if (highest + largest * largest > UINT32_MAX) flush();
      highest += largest * largest;
      add_squares(a, b, width, static_cast<uint32_t>(largest), sums);
    }
    flush();
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::xpsnr
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::xpsnr {
HWY_EXPORT(block_errors);

BlockErrors simd::block_errors_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(block_errors), target);
}

}  // namespace vq::xpsnr
#endif  // HWY_ONCE
