// Videos brought to another size or depth.
#include "cli/decoding/fitted_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/decoding/frame_fitter.h"
#include "core/error.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

std::unique_ptr<FrameReader> opened(const std::string& clip, int planes) {
  return std::make_unique<FrameQueue>(options_for(clip_path(clip), 1, planes), FrameQueueLimits{});
}

Frame first_of(FrameReader& reader) {
  reader.start();
  return *reader.next({});
}

int sample(const SampleView& view, int x, int y) {
  return view.is_u8() ? view.u8.row(y)[x] : view.u16.row(y)[x];
}

TEST(FittedReader, DepthIsAShiftToTheLeft) {
  const std::unique_ptr<FrameReader> plain = opened("sky_640x360_8b.mp4", 3);
  const Frame before = first_of(*plain);
  const std::unique_ptr<FrameReader> deep = fitted(opened("sky_640x360_8b.mp4", 3), {.least_bits = 10}, 3);
  EXPECT_EQ(deep->info().format.bit_depth, 10);
  EXPECT_EQ(deep->source_info().format.bit_depth, 8);
  const Frame after = first_of(*deep);
  EXPECT_EQ(after.bit_depth, 10);
  for (size_t i = 0; i < kMaxPlanes; ++i) {
    ASSERT_EQ(after.planes[i].width(), before.planes[i].width());
    for (int y = 0; y < after.planes[i].height(); ++y) {
      for (int x = 0; x < after.planes[i].width(); ++x) {
        ASSERT_EQ(sample(after.planes[i], x, y), sample(before.planes[i], x, y) << 2)
            << i << ": " << x << ", " << y;
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
      const Fitting twice = {.size = {1280, 720}, .kernel = kernel},
                    once = {.size = {640, 360}, .kernel = kernel};
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
        const double mean =
            sum / (after.planes[i].width() * after.planes[i].height()) / (1 << (format.bit_depth - 8));
        EXPECT_LT(mean, 1.5) << clip << ", plane " << i << ", " << to_string(kernel);
      }
    }
  }
}

TEST(FittedReader, LumaAloneStaysAlone) {
  const std::unique_ptr<FrameReader> reader =
      fitted(opened("sky_640x360_8b.mp4", 1), {.size = {320, 180}}, 1);
  const Frame frame = first_of(*reader);
  EXPECT_EQ(frame.planes[0].width(), 320);
  EXPECT_TRUE(frame.planes[1].empty());
}

// A picture of one value has that value at any size.
TEST(FittedReader, FlatStaysFlat) {
  const std::unique_ptr<FrameReader> plain = opened("flat_320x240_8b.mkv", 1);
  const int value = sample(first_of(*plain).planes[0], 0, 0);
  const std::unique_ptr<FrameReader> reader =
      fitted(opened("flat_320x240_8b.mkv", 1), {.size = {417, 311}}, 1);
  const Frame frame = first_of(*reader);
  for (int y = 0; y < 311; ++y) {
    for (int x = 0; x < 417; ++x) ASSERT_EQ(sample(frame.planes[0], x, y), value) << x << ", " << y;
  }
}

// By the formulas of ITU-R BT.2100, rounded; tops and bottoms, and what is above any of them.
TEST(FrameFitter, FullRangeBecomesLimited) {
  struct Case {
    int bits, to_bits;
    uint16_t sample, luma, chroma;
  };
  const Case cases[] = {{8, 8, 0, 16, 16},           {8, 8, 255, 235, 240},   {8, 8, 128, 126, 128},
                        {8, 10, 255, 940, 958},      {8, 10, 1, 67, 66},      {10, 10, 0, 64, 64},
                        {10, 10, 1023, 940, 960},    {10, 10, 512, 502, 512}, {10, 12, 1023, 3760, 3838},
                        {10, 10, 1024, 65535, 65535}};
  for (const Case& c : cases) {
    SCOPED_TRACE(std::to_string(c.bits) + " to " + std::to_string(c.to_bits) +
                 " bits: " + std::to_string(c.sample));
    const VideoFormat format{
        .name = "full", .width = 2, .height = 2, .bit_depth = c.bits, .range = Range::kFull};
    const Fitting fitting{.least_bits = c.to_bits, .limits_range = true};
    Frame frame;
    frame.bit_depth = c.bits;
    Plane<uint16_t> deep(2, 2);
    Plane<uint8_t> shallow(2, 2);
    for (int y = 0; y < 2; ++y) {
      std::fill_n(deep.row(y), 2, c.sample);
      std::fill_n(shallow.row(y), 2, static_cast<uint8_t>(c.sample));
    }
    for (SampleView& plane : frame.planes) {
      if (c.bits > 8) {
        plane.u16 = deep.view();
      } else {
        plane.u8 = shallow.view();
      }
    }
    const Frame fitted = make_frame_fitter(format, fitting, 3)->fit(frame);
    EXPECT_EQ(fitted.bit_depth, c.to_bits);
    EXPECT_EQ(sample(fitted.planes[0], 1, 1), c.luma);
    EXPECT_EQ(sample(fitted.planes[2], 0, 0), c.chroma);
  }
}

}  // namespace
}  // namespace vq::cli
