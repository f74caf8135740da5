// How two videos lie against each other, in words.
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
// empty where there are none.
std::string changes_text(const Alignment& alignment);

// What to skip so that the first frames belong together, after what is skipped already.
struct Skips {
  int64_t reference = 0, distorted = 0;
};
Skips skips_for(int64_t shift, const Skips& now);

}  // namespace vq
