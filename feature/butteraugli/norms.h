// The figures of a map: its maximum and norms.
#pragma once

#include <cstdint>
#include <span>

#include "core/frame.h"
#include "shaders/butteraugli/constants.h"

namespace vq::butteraugli {

// The maximum of a tile of the map, and the sums of the second, third, sixth and twelfth powers of its
// samples, relative to a power of 2: the largest that is not above the maximum.
struct TileSums {
  float maximum = 0, squares = 0, cubes = 0, sixths = 0, twelfths = 0;
};

constexpr int tiles_across(int side) {
  return (side + static_cast<int>(kTile) - 1) / static_cast<int>(kTile);
}

// Sums up tiles of kTile x kTile samples that lie side by side. `rows` are the tiles' rows, up to kTile. The
// 256 samples of a tile, zeros beyond the picture, are added in halves: those 128 apart, in the order of
// rows, then those 64 apart, and so on. Needs: as many sums as tiles_across(width).
void sum_tiles(std::span<const float* const> rows, int width, std::span<TileSums> sums);

struct Figures {
  double maximum = 0;
  double three_norms = 0;  // the mean of the 3-norm, the 6-norm and the 12-norm
  double norm3 = 0, norm2 = 0;
};

// The figures of a map of that size, from its tiles, row after row.
Figures figures_of(std::span<const TileSums> tiles, PlaneSize size);

// The cube root to a unit or two of the last place, with the same bits on all machines. Needs: x >= 0.
double cube_root(double x);

}  // namespace vq::butteraugli
