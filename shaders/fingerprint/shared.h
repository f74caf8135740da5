// The numbers that the definition of the fingerprint consists of, and what its shader and the program that
// runs it agree on; docs/fingerprint.md says what they are for. Planes are those of shaders/common/shared.h.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::fingerprint::gpu {
#endif

// The place of a word: its column in the lowest bits, then its row, then its plane. Places of different words
// differ, whatever the size of the picture.
const uint kColumnBits = 13;
const uint kRowBits = 14;

// Factors and addends of the place in each lane: the first 32 bits of the fractional parts of the square
// roots of the first eight primes, the factors made odd.
const uint kFactor0 = 0x510E527Fu, kFactor1 = 0x9B05688Du, kFactor2 = 0x1F83D9ABu, kFactor3 = 0x5BE0CD19u;
const uint kOffset0 = 0x6A09E667u, kOffset1 = 0xBB67AE85u, kOffset2 = 0x3C6EF372u, kOffset3 = 0xA54FF53Au;

// The factors and shifts of the mixing function: Chris Wellons' "triple32".
const uint kMix0 = 0xED5AD4BBu, kMix1 = 0xAC4C1B51u, kMix2 = 0x31848BABu;
const uint kShift0 = 17, kShift1 = 11, kShift2 = 15, kShift3 = 14;

// One invocation mixes kVector neighbouring words in each of kRows rows, kGroupY rows apart; a work group
// this many such vectors by this many invocations.
const uint kVector = 4;
const uint kRows = 8;
const uint kGroupX = 32;
const uint kGroupY = 8;

struct PlaneSumsPush {
  uint words, height;  // words per row
  uint stride;         // between rows, in vectors
  uint plane;
  uint last_mask;  // the bits of a row's last word that are samples
  uint first_sum;  // index of this dispatch's first sum
};

#ifdef __cplusplus
}  // namespace vq::fingerprint::gpu
#endif
