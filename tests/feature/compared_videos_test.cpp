#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feature/metric_type.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/expect_error.h"

namespace vq {
namespace {

VideoFormats video_pair(const VideoFormat& distorted, const VideoFormat& reference) {
  return {distorted, reference};
}

const VideoFormat kEncode{
    .name = "show.mkv", .width = 640, .height = 360, .bit_depth = 8, .chroma = Chroma::k420};
const VideoFormat kMaster{
    .name = "master.mov", .width = 640, .height = 360, .bit_depth = 12, .chroma = Chroma::k422};

using vq::test::expect_error;

TEST(ComparedVideos, AreBroughtToTheDeeperOfTheirDepths) {
  const ComparedVideos videos = compared_videos("sharpness", video_pair(kEncode, kMaster));
  EXPECT_EQ(videos.size, (PlaneSize{640, 360}));
  EXPECT_EQ(videos.bit_depth, 12);
  EXPECT_EQ(videos.distorted_shift, 4);
  EXPECT_EQ(videos.reference_shift, 0);
  EXPECT_EQ(compared_videos("sharpness", video_pair(kMaster, kEncode)).reference_shift, 4);
  EXPECT_EQ(compared_videos("sharpness", video_pair(kEncode, kEncode)).bit_depth, 8);
}

TEST(ComparedVideos, AreTwo) {
  expect_error(ErrorKind::kUsage, {"sharpness", "reference"}, [] {
    compared_videos("sharpness", {kEncode, {}});
  });
}

TEST(ComparedVideos, AreOfOneSize) {
  VideoFormat narrower = kMaster, lower = kMaster;
  narrower.width = 639;
  lower.height = 2;
  expect_error(ErrorKind::kMismatch, {"show.mkv is 640x360", "master.mov is 639x360", "sharpness"},
               [&] { compared_videos("sharpness", video_pair(kEncode, narrower)); });
  expect_error(ErrorKind::kMismatch, {"640x2"},
               [&] { compared_videos("sharpness", video_pair(kEncode, lower)); });
}

TEST(ComparedVideos, MayNeedChromaOfOneSampling) {
  EXPECT_NO_THROW(require_same_chroma("sharpness", video_pair(kEncode, kEncode)));
  expect_error(ErrorKind::kMismatch, {"show.mkv is 4:2:0", "master.mov is 4:2:2", "sharpness"},
               [] { require_same_chroma("sharpness", video_pair(kEncode, kMaster)); });
  expect_error(ErrorKind::kMismatch, {"4:2:0", "4:2:2", "sharpness", "luma_only=true"},
               [] { require_same_chroma("sharpness", video_pair(kEncode, kMaster), "luma_only=true"); });
}

TEST(ComparedVideos, MayNeedChroma) {
  VideoFormat grey = kMaster;
  grey.chroma = Chroma::k400;
  EXPECT_NO_THROW(require_chroma("sharpness", video_pair(kEncode, kMaster)));
  for (const VideoFormats& videos : {video_pair(kEncode, grey), video_pair(grey, kEncode)}) {
    expect_error(ErrorKind::kMismatch, {"master.mov", "4:0:0", "sharpness"},
                 [&] { require_chroma("sharpness", videos); });
  }
}

TEST(ComparedVideos, MayNeedSidesOfSomeLength) {
  EXPECT_NO_THROW(require_sides("sharpness", video_pair(kEncode, kEncode), 360));
  expect_error(ErrorKind::kMismatch, {"show.mkv is 640x360", "sharpness", "361"},
               [] { require_sides("sharpness", video_pair(kEncode, kEncode), 361); });
}

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
