#define HWY_TARGET_INCLUDE "feature/speed/covariance.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/speed/speed.h"

#ifndef VQ_SPEED_COVARIANCE_ONCE
#define VQ_SPEED_COVARIANCE_ONCE
namespace vq::speed {

// A covariance from the sum of products over so many positions. Never smaller for a larger sum.
inline float covariance_from(double sum, int positions) { return static_cast<float>(sum / positions); }

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
      out.at[i][k] = out.at[k][i] = covariance_from(product_sum(views[i], views[k]), width * height);
    }
  }
}

}  // namespace vq::speed
#endif  // VQ_SPEED_COVARIANCE_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::speed::HWY_NAMESPACE {
// Sums of the products of all pairs of views of a plane, see scalar::covariance in feature/speed/speed.h, in
// some order. Views r and c further down and to the right overlap except for 4 rows and columns at their
// edges. So the positions are divided into 9 x 9 parts: four single rows, all those between and again four
// rows, and likewise columns. View 5r + c consists of the 5 x 5 parts from (r, c) on, and products of two
// views are products of the plane with itself at an offset of rows and columns: 42 sums over each part
// suffice, instead of 325 over each view.

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
inline int part_of(int i, int size) { return i < kReach ? i : i < size ? kReach : i - size + kReach + 1; }

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

// Lanes are columns of views, or variables: at most as many as the guards of a row, and a padded variable,
// have room for.
using CappedF32 = hn::CappedTag<float, 8>;
using CappedF64 = hn::CappedTag<double, 8>;
using CappedDoubles = hn::VFromD<CappedF64>;

// Variables of a position, with room for the vector that begins with the last.
constexpr int kStride = 32;
// Positions that are centred at a time: they stay in the first cache.
constexpr int kChunk = 64;
// Sums of smaller planes are added up in order: dividing them into parts would cost more.
constexpr int kLeastSide = 25;
// With more entries than these to be added up in order it takes no longer to do so with all.
constexpr size_t kMostOpen = 40;
static_assert(kLeastSide >= 2 * kReach);

struct Sums {
  alignas(kRowGuardBytes) double of[kVariables][kStride];
};
struct Centred {
  alignas(kRowGuardBytes) double at[kChunk][kStride];
};

// means[r * kStride + c] of view 5r + c; all lanes of a vector are columns that lie side by side.
void sum_views(PlaneView<const float> plane, float* means) {
  const CappedF32 d;
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

// The samples of all views at `count` positions from (x, y) on, less their means. What a vector has more than
// the columns of a view is overwritten by the next row's, or lies behind the last variable.
void centre(PlaneView<const float> plane, const float* means, int x, int y, int count, Centred& out) {
  const CappedF64 d;
  const hn::Rebind<float, CappedF64> narrow;
  const int step = static_cast<int>(hn::Lanes(d));
  for (int r = 0; r < kBlockSide; ++r) {
    const float* const row = plane.row(y + r) + x;
    for (int c = 0; c < kBlockSide; c += step) {
      const CappedDoubles mean = hn::PromoteTo(d, hn::LoadU(narrow, means + r * kStride + c));
      for (int p = 0; p < count; ++p) {
        const CappedDoubles sample = hn::PromoteTo(d, hn::LoadU(narrow, row + p + c));
        hn::StoreU(hn::Sub(sample, mean), d, &out.at[p][kBlockSide * r + c]);
      }
    }
  }
}

// Adds the products of the five variables from `first` on and those of one vector, at each position.
void add_products(const Centred& centred, int count, int first, int other, Sums& sums) {
  const CappedF64 d;
  double* const out = &sums.of[first][other];
  CappedDoubles s0 = hn::LoadU(d, out), s1 = hn::LoadU(d, out + kStride),
                s2 = hn::LoadU(d, out + 2 * kStride), s3 = hn::LoadU(d, out + 3 * kStride),
                s4 = hn::LoadU(d, out + 4 * kStride);
  for (int p = 0; p < count; ++p) {
    const double* const at = &centred.at[p][first];
    const CappedDoubles others = hn::LoadU(d, &centred.at[p][other]);
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

// Moments of a view, from sums in any order.
struct Moments {
  double sum = 0;     // of its samples less a constant
  double offset = 0;  // of its mean from that constant
  double length = 0;  // at least the root of the sum of its squares about its mean
};

// Position of an entry of the lower triangle.
struct Entry {
  int row = 0, column = 0;
};
class Entries {
 public:
  void add(Entry entry) { all_[count_++] = entry; }
  size_t size() const { return count_; }
  const Entry& operator[](size_t i) const { return all_[i]; }

 private:
  std::array<Entry, kVariables*(kVariables + 1) / 2> all_;
  size_t count_ = 0;
};

// Finds the entries of which sums in any order tell what they are. A sum of which every term takes part in n
// additions is within about n units of rounding of the true one, relative to the lengths of both views. Where
// both ends of what that leaves for the sum in the contract's order give one covariance, that is it. Returns
// the others.
Entries settle_entries(PlaneView<const float> plane, const float* means, Matrix& out) {
  const int width = plane.width - kReach, height = plane.height - kReach, positions = width * height;
  const double constant = static_cast<double>(means[0]);
  PartSums sums[kPartners];
  sum_parts(plane, constant, sums);
  Moments moments[kVariables];
  for (int i = 0; i < kVariables; ++i) {
    const int r = i / kBlockSide, c = i % kBlockSide;
    Moments& of = moments[i];
    of.sum = view_sum(sums[kPartners - 1], r, c);
    of.offset = static_cast<double>(means[r * kStride + c]) - constant;
    of.length =
        std::sqrt(view_sum(sums[partner_of(0, 0)], r, c)) + std::sqrt(positions) * std::abs(of.offset);
  }
  // Additions in lanes; and more than enough for all that is not an addition of products.
  const int additions =
      positions / static_cast<int>(hn::Lanes(CappedF64())) + height * (width / kStripWidth + 2);
  const double slack = (positions + additions + 100.0) * 0x1p-53;
  Entries open;
  for (int i = 0; i < kVariables; ++i) {
    for (int k = 0; k <= i; ++k) {
      const int r = k / kBlockSide, c = k % kBlockSide;
      const Moments &a = moments[i], &b = moments[k];
      const double products = view_sum(sums[partner_of(i / kBlockSide - r, i % kBlockSide - c)], r, c);
      const double sum = products - a.offset * b.sum - b.offset * a.sum + positions * a.offset * b.offset;
      const double error = slack * a.length * b.length;
      const float least = covariance_from(sum - error, positions),
                  most = covariance_from(sum + error, positions);
      out.at[i][k] = out.at[k][i] = least;
      if (std::bit_cast<uint32_t>(least) != std::bit_cast<uint32_t>(most)) open.add({i, k});
    }
  }
  return open;
}

// Samples of a view that follow each other, and the mean of all.
struct Part {
  const float* samples;
  double mean;
};

// Room for whole vectors in `out`; behind rows there are guards.
void multiply(const Part& a, const Part& b, int count, double* out) {
  const CappedF64 d;
  const hn::Rebind<float, CappedF64> narrow;
  const auto mean_a = hn::Set(d, a.mean), mean_b = hn::Set(d, b.mean);
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
    const CappedDoubles sample_a = hn::PromoteTo(d, hn::LoadU(narrow, a.samples + i)),
                        sample_b = hn::PromoteTo(d, hn::LoadU(narrow, b.samples + i));
    hn::StoreU(hn::Mul(hn::Sub(sample_a, mean_a), hn::Sub(sample_b, mean_b)), d, out + i);
  }
}

// Adds up some entries in the contract's order, kBeside of them at a time: each addition waits for the one
// before.
constexpr size_t kBeside = 4;
void add_in_order(PlaneView<const float> plane, const float* means, const Entries& entries, Matrix& out) {
  const int width = plane.width - kReach, height = plane.height - kReach;
  for (size_t first = 0; first < entries.size(); first += kBeside) {
    const float *a[kBeside], *b[kBeside];
    double mean_a[kBeside], mean_b[kBeside], sums[kBeside] = {};
    const auto start = [&](int variable, const float*& at, double& mean) {
      at = plane.row(variable / kBlockSide) + variable % kBlockSide;
      mean = static_cast<double>(means[variable / kBlockSide * kStride + variable % kBlockSide]);
    };
    const auto entry = [&](size_t k) { return entries[std::min(first + k, entries.size() - 1)]; };
    for (size_t k = 0; k < kBeside; ++k) {
      start(entry(k).row, a[k], mean_a[k]);
      start(entry(k).column, b[k], mean_b[k]);
    }
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; x += kChunk) {
        const ptrdiff_t from = y * plane.stride + x;
        const int count = std::min(kChunk, width - x);
        double products[kBeside][kChunk];
        for (size_t k = 0; k < kBeside; ++k)
          multiply({a[k] + from, mean_a[k]}, {b[k] + from, mean_b[k]}, count, products[k]);
        for (int i = 0; i < count; ++i) {
          for (size_t k = 0; k < kBeside; ++k) sums[k] += products[k][i];
        }
      }
    }
    for (size_t k = 0; k < kBeside; ++k) {
      const auto [i, j] = entry(k);
      out.at[i][j] = out.at[j][i] = covariance_from(sums[k], width * height);
    }
  }
}

// All entries, in the contract's order.
void add_all_in_order(PlaneView<const float> plane, const float* means, Matrix& out) {
  const int width = plane.width - kReach, height = plane.height - kReach;
  const int step = static_cast<int>(hn::Lanes(CappedF64()));
  Sums sums = {};
  Centred centred = {};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; x += kChunk) {
      const int count = std::min(kChunk, width - x);
      centre(plane, means, x, y, count, centred);
      for (int first = 0; first < kVariables; first += kBlockSide) {
        for (int other = 0; other < first + kBlockSide; other += step)
          add_products(centred, count, first, other, sums);
      }
    }
  }
  for (int i = 0; i < kVariables; ++i) {
    for (int k = 0; k <= i; ++k) out.at[i][k] = out.at[k][i] = covariance_from(sums.of[i][k], width * height);
  }
}

void covariance(PlaneView<const float> plane, Matrix& out) {
  HWY_DASSERT(plane.width >= kBlockSide && plane.height >= kBlockSide);
  alignas(kRowGuardBytes) float means[kBlockSide * kStride] = {};
  sum_views(plane, means);
  if (std::min(plane.width, plane.height) < kLeastSide) return add_all_in_order(plane, means, out);
  const Entries open = settle_entries(plane, means, out);
  if (open.size() > kMostOpen) return add_all_in_order(plane, means, out);
  add_in_order(plane, means, open, out);
}

}  // namespace vq::speed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::speed, covariance)
#endif  // HWY_ONCE
