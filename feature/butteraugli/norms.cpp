#include "feature/butteraugli/norms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace vq::butteraugli {
namespace {

constexpr size_t kSamples = size_t{kTile} * kTile;
constexpr uint32_t kMantissaBits = 23, kLargestExponent = 254;
constexpr int kExponentOf1 = 127;

uint32_t exponent_of(float x) {
  return std::bit_cast<uint32_t>(x) >> kMantissaBits;
}

// 2^exponent, as far as doubles reach.
double power_of_2(int exponent) {
  constexpr int kLeast = -1022, kMost = 1023;
  return std::bit_cast<double>(static_cast<uint64_t>(std::clamp(exponent, kLeast, kMost) + kMost) << 52);
}

float halved_sum(std::array<float, kSamples>& values) {
  for (size_t half = kSamples / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) values[i] = values[i] + values[i + half];
  }
  return values[0];
}

// By halves as well, which vectors can do.
float largest_of(std::array<float, kSamples> values) {
  for (size_t half = kSamples / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) values[i] = values[i] < values[i + half] ? values[i + half] : values[i];
  }
  return values[0];
}

TileSums tile_sums(const std::array<float, kSamples>& samples) {
  TileSums sums;
  sums.maximum = largest_of(samples);
  if (sums.maximum == 0) return sums;
  const float scale = std::bit_cast<float>((kLargestExponent - exponent_of(sums.maximum)) << kMantissaBits);
  std::array<float, kSamples> squares, cubes, sixths, twelfths;
  for (size_t i = 0; i < kSamples; ++i) {
    const float scaled = samples[i] * scale, part = scaled < kLeastPart ? 0.0F : scaled;
    squares[i] = part * part;
    cubes[i] = squares[i] * part;
    sixths[i] = cubes[i] * cubes[i];
    const float sixth = sixths[i] < kLeastSixth ? 0.0F : sixths[i];
    twelfths[i] = sixth * sixth;
  }
  sums.squares = halved_sum(squares);
  sums.cubes = halved_sum(cubes);
  sums.sixths = halved_sum(sixths);
  sums.twelfths = halved_sum(twelfths);
  return sums;
}

}  // namespace

void sum_tiles(std::span<const float* const> rows, int width, std::span<TileSums> sums) {
  for (size_t tile = 0; tile < sums.size(); ++tile) {
    const int first = static_cast<int>(tile * kTile),
              count = std::min(static_cast<int>(kTile), width - first);
    std::array<float, kSamples> samples{};
    for (size_t y = 0; y < rows.size(); ++y) std::copy_n(rows[y] + first, count, samples.data() + y * kTile);
    sums[tile] = tile_sums(samples);
  }
}

double cube_root(double x) {
  if (x <= 0) return 0;
  // A first guess that is good to a tenth: the exponent divided by 3. Each step doubles the correct digits.
  constexpr uint64_t kExponentOf1Bits = std::bit_cast<uint64_t>(1.0);
  double r = std::bit_cast<double>(std::bit_cast<uint64_t>(x) / 3 + kExponentOf1Bits / 3 * 2);
  for (int i = 0; i < 6; ++i) r = r - (r - x / (r * r)) / 3;
  return r;
}

Figures figures_of(std::span<const TileSums> tiles, PlaneSize size) {
  Figures figures;
  double squares = 0, cubes = 0, sixths = 0, twelfths = 0;
  for (const TileSums& tile : tiles) {
    if (tile.maximum == 0) continue;
    figures.maximum = std::max(figures.maximum, static_cast<double>(tile.maximum));
    const int exponent = static_cast<int>(exponent_of(tile.maximum)) - kExponentOf1;
    squares += static_cast<double>(tile.squares) * power_of_2(2 * exponent);
    cubes += static_cast<double>(tile.cubes) * power_of_2(3 * exponent);
    sixths += static_cast<double>(tile.sixths) * power_of_2(6 * exponent);
    twelfths += static_cast<double>(tile.twelfths) * power_of_2(12 * exponent);
  }
  const double samples = static_cast<double>(size.width) * size.height;
  figures.norm2 = std::sqrt(squares / samples);
  figures.norm3 = cube_root(cubes / samples);
  const double norm6 = cube_root(std::sqrt(sixths / samples));
  const double norm12 = cube_root(std::sqrt(std::sqrt(twelfths / samples)));
  figures.three_norms = (figures.norm3 + norm6 + norm12) / 3;
  return figures;
}

}  // namespace vq::butteraugli
