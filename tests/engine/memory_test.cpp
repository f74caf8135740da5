// What a run may take follows from what is decoded, what that is fitted to, and how many frames wait.
#include "engine/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/worker_pool.h"
#include "feature/extractor.h"
#include "feature/registry.h"

namespace vq {
namespace {

constexpr int kThreads = 2;

DecodedVideo memory_video(int width, int height) {
  DecodedVideo video;
  video.is_planar = true;  // nothing but what is queued
  video.format.width = width;
  video.format.height = height;
  video.format.bit_depth = 8;
  video.format.chroma = Chroma::k420;
  return video;
}

FeatureRequest memory_request(const char* feature) {
  const FeatureInfo& info = find_feature(feature);
  return {.info = &info, .options = OptionSet(info.options)};
}

class RunMemory : public ::testing::Test {
 protected:
  int64_t bytes(const VideoReading& reading, const char* feature) {
    const VideoFormats formats{.distorted = small_.format, .reference = small_.format};
    return run_bytes(reading, {memory_request(feature)}, formats, {.backend = Backend::kCpu, .pool = &pool_});
  }

  WorkerPool pool_{kThreads};
  const DecodedVideo small_ = memory_video(640, 360), large_ = memory_video(1280, 720);
};

TEST_F(RunMemory, OfAFittedVideoBothFormsCount) {
  const auto of = [&](const ReadVideo& video) {
    return bytes({.videos = {video}, .threads = kThreads}, "psnr");
  };
  const int64_t none = bytes({.videos = {}, .threads = kThreads}, "psnr");
  const int64_t small = of({.decoded = small_, .fitted = {}}) - none,
                large = of({.decoded = large_, .fitted = {}}) - none;
  EXPECT_GT(small, 640 * 360);
  EXPECT_GT(large, 3 * small);
  EXPECT_EQ(of({.decoded = large_, .fitted = small_}) - none, large + small);
}

TEST_F(RunMemory, EachVideoCounts) {
  const int64_t none = bytes({.videos = {}, .threads = kThreads}, "psnr");
  const int64_t one = bytes({.videos = {{.decoded = small_, .fitted = {}}}, .threads = kThreads}, "psnr");
  const int64_t two = bytes(
      {.videos = {{.decoded = small_, .fitted = {}}, {.decoded = small_, .fitted = {}}}, .threads = kThreads},
      "psnr");
  EXPECT_EQ(two - none, 2 * (one - none));
}

// They wait until the frames that need them are scored; of what is not queued for another reason there is as
// much.
TEST_F(RunMemory, FramesBeforeOthersCount) {
  const FeatureRequest motion[] = {memory_request("motion")}, psnr[] = {memory_request("psnr")};
  const Execution execution{.backend = Backend::kCpu, .pool = &pool_};
  const auto frames_of = [&](const char* feature) {
    const int64_t none = bytes({.videos = {}, .threads = kThreads}, feature);
    const int64_t all =
        bytes({.videos = {{.decoded = small_, .fitted = {}}}, .threads = kThreads}, feature) - none;
    return all /
           decoding_bytes(small_, {frame_needs(std::vector{memory_request(feature)}).planes, 1, kThreads});
  };
  const int64_t before = frame_needs(motion).before.references;
  ASSERT_GT(before, 0);
  EXPECT_EQ(frames_of("motion") - static_cast<int64_t>(frames_in_flight(motion, execution)),
            frames_of("psnr") - static_cast<int64_t>(frames_in_flight(psnr, execution)) + before);
}

}  // namespace
}  // namespace vq
