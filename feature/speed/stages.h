// The stages of SpEED-QA, in the order a plane takes them: one contract each.
//
// plane -> float_row -> (scale_row) -> filter_row: the anti-alias filter -> filter_row: the local mean,
// subtracted -> covariance -> eigenvalues, solve -> entropies
//
// Every implementation gives the bits of the scalar one: where a sum is of floats, its terms are added in the
// order in which the contract has them, from 0, and no product is contracted with a sum. Stages never throw
// and never allocate.
//
// Rows of floats are padded: whole vectors of them may be read and written, up to padded() of their length.
#pragma once

#include <cstdint>

#include "core/frame.h"
#include "core/plane.h"
#include "feature/speed/plan.h"

namespace vq {
struct Execution;
}

namespace vq::speed {

inline constexpr int kMatrixStride = 2 * kRowFloats;
static_assert(kVariables <= kMatrixStride);

// Rows of kVariables floats; between these and the stride are zeros.
struct Matrix {
  alignas(kRowGuardBytes) float at[kVariables][kMatrixStride] = {};
};

// The first `width` samples of row y as sample / 2^(depth - 8) - 128, which is exact. Nothing beyond these is
// read. Needs: 0 <= y < height, width at most the plane's, depth 8..16.
using FloatRow = void (*)(const SampleView& plane, int y, int width, int depth, float* out);

// The inputs of one row of a scaled plane.
struct RowTaps {
  const float* const* rows = nullptr;  // of the source, one for each weight
  const float* weights = nullptr;
  int count = 0;
  bool is_normalised = false;
};
// out[i] = sum over rows t, and for each over the taps u of column i, of rows[t][index] * (weight of u *
// weights[t]); where normalised, divided by the sum of these weights.
using ScaleRow = void (*)(const RowTaps& rows, const AxisTaps& columns, float* out);

// With s[x] = sum over taps t of tap[t] * rows[t][x], for the `width` columns of the rows:
// out[i] = sum over taps t of tap[t] * s[columns[t * stride + i]]. `column_sums` is scratch memory for a row.
using FilterRow = void (*)(const float* const* rows, int width, const KeptFilter& filter, float* column_sums,
                           float* out);

// The covariance of kVariables views of a plane: view 5r + c is the plane without its first r rows and c
// columns and its last 4 - r and 4 - c. Means are sums of floats, row by row, divided by the number of
// samples as a float. Covariances are sums of doubles, row by row, divided by that number and rounded to
// float. Only the lower triangle is summed up. Shapes: W x H, both at least 5, with kRowGuardBytes that may
// be read behind each row.
using Covariance = void (*)(PlaneView<const float> plane, Matrix& out);

// The eigenvalues of a symmetric matrix in the order in which Householder's tridiagonal form and QR
// iterations with implicit shifts leave them.
using Eigenvalues = void (*)(const Matrix& matrix, float* values);

// Unknowns or right sides of all blocks: kVariables rows of floats.
struct Blocks {
  float* data = nullptr;
  int count = 0, stride = 0;  // stride: padded(count)
  float* row(int variable) const { return data + static_cast<ptrdiff_t>(variable) * stride; }
};
// Solves matrix * x = y by Householder's QR decomposition. False, with x undefined, if a pivot is below
// kLeastPivot.
using Solve = bool (*)(const Matrix& matrix, const Blocks& y, const Blocks& x);

// For every block: its variance, the sum of x * y / kVariables over the variables, and its entropy, the sum
// over the eigenvalues of log2(value * variance + sigma) + kGaussianEntropy, each term a double and the sum
// after each a float. Negative eigenvalues count as 0.
struct BlockFigures {
  float* variances = nullptr;
  float* entropies = nullptr;
};
using Entropies = void (*)(const float* eigenvalues, float sigma, const Blocks& y, const Blocks& x,
                           const BlockFigures& out);

// Below these a plane counts as singular.
inline constexpr double kLeastEigenvalue = 1e-6, kLeastPivot = 1e-6;

struct SpeedStages {
  FloatRow float_row = nullptr;
  ScaleRow scale_row = nullptr;
  FilterRow filter_row = nullptr;
  Covariance covariance = nullptr;
  Eigenvalues eigenvalues = nullptr;
  Solve solve = nullptr;
  Entropies entropies = nullptr;
};

namespace scalar {
// The readable reference, in ordinary C++.
void float_row(const SampleView& plane, int y, int width, int depth, float* out);
void scale_row(const RowTaps& rows, const AxisTaps& columns, float* out);
void filter_row(const float* const* rows, int width, const KeptFilter& filter, float* column_sums,
                float* out);
void covariance(PlaneView<const float> plane, Matrix& out);
void eigenvalues(const Matrix& matrix, float* values);
bool solve(const Matrix& matrix, const Blocks& y, const Blocks& x);
void entropies(const float* eigenvalues, float sigma, const Blocks& y, const Blocks& x,
               const BlockFigures& out);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
FloatRow float_row_for(int64_t target);
ScaleRow scale_row_for(int64_t target);
FilterRow filter_row_for(int64_t target);
Covariance covariance_for(int64_t target);
Eigenvalues eigenvalues_for(int64_t target);
Solve solve_for(int64_t target);
Entropies entropies_for(int64_t target);
}  // namespace simd

SpeedStages scalar_stages();
SpeedStages simd_stages_for(int64_t target);
// As the execution says.
SpeedStages stages_for(const Execution& execution);

}  // namespace vq::speed
