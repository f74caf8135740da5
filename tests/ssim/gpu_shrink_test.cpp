// The pass on the device against the stage's scalar version.
#include "feature/ssim/device.h"
#include "feature/ssim/plan.h"
#include "tests/support/gpu_test.h"

namespace vq::ssim::gpu {
namespace {

using namespace vq::test;

template <typename T>
void expect_scalar(const TestPlane<T>& luma, int bit_depth, int factor) {
  const int width = luma.content.width, height = luma.content.height;
  Scratch scratch(width);
  Canvas<float> expected(shrunk(width, factor), shrunk(height, factor));
  scalar::shrink({luma.view(), bit_depth}, factor, scratch, expected.view());
  const ShrinkPass pass(test_context(), luma.on_device, bit_depth, factor);
  vulkan::Recorder recorder(test_device());
  pass.record(recorder);
  pass.record_readback(recorder);
  run(recorder);
  ASSERT_TRUE(same_plane(std::as_const(expected).view(), pass.shrunk_picture()))
      << width << "x" << height << ", " << bit_depth << " bits, by " << factor;
}

// As in the stage's own test.
TEST(SsimGpuShrink, IsTheMeanOfABox) {
  constexpr uint8_t kLevels[4][4] = {{10, 20, 40, 90}, {30, 60, 80, 100}, {50, 70, 6, 8}, {1, 2, 3, 4}};
  const TestPlane<uint8_t> luma(4, 4, 1, [&](int x, int y) { return kLevels[y][x]; });
  const ShrinkPass pass(test_context(), luma.on_device, 8, 2);
  vulkan::Recorder recorder(test_device());
  pass.record(recorder);
  pass.record_readback(recorder);
  run(recorder);
  const Canvas<float> expected = vq::test::canvas_of<float>({{10, 30}, {40, 54}});
  EXPECT_TRUE(same_plane(expected.view(), pass.shrunk_picture()));
  EXPECT_GE(pass.bytes_read(), 16);
}

template <typename T>
void compare_with_scalar(int bit_depth) {
  for (const int factor : {2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 64}) {
    for (const int width : {factor, factor + 1, 66 + factor, 131, 37 * factor}) {
      std::minstd_rand random(static_cast<unsigned>(width * factor));
      const TestPlane<T> luma(width, factor + width % 11, static_cast<unsigned>(factor),
                              [&](int, int) { return random() >> 5 & ((1U << bit_depth) - 1); });
      expect_scalar(luma, bit_depth, factor);
    }
  }
}

TEST(SsimGpuShrink, EqualsScalar) {
  compare_with_scalar<uint8_t>(8);
  compare_with_scalar<uint16_t>(9);
  compare_with_scalar<uint16_t>(10);
  compare_with_scalar<uint16_t>(12);
  compare_with_scalar<uint16_t>(16);
}

// Where sums have the most bits and the fewest.
TEST(SsimGpuShrink, EqualsScalarAtBothEndsOfTheRange) {
  for (const int factor : {2, 3, 7, 8, 10, 63, 64}) {
    for (const unsigned large : {0U, 1U, 3U}) {
      std::minstd_rand random(factor + large);
      const TestPlane<uint16_t> luma(3 * factor, 2 * factor, 1, [&](int, int) {
        return random() % 3 < large ? 65535 - random() % 7 : random() % 2;
      });
      expect_scalar(luma, 16, factor);
    }
    const TestPlane<uint8_t> white(3 * factor, 2 * factor, 2, [](int, int) { return 255; });
    expect_scalar(white, 8, factor);
    const TestPlane<uint8_t> black(3 * factor, 2 * factor, 3, [](int, int) { return 0; });
    expect_scalar(black, 8, factor);
  }
}

// Every sample alone, so that each is rounded by itself, and not with others' carries.
TEST(SsimGpuShrink, RoundsEverySampleAsAFloat) {
  for (const int factor : {3, 6, 10}) {
    const int side = 256;  // boxes
    const TestPlane<uint16_t> words(side * factor, side * factor, 1, [&](int x, int y) {
      return x % factor == 0 && y % factor == 0 ? x / factor + side * (y / factor) : 0;
    });
    expect_scalar(words, 16, factor);
  }
}

TEST(SsimGpuShrink, BringsEveryFrameOfASlot) {
  const TestPlane<uint8_t> luma(100, 60, 4, [](int x, int y) { return x * 3 + y * 5; });
  const ShrinkPass pass(test_context(), luma.on_device, 8, 3);
  vulkan::Recorder recorder(test_device());
  pass.record(recorder);
  pass.record_readback(recorder);
  vulkan::CommandList list = recorder.finish();
  Scratch scratch(100);
  Canvas<float> expected(shrunk(100, 3), shrunk(60, 3));
  scalar::shrink({luma.view(), 8}, 3, scratch, expected.view());
  for (int i = 0; i < 2; ++i) {
    list.submit();
    list.wait(vq::test::kTestTimeout);
    EXPECT_TRUE(same_plane(std::as_const(expected).view(), pass.shrunk_picture()));
  }
}

}  // namespace
}  // namespace vq::ssim::gpu
