#include "feature/luma_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/decoded_plane.h"
#include "tests/support/expect_error.h"

namespace vq {
namespace {

VideoFormat video_of(int bit_depth, const char* name = "show.mkv") {
  return {.name = name, .bit_depth = bit_depth};
}

Frame frame_of(const test::DecodedPlane& plane) {
  return test::luma_frame(plane, 3);
}

void require(const test::DecodedPlane& plane, int bit_depth) {
  require_luma_in_range(frame_of(plane), video_of(bit_depth));
}

TEST(LumaRange, NamesTheFirstSampleThatIsBeyondTheDepth) {
  test::DecodedPlane plane = test::DecodedPlane(5, 4, 10).flat(1023);
  EXPECT_NO_THROW(require(plane, 10));
  plane.set(3, 2, 1024);
  plane.set(4, 3, 5000);
  test::expect_error(ErrorKind::kMismatch, {"show.mkv", "1024", "x=3, y=2", "1023", "10-bit"},
                     [&] { require(plane, 10); });
  test::expect_error(ErrorKind::kMismatch, {"5000", "x=4, y=3"}, [&] { require(plane, 12); });
  EXPECT_NO_THROW(require(plane, 16));
}

TEST(LumaRange, BytesHoldNothingElse) {
  EXPECT_NO_THROW(require(test::DecodedPlane(5, 4, 8).flat(255), 8));
}

// What a device found is looked for in the videos' order.
TEST(LumaRange, ASampleThatADeviceFoundIsNamed) {
  const test::DecodedPlane plane = test::DecodedPlane(5, 4, 10).flat(1023);
  const Frame good = frame_of(plane);
  const test::DecodedPlane other =
      test::DecodedPlane(5, 4, 10).fill([](int x, int y) { return 1000 + 10 * x + y; });
  const Frame bad = frame_of(other);
  const VideoFormat video = video_of(10), reference = video_of(10, "reference.mkv");
  test::expect_error(ErrorKind::kMismatch, {"reference.mkv: frame 3: ", "1030", "x=3, y=0"}, [&] {
    refuse_luma({{good, video}, {bad, reference}});
  });
  test::expect_error(ErrorKind::kMismatch, {"show.mkv: frame 3: "}, [&] {
    refuse_luma({{bad, video}, {bad, reference}});
  });
}

// Then it is the device that is wrong, and another may do better.
TEST(LumaRange, ASampleThatIsNotThereIsTheDevicesFault) {
  const test::DecodedPlane plane = test::DecodedPlane(5, 4, 10).flat(1023);
  const VideoFormat video = video_of(10);
  test::expect_error(ErrorKind::kBackend, {"show.mkv: frame 3: ", "device"}, [&] {
    refuse_luma({{frame_of(plane), video}});
  });
}

}  // namespace
}  // namespace vq
