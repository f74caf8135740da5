#include "engine/analysis/signature.h"

#define HWY_TARGET_INCLUDE "engine/analysis/signature.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq {
namespace signature {

Span cell_span(int size, int i) {
  const auto edge = [size](int k) { return static_cast<int>(int64_t{k} * size / kSignatureSide); };
  return {edge(i), std::max(1, edge(i + 1) - edge(i))};
}

Span sampled_columns(Span cell) {
  const int count = (cell.count + kColumnShare - 1) / kColumnShare;
  return {cell.first + (cell.count - count) / 2, count};
}

int sampled_rows(Span cell) { return std::min(cell.count, kRowsOfCell); }

int sampled_row(Span cell, int k) { return cell.first + (2 * k + 1) * cell.count / (2 * sampled_rows(cell)); }

LumaLines sampled_lines(PlaneSize size) {
  LumaLines lines;
  for (int i = 0; i < kSignatureSide; ++i) {
    const Span cell = cell_span(size.height, i), columns = sampled_columns(cell_span(size.width, i));
    for (int k = 0; k < sampled_rows(cell); ++k) lines.rows.push_back(sampled_row(cell, k));
    for (int k = 0; k < columns.count; ++k) lines.columns.push_back(columns.first + k);
  }
  return lines;
}

template <typename T>
static void sum_cells(PlaneView<const T> luma, std::array<uint32_t, kSignatureCells>& sums) {
  for (int cell = 0; cell < kSignatureCells; ++cell) {
    const Span rows = cell_span(luma.height, cell / kSignatureSide);
    const Span columns = sampled_columns(cell_span(luma.width, cell % kSignatureSide));
    uint32_t sum = 0;
    for (int k = 0; k < sampled_rows(rows); ++k) {
      const T* const run = luma.row(sampled_row(rows, k)) + columns.first;
      for (int x = 0; x < columns.count; ++x) sum += run[x];
    }
    sums[static_cast<size_t>(cell)] = sum;
  }
}

void scalar::cell_sums(const SampleView& luma, std::array<uint32_t, kSignatureCells>& sums) {
  luma.is_u8() ? sum_cells(luma.u8, sums) : sum_cells(luma.u16, sums);
}

}  // namespace signature
}  // namespace vq
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::signature::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Runs are short and far from each other: longer vectors would hold nothing more.
using U8 = hn::CappedTag<uint8_t, 16>;
using U16 = hn::CappedTag<uint16_t, 8>;
using U32 = hn::RepartitionToWide<U16>;
using U64 = hn::RepartitionToWide<U32>;

// Sums that stay in the lanes until a cell is done.
HWY_INLINE hn::VFromD<U64> lane_sums(hn::VFromD<U8> samples) { return hn::SumsOf8(samples); }
HWY_INLINE hn::VFromD<U64> lane_sums(hn::VFromD<U16> samples) {
  const auto pairs = hn::BitCast(U32(), samples);
  const auto sums =
      hn::BitCast(U64(), hn::Add(hn::And(pairs, hn::Set(U32(), 0xFFFF)), hn::ShiftRight<16>(pairs)));
  return hn::Add(hn::And(sums, hn::Set(U64(), 0xFFFFFFFF)), hn::ShiftRight<32>(sums));
}

// The samples of a run in whole vectors, the last of them cut. Needs: a whole vector fits into the row at its
// end.
template <class D, typename T>
HWY_INLINE hn::VFromD<U64> run_sums(D d, const T* run, int count) {
  const int step = static_cast<int>(hn::Lanes(d));
  auto sums = hn::Zero(U64());
  int x = 0;
  for (; x + step <= count; x += step) sums = hn::Add(sums, lane_sums(hn::LoadU(d, run + x)));
  if (x == count) return sums;
  const auto wanted = hn::FirstN(d, static_cast<size_t>(count - x));
  return hn::Add(sums, lane_sums(hn::IfThenElseZero(wanted, hn::LoadU(d, run + x))));
}

template <class D, typename T>
void sum_cells(D d, PlaneView<const T> luma, std::array<uint32_t, kSignatureCells>& sums) {
  std::array<Span, kSignatureSide> columns;
  for (int i = 0; i < kSignatureSide; ++i)
    columns[static_cast<size_t>(i)] = sampled_columns(cell_span(luma.width, i));
  for (int j = 0; j < kSignatureSide; ++j) {
    const Span cell = cell_span(luma.height, j);
    std::array<const T*, kRowsOfCell> rows;
    const int count = sampled_rows(cell);
    for (int k = 0; k < count; ++k) rows[static_cast<size_t>(k)] = luma.row(sampled_row(cell, k));
    for (size_t i = 0; i < columns.size(); ++i) {
      auto sum = hn::Zero(U64());
      for (int k = 0; k < count; ++k) {
        sum = hn::Add(sum, run_sums(d, rows[static_cast<size_t>(k)] + columns[i].first, columns[i].count));
      }
      sums[static_cast<size_t>(j) * kSignatureSide + i] =
          static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(U64(), sum)));
    }
  }
}

// A vector read for the end of the last run must not reach beyond the row.
template <class D>
bool has_room(D d, int width) {
  const int step = static_cast<int>(hn::Lanes(d));
  const Span last = sampled_columns(cell_span(width, kSignatureSide - 1));
  return last.first + (last.count + step - 1) / step * step <= width;
}

void cell_sums(const SampleView& luma, std::array<uint32_t, kSignatureCells>& sums) {
  if (luma.is_u8() ? !has_room(U8(), luma.width()) : !has_room(U16(), luma.width())) {
    return scalar::cell_sums(luma, sums);
  }
  luma.is_u8() ? sum_cells(U8(), luma.u8, sums) : sum_cells(U16(), luma.u16, sums);
}

}  // namespace vq::signature::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::signature, cell_sums)

namespace vq {
namespace signature {

CellSums cell_sums_for(const Execution& execution) {
  return host_stage(execution, scalar::cell_sums, simd::cell_sums_for);
}

// The picture, or of one that the host does not see no more than the rows that are looked at, in the columns
// that are: each cell then has those of its rows, and all of them are looked at.
static Frame looked_at(const Frame& picture) {
  if (is_on_host(picture)) return picture;
  Frame frame = picture.place->luma_part(sampled_lines(picture.place->luma_size()));
  frame.bit_depth = picture.bit_depth;
  return frame;
}

}  // namespace signature

Signature signature_of(const Frame& picture, Range range, signature::CellSums cell_sums) {
  using namespace signature;
  const Frame frame = looked_at(picture);
  constexpr uint64_t kUnit = 16, kBlack = 16, kSpan = 219;
  std::array<uint32_t, kSignatureCells> sums;
  cell_sums(frame.luma(), sums);
  Signature result;
  for (int cell = 0; cell < kSignatureCells; ++cell) {
    const auto rows =
        static_cast<uint64_t>(sampled_rows(cell_span(frame.luma().height(), cell / kSignatureSide)));
    const Span columns = sampled_columns(cell_span(frame.luma().width(), cell % kSignatureSide));
    const uint64_t samples = rows * static_cast<uint64_t>(columns.count),
                   sum = sums[static_cast<size_t>(cell)];
    const bool is_full = range == Range::kFull;
    const uint64_t scale =
        samples * (is_full ? (uint64_t{1} << frame.bit_depth) - 1 : uint64_t{1} << (frame.bit_depth - 8));
    const uint64_t level = ((is_full ? kSpan : 1) * kUnit * sum + scale / 2) / scale;
    result.levels[static_cast<size_t>(cell)] = static_cast<uint16_t>(level + (is_full ? kUnit * kBlack : 0));
  }
  return result;
}

Signature signature_of(const Frame& picture, const VideoFormat& format, signature::CellSums cell_sums) {
  if (format.matrix != Matrix::kRgb) return signature_of(picture, format.range, cell_sums);
  constexpr std::array<uint32_t, kMaxPlanes> kShares = {732, 74, 218};  // of G, B and R in 1024ths
  std::array<uint32_t, kSignatureCells> sums = {};
  for (size_t plane = 0; plane < kShares.size(); ++plane) {
    Frame alone = picture;
    alone.luma() = picture.planes[plane];
    const Signature own = signature_of(alone, format.range, cell_sums);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += kShares[plane] * own.levels[i];
  }
  Signature result;
  for (size_t i = 0; i < sums.size(); ++i) result.levels[i] = static_cast<uint16_t>((sums[i] + 512) / 1024);
  return result;
}

}  // namespace vq
#endif  // HWY_ONCE
