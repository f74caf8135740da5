#include "tests/support/stage_test.h"

namespace vq::test {

std::vector<Size> stage_sizes() {
  std::vector<Size> sizes;
  for (const int width :
       {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 97, 127, 128, 129, 130}) {
    sizes.push_back({width, 1 + (width * 7) % 23});
  }
  sizes.insert(sizes.end(), {{216, 1}, {1, 216}, {300, 2}, {5, 180}, {257, 90}, {200, 131}});
  return sizes;
}

std::vector<Pattern> all_patterns() {
  return {Pattern::kNoise,    Pattern::kTwoLevels, Pattern::kSteps, Pattern::kRamp,
          Pattern::kExtremes, Pattern::kBorders,   Pattern::kFlat,  Pattern::kFlatWithDots};
}

std::string to_string(Pattern pattern) {
  constexpr const char* kNames[] = {
      "noise", "noise of 100 levels", "two levels", "steps", "ramp", "extremes", "borders",
      "flat",  "flat with dots"};
  return kNames[static_cast<size_t>(pattern)];
}

namespace {

int level_at(Pattern pattern, int x, int y, Size size, std::minstd_rand& random) {
  const bool edge = x == 0 || y == 0 || x == size.width - 1 || y == size.height - 1;
  const int noise = static_cast<int>(random() >> 4);
  switch (pattern) {
    case Pattern::kNoise:
      return noise;
    case Pattern::kNoiseOf100Levels:
      return 300 + noise % 100;
    case Pattern::kTwoLevels:
      return 200 + noise % 2;
    case Pattern::kSteps:
      return 120 + (x / 9 + y / 13) % 6;
    case Pattern::kRamp:
      return 64 + x / 3 + y / 17;
    case Pattern::kExtremes:
      return (x / 5 + y / 4) % 2 ? 0 : -1;
    case Pattern::kBorders:
      return edge ? 300 + noise % 5 : 300;
    case Pattern::kFlat:
      return 77;
    case Pattern::kFlatWithDots:
      return noise % 23 == 0 ? 402 + noise % 3 : 400;
  }
  return 0;
}

}  // namespace

Canvas<uint16_t> make_image(Pattern pattern, Size size, int max_level, unsigned seed) {
  std::minstd_rand random(seed * 77 + 5);
  const auto level = [&](int x, int y) {
    const int found = level_at(pattern, x, y, size, random);
    return found < 0 ? max_level : found % (max_level + 1);
  };
  return drawn<uint16_t>(size.width, size.height, level, seed + 1);
}

Canvas<uint8_t> make_mask(Size size, unsigned seed) {
  std::minstd_rand random(seed * 13 + 3);
  const auto is_set = [&](int x, int y) {
    const bool noise = (random() >> 5) % 4 != 0;
    const bool blob = (x / 11 + y / 7) % 3 != 0;
    return seed % 3 == 0 ? 1 : seed % 3 == 1 ? noise : blob;
  };
  return drawn<uint8_t>(size.width, size.height, is_set, seed + 2);
}

}  // namespace vq::test
