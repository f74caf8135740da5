// Features by the program on a device: what the CPU finds, which stages run where, and what they share.
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

json bounds_beside(const Words& features) {
  return report_of_run({testdata("clips/letterbox_640x360_8b.mp4"), "--extended", "--backend", "vulkan"},
                       features);
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

// What the device does of features, and what is left to the host; a picture of 480x270 is not shrunk unless
// that is asked for. That it is what the CPU finds is the gate's business.
TEST(StagesOnDevice, AreToldOfEachFeature) {
  const std::pair<Words, Words> rows[] = {
      {{"butteraugli=intensity=203"}, {"light", "bands", "compare", "readback"}},
      {{"ciede"}, {"sum"}},  // the device has doubles, and they are the CPU's
      {{"psnr_hvs"}, {"readback"}},
      {{"float_ssim=scale=2:enable_lcs=true"}, {"shrink", "readback", "compare"}},
      {{"float_ssim", "psnr"}, {"float_ssim: score", "psnr_y: squared_error"}},
      {{"float_ssim=scale=3", "float_ms_ssim"}, {"float_ms_ssim: halve", "float_ms_ssim: compare"}},
      {{"motion=motion_five_frame_window=true"}, {"blurred_difference"}},
      {{"xpsnr"}, {"block_activities", "block_errors"}}};
  for (const auto& [features, stages] : rows) {
    SCOPED_TRACE(::testing::PrintToString(features));
    const json run = report_of_clips("textured_480x270_12b.mkv", "bright_480x270_8b.mkv", features,
                                     {"--extended", "--backend", "vulkan"})
                         .at("run");
    Words told;
    for (const json& stage : run.at("stages")) told.push_back(stage.at("name"));
    for (const std::string& stage : stages) EXPECT_THAT(told, Contains(stage));
    EXPECT_THAT(run.value("notes", json::array()).dump(), Not(HasSubstr("on the CPU")));
    EXPECT_GT(run.at("bytes_read").get<int64_t>(), 0);
  }
}

}  // namespace
}  // namespace vq::cli::test
