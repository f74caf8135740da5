#include "feature/luma_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/luma_plane.h"

namespace vq {
namespace {

std::string fault(const test::LumaPlane& plane, int bit_depth) {
  VideoFormat video;
  video.name = "show.mkv";
  video.bit_depth = bit_depth;
  Frame frame;
  frame.luma() = plane.view();
  frame.index = 3;
  try {
    require_luma_in_range(frame, video);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(LumaRange, NamesTheFirstSampleThatIsBeyondTheDepth) {
  test::LumaPlane plane = test::LumaPlane(5, 4, 10).fill([](int, int) { return 1023; });
  EXPECT_EQ(fault(plane, 10), "");
  plane.set(3, 2, 1024);
  plane.set(4, 3, 5000);
  EXPECT_THAT(fault(plane, 10), ::testing::HasSubstr("luma sample 1024 at x=3, y=2 exceeds 1023, the maximum of 10-bit video"));
  EXPECT_THAT(fault(plane, 10), ::testing::HasSubstr("show.mkv"));
  EXPECT_THAT(fault(plane, 12), ::testing::HasSubstr("luma sample 5000 at x=4, y=3"));
  EXPECT_EQ(fault(plane, 16), "");
}

TEST(LumaRange, BytesHoldNothingElse) {
  EXPECT_EQ(fault(test::LumaPlane(5, 4, 8).fill([](int, int) { return 255; }), 8), "");
}

}  // namespace
}  // namespace vq
