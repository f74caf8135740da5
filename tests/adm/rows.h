// What tests of ADM's stages share: rows as stages take them, pictures as decoders hand them out, and all implementations.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/plane.h"
#include "feature/adm/stages.h"
#include "feature/simd_targets.h"

namespace vq::adm::test {

struct Implementation {
  std::string name;
  AdmStages stages;
};

// All that this machine can run, the scalar one first.
inline std::vector<Implementation> implementations() {
  std::vector<Implementation> found = {{"scalar", scalar_stages()}};
  for (const SimdTarget& target : allowed_simd_targets(0)) found.push_back({target.name, simd_stages(target.id)});
  return found;
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

// A picture of noise as decoders hand it out. Memory ends with the last sample, so that sanitizers see who reads on.
class Picture {
 public:
  Picture(PlaneSize size, int depth, unsigned seed) : size_(size), depth_(depth), stride_(size.width + 5) {
    const auto count = static_cast<size_t>(stride_ * (size.height - 1) + size.width);
    std::minstd_rand random(seed);
    bytes_.resize(depth > 8 ? 0 : count);
    words_.resize(depth > 8 ? count : 0);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) set(x, y, static_cast<int>(random() >> 7) & ((1 << depth) - 1));
    }
  }
  void set(int x, int y, int value) {
    const auto i = static_cast<size_t>(y * stride_ + x);
    if (depth_ > 8) {
      words_[i] = static_cast<uint16_t>(value);
    } else {
      bytes_[i] = static_cast<uint8_t>(value);
    }
  }
  int at(int x, int y) const {
    const auto i = static_cast<size_t>(y * stride_ + x);
    return depth_ > 8 ? words_[i] : bytes_[i];
  }
  void fill(int value) {
    for (int y = 0; y < size_.height; ++y) {
      for (int x = 0; x < size_.width; ++x) set(x, y, value);
    }
  }
  PlaneSize size() const { return size_; }
  int depth() const { return depth_; }
  Samples samples(int shift = 0) const {
    Samples samples{.view = {}, .shift = shift};
    if (depth_ > 8) {
      samples.view.u16 = {words_.data(), size_.width, size_.height, stride_};
    } else {
      samples.view.u8 = {bytes_.data(), size_.width, size_.height, stride_};
    }
    return samples;
  }

 private:
  PlaneSize size_;
  int depth_;
  ptrdiff_t stride_;
  std::vector<uint8_t> bytes_;
  std::vector<uint16_t> words_;
};

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
