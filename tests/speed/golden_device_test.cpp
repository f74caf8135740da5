// Golden cases of SpEED-QA on a device, and both features in one run.
#include "tests/support/golden_cases.h"

namespace vq::speed::test {
namespace {

using nlohmann::json;

json device_cases_of(const std::string& feature) {
  return cli::test::golden_cases("speed.json", feature);
}

const std::vector<cli::test::GoldenWay> kWays = {{"hybrid"}, {"vulkan"}};

// Depths, odd sizes, both directions of scaling, a wide filter, and what is singular or nearly so.
TEST(SpeedGoldenOnDevice, SomeCasesEqualTheReference) {
  constexpr size_t kChroma[] = {3, 14, 15, 16, 29, 42, 46, 48, 51}, kTemporal[] = {0, 3};
  cli::test::expect_chosen_cases(device_cases_of("speed_chroma"), kWays, kChroma);
  cli::test::expect_chosen_cases(device_cases_of("speed_temporal"), kWays, kTemporal);
}

// Has the label every_size: `./check` leaves it out, `./check --all` runs it.
TEST(SpeedGoldenOnDeviceOfEverySize, EqualsTheReference) {
  for (const char* feature : {"speed_chroma", "speed_temporal"}) {
    cli::test::expect_golden_cases(device_cases_of(feature), kWays, cli::test::is_any);
  }
}

json run_both(const std::string& backend, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"--backend", backend, "--extended"};
  words.insert(words.end(), more.begin(), more.end());
  return cli::test::report_of_clips(
      "colour_640x360_8b_ref.mp4", "colour_640x360_8b_shift.mp4",
      {"speed_temporal=speed_prescale=0.7:speed_prescale_method=bicubic", "speed_chroma"}, words);
}

// The one looks at the frame before, also where that is not reported, the other at single frames.
TEST(SpeedOnDevice, BothFeaturesEqualThoseOfTheCpu) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--subsample", "2"}, {"--threads", "1"}}) {
    const json expected = run_both("cpu", more);
    EXPECT_GE(expected["frames"].size(), 2U);
    for (const char* backend : {"hybrid", "vulkan"}) {
      const json found = run_both(backend, more);
      EXPECT_EQ(found["frames"], expected["frames"]) << backend;
      EXPECT_EQ(found["run"]["backend"], backend);
      EXPECT_EQ(found["run"]["simd"], expected["run"]["simd"]);
      EXPECT_GT(found["run"]["bytes_read"].get<int64_t>(), 0);
    }
  }
}

}  // namespace
}  // namespace vq::speed::test
