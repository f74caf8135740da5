#define HWY_TARGET_INCLUDE "feature/speed/entropies.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/speed/speed.h"

#ifndef VQ_SPEED_ENTROPIES_ONCE
#define VQ_SPEED_ENTROPIES_ONCE
namespace vq::speed {
namespace {

// The eigenvalues of a symmetric tridiagonal matrix: a short chain of dependent operations, the same on all
// instruction sets.

struct Tridiagonal {
  float diagonal[kVariables] = {};
  float beside[kVariables - 1] = {};
};

constexpr double kNegligible = 1e-6;
constexpr int kMostSweeps = 500;

// Sets to 0 what is negligible beside the diagonal from a to b.
void chop(Tridiagonal& form, int a, int b) {
  const float* const d = form.diagonal;
  for (int i = a; i < b; ++i) {
    const float sum = std::abs(d[i]) + std::abs(d[i + 1]);
    if (static_cast<double>(std::abs(form.beside[i])) < kNegligible * static_cast<double>(sum))
      form.beside[i] = 0;
  }
}

// By cosine c and sine s.
struct Rotation {
  float c = 1, s = 0;
};

float inverse_length(float t) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(1 + t * t))); }

// The rotation that turns (x, z) to (length, 0).
Rotation rotation_of(float x, float z) {
  if (z == 0) return {};
  if (std::abs(z) > std::abs(x)) {
    const float t = -x / z, s = inverse_length(t);
    return {s * t, s};
  }
  const float t = -z / x, c = inverse_length(t);
  return {c, c * t};
}

// The eigenvalue of the block's last four elements that is nearer to the last one.
float shift_of(const Tridiagonal& form, int a, int b) {
  const float ta = form.diagonal[b - 1], tb = form.diagonal[b], t = form.beside[b - 1];
  const float half = (ta - tb) / 2, length = std::sqrt(half * half + t * t);
  float shift = tb - std::abs(t);
  if (half > 0) shift = tb - t * (t / (half + length));
  if (half < 0) shift = tb + t * (t / (-half + length));
  const float first = std::abs(form.diagonal[a]) + std::abs(form.beside[a]);
  return kNegligible * static_cast<double>(std::abs(shift)) > static_cast<double>(first) ? 0 : shift;
}

// One sweep over the block from a to b, two rows at a time: the bulge, in z, goes from its top to its bottom.
void sweep(Tridiagonal& form, int a, int b) {
  float *const d = form.diagonal + a, *const s = form.beside + a;
  const int n = b - a + 1;
  float x = d[0] - shift_of(form, a, b), z = s[0];
  float bk = 0, zk = 0, ap = d[0], bp = s[0], aq = d[1], bq = n > 2 ? s[1] : 0;
  for (int k = 0; k < n - 1; ++k) {
    const Rotation r = rotation_of(x, z);
    const float above = r.c * bk - r.s * zk;
    const float upper = r.c * (r.c * ap - r.s * bp) + r.s * (r.s * aq - r.c * bp);
    const float between = r.c * (r.s * ap + r.c * bp) - r.s * (r.s * bp + r.c * aq);
    const float lower = r.s * (r.s * ap + r.c * bp) + r.c * (r.s * bp + r.c * aq);
    const float bulge = -r.s * bq, below = r.c * bq;
    bk = between;
    zk = bulge;
    ap = lower;
    bp = below;
    if (k < n - 2) aq = d[k + 2];
    if (k < n - 3) bq = s[k + 2];
    d[k] = upper;
    if (k > 0) s[k - 1] = above;
    if (k < n - 2) s[k + 1] = bp;
    x = bk;
    z = zk;
  }
  d[n - 1] = ap;
  s[n - 2] = bk;
}

// QR iterations with implicit shifts, until nothing is beside the diagonal or there were 500. Each operation
// is rounded in the order in which it is written.
void iterate(Tridiagonal& form) {
  chop(form, 0, kVariables - 1);
  int b = kVariables - 1;
  for (int sweeps = 0; b > 0 && sweeps < kMostSweeps;) {
    if (form.beside[b - 1] == 0) {
      --b;
      continue;
    }
    int a = b - 1;
    while (a > 0 && form.beside[a - 1] != 0) --a;
    sweep(form, a, b);
    chop(form, a, b);
    ++sweeps;
  }
}

// The reflection 1 - tau v v' that makes a column of a symmetric matrix one of a tridiagonal one, with v 0 up
// to that column's diagonal and 1 below it.
struct Reflection {
  bool is_needed = false;
  float below = 0;  // the diagonal, afterwards
  float tau = 0;
  alignas(kRowGuardBytes) float v[kMatrixStride] = {};
};

// For column i, which is row i as well: of that, what is behind the diagonal still holds.
Reflection reflection(const float* row, int i) {
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
void complete(const Reflection& of, int m, float* x) {
  float product = 0;
  for (int j = m; j < kVariables; ++j) product += x[j] * of.v[j];
  const auto a = static_cast<float>(-0.5 * static_cast<double>(of.tau) * static_cast<double>(product));
  for (int j = m; j < kVariables; ++j) x[j] += a * of.v[j];
}

// `reflect(reflection, m, matrix)` applies a reflection to rows and columns from m on.
void find_eigenvalues(const Matrix& matrix, void (*reflect)(const Reflection&, int, Matrix&), float* values) {
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

float length_of(const float* v) {
  float squares = 0;
  for (int i = 0; i < kVariables; ++i) squares += v[i] * v[i];
  return std::sqrt(squares);
}

// The reflection 1 - 2vv' that makes column k of z, from row k on, a multiple of a unit vector. Only its rows
// and columns from k on are set: the others are those of the identity. `diagonal` is the matrix's own, before
// all reflections.
void make_reflection(const Matrix& z, int k, float diagonal, Matrix& p) {
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

void make_identity(Matrix& q) {
  q = {};
  for (int i = 0; i < kVariables; ++i) q.at[i][i] = 1;
}

bool has_small_pivot(const Matrix& r) {
  for (int i = 0; i < kVariables; ++i) {
    if (static_cast<double>(std::abs(r.at[i][i])) < kLeastPivot) return true;
  }
  return false;
}

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

void scalar::eigenvalues(const Matrix& matrix, float* values) { find_eigenvalues(matrix, reflect, values); }

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

void scalar::entropies(const float* eigenvalues, float sigma, const Blocks& y, const Blocks& x,
                       const BlockFigures& out) {
  for (int block = 0; block < y.count; ++block) {
    float variance = 0;
    for (int i = 0; i < kVariables; ++i) variance += x.row(i)[block] * y.row(i)[block] / kVariables;
    float entropy = 0;
    for (int i = 0; i < kVariables; ++i) {
      const float value = eigenvalues[i] >= 0 ? eigenvalues[i] : 0;
      const double bits = log2_of(static_cast<double>(value * variance + sigma)) + kGaussianEntropy;
      entropy = static_cast<float>(static_cast<double>(entropy) + bits);
    }
    out.variances[block] = variance;
    out.entropies[block] = entropy;
  }
}

}  // namespace vq::speed
#endif  // VQ_SPEED_ENTROPIES_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::speed::HWY_NAMESPACE {
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

void eigenvalues(const Matrix& matrix, float* values) { find_eigenvalues(matrix, reflect, values); }

// The right factor of a product, or its result: rows of whole vectors.
template <typename T>
struct Table {
  T* data;
  ptrdiff_t stride;
  T* row(int i) const { return data + i * stride; }
};
using TableIn = Table<const float>;
using TableOut = Table<float>;

TableIn in_of(const Matrix& matrix) { return {matrix.at[0], kMatrixStride}; }
TableOut out_of(Matrix& matrix) { return {matrix.at[0], kMatrixStride}; }

// Multiplies one vector of columns, four rows of a product at a time, so that four sums run side by side.
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

// Substitutes four vectors of columns, whose sums run side by side.
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

using F64 = hn::ScalableTag<double>;
using S64 = hn::RebindToSigned<F64>;
using HalfF32 = hn::Rebind<float, F64>;  // half a vector, so that its doubles are a whole one
using Doubles = hn::VFromD<F64>;

// log2_of(), operation by operation.
HWY_INLINE Doubles log2_of_all(Doubles x) {
  using namespace logarithm;
  const F64 d;
  const S64 di;
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<52>(hn::Sub(bits, hn::Set(di, static_cast<int64_t>(kLeastMantissa))));
  const Doubles m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(exponent)));
  const Doubles one = hn::Set(d, 1.0);
  const Doubles s = hn::Div(hn::Sub(m, one), hn::Add(m, one)), square = hn::Mul(s, s);
  Doubles sum = hn::Set(d, kSeries[kTerms - 1]);
  for (int i = kTerms - 2; i >= 0; --i) sum = hn::Add(hn::Mul(sum, square), hn::Set(d, kSeries[i]));
  const Doubles series = hn::Add(s, hn::Mul(s, hn::Mul(square, sum)));
  const Doubles finite = hn::Add(hn::ConvertTo(d, exponent), hn::Mul(hn::Set(d, kTwoOverLn2), series));
  const Doubles zero = hn::Zero(d), infinity = hn::Inf(d);
  const Doubles large = hn::IfThenElse(hn::Eq(x, infinity), x, finite);
  const Doubles small = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), hn::NaN(d));
  return hn::IfThenElse(hn::Gt(x, zero), large, small);
}

void entropies(const float* eigenvalues, float sigma, const Blocks& y, const Blocks& x,
               const BlockFigures& out) {
  const HalfF32 d;
  const F64 wide;
  const auto variables = hn::Set(d, static_cast<float>(kVariables)), noise = hn::Set(d, sigma);
  const Doubles of_gaussian = hn::Set(wide, kGaussianEntropy);
  for (int c = 0; c < y.count; c += static_cast<int>(hn::Lanes(d))) {
    auto variance = hn::Zero(d);
    for (int i = 0; i < kVariables; ++i) {
      const auto product = hn::Mul(hn::LoadU(d, x.row(i) + c), hn::LoadU(d, y.row(i) + c));
      variance = hn::Add(variance, hn::Div(product, variables));
    }
    auto entropy = hn::Zero(d);
    for (int i = 0; i < kVariables; ++i) {
      const auto value = hn::Set(d, eigenvalues[i] >= 0 ? eigenvalues[i] : 0.0F);
      const auto noisy = hn::Add(hn::Mul(value, variance), noise);
      const Doubles bits = hn::Add(log2_of_all(hn::PromoteTo(wide, noisy)), of_gaussian);
      entropy = hn::DemoteTo(d, hn::Add(hn::PromoteTo(wide, entropy), bits));
    }
    hn::StoreU(variance, d, out.variances + c);
    hn::StoreU(entropy, d, out.entropies + c);
  }
}

}  // namespace vq::speed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::speed, eigenvalues, solve, entropies)
#endif  // HWY_ONCE
