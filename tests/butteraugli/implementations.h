// What the tests of Butteraugli's stages share.
#pragma once

#include "feature/butteraugli/butteraugli.h"
#include "tests/support/implementations.h"

namespace vq::butteraugli::test {

using Implementation = vq::test::Implementation<Stages>;

inline std::vector<Implementation> implementations() {
  return vq::test::all_implementations(scalar::kStages, simd::stages_for);
}

// Rows with margins, all of them noise: values of either sign, large, small and 0.
inline RowRing noise(int width, int rows, unsigned seed) {
  std::minstd_rand random(seed);
  RowRing ring(width, rows);
  for (int y = 0; y < rows; ++y) {
    for (int x = -kRowMargin; x < width + kRowMargin; ++x) {
      const float value = static_cast<float>(random() >> 3) / 134217728.0F - 1;
      const unsigned kind = random() % 8;
      ring.row(y)[x] = kind == 0 ? 0 : kind == 1 ? value * 1e-7F : kind == 2 ? value * 100 : value * 4;
    }
  }
  return ring;
}

inline std::vector<float> samples_of(const float* row, int width) { return {row, row + width}; }
// By their bits.
inline std::vector<uint32_t> bits_of(const float* row, int width) {
  std::vector<uint32_t> bits(static_cast<size_t>(width));
  std::memcpy(bits.data(), row, bits.size() * sizeof(uint32_t));
  return bits;
}

}  // namespace vq::butteraugli::test
