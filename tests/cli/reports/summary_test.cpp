#include "cli/reports/summary.h"
#include "cli/text/timecode.h"

#include <gmock/gmock.h>

#include "tests/support/report_samples.h"

namespace vq::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Timecode, IsCutToHundredths) {
  EXPECT_EQ(timecode(0), "0:00:00.00");
  EXPECT_EQ(timecode(14.21), "0:00:14.21");
  EXPECT_EQ(timecode(14.2199), "0:00:14.21");
  EXPECT_EQ(timecode(59.999), "0:00:59.99");
  EXPECT_EQ(timecode(3599.999), "0:59:59.99");
  EXPECT_EQ(timecode(3600), "1:00:00.00");
  EXPECT_EQ(timecode(100 * 3600 + 61.5), "100:01:01.50");
  EXPECT_EQ(timecode(-0.04), "-0:00:00.04");
}

TEST(Summary, OneVideoAndOneMetric) {
  EXPECT_EQ(
      summary_text(sample_report(), {false, {"eotf=pq (from the stream)"}}),
      "show.mkv  hevc 3840x2160 10-bit limited pq 23.976 fps  1440 of 1440 frames\n"
      "cambi 0.1.0  cpu (AVX2, 2 threads)  41.2 fps  eotf=pq (from the stream)\n"
      "metric          mean    p50    p95    p99    max   frames >= 5\n"
      "cambi_eotf_pq  2.998  2.998  5.696  5.936  5.996  240 (16.7 %)\n"
      "worst: 0:01:00.01 (#1439) 5.996\n");
}

Report model_report() {
  Report report = sample_report();
  report.frames = {0, 100};
  report.timestamps = {std::nullopt, std::nullopt};
  report.metrics = {{"cambi_hrs_1080_cmxv_17_vlt_0.06", {1, 6}},
                    {"integer_adm2_csf_2_dlmw_0.7_egl_1", {0.9, 0.5}},
                    {"integer_motion2", {1, 2}},
                    {"vmaf", {80, 60}}};
  return report;
}

// What was asked for is first, and what it is made of is called briefly.
TEST(Summary, OfAModelTheScoreIsFirst) {
  const std::string text = summary_text(model_report(), {});
  EXPECT_THAT(text, HasSubstr("metric             mean     min      p5     p50     p95     max  noteworthy\n"
                              "vmaf             70.000  60.000  61.000  70.000  79.000  80.000  1 (50.0 %)\n"
                              "cambi             3.500   1.000   1.250   3.500   5.750   6.000  1 (50.0 %)\n"
                              "integer_adm2     0.7000  0.5000  0.5200  0.7000  0.8800  0.9000           -\n"
                              "integer_motion2   1.500   1.000   1.050   1.500   1.950   2.000           -\n"
                              "worst vmaf: #100 60.000, #0 80.000\n"
                              "worst cambi: #100 6.000, #0 1.000\n"));
}

TEST(Summary, OfACollectionTheIntervalFollowsTheScore) {
  Report report = model_report();
  for (const char* const end : {"vmaf_bagging", "vmaf_ci_p95_lo", "vmaf_ci_p95_hi"}) report.metrics.push_back({end, {70, 50}});
  const std::string text = summary_text(report, {});
  EXPECT_THAT(text, HasSubstr("\nvmaf_ci_p95_hi   60.000"));
  EXPECT_LT(text.find("\nvmaf "), text.find("\nvmaf_bagging "));
  EXPECT_LT(text.find("\nvmaf_ci_p95_hi "), text.find("\ncambi   "));
  // Of what is made of many metrics, the worst of what is judged by itself.
  EXPECT_THAT(text, HasSubstr("worst vmaf: #100 60.000, #0 80.000\nworst cambi: #100 6.000, #0 1.000\nworst of 4 more metrics"));
}

// Two of one feature need their options to be told apart.
TEST(Summary, NamesThatOthersShareStayWhole) {
  Report report = model_report();
  report.metrics.push_back({"cambi", {2, 3}});
  const std::string text = summary_text(report, {});
  EXPECT_THAT(text, HasSubstr("\ncambi_hrs_1080_cmxv_17_vlt_0.06 "));
  EXPECT_THAT(text, HasSubstr("\ncambi  "));
  report.metrics = {report.metrics[0]};
  EXPECT_THAT(summary_text(report, {}), HasSubstr("\ncambi_hrs_1080_cmxv_17_vlt_0.06 "));
}

TEST(Summary, TwoInputsAndSeveralMetricsAreAligned) {
  Report report = sample_report();
  report.frames = {0, 100};
  report.timestamps = {std::nullopt, std::nullopt};
  report.metrics = {
      {"cambi", {1, 2}}, {"cambi_a_very_long_name_indeed", {123.5, 0.5}}, {"cambi_source", {0, 0}}};
  report.run.inputs.push_back(sample_input("reference", "a/long/folder/ref.mkv"));
  report.run.inputs[1].range = report.run.inputs[1].transfer = "unspecified";
  report.run.inputs[1].frame_rate = 25;
  report.run.backend = "vulkan";
  report.run.device = "Some GPU";
  report.run.driver = "580.1";
  report.run.threads = 1;
  EXPECT_EQ(
      summary_text(report, {}),
      "show.mkv               hevc 3840x2160 10-bit limited pq 23.976 fps  2 of 1440 frames  (distorted)\n"
      "a/long/folder/ref.mkv  hevc 3840x2160 10-bit 25 fps  2 of 1440 frames  (reference)\n"
      "cambi 0.1.0  vulkan (Some GPU, 580.1, AVX2, 1 thread)  41.2 fps\n"
      "metric                           mean     p50      p95      p99      max  frames >= 5\n"
      "cambi                           1.500   1.500    1.950    1.990    2.000    0 (0.0 %)\n"
      "cambi_a_very_long_name_indeed  62.000  62.000  117.350  122.270  123.500   1 (50.0 %)\n"
      "cambi_source                    0.000   0.000    0.000    0.000    0.000    0 (0.0 %)\n"
      "worst cambi: #100 2.000, #0 1.000\n"
      "worst cambi_a_very_long_name_indeed: #0 123.500, #100 0.500\n");
}

TEST(Summary, OneFrame) {
  Report report = sample_report();
  report.frames = {0};
  report.timestamps = {0.5};
  report.metrics[0].values = {7};
  report.run.inputs[0].frames = 1;
  const std::string text = summary_text(report, {});
  EXPECT_THAT(text, HasSubstr("  1 of 1 frame\n"));
  EXPECT_THAT(text, HasSubstr("cambi_eotf_pq  7.000  7.000  7.000  7.000  7.000  1 (100.0 %)\n"));
  EXPECT_THAT(text, HasSubstr("worst: 0:00:00.50 (#0) 7.000\n"));
}

TEST(Summary, CountsAreAlignedAmongMetrics) {
  Report report = sample_report();
  report.metrics.push_back({"cambi_source", std::vector<double>(1440, 0.0)});
  const std::string text = summary_text(report, {});
  EXPECT_THAT(text, HasSubstr("  240 (16.7 %)\n"));
  EXPECT_THAT(text, HasSubstr("     0 (0.0 %)\n"));
}

// A metric that is not described here has no noteworthy scores, and does not change what the others' column says.
TEST(Summary, AnUnknownMetricHasNoNoteworthyFrames) {
  Report report = sample_report();
  report.metrics.push_back({"unheard_of", std::vector<double>(1440, 9.0)});
  const std::string text = summary_text(report, {});
  EXPECT_THAT(text, HasSubstr("frames >= 5\n"));
  EXPECT_THAT(text, HasSubstr("unheard_of     9.000  9.000  9.000  9.000  9.000             -\n"));
  EXPECT_THAT(text, Not(HasSubstr("worst unheard_of")));
}

TEST(Summary, ZeroScoresAndNoFramesHaveNoWorst) {
  Report report = sample_report();
  report.metrics[0].values.assign(1440, 0.0);
  EXPECT_THAT(summary_text(report, {}), Not(HasSubstr("worst")));
  report.frames.clear();
  report.timestamps.clear();
  report.metrics[0].values.clear();
  EXPECT_EQ(summary_text(report, {}),
            "show.mkv  hevc 3840x2160 10-bit limited pq 23.976 fps  0 of 1440 frames\n"
            "cambi 0.1.0  cpu (AVX2, 2 threads)  41.2 fps\n");
}

TEST(Summary, ALongBadSceneIsListedOnce) {
  Report report = sample_report();
  std::vector<double>& values = report.metrics[0].values;
  values.assign(1440, 0.5);
  for (int i = 300; i < 310; ++i) values[i] = 9;
  values[1000] = 8;
  EXPECT_THAT(
      summary_text(report, {}),
      HasSubstr(
          "worst: 0:00:12.51 (#300) 9.000, 0:00:41.70 (#1000) 8.000, 0:00:00.00 (#0) 0.500\n"));
}

TEST(Summary, ManyMomentsHaveALineEach) {
  Report report = sample_report();
  for (size_t i = 0; i < 11; ++i) report.metrics[0].values[i * 100] = 20 - static_cast<double>(i);
  EXPECT_THAT(summary_text(report, {.worst = 10}),
              HasSubstr("worst:\n"
                        "   1  0:00:00.00 (#0)    20.000\n"
                        "   2  0:00:04.17 (#100)  19.000\n"));
  EXPECT_THAT(summary_text(report, {.worst = 10}), HasSubstr("\n  10  0:00:37.53 (#900)  11.000\n"));
}

TEST(Summary, OfManyMetricsTheWorstOfTheFirstFewIsListed) {
  Report report = sample_report();
  for (const char* name : {"cambi_a", "cambi_b", "cambi_c", "cambi_d", "cambi_e"}) {
    report.metrics.push_back({name, report.metrics[0].values});
  }
  EXPECT_THAT(summary_text(report, {}), HasSubstr("worst cambi_e:"));
  report.metrics.push_back({"cambi_f", report.metrics[0].values});
  const std::string text = summary_text(report, {});
  EXPECT_THAT(text, HasSubstr("worst cambi_b:"));
  EXPECT_THAT(text, Not(HasSubstr("worst cambi_c:")));
  EXPECT_THAT(text, HasSubstr("\nworst of 4 more metrics: in a page or an extended report\n"));
}

TEST(Summary, ScoresHaveTheDecimalsOfTheirMetric) {
  Report report = sample_report();
  report.metrics = {{"bounds_x", std::vector<double>(1440, 140)}, {"fingerprint_repeated", std::vector<double>(1440, 0)}};
  report.metrics[0].values[7] = 0;
  report.metrics[1].values[48] = 1;
  const std::string text = summary_text(report, {});
  EXPECT_THAT(text, HasSubstr("bounds_x              139.90    0  140  140  140  140"));
  EXPECT_THAT(text, HasSubstr("worst fingerprint_repeated: 0:00:02.00 (#48) 1\n"));
}

TEST(Summary, OfManyMetricsDetailsAreLeftOut) {
  Report report = sample_report();
  report.metrics.clear();
  const auto add = [&](const std::string& name) { report.metrics.push_back({name, std::vector<double>(1440, 0.0)}); };
  for (const char* figure : {"mean", "stdev", "min", "p1", "p50", "p99", "max", "used", "entropy", "clipped_low", "clipped_high"}) {
    add(std::string("histogram_y_") + figure);
  }
  EXPECT_THAT(summary_text(report, {}), HasSubstr("histogram_y_used"));
  add("cambi");
  add("psnr_y");
  const std::string text = summary_text(report, {});
  for (const char* shown : {"histogram_y_mean", "histogram_y_clipped_low", "cambi", "psnr_y"}) EXPECT_THAT(text, HasSubstr(shown));
  for (const char* detail : {"histogram_y_used", "histogram_y_p50", "histogram_y_entropy"}) EXPECT_THAT(text, Not(HasSubstr(detail)));
  EXPECT_THAT(text, HasSubstr("\n8 more metrics: in a report or a page\n"));
}

TEST(Summary, FitsTheTerminal) {
  Report report = sample_report();
  for (size_t i = 0; i < 3; ++i) report.metrics[0].values[i * 100] = 20;
  const std::string text = summary_text(report, {.width = 45});
  EXPECT_THAT(text, HasSubstr("metric          mean     max   frames >= 5\n"));
  EXPECT_THAT(summary_text(report, {.width = 40}), HasSubstr("metric          mean   frames >= 5\n"));
  EXPECT_THAT(text, HasSubstr("\n  3  0:00:08.34 (#200)  20.000\n"));
}

TEST(Summary, HostileNamesStayOnTheirLine) {
  Report report = awkward_report();
  const std::string text = summary_text(report, {});
  EXPECT_THAT(text, HasSubstr("caf\\xe9 \"x\"\\n.mkv  hevc"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, ::testing::ContainsRegex("\na<b>&.* +-  +-  +-  +-  +-  +-\n"));
}

TEST(Summary, ColoursOnlyWhenAsked) {
  EXPECT_THAT(summary_text(sample_report(), {}), Not(HasSubstr("\x1b")));
  const std::string text = summary_text(sample_report(), {true, {}});
  EXPECT_THAT(text, HasSubstr("\x1b[1mmetric "));
  EXPECT_THAT(text, HasSubstr("\x1b[33m5.996\x1b[0m"));
}

}  // namespace
}  // namespace vq::cli
