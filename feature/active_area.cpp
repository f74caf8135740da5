#define HWY_TARGET_INCLUDE "feature/active_area.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/active_area.h"

#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq {
namespace {

template <typename T>
void count(PlaneView<const T> luma, int black, NonBlackCounts& counts) {
  std::fill(counts.columns.begin(), counts.columns.end(), uint16_t{0});
  for (int y = 0; y < luma.height; ++y) {
    const T* const row = luma.row(y);
    uint16_t lit = 0;
    for (int x = 0; x < luma.width; ++x) {
      const bool is_lit = row[x] > black;
      lit = static_cast<uint16_t>(lit + is_lit);
      counts.columns[static_cast<size_t>(x)] =
          static_cast<uint16_t>(counts.columns[static_cast<size_t>(x)] + is_lit);
    }
    counts.rows[static_cast<size_t>(y)] = lit;
  }
}

// The first above the limit and what is behind the last; 0 and 0 if there is none.
std::pair<int, int> lit_span(const std::vector<uint16_t>& counts, int limit) {
  const auto is_lit = [limit](uint16_t count) { return count > limit; };
  const auto first = std::ranges::find_if(counts, is_lit);
  if (first == counts.end()) return {0, 0};
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_lit);
  return {static_cast<int>(first - counts.begin()), static_cast<int>(counts.rend() - last)};
}

constexpr int kBlack8 = 16;                      // of limited range, in eight bits
[[maybe_unused]] constexpr int kMaxSlack = 219;  // if asserts are compiled

}  // namespace

LitRule lit_rule(const VideoFormat& format, int slack, int tolerance) {
  HWY_DASSERT(0 <= slack && slack <= kMaxSlack && 0 <= tolerance && tolerance <= kWholeShare);
  const auto limit = [tolerance](int side) {
    return static_cast<int>(int64_t{side} * tolerance / kWholeShare);
  };
  return {.black = ((format.range == Range::kFull ? 0 : kBlack8) + slack) << (format.bit_depth - 8),
          .row_limit = limit(format.width),
          .column_limit = limit(format.height)};
}

void scalar::count_non_black(const SampleView& luma, int black, NonBlackCounts& counts) {
  luma.is_u8() ? count(luma.u8, black, counts) : count(luma.u16, black, counts);
}

ActiveArea active_area(const NonBlackCounts& counts, const LitRule& rule) {
  const auto [top, bottom] = lit_span(counts.rows, rule.row_limit);
  const auto [left, right] = lit_span(counts.columns, rule.column_limit);
  return {.left = left, .top = top, .right = right, .bottom = bottom};
}

}  // namespace vq
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U8 = hn::ScalableTag<uint8_t>;
using U16 = hn::ScalableTag<uint16_t>;

// Rows whose counts fit the samples' own type, in which lit samples are counted.
template <typename T>
constexpr int kRowsAtATime = std::min<int>(kMaxSide, hwy::LimitsMax<T>());

HWY_INLINE uint32_t total(U8, hn::VFromD<U8> lit) {
  return static_cast<uint32_t>(
      hn::GetLane(hn::SumOfLanes(hn::Repartition<uint64_t, U8>(), hn::SumsOf8(lit))));
}
HWY_INLINE uint32_t total(U16, hn::VFromD<U16> lit) { return hn::GetLane(hn::SumOfLanes(U16(), lit)); }

// Adds a row's lit samples to `columns` and returns how many there are. Rows have no guards: the last vector
// starts early, so that it ends with the row, and what it has in common with the one before does not count
// again. Needs: a row of a vector or more.
template <typename T>
HWY_INLINE uint32_t add_row(const T* row, int width, T black, T* columns) {
  const hn::ScalableTag<T> d;
  const int step = static_cast<int>(hn::Lanes(d));
  // A lane counts vectors up to what its type holds.
  const int vectors = static_cast<int>(hwy::LimitsMax<T>());
  const auto limit = hn::Set(d, black), one = hn::Set(d, T{1});
  uint32_t sum = 0;
  int x = 0;
  while (x + step <= width) {
    auto lit = hn::Zero(d);
    for (int i = 0; i < vectors && x + step <= width; ++i, x += step) {
      const auto ones = hn::IfThenElseZero(hn::Gt(hn::LoadU(d, row + x), limit), one);
      hn::StoreU(hn::Add(hn::LoadU(d, columns + x), ones), d, columns + x);
      lit = hn::Add(lit, ones);
    }
    sum += total(d, lit);
  }
  if (x == width) return sum;
  const auto seen = hn::FirstN(d, static_cast<size_t>(x + step - width));
  x = width - step;
  const auto ones = hn::IfThenZeroElse(seen, hn::IfThenElseZero(hn::Gt(hn::LoadU(d, row + x), limit), one));
  hn::StoreU(hn::Add(hn::LoadU(d, columns + x), ones), d, columns + x);
  return sum + total(d, ones);
}

void count_bytes(PlaneView<const uint8_t> luma, int black, NonBlackCounts& counts) {
  std::fill(counts.columns.begin(), counts.columns.end(), uint16_t{0});
  for (int first = 0; first < luma.height; first += kRowsAtATime<uint8_t>) {
    const int end = std::min(first + kRowsAtATime<uint8_t>, luma.height);
    std::fill(counts.scratch.begin(), counts.scratch.end(), uint8_t{0});
    for (int y = first; y < end; ++y) {
      counts.rows[static_cast<size_t>(y)] = static_cast<uint16_t>(
          add_row(luma.row(y), luma.width, static_cast<uint8_t>(black), counts.scratch.data()));
    }
    for (size_t x = 0; x < counts.columns.size(); ++x) {
      counts.columns[x] = static_cast<uint16_t>(counts.columns[x] + counts.scratch[x]);
    }
  }
}

void count_words(PlaneView<const uint16_t> luma, int black, NonBlackCounts& counts) {
  static_assert(kRowsAtATime<uint16_t> == kMaxSide);
  std::fill(counts.columns.begin(), counts.columns.end(), uint16_t{0});
  for (int y = 0; y < luma.height; ++y) {
    counts.rows[static_cast<size_t>(y)] = static_cast<uint16_t>(
        add_row(luma.row(y), luma.width, static_cast<uint16_t>(black), counts.columns.data()));
  }
}

void count_non_black(const SampleView& luma, int black, NonBlackCounts& counts) {
  HWY_DASSERT(counts.columns.size() == static_cast<size_t>(luma.width()) &&
              counts.rows.size() == static_cast<size_t>(luma.height()));
  const size_t step = luma.is_u8() ? hn::Lanes(U8()) : hn::Lanes(U16());
  if (static_cast<size_t>(luma.width()) < step) return scalar::count_non_black(luma, black, counts);
  luma.is_u8() ? count_bytes(luma.u8, black, counts) : count_words(luma.u16, black, counts);
}

}  // namespace vq::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq, count_non_black)

namespace vq {

CountLit count_lit_for(const Execution& execution) {
  return host_stage(execution, scalar::count_non_black, simd::count_non_black_for);
}

}  // namespace vq
#endif  // HWY_ONCE
