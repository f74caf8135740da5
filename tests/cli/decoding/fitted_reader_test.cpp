// Videos brought to another size or depth.
#include "cli/decoding/fitted_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

std::unique_ptr<FrameReader> opened(const std::string& clip, int planes) {
  return std::make_unique<FrameQueue>(options_for(clip_path(clip), 1, planes), FrameQueueLimits{});
}

Frame first_of(FrameReader& reader) {
  reader.start();
  return *reader.next([] { return false; });
}

int sample(const SampleView& view, int x, int y) {
  return view.is_u8() ? view.u8.row(y)[x] : view.u16.row(y)[x];
}

TEST(FittedReader, DepthIsAShiftToTheLeft) {
  const std::unique_ptr<FrameReader> plain = opened("sky_640x360_8b.mp4", 3);
  const Frame before = first_of(*plain);
  const std::unique_ptr<FrameReader> deep = fitted(opened("sky_640x360_8b.mp4", 3), {{640, 360}, 10}, 3);
  EXPECT_EQ(deep->info().format.bit_depth, 10);
  EXPECT_EQ(deep->source_info().format.bit_depth, 8);
  const Frame after = first_of(*deep);
  EXPECT_EQ(after.bit_depth, 10);
  for (size_t i = 0; i < kMaxPlanes; ++i) {
    ASSERT_EQ(after.planes[i].width(), before.planes[i].width());
    for (int y = 0; y < after.planes[i].height(); ++y) {
      for (int x = 0; x < after.planes[i].width(); ++x) {
        ASSERT_EQ(sample(after.planes[i], x, y), sample(before.planes[i], x, y) << 2) << i << ": " << x << ", " << y;
      }
    }
  }
}

// Twice the size and back is nearly what it was, in every plane, for each kernel and depth.
TEST(FittedReader, ScalesEveryPlane) {
  for (const char* clip : {"sky_640x360_8b.mp4", "sky_640x360_10b.mkv", "sky_640x360_444.mp4"}) {
    const std::unique_ptr<FrameReader> plain = opened(clip, 3);
    const VideoFormat format = plain->info().format;
    const Frame before = first_of(*plain);
    for (const ScaleKernel kernel : {ScaleKernel::kBicubic, ScaleKernel::kLanczos}) {
      const FittedFormat twice = {{1280, 720}, format.bit_depth, kernel}, once = {{640, 360}, format.bit_depth, kernel};
      const std::unique_ptr<FrameReader> reader = fitted(fitted(opened(clip, 3), twice, 3), once, 3);
      const Frame after = first_of(*reader);
      for (size_t i = 0; i < kMaxPlanes; ++i) {
        ASSERT_EQ(after.planes[i].width(), before.planes[i].width()) << clip;
        ASSERT_EQ(after.planes[i].height(), before.planes[i].height()) << clip;
        double sum = 0;
        for (int y = 0; y < after.planes[i].height(); ++y) {
          for (int x = 0; x < after.planes[i].width(); ++x) {
            sum += std::abs(sample(after.planes[i], x, y) - sample(before.planes[i], x, y));
          }
        }
        const double mean = sum / (after.planes[i].width() * after.planes[i].height()) / (1 << (format.bit_depth - 8));
        EXPECT_LT(mean, 1.5) << clip << ", plane " << i << ", " << to_string(kernel);
      }
    }
  }
}

TEST(FittedReader, LumaAloneStaysAlone) {
  const std::unique_ptr<FrameReader> reader = fitted(opened("sky_640x360_8b.mp4", 1), {{320, 180}, 8}, 1);
  const Frame frame = first_of(*reader);
  EXPECT_EQ(frame.planes[0].width(), 320);
  EXPECT_TRUE(frame.planes[1].empty());
}

// A picture of one value has that value at any size.
TEST(FittedReader, FlatStaysFlat) {
  const std::unique_ptr<FrameReader> plain = opened("flat_320x240_8b.mkv", 1);
  const int value = sample(first_of(*plain).planes[0], 0, 0);
  const std::unique_ptr<FrameReader> reader = fitted(opened("flat_320x240_8b.mkv", 1), {{417, 311}, 8}, 1);
  const Frame frame = first_of(*reader);
  for (int y = 0; y < 311; ++y) {
    for (int x = 0; x < 417; ++x) ASSERT_EQ(sample(frame.planes[0], x, y), value) << x << ", " << y;
  }
}

}  // namespace
}  // namespace vq::cli
