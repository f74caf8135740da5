// Options of PSNR, and figures of whole runs.
#include "feature/psnr/psnr.h"

#include "tests/support/option_rows.h"

namespace vq::psnr {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// Any sum of errors that is not negative is taken.
TEST(PsnrOptions, AreThoseOfTheReferenceImplementation) {
  using Row = vq::test::OptionRow<PsnrOptions>;
  vq::test::check_options<PsnrOptions>(
      Psnr::kOptions, {Row{"enable_chroma", &PsnrOptions::chroma, true, "false", false},
                       Row{"enable_mse", &PsnrOptions::mse, false, "true", true},
                       Row{"enable_apsnr", &PsnrOptions::apsnr, false, "true", true},
                       Row{"reduced_hbd_peak", &PsnrOptions::reduced_hbd_peak, false, "true", true},
                       Row{"min_sse",
                           &PsnrOptions::min_sse,
                           0,
                           "1.7976931348623157e308",
                           kLargest,
                           {"-1", "-0.001", "inf", "nan", "1e999", "1 "}},
                       Row{"luma_weight", &PsnrOptions::luma_weight, 0, "6", 6, {"-1", "101"}}});
}

constexpr int64_t kLuma = 640 * 360, kChroma = kLuma / 4;

// apsnr_y of frames with these errors, as a run gets it: by way of tallies.
double apsnr_of(const std::vector<PlaneError>& frames, int bit_depth, PsnrOptions options = {}) {
  options.chroma = false;
  options.apsnr = true;
  VideoFormat format;
  format.bit_depth = bit_depth;
  const PsnrPlan plan = Psnr::make_plan(options, {format, format});
  std::vector<double> totals;
  for (const PlaneError& frame : frames) {
    const std::vector<double> tallies = frame_result(plan, {&frame, 1}).tallies;
    totals.resize(tallies.size());
    for (size_t i = 0; i < tallies.size(); ++i) totals[i] += tallies[i];
  }
  return Psnr::aggregates(plan, totals).front().second;
}

TEST(PsnrScore, OfAllFramesIsLimitedByHalfAnError) {
  const auto limit = [](int bit_depth, int64_t samples, const PsnrOptions& options = {}) {
    return Scorer(options, bit_depth).apsnr({.squared = 0, .samples = samples});
  };
  EXPECT_EQ(limit(8, 3 * kLuma), 110);
  EXPECT_EQ(limit(8, 6 * kChroma), 107);
  EXPECT_EQ(limit(10, 4 * kChroma), 117);
  EXPECT_EQ(limit(16, 384 * 320), 151);
  EXPECT_EQ(limit(10, 2 * kChroma, {.reduced_hbd_peak = true, .min_sse = 0.5}),
            114);  // min_sse is of no concern
  // 2 * peak^2 * samples passes 64 bits.
  EXPECT_EQ(limit(16, int64_t{1} << 40), 220);
}

// Beyond 64 bits, and with the lower halves of the sums.
TEST(PsnrScore, OfAllFramesIsOfExactSums) {
  const std::vector<PlaneError> large(64, {uint64_t{1} << 60, int64_t{1} << 28});
  EXPECT_NEAR(apsnr_of(large, 16), 20 * std::log10(65535.0 / 65536.0), 1e-12);
  const std::vector<PlaneError> frames(1000, {(uint64_t{1} << 32) + 0xFFFFFFFF, kLuma});
  const TotalError total = {.squared = ExactSum{1000} * ((uint64_t{1} << 32) + 0xFFFFFFFF),
                            .samples = 1000 * kLuma};
  EXPECT_EQ(apsnr_of(frames, 8), Scorer({}, 8).apsnr(total));
}

}  // namespace
}  // namespace vq::psnr
