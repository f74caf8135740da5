// What a run may take follows from what is decoded, what that is fitted to, and how many frames wait.
#include "cli/run/run_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cli/run/fitting.h"
#include "cli/run/memory_limit.h"
#include "cli/run/settle_models.h"
#include "core/worker_pool.h"
#include "feature/extractor.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

constexpr int kThreads = 2;

VideoInfo memory_video(int width, int height) {
  VideoInfo info;
  info.codec = "rawvideo";  // nothing but what is queued
  info.format.width = width;
  info.format.height = height;
  info.format.bit_depth = 8;
  info.format.chroma = Chroma::k420;
  return info;
}

FeatureRequest memory_request(const char* feature) {
  const FeatureInfo& info = find_feature(feature);
  return {.info = &info, .options = OptionSet(info.options)};
}

class RunMemory : public ::testing::Test {
 protected:
  int64_t bytes(const VideoReading& reading, const char* feature) {
    const InputFormats formats{.distorted = small_.format, .reference = small_.format};
    return run_bytes(reading, {memory_request(feature)}, formats, {.backend = Backend::kCpu, .pool = &pool_});
  }

  WorkerPool pool_{kThreads};
  const VideoInfo small_ = memory_video(640, 360), large_ = memory_video(1280, 720);
};

TEST_F(RunMemory, OfAFittedVideoBothFormsCount) {
  const auto of = [&](const ReadVideo& video) { return bytes({.videos = {video}, .threads = kThreads}, "psnr"); };
  const int64_t none = bytes({.videos = {}, .threads = kThreads}, "psnr");
  const int64_t small = of({.decoded = &small_}) - none, large = of({.decoded = &large_}) - none;
  EXPECT_GT(small, 640 * 360);
  EXPECT_GT(large, 3 * small);
  EXPECT_EQ(of({.decoded = &large_, .fitted = &small_}) - none, large + small);
}

TEST_F(RunMemory, EachVideoCounts) {
  const int64_t none = bytes({.videos = {}, .threads = kThreads}, "psnr");
  const int64_t one = bytes({.videos = {{.decoded = &small_}}, .threads = kThreads}, "psnr");
  const int64_t two = bytes({.videos = {{.decoded = &small_}, {.decoded = &small_}}, .threads = kThreads}, "psnr");
  EXPECT_EQ(two - none, 2 * (one - none));
}

// They wait until the frames that need them are scored; of what is not queued for another reason there is as much.
TEST_F(RunMemory, FramesBeforeOthersCount) {
  const FeatureRequest motion[] = {memory_request("motion")}, psnr[] = {memory_request("psnr")};
  const Execution execution{.backend = Backend::kCpu, .pool = &pool_};
  const auto frames_of = [&](const char* feature) {
    const int64_t none = bytes({.videos = {}, .threads = kThreads}, feature);
    const int64_t all = bytes({.videos = {{.decoded = &small_}}, .threads = kThreads}, feature) - none;
    return all / decoding_bytes(small_, {frame_use(std::vector{memory_request(feature)}).planes, 1, kThreads});
  };
  const int64_t before = frame_use(motion).before.references;
  ASSERT_GT(before, 0);
  EXPECT_EQ(frames_of("motion") - static_cast<int64_t>(frames_in_flight(motion, execution)),
            frames_of("psnr") - static_cast<int64_t>(frames_in_flight(psnr, execution)) + before);
}

TEST(Fitting, IsWhatWasAskedFor) {
  const VideoFormat video = memory_video(640, 360).format, reference = memory_video(1280, 720).format;
  RunOptions arguments;
  EXPECT_FALSE(fitting_of(arguments, video, reference));
  arguments.score_bits = 8;
  EXPECT_FALSE(fitting_of(arguments, video, reference));
  const auto fitted = [&](VideoFormat format) {
    return fitted_format(format, *fitting_of(arguments, format, reference));
  };
  arguments.score_bits = 10;
  EXPECT_EQ(fitted(video).bit_depth, 10);
  EXPECT_EQ(fitted(video).width, 640);
  arguments.scale = ScaleWish{};
  EXPECT_EQ(fitted(video).width, 1280);
  EXPECT_EQ(fitting_of(arguments, video, std::nullopt)->size, PlaneSize());
  arguments.scale->size = PlaneSize{320, 180};
  EXPECT_EQ(fitted(video).width, 320);
  EXPECT_EQ(fitted(video).height, 180);
  EXPECT_EQ(fitted(video).bit_depth, 10);
  // Samples never lose bits.
  VideoFormat deep = video;
  deep.bit_depth = 12;
  EXPECT_EQ(fitted(deep).bit_depth, 12);
}

class Fittings : public ::testing::Test {
 protected:
  std::vector<std::string> settle() {
    settle_models(arguments_);
    features_ = arguments_.features;
    return settle_fittings(arguments_, formats_, formats_.distorted, features_);
  }
  const FeatureRequest& feature(std::string_view name) const {
    const auto is_it = [&](const FeatureRequest& request) { return request.info->name == name; };
    return *std::find_if(features_.begin(), features_.end(), is_it);
  }

  RunOptions arguments_;
  InputFormats formats_{memory_video(640, 360).format, memory_video(640, 360).format};
  std::vector<FeatureRequest> features_;
};

TEST_F(Fittings, ScaleWhatTheModelLooksAtAndNothingElse) {
  arguments_.model_specs = {model::parse_model_spec("version=vmaf_v1.0.16_3d0h:scaled")};
  arguments_.asked_features = {memory_request("psnr")};
  EXPECT_EQ(settle().size(), 1U);
  EXPECT_FALSE(feature("psnr").fitting);
  EXPECT_EQ(feature("adm").fitting, (Fitting{.size = {1920, 1080}, .least_bits = 10}));
  EXPECT_EQ(formats_of(feature("adm"), formats_).reference->width, 1920);
  // What CAMBI is to know of the encode.
  EXPECT_EQ(feature("cambi").options.text("enc_width"), "640");
  EXPECT_EQ(feature("cambi").options.text("enc_bitdepth"), "8");
}

TEST_F(Fittings, LeaveVideosOfTheDisplaysSizeAlone) {
  for (VideoFormat* format : {&formats_.distorted, &*formats_.reference})
    format->width = 1920, format->height = 800;
  arguments_.model_specs = {model::parse_model_spec("vmaf_v1.0.16_3d0h:scaled")};
  EXPECT_TRUE(settle().empty());
  for (const FeatureRequest& request : features_) EXPECT_FALSE(request.fitting) << request.info->name;
  // A smaller encode of the same master is brought to its size.
  formats_.distorted.width = 960, formats_.distorted.height = 400;
  EXPECT_EQ(settle().size(), 1U);
  EXPECT_EQ(feature("adm").fitting->size, (PlaneSize{1920, 800}));
}

TEST_F(Fittings, EvenOutRangeForFeaturesThatCompare) {
  formats_.distorted.range = Range::kFull;
  arguments_.asked_features = {memory_request("psnr"), memory_request("cambi")};
  EXPECT_EQ(settle().size(), 1U);
  EXPECT_EQ(formats_of(feature("psnr"), formats_).distorted.range, Range::kLimited);
  EXPECT_FALSE(feature("cambi").fitting);
  arguments_.as_stored = true;
  EXPECT_TRUE(settle().empty());
  EXPECT_FALSE(feature("psnr").fitting);
  arguments_.as_stored = false;
  formats_.reference->range = Range::kFull;
  EXPECT_TRUE(settle().empty());
}

}  // namespace
}  // namespace vq::cli
