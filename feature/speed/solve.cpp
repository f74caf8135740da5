#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/speed/solve.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "feature/simd_targets.h"
#include "feature/speed/stages.h"

#ifndef VQ_SPEED_SOLVE_ONCE
#define VQ_SPEED_SOLVE_ONCE
namespace vq::speed {

inline float length_of(const float* v) {
  float squares = 0;
  for (int i = 0; i < kVariables; ++i) squares += v[i] * v[i];
  return std::sqrt(squares);
}

// The reflection 1 - 2vv' that makes column k of z, from row k on, a multiple of a unit vector. Only its rows
// and columns from k on are set: the others are those of the identity. `diagonal` is the matrix's own, before
// all reflections.
inline void make_reflection(const Matrix& z, int k, float diagonal, Matrix& p) {
  float v[kVariables] = {};
  for (int i = k; i < kVariables; ++i) v[i] = z.at[i][k];
  const float length = length_of(v);
  v[k] += diagonal >= 0 ? length : -length;
  const float longer = length_of(v);
  for (int i = k; i < kVariables; ++i) v[i] /= longer;
  for (int i = k; i < kVariables; ++i) {
    for (int j = k; j < kVariables; ++j) p.at[i][j] = (-2 * v[i]) * v[j];
    p.at[i][i] += 1;
  }
}

inline void make_identity(Matrix& q) {
  q = {};
  for (int i = 0; i < kVariables; ++i) q.at[i][i] = 1;
}

inline bool has_small_pivot(const Matrix& r) {
  for (int i = 0; i < kVariables; ++i) {
    if (static_cast<double>(std::abs(r.at[i][i])) < kLeastPivot) return true;
  }
  return false;
}

}  // namespace vq::speed
#endif  // VQ_SPEED_SOLVE_ONCE

#if HWY_ONCE
namespace vq::speed {
namespace {

// Columns from `column` on of the rows from `first` on of a * b, with terms from `first` on.
void multiply(const Matrix& a, const Matrix& b, int first, int column, Matrix& out) {
  for (int i = first; i < kVariables; ++i) {
    for (int j = column; j < kVariables; ++j) {
      float sum = 0;
      for (int l = first; l < kVariables; ++l) sum += a.at[i][l] * b.at[l][j];
      out.at[i][j] = sum;
    }
  }
}

void multiply(const Matrix& a, const Blocks& b, const Blocks& out) {
  for (int i = 0; i < kVariables; ++i) {
    for (int j = 0; j < b.count; ++j) {
      float sum = 0;
      for (int l = 0; l < kVariables; ++l) sum += a.at[i][l] * b.row(l)[j];
      out.row(i)[j] = sum;
    }
  }
}

}  // namespace

bool scalar::solve(const Matrix& matrix, const Blocks& y, const Blocks& x) {
  Matrix z = matrix, q, p, product;
  make_identity(q);
  for (int k = 0; k + 1 < kVariables; ++k) {
    make_reflection(z, k, matrix.at[k][k], p);
    product = z;
    multiply(p, z, k, k, product);
    z = product;
    product = q;
    multiply(p, q, k, 0, product);
    q = product;
  }
  Matrix r;
  multiply(q, matrix, 0, 0, r);
  if (has_small_pivot(r)) return false;
  multiply(q, y, x);
  for (int i = kVariables - 1; i >= 0; --i) {
    for (int j = 0; j < x.count; ++j) {
      float rest = x.row(i)[j];
      for (int k = i + 1; k < kVariables; ++k) rest -= x.row(k)[j] * r.at[i][k];
      x.row(i)[j] = rest / r.at[i][i];
    }
  }
  return true;
}

}  // namespace vq::speed
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::speed {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::solve;
#else

namespace hn = hwy::HWY_NAMESPACE;
using F32 = hn::ScalableTag<float>;

// The right factor of a product, or its result: rows of whole vectors.
template <typename T>
struct Table {
  T* data;
  ptrdiff_t stride;
  T* row(int i) const { return data + i * stride; }
};
using TableIn = Table<const float>;
using TableOut = Table<float>;

TableIn in_of(const Matrix& matrix) {
  return {matrix.at[0], kMatrixStride};
}
TableOut out_of(Matrix& matrix) {
  return {matrix.at[0], kMatrixStride};
}

// Of one vector of columns, four rows of a product at a time: four sums go on beside each other.
HWY_INLINE void multiply_four(const Matrix& a, int i, const TableIn& b, int first, int c,
                              const TableOut& out) {
  const F32 d;
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (int l = first; l < kVariables; ++l) {
    const auto v = hn::LoadU(d, b.row(l) + c);
    s0 = hn::Add(s0, hn::Mul(hn::Set(d, a.at[i][l]), v));
    s1 = hn::Add(s1, hn::Mul(hn::Set(d, a.at[i + 1][l]), v));
    s2 = hn::Add(s2, hn::Mul(hn::Set(d, a.at[i + 2][l]), v));
    s3 = hn::Add(s3, hn::Mul(hn::Set(d, a.at[i + 3][l]), v));
  }
  hn::StoreU(s0, d, out.row(i) + c);
  hn::StoreU(s1, d, out.row(i + 1) + c);
  hn::StoreU(s2, d, out.row(i + 2) + c);
  hn::StoreU(s3, d, out.row(i + 3) + c);
}

HWY_INLINE void multiply_one(const Matrix& a, int i, const TableIn& b, int first, int c,
                             const TableOut& out) {
  const F32 d;
  auto sum = hn::Zero(d);
  for (int l = first; l < kVariables; ++l)
    sum = hn::Add(sum, hn::Mul(hn::Set(d, a.at[i][l]), hn::LoadU(d, b.row(l) + c)));
  hn::StoreU(sum, d, out.row(i) + c);
}

// Rows from `first` on of a * b, with terms from `first` on, in the vectors that have the columns from
// `begin` to `end`.
void multiply(const Matrix& a, const TableIn& b, int first, int begin, int end, const TableOut& out) {
  const int step = static_cast<int>(hn::Lanes(F32()));
  for (int c = begin / step * step; c < end; c += step) {
    int i = first;
    for (; i + 4 <= kVariables; i += 4) multiply_four(a, i, b, first, c, out);
    for (; i < kVariables; ++i) multiply_one(a, i, b, first, c, out);
  }
}

// Rows above k are not of the product and stay as they are.
void copy_rows(const Matrix& from, int k, Matrix& to) {
  for (int i = k; i < kVariables; ++i) std::copy_n(from.at[i], kMatrixStride, to.at[i]);
}

// Of four vectors of columns, whose sums go on beside each other.
HWY_INLINE void substitute_four(const Matrix& r, const Blocks& x, int c) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d));
  for (int i = kVariables - 1; i >= 0; --i) {
    float* const row = x.row(i) + c;
    auto r0 = hn::LoadU(d, row), r1 = hn::LoadU(d, row + step), r2 = hn::LoadU(d, row + 2 * step),
         r3 = hn::LoadU(d, row + 3 * step);
    for (int k = i + 1; k < kVariables; ++k) {
      const float* const known = x.row(k) + c;
      const auto factor = hn::Set(d, r.at[i][k]);
      r0 = hn::Sub(r0, hn::Mul(hn::LoadU(d, known), factor));
      r1 = hn::Sub(r1, hn::Mul(hn::LoadU(d, known + step), factor));
      r2 = hn::Sub(r2, hn::Mul(hn::LoadU(d, known + 2 * step), factor));
      r3 = hn::Sub(r3, hn::Mul(hn::LoadU(d, known + 3 * step), factor));
    }
    const auto pivot = hn::Set(d, r.at[i][i]);
    hn::StoreU(hn::Div(r0, pivot), d, row);
    hn::StoreU(hn::Div(r1, pivot), d, row + step);
    hn::StoreU(hn::Div(r2, pivot), d, row + 2 * step);
    hn::StoreU(hn::Div(r3, pivot), d, row + 3 * step);
  }
}

HWY_INLINE void substitute_one(const Matrix& r, const Blocks& x, int c) {
  const F32 d;
  for (int i = kVariables - 1; i >= 0; --i) {
    auto rest = hn::LoadU(d, x.row(i) + c);
    for (int k = i + 1; k < kVariables; ++k) {
      rest = hn::Sub(rest, hn::Mul(hn::LoadU(d, x.row(k) + c), hn::Set(d, r.at[i][k])));
    }
    hn::StoreU(hn::Div(rest, hn::Set(d, r.at[i][i])), d, x.row(i) + c);
  }
}

void substitute_back(const Matrix& r, const Blocks& x) {
  const int step = static_cast<int>(hn::Lanes(F32()));
  int c = 0;
  for (; c + 4 * step <= x.stride; c += 4 * step) substitute_four(r, x, c);
  for (; c < x.count; c += step) substitute_one(r, x, c);
}

bool solve(const Matrix& matrix, const Blocks& y, const Blocks& x) {
  Matrix z = matrix, q, p, product;
  make_identity(q);
  for (int k = 0; k + 1 < kVariables; ++k) {
    make_reflection(z, k, matrix.at[k][k], p);
    // Column k is not looked at again.
    multiply(p, in_of(z), k, k + 1, kVariables, out_of(product));
    copy_rows(product, k + 1, z);
    multiply(p, in_of(q), k, 0, kVariables, out_of(product));
    copy_rows(product, k, q);
  }
  Matrix r;
  multiply(q, in_of(matrix), 0, 0, kVariables, out_of(r));
  if (has_small_pivot(r)) return false;
  multiply(q, {y.data, y.stride}, 0, 0, y.count, {x.data, x.stride});
  substitute_back(r, x);
  return true;
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::speed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::speed, solve)
#endif  // HWY_ONCE
