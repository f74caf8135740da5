// What tests of ADM's stages share: rows as stages take them, pictures as decoders hand them out, and all
// implementations.
#pragma once

#include "feature/adm/adm.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::adm::test {

using vq::test::DecodedPlane;
using vq::test::noise_plane;
using Implementation = vq::test::Implementation<Stages>;

inline std::vector<Implementation> implementations() {
  return vq::test::all_implementations(scalar::kStages, simd::stages_for);
}

// Rows with noise before and behind them, and canaries further away, where no stage has business.
template <typename T>
class Rows {
 public:
  Rows(int width, int count, unsigned seed = 1) : width_(width), plane_(width + kRowSlack, count) {
    std::minstd_rand random(seed);
    for (int y = 0; y < count; ++y) {
      for (int x = -2; x < width + kRowSlack; ++x) row(y)[x] = static_cast<T>(random() >> 7);
      each_canary([&](int x) { row(y)[x] = kCanary; });
    }
  }
  T* row(int y) { return plane_.row(y); }
  // Values from -most to most, near 0 more often than not.
  void fill(int y, int64_t most, unsigned seed) {
    std::minstd_rand random(seed);
    for (int x = 0; x < width_; ++x) {
      const int64_t limit = random() % 3 == 0 ? most : most >> (random() % 20);
      const int64_t wide = (static_cast<int64_t>(random()) << 20) ^ static_cast<int64_t>(random());
      row(y)[x] = static_cast<T>(wide % (2 * limit + 1) - limit);
    }
  }
  std::vector<T> values(int y, Span columns) {
    return std::vector<T>(row(y) + columns.first, row(y) + columns.end);
  }
  bool intact() {
    bool all = true;
    for (int y = 0; y < plane_.height(); ++y) each_canary([&](int x) { all = all && row(y)[x] == kCanary; });
    return all;
  }

 private:
  static constexpr T kCanary = static_cast<T>(0x5A5A);

  template <typename Visit>
  void each_canary(const Visit& visit) {
    for (int x = -8; x < -2; ++x) visit(x);
    for (int x = width_ + kRowSlack; x < width_ + kRowSlack + 8; ++x) visit(x);
  }

  int width_;
  Plane<T> plane_;
};

inline Samples samples(const DecodedPlane& picture, int shift = 0) {
  return {.view = picture.view(), .shift = shift};
}

// A scale of a picture of that size; of the finest, for samples of `depth` bits.
inline ScalePlan scale_plan(int scale, PlaneSize picture, const AdmOptions& options = {}, int depth = 8) {
  ScalePlan plan = make_scale_plan(options, scale, picture);
  if (scale == 0) plan.wavelet.vertical = depth;
  return plan;
}

// Three rows of detail from the first one on.
inline DetailRow detail_of(Rows<int32_t>& rows, int first = 0) {
  return {rows.row(first), rows.row(first + 1), rows.row(first + 2)};
}
// Five rows that a part takes: its signal, side and centre.
inline PartRow part_of(Rows<int32_t>& rows, int first = 0) {
  return {.signal = {rows.row(first), rows.row(first + 1), rows.row(first + 2)},
          .side = rows.row(first + 3),
          .centre = rows.row(first + 4)};
}
// Room for one.
inline constexpr int kPartRows = 5;

// The largest coefficients of a scale's bands.
inline constexpr int64_t kMost[] = {22930, 1491999999, 751999999, 751999999};

}  // namespace vq::adm::test
