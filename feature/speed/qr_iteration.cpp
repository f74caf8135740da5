#include "feature/speed/qr_iteration.h"

#include <cmath>

namespace vq::speed {
namespace {

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

float inverse_length(float t) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(1 + t * t)));
}

// That turns (x, z) to (length, 0).
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

}  // namespace

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

}  // namespace vq::speed
