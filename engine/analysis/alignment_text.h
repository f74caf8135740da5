// Temporal alignment in words.
#pragma once

#include <optional>
#include <string>

#include "engine/analysis/alignment.h"

namespace vq {

// "+3", "0", "-2".
std::string shift_text(int64_t shift);
// "3 frames late", "1 frame early". Needs: shift != 0.
std::string lateness(int64_t shift);
// "2 frames dropped (before frame 9 and 18) and 1 repeated (before frame 30)", with the first few places;
// empty if there are none.
std::string changes_text(const Alignment& alignment);

// Frames to skip of each video so that the first ones match, in addition to those skipped already.
struct Skips {
  int64_t reference = 0, distorted = 0;
};
Skips skips_for(int64_t shift, const Skips& now);

}  // namespace vq
