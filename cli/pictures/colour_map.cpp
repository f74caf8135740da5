#include "cli/pictures/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vq::cli {
namespace {

// Evenly spaced samples of the map, interpolated linearly.
constexpr std::array<Colour, 10> kInferno = {{{0x00, 0x00, 0x04},
                                              {0x1B, 0x0C, 0x41},
                                              {0x4A, 0x0C, 0x6B},
                                              {0x78, 0x1C, 0x6D},
                                              {0xA5, 0x2C, 0x60},
                                              {0xCF, 0x44, 0x46},
                                              {0xED, 0x69, 0x25},
                                              {0xFB, 0x9B, 0x06},
                                              {0xF7, 0xD1, 0x3D},
                                              {0xFC, 0xFF, 0xA4}}};
constexpr double kDarkestUsed = 1.0 / 3.0;
constexpr double kFullCover = 0.6;
constexpr double kCoveredFrom = 1.0 / 8;  // shares from here on have the full cover

}  // namespace

Colour score_colour(double share) {
  const double inside = std::clamp(share, 0.0, 1.0);
  const double position = (kDarkestUsed + (1 - kDarkestUsed) * inside) * (kInferno.size() - 1);
  const auto below = std::min(static_cast<size_t>(position), kInferno.size() - 2);
  return blend(kInferno[below], kInferno[below + 1], position - static_cast<double>(below));
}

double score_cover(double share) {
  return kFullCover * std::clamp(share / kCoveredFrom, 0.0, 1.0);
}

}  // namespace vq::cli
