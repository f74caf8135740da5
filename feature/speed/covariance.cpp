#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/speed/covariance.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "feature/simd_targets.h"
#include "feature/speed/stages.h"

#if HWY_ONCE
namespace vq::speed {
namespace {

struct View {
  PlaneView<const float> plane;  // the first sample is that of the view
  float mean = 0;
};

float mean_of(PlaneView<const float> plane) {
  float sum = 0;
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) sum += plane.row(y)[x];
  }
  return sum / static_cast<float>(plane.width * plane.height);
}

double product_sum(const View& a, const View& b) {
  double sum = 0;
  for (int y = 0; y < a.plane.height; ++y) {
    const float *const row_a = a.plane.row(y), *const row_b = b.plane.row(y);
    for (int x = 0; x < a.plane.width; ++x) {
      sum += (static_cast<double>(row_a[x]) - static_cast<double>(a.mean)) *
             (static_cast<double>(row_b[x]) - static_cast<double>(b.mean));
    }
  }
  return sum;
}

}  // namespace

void scalar::covariance(PlaneView<const float> plane, Matrix& out) {
  HWY_DASSERT(plane.width >= kBlockSide && plane.height >= kBlockSide);
  const int width = plane.width - kBlockSide + 1, height = plane.height - kBlockSide + 1;
  View views[kVariables];
  for (int i = 0; i < kVariables; ++i) {
    const int row = i / kBlockSide, column = i % kBlockSide;
    views[i].plane = {plane.row(row) + column, width, height, plane.stride};
    views[i].mean = mean_of(views[i].plane);
  }
  for (int i = 0; i < kVariables; ++i) {
    for (int k = 0; k <= i; ++k) {
      out.at[i][k] = out.at[k][i] = static_cast<float>(product_sum(views[i], views[k]) / (width * height));
    }
  }
}

}  // namespace vq::speed
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::speed {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::covariance;
#else

namespace hn = hwy::HWY_NAMESPACE;

// Lanes are columns of views, or variables: at most as many as the guards of a row, and a padded variable, have room for.
using F32 = hn::CappedTag<float, 8>;
using F64 = hn::CappedTag<double, 8>;
using Doubles = hn::VFromD<F64>;

// Variables of a position, with room for the vector that begins with the last.
constexpr int kStride = 32;
// Positions that are centred at a time: they stay in the first cache.
constexpr int kChunk = 64;

struct Sums {
  alignas(kRowGuardBytes) double of[kVariables][kStride];
};
struct Centred {
  alignas(kRowGuardBytes) double at[kChunk][kStride];
};

// means[r * kStride + c] of view 5r + c; all lanes of a vector are columns that lie side by side.
void sum_views(PlaneView<const float> plane, float* means) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d));
  const int width = plane.width - kBlockSide + 1, height = plane.height - kBlockSide + 1;
  const auto count = hn::Set(d, static_cast<float>(width * height));
  for (int c = 0; c < kBlockSide; c += step) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0;
    for (int y = 0; y < height; ++y) {
      const float* const row = plane.row(y) + c;
      const ptrdiff_t next = plane.stride;
      for (int x = 0; x < width; ++x) {
        s0 = hn::Add(s0, hn::LoadU(d, row + x));
        s1 = hn::Add(s1, hn::LoadU(d, row + x + next));
        s2 = hn::Add(s2, hn::LoadU(d, row + x + 2 * next));
        s3 = hn::Add(s3, hn::LoadU(d, row + x + 3 * next));
        s4 = hn::Add(s4, hn::LoadU(d, row + x + 4 * next));
      }
    }
    hn::StoreU(hn::Div(s0, count), d, means + c);
    hn::StoreU(hn::Div(s1, count), d, means + kStride + c);
    hn::StoreU(hn::Div(s2, count), d, means + 2 * kStride + c);
    hn::StoreU(hn::Div(s3, count), d, means + 3 * kStride + c);
    hn::StoreU(hn::Div(s4, count), d, means + 4 * kStride + c);
  }
}

// The samples of all views at `count` positions from (x, y) on, less their means. What a vector has more than the columns of
// a view is overwritten by the next row's, or lies behind the last variable.
void centre(PlaneView<const float> plane, const float* means, int x, int y, int count, Centred& out) {
  const F64 d;
  const hn::Rebind<float, F64> narrow;
  const int step = static_cast<int>(hn::Lanes(d));
  for (int r = 0; r < kBlockSide; ++r) {
    const float* const row = plane.row(y + r) + x;
    for (int c = 0; c < kBlockSide; c += step) {
      const Doubles mean = hn::PromoteTo(d, hn::LoadU(narrow, means + r * kStride + c));
      for (int p = 0; p < count; ++p) {
        const Doubles sample = hn::PromoteTo(d, hn::LoadU(narrow, row + p + c));
        hn::StoreU(hn::Sub(sample, mean), d, &out.at[p][kBlockSide * r + c]);
      }
    }
  }
}

// Adds the products of the five variables from `first` on and those of one vector, at each position.
void add_products(const Centred& centred, int count, int first, int other, Sums& sums) {
  const F64 d;
  double* const out = &sums.of[first][other];
  Doubles s0 = hn::LoadU(d, out), s1 = hn::LoadU(d, out + kStride), s2 = hn::LoadU(d, out + 2 * kStride),
          s3 = hn::LoadU(d, out + 3 * kStride), s4 = hn::LoadU(d, out + 4 * kStride);
  for (int p = 0; p < count; ++p) {
    const double* const at = &centred.at[p][first];
    const Doubles others = hn::LoadU(d, &centred.at[p][other]);
    s0 = hn::Add(s0, hn::Mul(hn::Set(d, at[0]), others));
    s1 = hn::Add(s1, hn::Mul(hn::Set(d, at[1]), others));
    s2 = hn::Add(s2, hn::Mul(hn::Set(d, at[2]), others));
    s3 = hn::Add(s3, hn::Mul(hn::Set(d, at[3]), others));
    s4 = hn::Add(s4, hn::Mul(hn::Set(d, at[4]), others));
  }
  hn::StoreU(s0, d, out);
  hn::StoreU(s1, d, out + kStride);
  hn::StoreU(s2, d, out + 2 * kStride);
  hn::StoreU(s3, d, out + 3 * kStride);
  hn::StoreU(s4, d, out + 4 * kStride);
}

void covariance(PlaneView<const float> plane, Matrix& out) {
  HWY_DASSERT(plane.width >= kBlockSide && plane.height >= kBlockSide);
  const int width = plane.width - kBlockSide + 1, height = plane.height - kBlockSide + 1;
  const int step = static_cast<int>(hn::Lanes(F64()));
  alignas(kRowGuardBytes) float means[kBlockSide * kStride] = {};
  sum_views(plane, means);
  Sums sums = {};
  Centred centred = {};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; x += kChunk) {
      const int count = std::min(kChunk, width - x);
      centre(plane, means, x, y, count, centred);
      for (int first = 0; first < kVariables; first += kBlockSide) {
        for (int other = 0; other < first + kBlockSide; other += step) add_products(centred, count, first, other, sums);
      }
    }
  }
  for (int i = 0; i < kVariables; ++i) {
    for (int k = 0; k <= i; ++k) out.at[i][k] = out.at[k][i] = static_cast<float>(sums.of[i][k] / (width * height));
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::speed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::speed {
HWY_EXPORT(covariance);

Covariance simd::covariance_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(covariance), target);
}

}  // namespace vq::speed
#endif  // HWY_ONCE
