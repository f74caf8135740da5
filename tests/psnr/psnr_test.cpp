// Options and scores of PSNR, these against figures of the reference implementation (libvmaf 3.2) for clips
// in testdata/. Decibels are compared as EXPECT_DOUBLE_EQ does: the last bit of log10() depends on the C
// library and on whether the CPU fuses operations.
#include "feature/psnr/psnr.h"

#include "tests/support/option_rows.h"

namespace vq::psnr {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                 kLargest = std::numeric_limits<double>::max();

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

TEST(PsnrOptions, SayWhatIsReportedAndInWhichOrder) {
  EXPECT_THAT(Psnr::names({}), ElementsAre("psnr_y", "psnr_cb", "psnr_cr"));
  EXPECT_THAT(Psnr::names({.mse = true}),
              ElementsAre("psnr_y", "mse_y", "psnr_cb", "mse_cb", "psnr_cr", "mse_cr"));
  EXPECT_THAT(Psnr::names({.chroma = false, .mse = true}), ElementsAre("psnr_y", "mse_y"));
  EXPECT_THAT(aggregate_names({}), IsEmpty());
  EXPECT_THAT(aggregate_names({.chroma = false, .apsnr = true}),
              ElementsAre("apsnr_y", "apsnr_cb", "apsnr_cr"));
  const OptionSet set = vq::test::set_of(Psnr::kOptions.specs(), {{"enable_mse", "true"},
                                                                  {"enable_apsnr", "true"},
                                                                  {"reduced_hbd_peak", "true"},
                                                                  {"enable_chroma", "false"},
                                                                  {"min_sse", "0.5"}});
  EXPECT_EQ(set.metric_name("psnr_y"), "psnr_y");
}

PlaneError error_of(double mse, int64_t samples) {
  return {static_cast<uint64_t>(std::llround(mse * static_cast<double>(samples))), samples};
}

constexpr int64_t kLuma = 640 * 360, kChroma = kLuma / 4;

// The limit may be any number: what is asked for is what counts.
TEST(PsnrScore, IsLimitedByTheLeastSumOfErrors) {
  for (const auto& [bit_depth, min_sse, luma, chroma] :
       {std::tuple{8, 0.5, 105.0, 99.0}, {8, 1000.0, 72.0, 66.0}, {10, 1000.0, 84.0, 78.0}}) {
    const Scorer scorer({.min_sse = min_sse}, bit_depth);
    EXPECT_EQ(scorer.psnr({0, kLuma}), luma);
    EXPECT_EQ(scorer.psnr({0, kChroma}), chroma);
    EXPECT_DOUBLE_EQ(scorer.psnr(error_of(10.334852430555555, kLuma)),
                     Scorer({}, bit_depth).psnr(error_of(10.334852430555555, kLuma)));
  }
  EXPECT_EQ(Scorer({.min_sse = 1000}, 16).psnr({0, 240 * 135}), 112);
  EXPECT_EQ(Scorer({.reduced_hbd_peak = true, .min_sse = 0.5}, 10).psnr({0, kChroma}), 111);
  EXPECT_EQ(Scorer({.min_sse = kLargest}, 8).psnr({0, 1}), std::ceil(48.1308 - 3082.5471));
}

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

TEST(PsnrScore, OfAllFramesIsThatOfTheirMeanError) {
  std::vector<PlaneError> eight_bits, ten_bits;
  for (const double mse : {0.6834852430555556, 0.6305381944444445, 0.5854079861111111, 0.6276432291666667,
                           0.6376909722222223, 0.6180946180555555}) {
    eight_bits.push_back(error_of(mse, kLuma));
  }
  for (const double mse : {1918.0810807291666, 1894.5373177083334, 1910.6069921875})
    ten_bits.push_back(error_of(mse, kLuma));
  EXPECT_DOUBLE_EQ(apsnr_of(eight_bits, 8), 50.13411314577092);
  EXPECT_DOUBLE_EQ(apsnr_of(ten_bits, 10), 27.39231672622589);
  EXPECT_DOUBLE_EQ(apsnr_of(ten_bits, 10, {.reduced_hbd_peak = true}), 27.366807487221045);
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

TEST(PsnrScore, ValuesComeInTheOrderOfTheirNames) {
  const std::vector<PlaneError> planes = {error_of(0.6834852430555556, kLuma), {0, kChroma}, {1205, kChroma}};
  EXPECT_THAT(Scorer({}, 8).frame_scores(planes), ElementsAre(DoubleEq(49.783512185971745), 60, 60));
  EXPECT_THAT(Scorer({.mse = true}, 8).frame_scores(planes),
              ElementsAre(DoubleEq(49.783512185971745), 0.6834852430555556, 60, 0, 60, 0.020920138888888887));
  // Planes that are not compared have no samples.
  const TotalError luma{.squared = 0, .samples = 3 * kLuma};
  EXPECT_THAT(Scorer({.chroma = false, .apsnr = true}, 8).aggregates({luma, {}, {}}),
              ElementsAre(110, -kInfinity, -kInfinity));
  EXPECT_THAT(Scorer({}, 8).aggregates({luma, {}, {}}), IsEmpty());
}

}  // namespace
}  // namespace vq::psnr
