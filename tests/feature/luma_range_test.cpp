#include "feature/luma_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "core/error.h"
#include "tests/support/decoded_plane.h"

namespace vq {
namespace {

VideoFormat video_of(int bit_depth, const char* name = "show.mkv") {
  VideoFormat video;
  video.name = name;
  video.bit_depth = bit_depth;
  return video;
}

Frame frame_of(const test::DecodedPlane& plane) {
  Frame frame;
  frame.luma() = plane.view();
  frame.index = 3;
  return frame;
}

std::string fault(const test::DecodedPlane& plane, int bit_depth) {
  try {
    require_luma_in_range(frame_of(plane), video_of(bit_depth));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(LumaRange, NamesTheFirstSampleThatIsBeyondTheDepth) {
  test::DecodedPlane plane = test::DecodedPlane(5, 4, 10).fill([](int, int) { return 1023; });
  EXPECT_EQ(fault(plane, 10), "");
  plane.set(3, 2, 1024);
  plane.set(4, 3, 5000);
  EXPECT_THAT(fault(plane, 10), ::testing::HasSubstr("luma sample 1024 at x=3, y=2 exceeds 1023, the maximum of 10-bit video"));
  EXPECT_THAT(fault(plane, 10), ::testing::HasSubstr("show.mkv"));
  EXPECT_THAT(fault(plane, 12), ::testing::HasSubstr("luma sample 5000 at x=4, y=3"));
  EXPECT_EQ(fault(plane, 16), "");
}

TEST(LumaRange, BytesHoldNothingElse) {
  EXPECT_EQ(fault(test::DecodedPlane(5, 4, 8).fill([](int, int) { return 255; }), 8), "");
}

// What a device found is looked for in the videos' order.
TEST(LumaRange, ASampleThatADeviceFoundIsNamed) {
  test::DecodedPlane plane = test::DecodedPlane(5, 4, 10).fill([](int, int) { return 1023; });
  const Frame good = frame_of(plane);
  const test::DecodedPlane other = test::DecodedPlane(5, 4, 10).fill([](int x, int y) { return 1000 + 10 * x + y; });
  const Frame bad = frame_of(other);
  const VideoFormat video = video_of(10), reference = video_of(10, "reference.mkv");
  const auto refusal = [](std::initializer_list<VideoFrame> frames) {
    try {
      refuse_luma(frames);
    } catch (const Error& error) {
      return std::pair(error.kind(), std::string(error.what()));
    }
  };
  const auto [kind, text] = refusal({{good, video}, {bad, reference}});
  EXPECT_EQ(kind, ErrorKind::kMismatch);
  EXPECT_THAT(text, ::testing::HasSubstr("reference.mkv: frame 3: luma sample 1030 at x=3, y=0"));
  EXPECT_THAT(refusal({{bad, video}, {bad, reference}}).second, ::testing::StartsWith("show.mkv: frame 3: "));
}

// Then it is the device that is wrong, and another may do better.
TEST(LumaRange, ASampleThatIsNotThereIsTheDevicesFault) {
  const test::DecodedPlane plane = test::DecodedPlane(5, 4, 10).fill([](int, int) { return 1023; });
  const VideoFormat video = video_of(10);
  try {
    refuse_luma({{frame_of(plane), video}});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBackend);
    EXPECT_THAT(error.what(), ::testing::StartsWith("show.mkv: frame 3: the device"));
  }
}

}  // namespace
}  // namespace vq
