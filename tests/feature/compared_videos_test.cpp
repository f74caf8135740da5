#include "feature/compared_videos.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/error.h"

namespace vq {
namespace {

InputFormats video_pair(const VideoFormat& distorted, const VideoFormat& reference) {
  return {distorted, reference};
}

const VideoFormat kEncode{
    .name = "show.mkv", .width = 640, .height = 360, .bit_depth = 8, .chroma = Chroma::k420};
const VideoFormat kMaster{
    .name = "master.mov", .width = 640, .height = 360, .bit_depth = 12, .chroma = Chroma::k422};

struct Refusal {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message = {};
  bool operator==(const Refusal&) const = default;
};

// Nothing where nothing was thrown.
Refusal refusal_of(const std::function<void()>& check) {
  try {
    check();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {};
}

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
  EXPECT_EQ(refusal_of([] {
              compared_videos("sharpness", {kEncode, {}});
            }),
            (Refusal{ErrorKind::kUsage, "sharpness compares a video with its reference, and there is none"}));
}

TEST(ComparedVideos, AreOfOneSize) {
  VideoFormat narrower = kMaster, lower = kMaster;
  narrower.width = 639;
  lower.height = 2;
  EXPECT_EQ(refusal_of([&] { compared_videos("sharpness", video_pair(kEncode, narrower)); }),
            (Refusal{ErrorKind::kMismatch,
                     "show.mkv is 640x360 and master.mov is 639x360; sharpness needs videos of one size."}));
  EXPECT_EQ(refusal_of([&] { compared_videos("sharpness", video_pair(kEncode, lower)); }).kind,
            ErrorKind::kMismatch);
}

TEST(ComparedVideos, MayNeedChromaOfOneSampling) {
  EXPECT_EQ(refusal_of([] { require_same_chroma("sharpness", video_pair(kEncode, kEncode)); }), Refusal{});
  EXPECT_EQ(refusal_of([] { require_same_chroma("sharpness", video_pair(kEncode, kMaster)); }),
            (Refusal{ErrorKind::kMismatch,
                     "show.mkv is 4:2:0 and master.mov is 4:2:2; sharpness needs chroma of one sampling."}));
  EXPECT_EQ(refusal_of([] {
              require_same_chroma("sharpness", video_pair(kEncode, kMaster), "luma_only=true");
            }).message,
            "show.mkv is 4:2:0 and master.mov is 4:2:2; sharpness needs chroma of one sampling, or "
            "luma_only=true.");
}

TEST(ComparedVideos, MayNeedChroma) {
  VideoFormat grey = kMaster;
  grey.chroma = Chroma::k400;
  EXPECT_EQ(refusal_of([] { require_chroma("sharpness", video_pair(kEncode, kMaster)); }), Refusal{});
  const Refusal expected{ErrorKind::kMismatch, "master.mov is 4:0:0; sharpness needs videos with chroma."};
  EXPECT_EQ(refusal_of([&] { require_chroma("sharpness", video_pair(kEncode, grey)); }), expected);
  EXPECT_EQ(refusal_of([&] { require_chroma("sharpness", video_pair(grey, kEncode)); }), expected);
}

TEST(ComparedVideos, MayNeedSidesOfSomeLength) {
  EXPECT_EQ(refusal_of([] { require_sides("sharpness", video_pair(kEncode, kEncode), 360); }), Refusal{});
  EXPECT_EQ(
      refusal_of([] { require_sides("sharpness", video_pair(kEncode, kEncode), 361); }),
      (Refusal{ErrorKind::kMismatch, "show.mkv is 640x360; sharpness needs sides of at least 361 samples."}));
}

}  // namespace
}  // namespace vq
