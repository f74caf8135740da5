// Every golden case of PSNR on a device, and PSNR beside another feature.
#include "tests/psnr/golden_cases.h"

namespace vq::psnr::test {
namespace {

TEST(PsnrGoldenOnDevice, AllCasesEqualTheReference) {
  cli::test::expect_golden_cases(psnr_cases(), {{"hybrid"}, {"vulkan"}}, cli::test::is_any);
}

using cli::test::Words;

json run_with(const Words& features, const std::string& backend, const Words& more = {}) {
  Words words = {"--extended", "--backend", backend};
  words.insert(words.end(), more.begin(), more.end());
  return cli::test::report_of_clips("colour_1280x720_8b_ref.mp4", "colour_1280x720_8b_blur.mp4", features,
                                    words);
}

// Three planes of both videos go up once, whoever looks at them, and neither feature changes the other's
// figures.
TEST(PsnrOnDevice, SharesThePlanesWithAnotherFeature) {
  for (const char* backend : {"hybrid", "vulkan"}) {
    const json both = run_with({"cambi", "psnr=enable_apsnr=true"}, backend);
    const json psnr = run_with({"psnr=enable_apsnr=true"}, backend), cambi = run_with({"cambi"}, backend);
    EXPECT_GT(psnr["run"]["bytes_read"].get<int64_t>(), 0);
    cli::test::expect_uploaded_once(both["run"], 2 * 1280 * 720 * 3 / 2);
    EXPECT_EQ(both["aggregate_metrics"], psnr["aggregate_metrics"]);
    cli::test::expect_independent(both, cambi, psnr);
  }
}

// Frames between those that are reported go through a recording of their own.
TEST(PsnrOnDevice, AggregatesCountFramesThatSubsampleLeavesOut) {
  for (const char* backend : {"hybrid", "vulkan"}) {
    const json all = run_with({"cambi", "psnr=enable_apsnr=true"}, backend);
    const json some = run_with({"cambi", "psnr=enable_apsnr=true"}, backend, {"--subsample", "2"});
    ASSERT_EQ(some["frames"].size(), 2U);
    EXPECT_EQ(some["frames"][1], all["frames"][2]);
    EXPECT_EQ(some["aggregate_metrics"], all["aggregate_metrics"]);
  }
}

}  // namespace
}  // namespace vq::psnr::test
