// Shared by the shaders of the bounds and the program that runs them; planes are those of
// shaders/common/shared.h.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::bounds {
#endif

// count_non_black: one invocation examines kVector neighbouring samples in each of kRows rows, kGroupY rows
// apart; a work group, this many such vectors by this many invocations, examines a tile.
const uint kVector = 8;
const uint kRows = 8;
const uint kGroupX = 32;
const uint kGroupY = 8;
const uint kTileWidth = kVector * kGroupX;
const uint kTileHeight = kRows * kGroupY;

// Specialization constant 0: bytes per sample.
struct CountLitPush {
  uint width, height;
  uint stride;  // bytes
  uint black;
};

// active_area: one work group of this many invocations.
const uint kAreaGroup = 256;

struct ActiveAreaPush {
  uint width, height;
  uint row_limit, column_limit;
};

// ActiveArea of feature/active_area.h.
struct Area {
  uint left, top, right, bottom;
};

#ifdef __cplusplus
}  // namespace vq::bounds
#endif
