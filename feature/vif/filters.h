// The scales of VIF and their filters.
#pragma once

#include <array>

#include "feature/words/filter.h"

namespace vq::vif {

inline constexpr int kScales = 4;

// Gaussians with a sigma of a fifth of their length, as the reference implementation rounds them.
inline constexpr std::array<WordFilter, kScales> kFilters = {{
    {8, {7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489}},
    {4, {14692, 12590, 7925, 3663, 1244}},
    {2, {26386, 16004, 3571}},
    {1, {43728, 10904}},
}};

}  // namespace vq::vif
