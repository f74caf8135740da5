#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/speed/eigenvalues.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "feature/simd_targets.h"
#include "feature/speed/qr_iteration.h"
#include "feature/speed/stages.h"

#ifndef VQ_SPEED_EIGENVALUES_ONCE
#define VQ_SPEED_EIGENVALUES_ONCE
namespace vq::speed {

// What makes a column of a symmetric matrix one of a tridiagonal one: the reflection 1 - tau v v', with v 0
// up to that column's diagonal and 1 below it.
struct Reflection {
  bool is_needed = false;
  float below = 0;  // the diagonal, afterwards
  float tau = 0;
  alignas(kRowGuardBytes) float v[kMatrixStride] = {};
};

// For column i, which is row i as well: of that, what is behind the diagonal still holds.
inline Reflection reflection(const float* row, int i) {
  const int m = i + 1;
  Reflection found;
  found.below = row[m];
  float squares = 0;
  for (int r = m + 1; r < kVariables; ++r) squares += row[r] * row[r];
  const float rest = std::sqrt(squares);
  if (rest == 0) return found;
  const float alpha = row[m], length = std::sqrt(alpha * alpha + rest * rest);
  const float beta = alpha >= 0 ? -length : length;
  found.tau = (beta - alpha) / beta;
  if (found.tau == 0) return found;
  found.is_needed = true;
  found.below = beta;
  for (int r = m + 1; r < kVariables; ++r) found.v[r] = row[r] / (alpha - beta);
  found.v[m] = 1;
  return found;
}

// x += a * v, with a chosen so that both sides of the matrix are reflected at once.
inline void complete(const Reflection& of, int m, float* x) {
  float product = 0;
  for (int j = m; j < kVariables; ++j) product += x[j] * of.v[j];
  const auto a = static_cast<float>(-0.5 * static_cast<double>(of.tau) * static_cast<double>(product));
  for (int j = m; j < kVariables; ++j) x[j] += a * of.v[j];
}

// `reflect(reflection, m, matrix)` applies a reflection to rows and columns from m on.
inline void find_eigenvalues(const Matrix& matrix, void (*reflect)(const Reflection&, int, Matrix&),
                             float* values) {
  Matrix a = matrix;
  Tridiagonal form;
  for (int i = 0; i < kVariables - 2; ++i) {
    const Reflection of = reflection(a.at[i], i);
    if (of.is_needed) reflect(of, i + 1, a);
    form.beside[i] = of.below;
  }
  form.beside[kVariables - 2] = a.at[kVariables - 2][kVariables - 1];
  for (int i = 0; i < kVariables; ++i) form.diagonal[i] = a.at[i][i];
  iterate(form);
  std::copy_n(form.diagonal, kVariables, values);
}

}  // namespace vq::speed
#endif  // VQ_SPEED_EIGENVALUES_ONCE

#if HWY_ONCE
namespace vq::speed {
namespace {

// Applies the reflection to rows and columns from m on.
void reflect(const Reflection& of, int m, Matrix& a) {
  float x[kVariables] = {};
  for (int j = m; j < kVariables; ++j) {
    for (int i = m; i < kVariables; ++i) x[i] += (of.tau * a.at[j][i]) * of.v[j];
  }
  complete(of, m, x);
  for (int i = m; i < kVariables; ++i) {
    for (int j = m; j < kVariables; ++j) a.at[i][j] -= x[i] * of.v[j] + of.v[i] * x[j];
  }
}

}  // namespace

void scalar::eigenvalues(const Matrix& matrix, float* values) {
  find_eigenvalues(matrix, reflect, values);
}

}  // namespace vq::speed
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::speed {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::eigenvalues;
#else

namespace hn = hwy::HWY_NAMESPACE;
using F32 = hn::ScalableTag<float>;

// Lanes are columns from the vector on in which m is; what is in front of m changes as well and is never read
// again, since there v is 0 and the form was taken from it.
void reflect(const Reflection& of, int m, Matrix& a) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d)), start = m / step * step;
  alignas(kRowGuardBytes) float x[kMatrixStride] = {};
  const auto tau = hn::Set(d, of.tau);
  for (int c = start; c < kVariables; c += step) {
    auto sum = hn::Zero(d);
    for (int j = m; j < kVariables; ++j) {
      sum = hn::Add(sum, hn::Mul(hn::Mul(tau, hn::Load(d, a.at[j] + c)), hn::Set(d, of.v[j])));
    }
    hn::Store(sum, d, x + c);
  }
  complete(of, m, x);
  for (int i = m; i < kVariables; ++i) {
    const auto xi = hn::Set(d, x[i]), vi = hn::Set(d, of.v[i]);
    for (int c = start; c < kVariables; c += step) {
      const auto change = hn::Add(hn::Mul(xi, hn::Load(d, of.v + c)), hn::Mul(vi, hn::Load(d, x + c)));
      hn::Store(hn::Sub(hn::Load(d, a.at[i] + c), change), d, a.at[i] + c);
    }
  }
}

void eigenvalues(const Matrix& matrix, float* values) {
  find_eigenvalues(matrix, reflect, values);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::speed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::speed, eigenvalues)
#endif  // HWY_ONCE
