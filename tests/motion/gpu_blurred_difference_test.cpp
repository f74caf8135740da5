// The pass on the device, as an implementation for blurred_difference_test.cpp, and what it says besides.
#include "feature/motion/motion.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::motion::gpu {
namespace {

using namespace vq::test;

struct Found {
  uint64_t difference = 0;
  bool has_excess = false;
};

Found found_of(const Pictures& pictures) {
  const vulkan::DevicePlane before = to_device(pictures.before), now = to_device(pictures.now);
  vulkan::Results sums;
  const std::array passes = {BlurredDifferencePass(test_context(), {before, now, pictures.bit_depth}, sums)};
  run(sums, passes);
  return {passes[0].difference(), passes[0].has_excess()};
}

uint64_t blurred_difference(const Pictures& pictures, Rows&) {
  const Found found = found_of(pictures);
  EXPECT_FALSE(found.has_excess);
  return found.difference;
}
[[maybe_unused]] const bool kIsAdded = add_implementation("device", &blurred_difference);

// Wherever it is, but not behind a row, where there is noise; in the picture before it was told of already.
TEST(MotionGpuBlurredDifference, TellsOfASampleBeyondItsDepth) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 18}, {6, 1}, {6, 18}, {250, 1}, {250, 18}}) {
    DecodedPlane fine(width, height, 10);
    fine.fill([](int x, int y) { return (x * 7 + y) & 1023; });
    const auto has_excess = [&](const DecodedPlane& before, const DecodedPlane& now, int bit_depth) {
      return found_of({before.view(), now.view(), bit_depth}).has_excess;
    };
    EXPECT_FALSE(has_excess(fine, fine, 10));
    for (const int x : {0, width / 2, width - 1}) {
      for (const int y : {0, height / 2, height - 1}) {
        DecodedPlane spoilt = DecodedPlane(width, height, 10).flat(1023);
        spoilt.set(x, y, 1024);
        EXPECT_TRUE(has_excess(fine, spoilt, 10)) << x << ", " << y << " of " << width << "x" << height;
        EXPECT_FALSE(has_excess(spoilt, fine, 10));
        EXPECT_FALSE(has_excess(fine, spoilt, 11));
      }
    }
  }
}

}  // namespace
}  // namespace vq::motion::gpu
