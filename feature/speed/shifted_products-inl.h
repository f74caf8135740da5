// Sums of the products of all pairs of views of a plane, see Covariance in feature/speed/stages.h, in some
// order. Included once for each SIMD target.
// Views r and c further down and to the right overlap except for 4 rows and columns at their edges. So the
// positions are divided into 9 x 9 parts: four single rows, all those between and again four rows, and
// likewise columns. View 5r + c consists of the 5 x 5 parts from (r, c) on, and products of two views are
// products of the plane with itself at an offset of rows and columns: 42 sums over each part suffice, instead
// of 325 over each view.
#if defined(VQ_FEATURE_SPEED_SHIFTED_PRODUCTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_FEATURE_SPEED_SHIFTED_PRODUCTS_INL_H
#undef VQ_FEATURE_SPEED_SHIFTED_PRODUCTS_INL_H
#else
#define VQ_FEATURE_SPEED_SHIFTED_PRODUCTS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "feature/speed/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::speed {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kReach = kBlockSide - 1;  // of views, from the first
constexpr int kParts = 2 * kReach + 1;  // each way
constexpr int kStripWidth = 64;  // columns that are summed at once, which stay in the first-level cache
constexpr int kMostLanes = 8;

// The factor of a position: the sample at this offset in rows and columns, or 1.
struct Partner {
  int row = 0, column = 0;
};
constexpr int kOnes = kBlockSide;  // the row that holds them
constexpr int kPartners = kBlockSide + kReach * kParts + 1;
constexpr int kAtOnce = 7;  // partners whose sums go on beside each other
static_assert(kPartners % kAtOnce == 0);

constexpr std::array<Partner, kPartners> make_partners() {
  std::array<Partner, kPartners> all{};
  size_t count = 0;
  for (int row = 0; row < kBlockSide; ++row) {
    // Products are the same both ways.
    for (int column = row == 0 ? 0 : -kReach; column <= kReach; ++column) all[count++] = {row, column};
  }
  all[count] = {kOnes, 0};
  return all;
}
constexpr std::array<Partner, kPartners> kAllPartners = make_partners();

constexpr int partner_of(int row, int column) {
  return row == 0 ? column : kBlockSide + (row - 1) * kParts + column + kReach;
}

// For one partner: the sums over all parts, by row and column.
using PartSums = double[kParts][kParts];

// Some columns of a row and of those below, less a constant, with room for partners before and behind, and
// for whole vectors.
class Strip {
 public:
  static constexpr int kWidth = kReach + kStripWidth + kReach + kMostLanes;

  Strip() { std::fill_n(rows_[kOnes], kWidth, 1.0); }
  // The columns from x on, with zeros outside the plane.
  void read(PlaneView<const float> plane, int y, int x, double constant) {
    double* const out = rows_[y % kBlockSide];
    const int begin = std::max(0, kReach - x), end = std::min(kWidth, plane.width - x + kReach);
    std::fill_n(out, begin, 0.0);
    const float* const in = plane.row(y) + x - kReach;
    for (int i = begin; i < end; ++i) out[i] = static_cast<double>(in[i]) - constant;
    std::fill(out + std::max(end, 0), out + kWidth, 0.0);
  }
  // The value of the partner of row y's column x.
  const double* at(int y, Partner partner) const {
    return rows_[partner.row == kOnes ? kOnes : (y + partner.row) % kBlockSide] + kReach + partner.column;
  }

 private:
  alignas(kRowGuardBytes) double rows_[kBlockSide + 1][kWidth] = {};
};

// The part to which row or column i belongs; `size`: that of views.
inline int part_of(int i, int size) {
  return i < kReach ? i : i < size ? kReach : i - size + kReach + 1;
}

// Sums by lanes, of the columns between the edges.
using Lanes = double[kPartners][kMostLanes];
inline double sum_of(const double (&lanes)[kMostLanes]) {
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

inline void add_middle(const Strip& strip, int y, int count, Lanes& lanes) {
  const hn::CappedTag<double, kMostLanes> d;
  const int step = static_cast<int>(hn::Lanes(d));
  const double* const own = strip.at(y, {});
  for (size_t first = 0; first < kPartners; first += kAtOnce) {
    const double* other[kAtOnce];
    for (size_t k = 0; k < kAtOnce; ++k) other[k] = strip.at(y, kAllPartners[first + k]);
    double(*const to)[kMostLanes] = lanes + first;
    auto s0 = hn::LoadU(d, to[0]), s1 = hn::LoadU(d, to[1]), s2 = hn::LoadU(d, to[2]),
         s3 = hn::LoadU(d, to[3]), s4 = hn::LoadU(d, to[4]), s5 = hn::LoadU(d, to[5]),
         s6 = hn::LoadU(d, to[6]);
    for (int x = 0; x < count; x += step) {
      const auto samples =
          hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(count - x)), hn::LoadU(d, own + x));
      s0 = hn::MulAdd(samples, hn::LoadU(d, other[0] + x), s0);
      s1 = hn::MulAdd(samples, hn::LoadU(d, other[1] + x), s1);
      s2 = hn::MulAdd(samples, hn::LoadU(d, other[2] + x), s2);
      s3 = hn::MulAdd(samples, hn::LoadU(d, other[3] + x), s3);
      s4 = hn::MulAdd(samples, hn::LoadU(d, other[4] + x), s4);
      s5 = hn::MulAdd(samples, hn::LoadU(d, other[5] + x), s5);
      s6 = hn::MulAdd(samples, hn::LoadU(d, other[6] + x), s6);
    }
    hn::StoreU(s0, d, to[0]);
    hn::StoreU(s1, d, to[1]);
    hn::StoreU(s2, d, to[2]);
    hn::StoreU(s3, d, to[3]);
    hn::StoreU(s4, d, to[4]);
    hn::StoreU(s5, d, to[5]);
    hn::StoreU(s6, d, to[6]);
  }
}

// Four single columns, which are the parts from `part` on.
inline void add_edge(const Strip& strip, int y, int row_part, int part, PartSums* sums) {
  const double* const own = strip.at(y, {});
  for (size_t p = 0; p < kPartners; ++p) {
    const double* const other = strip.at(y, kAllPartners[p]);
    double* const to = sums[p][row_part] + part;
    for (int i = 0; i < kReach; ++i) to[i] += own[i] * other[i];
  }
}

// For a plane's samples less a constant. Rows below the plane's last are partners of no view. Needs: views of
// at least kReach rows and columns.
inline void sum_parts(PlaneView<const float> plane, double constant, PartSums* sums) {
  const int width = plane.width - kReach, height = plane.height - kReach;
  HWY_DASSERT(kReach <= width && kReach <= height);
  Strip strip;
  Lanes lanes[kParts] = {};
  const auto for_rows = [&](int x, const auto& add) {
    for (int y = 0; y < kReach; ++y) strip.read(plane, y, x, constant);
    for (int y = 0; y < plane.height; ++y) {
      if (y + kReach < plane.height) strip.read(plane, y + kReach, x, constant);
      add(y, part_of(y, height));
    }
  };
  std::fill_n(&sums[0][0][0], kPartners * kParts * kParts, 0.0);
  for_rows(0, [&](int y, int row_part) { add_edge(strip, y, row_part, 0, sums); });
  for_rows(width, [&](int y, int row_part) { add_edge(strip, y, row_part, kReach + 1, sums); });
  for (int x = kReach; x < width; x += kStripWidth) {
    const int count = std::min(kStripWidth, width - x);
    for_rows(x, [&](int y, int row_part) { add_middle(strip, y, count, lanes[row_part]); });
  }
  for (size_t p = 0; p < kPartners; ++p) {
    for (int part = 0; part < kParts; ++part) {
      sums[p][part][kReach] = sum_of(lanes[part][p]);
    }
  }
}

// Over the view that begins at row r, column c.
inline double view_sum(const PartSums& sums, int r, int c) {
  double sum = 0;
  for (int row = r; row < r + kBlockSide; ++row) {
    for (int column = c; column < c + kBlockSide; ++column) sum += sums[row][column];
  }
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace vq::speed
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET != HWY_SCALAR

#endif  // VQ_FEATURE_SPEED_SHIFTED_PRODUCTS_INL_H
