// The wavelet of all scales: two filters of four taps. Output row or column k is centred on the second tap,
// at input 2k.
#pragma once

#include <array>
#include <cstdint>

#include "feature/adm/stages.h"

namespace vq::adm {

using Taps = std::array<int32_t, 4>;
// Daubechies' four-tap wavelet, 15 fractional bits. The taps of the high filter sum to 0.
inline constexpr Taps kLowTaps = {15826, 27411, 7345, -4240}, kHighTaps = {-4240, -7345, 27411, -15826};

constexpr int64_t half_unit(int shift) {
  return shift > 0 ? int64_t{1} << (shift - 1) : 0;
}

// Continues a row by the columns that its ends need, -1 to width + 1.
template <typename T>
void extend_row(T* row, int width) {
  for (const int x : {-1, width, width + 1}) row[x] = row[mirrored(x, width)];
}

namespace scalar {

// Columns of a band from a row that extend_row() has continued.
template <typename T>
void filter_horizontally(const T* row, const Taps& taps, int shift, Span columns, int32_t* out) {
  for (int k = columns.first; k < columns.end; ++k) {
    int64_t sum = half_unit(shift);
    for (int i = 0; i < 4; ++i) sum += int64_t{taps[static_cast<size_t>(i)]} * row[2 * k - 1 + i];
    out[k] = static_cast<T>(sum >> shift);
  }
}

// All bands of a row, from rows that are filtered vertically.
template <typename T>
void filter_rows_horizontally(const FilteredRows<T>& rows, const ScalePlan& plan, const BandRow& out) {
  extend_row(rows.low, plan.input_width);
  const int shift = plan.wavelet.horizontal;
  if (out.a != nullptr) filter_horizontally(rows.low, kLowTaps, shift, {0, plan.width}, out.a);
  if (out.columns.size() == 0) return;
  extend_row(rows.high, plan.input_width);
  filter_horizontally(rows.high, kLowTaps, shift, out.columns, out.detail[0]);
  filter_horizontally(rows.low, kHighTaps, shift, out.columns, out.detail[1]);
  filter_horizontally(rows.high, kHighTaps, shift, out.columns, out.detail[2]);
}

}  // namespace scalar
}  // namespace vq::adm
