// Which frames are taken, and what is said where these are not like the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/worker_pool.h"
#include "engine/memory.h"
#include "engine/sampling.h"
#include "feature/extractor.h"
#include "feature/feature.h"

namespace vq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int64_t> taken(const Sampling& sampling, int64_t frames) {
  std::vector<int64_t> positions;
  for (int64_t position = 0; position < frames; ++position) {
    if (sampling.takes(position)) positions.push_back(position);
  }
  return positions;
}

TEST(Sampling, TakesTheFirstOfEachGroupUnlessItIsSpread) {
  EXPECT_THAT(taken({.every = 4}, 17), ElementsAre(0, 4, 8, 12, 16));
  EXPECT_THAT(taken({.every = 1}, 3), ElementsAre(0, 1, 2));
  // These are part of what reports mean: a later release takes the same.
  EXPECT_THAT(taken({.every = 2, .is_spread = true}, 20), ElementsAre(0, 2, 4, 7, 9, 10, 12, 15, 17, 18));
  EXPECT_THAT(taken({.every = 5, .is_spread = true}, 50), ElementsAre(0, 6, 12, 18, 24, 25, 32, 38, 44, 45));
}

TEST(Sampling, ASpreadSampleIsInStepWithNothing) {
  for (int64_t every = 2; every <= 12; ++every) {
    const Sampling sampling{.every = every, .is_spread = true};
    const int64_t groups = 2000;
    const std::vector<int64_t> positions = taken(sampling, groups * every);
    ASSERT_EQ(positions.size(), static_cast<size_t>(groups)) << every;
    for (int64_t i = 0; i < groups; ++i) EXPECT_EQ(positions[static_cast<size_t>(i)] / every, i) << every;
    for (int64_t period = 2; period <= 16; ++period) {
      std::vector<int64_t> at(static_cast<size_t>(period));
      for (const int64_t position : positions) ++at[static_cast<size_t>(position % period)];
      const double fair = static_cast<double>(groups) / static_cast<double>(period);
      for (const int64_t count : at)
        EXPECT_NEAR(static_cast<double>(count), fair, 0.2 * fair) << every << ", " << period;
    }
  }
}

TEST(Sampling, CountsWhatItTakes) {
  for (const bool is_spread : {false, true}) {
    for (int64_t every = 1; every <= 9; ++every) {
      const Sampling sampling{.every = every, .is_spread = is_spread};
      const std::vector<int64_t> positions = taken(sampling, 200);
      for (int64_t frames = 0; frames <= 200; ++frames) {
        EXPECT_EQ(sampling.count_of(frames), static_cast<int64_t>(taken(sampling, frames).size()))
            << every << ", " << frames;
      }
      for (size_t i = 1; i < positions.size(); ++i)
        EXPECT_LE(positions[i] - positions[i - 1], sampling.longest_step()) << every;
    }
  }
  constexpr int64_t kMost = int64_t{1} << 40;
  EXPECT_EQ((Sampling{.every = kMost, .is_spread = true}.count_of(kMost)), 1);
}

// Frames of these types in a row, over and over.
std::string remark_on(const std::string& types, int64_t frames, const Sampling& sampling) {
  SampledTypes counted;
  for (int64_t i = 0; i < frames; ++i) {
    const char letter = types[static_cast<size_t>(i) % types.size()];
    const PictureType type = letter == 'I'   ? PictureType::kIntra
                             : letter == 'P' ? PictureType::kPredicted
                             : letter == 'B' ? PictureType::kBidirectional
                                             : PictureType::kUnknown;
    counted.look(type, sampling.takes(i));
  }
  SampledTypes sum;
  sum.add(counted.state());
  EXPECT_EQ(sum.state(), counted.state());
  const std::optional<Diagnostic> remark = sum.remark("a.mp4", sampling);
  if (!remark) return {};
  EXPECT_EQ(remark->advice, Advice::kSubsample);
  EXPECT_EQ(remark->subjects, sampling.is_spread ? std::vector<std::string>()
                                                 : std::vector{std::to_string(sampling.every) + ":spread"});
  return remark->text;
}

TEST(SampledTypes, TellWhereTheScoredFramesAreNotLikeTheOthers) {
  EXPECT_EQ(remark_on("PBBB", 96, {.every = 4}),
            "a.mp4: 24 of the 24 scored frames are P-frames, but only 25 % of all frames are, so statistics "
            "may differ from those "
            "of all frames.");
  EXPECT_THAT(remark_on("BBBP", 320, {.every = 8}),
              HasSubstr("40 of the 40 scored frames are B-frames, but only 75 %"));
  EXPECT_THAT(remark_on("IP", 96, {.every = 2}), HasSubstr("are I-frames"));
  EXPECT_THAT(remark_on("PBBB", 96, {.every = 4, .is_spread = true}), "");
  EXPECT_EQ(remark_on("PBBB", 96, {.every = 5}), "");
  EXPECT_EQ(remark_on("PPPP", 96, {.every = 4}), "");
  EXPECT_EQ(remark_on("????", 96, {.every = 4}), "");
  EXPECT_EQ(remark_on("PB", 8, {.every = 4}), "");  // which may be chance
  EXPECT_EQ(remark_on("P", 0, {.every = 4}), "");
}

}  // namespace

// What a run may take follows from what is decoded, what that is fitted to, and how many frames wait.

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
