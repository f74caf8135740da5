// Features by the program on a device: what the CPU finds, which stages run where, and what they share.
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

struct Sharing {
  Words inputs, features;
  int64_t frame_bytes;
  Words backends;
};

// Each picture goes up once, whoever looks at it, and neither feature changes the other's figures.
TEST(FeaturesOnDevice, ShareTheirPicturesAndNothingElse) {
  const Words letterbox = {testdata("clips/letterbox_640x360_8b.mp4")},
              colour = {"-r", testdata("clips/colour_1280x720_8b_ref.mp4"), "-d",
                        testdata("clips/colour_1280x720_8b_blur.mp4"), "--compare-anyway"};
  for (const auto& [inputs, features, frame_bytes, backends] :
       {Sharing{letterbox, {"cambi", "bounds"}, 640 * 360, {"vulkan"}},
        Sharing{letterbox, {"cambi", "cambi=topk=0.3"}, 640 * 360, {"hybrid"}},
        Sharing{colour, {"cambi", "psnr=enable_apsnr=true"}, 2 * 1280 * 720 * 3 / 2, {"hybrid", "vulkan"}}}) {
    for (const std::string& backend : backends) {
      SCOPED_TRACE(features[1] + ", " + backend);
      const Words words = {"--extended", "--backend", backend};
      const json both = report_of_run(inputs, features, words),
                 one = report_of_run(inputs, {features[0]}, words),
                 other = report_of_run(inputs, {features[1]}, words), &run = other.at("run");
      expect_uploaded_once(both.at("run"), frame_bytes);
      expect_independent(both, one, other);
      EXPECT_EQ(both.at("aggregate_metrics"), other.at("aggregate_metrics"));
      const int64_t scored =
          run.at("scored_frames").get<int64_t>() - run.at("repeated_frames").get<int64_t>();
      EXPECT_GE(run.at("bytes_read"), 16 * scored);
      if (features[1] == "bounds") {
        EXPECT_EQ(run.at("bytes_read"), 16 * scored);
      }
    }
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
      {{"cambi", "cambi=topk=0.3"}, {"cambi: mask", "cambi_topk_0.3: mask", "cambi: readback"}},
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
    EXPECT_THAT(told, Not(Contains(::testing::EndsWith(": upload"))));
    EXPECT_THAT(run.value("notes", json::array()).dump(), Not(HasSubstr("on the CPU")));
    EXPECT_GT(run.at("bytes_read").get<int64_t>(), 0);
  }
}

}  // namespace
}  // namespace vq::cli::test
