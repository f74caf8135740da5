// Features by the program on a device: what the CPU finds, which stages run where, and what they share.
#include "tests/support/bad_input.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

json bounds_beside(const Words& features, const Words& more = {}) {
  return report_of_run({testdata("clips/letterbox_640x360_8b.mp4"), "--extended", "--backend", "vulkan"},
                       features, more);
}

// The luma goes up once, 16 bytes of a frame come back, and neither feature changes the other's figures.
TEST(BoundsOnDevice, SharesTheLumaWithAnotherFeature) {
  const json both = bounds_beside({"cambi", "bounds"}), bounds = bounds_beside({"bounds"}),
             cambi = bounds_beside({"cambi"});
  expect_uploaded_once(both["run"], 640 * 360);
  const auto scored =
      bounds["run"]["scored_frames"].get<int64_t>() - bounds["run"]["repeated_frames"].get<int64_t>();
  EXPECT_GE(scored, 1);
  EXPECT_EQ(bounds["run"]["bytes_read"], 16 * scored);
  expect_independent(both, cambi, bounds);
}

TEST(BoundsOnDevice, LooksInsideTheCrop) {
  const json metrics = bounds_beside({"bounds"}, {"--crop", "300:100:20:30"})["frames"][0]["metrics"];
  EXPECT_EQ(metrics["bounds_y"], 15);
  EXPECT_EQ(metrics["bounds_height"], 85);
  EXPECT_EQ(metrics["bounds_width"], 300);
}

std::vector<std::string> stages_of(const json& report) {
  std::vector<std::string> names;
  for (const json& stage : report.at("run").at("stages")) names.push_back(stage.at("name"));
  return names;
}

TEST(ButteraugliOnDevice, TheDeviceDoesItAll) {
  const auto report = [](const char* backend) {
    return report_of_clips(
        "small_256x144_8b.mp4", "small_256x144_8b.mp4", {"butteraugli=intensity=203"},
        {"--extended", "--frame_skip_dist", "1", "--frame_cnt", "2", "--backend", backend});
  };
  const json device = report("vulkan");
  EXPECT_THAT(stages_of(device), IsSupersetOf({"light", "bands", "compare", "readback"}));
  EXPECT_EQ(device.at("frames"), report("cpu").at("frames"));
}

TEST(CiedeOnDevice, EqualsTheCpuToTheLastBit) {
  for (const auto& clips : {std::pair{"noise_320x240_8b.mkv", "checker_320x240_8b.mkv"},
                            {"textured_480x270_12b.mkv", "bright_480x270_8b.mkv"},
                            {"colour_384x320_16b_ref.mkv", "colour_384x320_16b_shift.mkv"}}) {
    const auto report = [&](const char* backend) {
      return report_of_clips(clips.first, clips.second, {"ciede"}, {"--extended", "--backend", backend});
    };
    const json found = report("vulkan");
    EXPECT_EQ(found["frames"], report("cpu")["frames"]);
    EXPECT_EQ(stages_of(found).back(), "sum") << "the device has doubles, and they are the CPU's";
  }
}

// The extended report says what the device did and moved.
TEST(MotionAndXpsnrOnDevice, TellTheirStages) {
  const std::string clip = "static_640x360_8b.mp4";
  for (const auto& [feature, stages] :
       {std::pair<const char*, Words>{"motion=motion_five_frame_window=true", {"blurred_difference"}},
        {"xpsnr", {"block_activities", "block_errors"}}}) {
    const json run = report_of_clips(clip, clip, {feature}, {"--extended", "--backend", "vulkan"}).at("run");
    for (const std::string& stage : stages) EXPECT_TRUE(run.at("gpu_milliseconds").contains(stage)) << stage;
    EXPECT_GT(run.at("bytes_read").get<int64_t>(), 0) << feature;
  }
}

json psnr_beside(const Words& features, const std::string& backend, const Words& more = {}) {
  Words words = {"--extended", "--backend", backend};
  words.insert(words.end(), more.begin(), more.end());
  return report_of_clips("colour_1280x720_8b_ref.mp4", "colour_1280x720_8b_blur.mp4", features, words);
}

// Three planes of both videos go up once, whoever looks at them, and neither feature changes the other's
// figures.
TEST(PsnrOnDevice, SharesThePlanesWithAnotherFeature) {
  for (const char* backend : {"hybrid", "vulkan"}) {
    const json both = psnr_beside({"cambi", "psnr=enable_apsnr=true"}, backend);
    const json psnr = psnr_beside({"psnr=enable_apsnr=true"}, backend),
               cambi = psnr_beside({"cambi"}, backend);
    EXPECT_GT(psnr["run"]["bytes_read"].get<int64_t>(), 0);
    expect_uploaded_once(both["run"], 2 * 1280 * 720 * 3 / 2);
    EXPECT_EQ(both["aggregate_metrics"], psnr["aggregate_metrics"]);
    expect_independent(both, cambi, psnr);
  }
}

// Frames between those that are reported go through a recording of their own.
TEST(PsnrOnDevice, AggregatesCountFramesThatSubsampleLeavesOut) {
  for (const char* backend : {"hybrid", "vulkan"}) {
    const json all = psnr_beside({"cambi", "psnr=enable_apsnr=true"}, backend);
    const json some = psnr_beside({"cambi", "psnr=enable_apsnr=true"}, backend, {"--subsample", "2"});
    ASSERT_EQ(some["frames"].size(), 2U);
    EXPECT_EQ(some["frames"][1], all["frames"][2]);
    EXPECT_EQ(some["aggregate_metrics"], all["aggregate_metrics"]);
  }
}

json report_of_depths(const Words& features, const std::string& backend) {
  return report_of_clips("textured_480x270_12b.mkv", "bright_480x270_8b.mkv", features,
                         {"--extended", "--backend", backend});
}

TEST(PsnrHvsOnDevice, NothingIsLeftToTheHost) {
  const json report = report_of_depths({"psnr_hvs"}, "vulkan");
  EXPECT_THAT(report["run"].value("notes", json::array()).dump(), Not(HasSubstr("on the CPU")));
  EXPECT_EQ(stages_of(report).back(), "readback");
}

TEST(SsimOnDevice, TheDeviceShrinksAndTheHostCompares) {
  const Words features = {"float_ssim=scale=2:enable_lcs=true"};
  const json shrunk = report_of_depths(features, "vulkan");
  EXPECT_THAT(stages_of(shrunk), IsSupersetOf({"shrink", "readback", "compare"}));
  EXPECT_GE(shrunk["run"]["bytes_read"].get<int64_t>(), int64_t{2} * 240 * 135 * 4);
  EXPECT_EQ(shrunk["frames"], report_of_depths(features, "cpu")["frames"]);
}

// A picture of 480x270 is not shrunk unless that is asked for.
TEST(SsimOnDevice, WhatIsNotShrunkIsLeftToTheHost) {
  const json whole = report_of_depths({"float_ssim", "psnr"}, "vulkan");
  EXPECT_THAT(stages_of(whole), IsSupersetOf({"float_ssim: score", "psnr_y: squared_error"}));
  EXPECT_EQ(whole["frames"], report_of_depths({"float_ssim", "psnr"}, "cpu")["frames"]);
}

TEST(SsimOnDevice, TheDeviceHalvesAndComparesAllScales) {
  const Words features = {"float_ssim=scale=3", "float_ms_ssim=enable_lcs=true"};
  const json both = report_of_depths(features, "vulkan");
  EXPECT_THAT(both["run"].value("notes", json::array()).dump(), Not(HasSubstr("on the CPU")));
  EXPECT_THAT(stages_of(both), IsSupersetOf({"float_ms_ssim: halve", "float_ms_ssim: compare"}));
  EXPECT_EQ(both["frames"], report_of_depths(features, "cpu")["frames"]);
}

// The one looks at the frame before, also where that is not reported, the other at single frames.
TEST(SpeedOnDevice, BothFeaturesEqualThoseOfTheCpu) {
  for (const Words& more : {Words{}, {"--subsample", "2"}, {"--threads", "1"}}) {
    const auto report = [&](const char* backend) {
      Words words = {"--backend", backend, "--extended"};
      words.insert(words.end(), more.begin(), more.end());
      return report_of_clips(
          "colour_640x360_8b_ref.mp4", "colour_640x360_8b_shift.mp4",
          {"speed_temporal=speed_prescale=0.7:speed_prescale_method=bicubic", "speed_chroma"}, words);
    };
    const json expected = report("cpu");
    EXPECT_GE(expected["frames"].size(), 2U);
    for (const char* backend : {"hybrid", "vulkan"}) {
      const json found = report(backend);
      EXPECT_EQ(found["frames"], expected["frames"]) << backend;
      EXPECT_EQ(found["run"]["backend"], backend);
      EXPECT_EQ(found["run"]["simd"], expected["run"]["simd"]);
      EXPECT_GT(found["run"]["bytes_read"].get<int64_t>(), 0);
    }
  }
}

class VifOnDevice : public BadInputTest {};

// The second frame of one of the videos has a sample that 10 bits do not hold.
TEST_F(VifOnDevice, RefusesSamplesBeyondTheirDepthAsTheCpuDoes) {
  std::string video = y4m_video({.width = 20, .height = 16, .bit_depth = 10, .chroma = "400"});
  const std::string good = made("good.y4m", video);
  video.back() = '\x07';  // the high byte of the last sample
  const std::string bad = made("bad.y4m", video);
  for (const auto& videos : {std::pair(good, bad), std::pair(bad, good)}) {
    const auto outcome = [&](const char* backend) {
      const ProgramResult result = run_program(
          {"-r", videos.first, "-d", videos.second, "--feature", "vif", "--backend", backend, "-q"});
      return std::pair(result.code, result.err);
    };
    const auto expected = outcome("cpu");
    EXPECT_THAT(expected.second, AllOf(HasSubstr("luma sample"), HasSubstr("at x=19, y=15 exceeds 1023")));
    for (const char* backend : {"hybrid", "vulkan"}) EXPECT_EQ(outcome(backend), expected);
  }
}

}  // namespace
}  // namespace vq::cli::test
