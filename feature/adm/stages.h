// The stages of ADM, a row of bands at a time. All are exact: every implementation gives the same integers.
// They never throw and never allocate.
//
// Rows of a Workspace: they begin at a multiple of 64 bytes, with kRowGuardBytes before, and behind the last
// column at least kRowSlack elements that a stage may read and overwrite.
#pragma once

#include <array>
#include <cstdint>

#include "core/frame.h"
#include "feature/adm/plan.h"

namespace vq::adm {

// In elements: two of the longest vectors of 32-bit lanes.
inline constexpr int kRowSlack = 32;

// The luma of a picture as decoded, of any stride and alignment: nothing beyond its rows is read. Each sample
// is shifted left by `shift` to the depth it is compared at, 8..16 bits, which its value then fits.
struct Samples {
  SampleView view;
  int shift = 0;
};

// A row of the four bands: low-pass (a), and detail. Detail is computed for the requested columns; none if
// the span is empty.
struct BandRow {
  int32_t* a = nullptr;
  PerBand<int32_t*> detail = {};
  Span columns = {};
};

// Rows that have been filtered vertically, of the width of the input.
template <typename T>
struct FilteredRows {
  T *low = nullptr, *high = nullptr;
};

// Bands of detail of a row, to be read.
using DetailRow = PerBand<const int32_t*>;

// A part of the distorted picture's detail in one row: restored detail of the reference, or added detail.
// decouple() leaves coefficients in `signal`; weigh() replaces them by weighted ones and sums what they mask:
// `side` as neighbours, `centre` as the centre. All over ScalePlan::masking_columns.
struct PartRow {
  PerBand<int32_t*> signal = {};
  int32_t *side = nullptr, *centre = nullptr;
};

// What masks a row, to be read: the three rows of `side` around it, and its own `centre`.
struct MaskerRows {
  const int32_t *above = nullptr, *here = nullptr, *below = nullptr;
  const int32_t* centre = nullptr;
};

// Which input row or column the i-th is: mirrored on the first, and after the last. Needs: -1 <= i <= size +
// 1, size >= 3.
constexpr int mirrored(int i, int size) {
  if (i < 0) return -i;
  return i < size ? i : 2 * size - 1 - i;
}

// Row `row` of the finest scale's bands, of 16 bits, from a picture of ScalePlan::input_width x input_height
// samples of wavelet.vertical bits. Scratch: `rows`, of as many columns.
using FineWavelet = void (*)(const Samples& picture, int row, const ScalePlan& plan,
                             const FilteredRows<int16_t>& scratch, const BandRow& out);

// A row of a coarser scale's bands from four rows of band a of the next finer one, mirrored where need be.
using CoarseWavelet = void (*)(const std::array<const int32_t*, 4>& in, const ScalePlan& plan,
                               const FilteredRows<int32_t>& scratch, const BandRow& out);

// Separates the distorted row's detail. Where a vector (h, v) points less than a degree away from the
// reference's, restored detail may be stronger than the reference's, up to ScalePlan::gain_limit. Range:
// |coefficient| <= 22930 at the finest scale, below 1.5e9 at the others.
using Decouple = void (*)(const DetailRow& reference, const DetailRow& distorted, const ScalePlan& plan,
                          const PartRow& restored, const PartRow& added);

// Weighs a part's detail by ScalePlan::factors. At the finest scale `side` and `centre` are computed from
// numbers that wrap at 16 bits. If the first or last column is one of the band's, `side` is extended by a
// column: with the second, and with the last.
using Weigh = void (*)(const ScalePlan& plan, const PartRow& part);

// The cubes of a reference's row over ScalePlan::columns, see ReferenceShifts.
using ReferenceCubes = PerBand<uint64_t> (*)(const DetailRow& reference, const ScalePlan& plan);

// The cubes of what exceeds a row's threshold, see MaskedShifts: the sum of `side` of the eight neighbours
// and of its own `centre`. Squares wrap at 32 bits once they are shifted, sums at 64.
using MaskedCubes = PerBand<int64_t> (*)(const DetailRow& signal, const MaskerRows& masker,
                                         const ScalePlan& plan);

// One implementation of all stages.
struct AdmStages {
  FineWavelet fine_wavelet = nullptr;
  CoarseWavelet coarse_wavelet = nullptr;
  Decouple fine_decouple = nullptr, coarse_decouple = nullptr;  // one contract, two ranges
  Weigh fine_weigh = nullptr, coarse_weigh = nullptr;
  ReferenceCubes reference_cubes = nullptr;
  MaskedCubes masked_cubes = nullptr;
};

// Whether (oh, ov) and (th, tv) point less than a degree apart, or one is zero: the reference's arithmetic,
// with the sums rounded to floats and their product to double.
bool is_aligned(PerBand<int32_t> reference, PerBand<int32_t> distorted);

namespace scalar {
// The readable reference, in ordinary C++.
void fine_wavelet(const Samples& picture, int row, const ScalePlan& plan,
                  const FilteredRows<int16_t>& scratch, const BandRow& out);
void coarse_wavelet(const std::array<const int32_t*, 4>& in, const ScalePlan& plan,
                    const FilteredRows<int32_t>& scratch, const BandRow& out);
void decouple(const DetailRow& reference, const DetailRow& distorted, const ScalePlan& plan,
              const PartRow& restored, const PartRow& added);
void fine_weigh(const ScalePlan& plan, const PartRow& part);
void coarse_weigh(const ScalePlan& plan, const PartRow& part);
PerBand<uint64_t> reference_cubes(const DetailRow& reference, const ScalePlan& plan);
PerBand<int64_t> masked_cubes(const DetailRow& signal, const MaskerRows& masker, const ScalePlan& plan);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
FineWavelet fine_wavelet_for(int64_t target);
CoarseWavelet coarse_wavelet_for(int64_t target);
Decouple fine_decouple_for(int64_t target);
Decouple coarse_decouple_for(int64_t target);
Weigh fine_weigh_for(int64_t target);
Weigh coarse_weigh_for(int64_t target);
ReferenceCubes reference_cubes_for(int64_t target);
MaskedCubes masked_cubes_for(int64_t target);
}  // namespace simd

const AdmStages& scalar_stages();
AdmStages simd_stages(int64_t target);

}  // namespace vq::adm
