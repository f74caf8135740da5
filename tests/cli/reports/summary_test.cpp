#include "cli/reports/summary.h"
#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

TEST(Timecode, IsCutToHundredths) {
  EXPECT_EQ(timecode(0), "0:00:00.00");
  EXPECT_EQ(timecode(14.21), "0:00:14.21");
  EXPECT_EQ(timecode(14.2199), "0:00:14.21");
  EXPECT_EQ(timecode(3.958333 + (3.958333 - 3.916667)), "0:00:04.00");
  EXPECT_EQ(timecode(59.999), "0:00:59.99");
  EXPECT_EQ(timecode(3599.999), "0:59:59.99");
  EXPECT_EQ(timecode(3600), "1:00:00.00");
  EXPECT_EQ(timecode(100 * 3600 + 61.5), "100:01:01.50");
  EXPECT_EQ(timecode(-0.04), "-0:00:00.04");
}

// Two frames without times.
Report two_frames(std::vector<Metric> metrics) {
  Report report = sample_report();
  report.frames = {0, 100};
  report.timestamps = {std::nullopt, std::nullopt};
  report.metrics = std::move(metrics);
  return report;
}

Report model_report() {
  return two_frames({{"cambi_hrs_1080_cmxv_17_vlt_0.06", {1, 6}},
                     {"integer_adm2_csf_2_dlmw_0.7_egl_1", {0.9, 0.5}},
                     {"integer_motion2", {1, 2}},
                     {"vmaf", {80, 60}}});
}

class SummaryTexts : public ::testing::Test {
 protected:
  void add(const std::string& title, const Report& report, const SummaryStyle& style = {}) {
    const std::string text = summary_text(report, style);
    const size_t table = text.find("\nmetric") + 1;
    const std::string header = text.substr(0, table);
    golden_.add(title, header == header_ ? text.substr(table) : text);
    header_ = header;
  }
  std::string header_;  // of the text before; one that is the same is left out
  vq::test::GoldenTexts golden_{"reports/summary.txt"};
};

TEST_F(SummaryTexts, AreAsReviewed) {
  add("one video and one metric", sample_report(), {false, {"eotf=pq (from the stream)"}});

  Report report = two_frames(
      {{"cambi", {1, 2}}, {"cambi_a_very_long_name_indeed", {123.5, 0.5}}, {"cambi_source", {0, 0}}});
  report.run.inputs.push_back(sample_input("reference", "a/long/folder/ref.mkv"));
  report.run.inputs[1].range = report.run.inputs[1].transfer = "unspecified";
  report.run.inputs[1].frame_rate = 25;
  report.run.backend = "vulkan";
  report.run.device = "Some GPU";
  report.run.driver = "580.1";
  report.run.threads = 1;
  add("two inputs and several metrics", report);

  report = sample_report();
  report.frames = {0};
  report.timestamps = {0.5};
  report.metrics[0].values = {7};
  report.run.inputs[0].frames = 1;
  add("one frame", report);

  report.frames.clear();
  report.timestamps.clear();
  report.metrics[0].values.clear();
  add("no frames", report);

  report = sample_report();
  report.metrics[0].values.assign(1440, 0.0);
  add("scores of 0 have no worst", report);

  add("the score of a model is first, and the names of its features are short", model_report());
  report = model_report();
  for (const char* const end : {"vmaf_bagging", "vmaf_ci_p95_lo", "vmaf_ci_p95_hi"})
    report.metrics.push_back({end, {70, 50}});
  add("the interval of a collection follows its score", report);
  report = model_report();
  report.metrics.push_back({"cambi", {2, 3}});
  add("names that others share stay whole", report);
  report.metrics = {report.metrics[0]};
  add("and so do those without a model", report);

  report = sample_report();
  report.metrics.push_back({"cambi_source", std::vector<double>(1440, 0.0)});
  report.metrics.push_back({"unheard_of", std::vector<double>(1440, 9.0)});
  add("counts are aligned, and an unknown metric has neither a count nor a worst", report);

  report = sample_report();
  report.metrics[0].values.assign(1440, 0.5);
  for (size_t i = 300; i < 310; ++i) report.metrics[0].values[i] = 9;
  report.metrics[0].values[1000] = 8;
  add("a long bad scene is listed once", report);

  report = sample_report();
  for (size_t i = 0; i < 11; ++i) report.metrics[0].values[i * 100] = 20 - static_cast<double>(i);
  add("many moments have a line each", report, {.worst = 10});
  add("few columns", report, {.width = 45});
  add("fewer columns", report, {.width = 40});

  report = sample_report();
  for (const char* name : {"cambi_a", "cambi_b", "cambi_c", "cambi_d", "cambi_e"})
    report.metrics.push_back({name, report.metrics[0].values});
  add("six metrics", report);
  report.metrics.push_back({"cambi_f", report.metrics[0].values});
  add("seven, of which the first few have a worst", report);

  report.metrics = {{"bounds_x", std::vector<double>(1440, 140)},
                    {"fingerprint_repeated", std::vector<double>(1440, 0)}};
  report.metrics[0].values[7] = 0;
  report.metrics[1].values[48] = 1;
  add("decimals are those of the metric", report);

  report.metrics.clear();
  const auto add_metric = [&](const std::string& name) {
    report.metrics.push_back({name, std::vector<double>(1440, 0.0)});
  };
  for (const char* figure : {"mean", "stdev", "min", "p1", "p50", "p99", "max", "used", "entropy",
                             "clipped_low", "clipped_high"}) {
    add_metric(std::string("histogram_y_") + figure);
  }
  add("all figures of one feature", report);
  add_metric("cambi");
  add_metric("psnr_y");
  add("details are left out of many", report);

  add("names stay on their line", awkward_report());
}

TEST(Summary, ColoursOnlyWhenAsked) {
  EXPECT_THAT(summary_text(sample_report(), {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(summary_text(awkward_report(), {}), Not(HasSubstr("\x1b")));
  const std::string text = summary_text(sample_report(), {true, {}});
  EXPECT_THAT(text, HasSubstr("\x1b[1mmetric "));
  EXPECT_THAT(text, HasSubstr("\x1b[33m5.996\x1b[0m"));
}

// What is said about a ranking.

std::vector<NamedReport> pair_of_runs() {
  std::vector<NamedReport> runs = {run_of("a", {1, 2}), run_of("b", {1, 2})};
  for (NamedReport& run : runs) run.report.run.inputs[0].bit_rate = 1000;
  return runs;
}

InputFacts& video_of(NamedReport& run) { return run.report.run.inputs[0]; }

TEST(RunRemarks, AreAsReviewed) {
  vq::test::GoldenTexts golden("reports/run_remarks.txt");
  const auto add = [&](const std::string& title, const std::vector<NamedReport>& runs) {
    std::string text;
    for (const std::string& remark : remarks_on(runs, {"cambi", named("mean")})) text += remark + "\n";
    golden.add(title, text.empty() ? "none" : text);
  };
  const auto changed = [](const std::function<void(std::vector<NamedReport>&)>& change) {
    std::vector<NamedReport> runs = pair_of_runs();
    change(runs);
    return runs;
  };
  add("runs that fit", pair_of_runs());
  add("lengths and scores", {run_of("a.mkv", {1, 2}), run_of("part.json", {5, kNaN, 3})});
  add("frames", changed([](auto& runs) { runs[1].report.frames = {5, 9}; }));
  add("what the videos are", changed([](auto& runs) {
        runs.push_back(runs[0]);
        runs[2].name = "c";
        video_of(runs[1]).width = 1280;
        video_of(runs[1]).height = 720;
        video_of(runs[1]).frame_rate = 25;
        video_of(runs[2]).transfer = "bt1886";
        runs[2].report.run.crop = Rectangle{0, 280, 3840, 1600};
      }));
  std::vector<NamedReport> many;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) many.push_back(run_of(name, {1}));
  video_of(many[6]).frame_rate = 30;
  add("many names are counted", many);
  add("what is not known does not differ", changed([](auto& runs) { runs[1].report.run = {}; }));
  add("durations as containers round them", changed([](auto& runs) {
        video_of(runs[0]).duration = 0.08;
        video_of(runs[1]).duration = 0.09;
      }));
  add("durations", changed([](auto& runs) {
        video_of(runs[0]).duration = 0.08;
        video_of(runs[1]).duration = 60;
      }));
  for (const char* other : {"/there/master.mov", "/here/other.mov"}) {
    add(std::string("references /here/master.mov and ") + other, changed([&](auto& runs) {
          runs[0].report.run.inputs.push_back(sample_input("reference", "/here/master.mov"));
          runs[1].report.run.inputs.push_back(sample_input("reference", other));
        }));
  }
  add("rates of files, and runs that were cut", changed([](auto& runs) {
        video_of(runs[1]).bit_rate_of = "file";
        runs[0].report.run.complete = false;
      }));
  for (const char* last : {"56", "34"}) {
    add(std::string("hashes 12, 34 and 12, ") + last, changed([&](auto& runs) {
          runs[0].report.texts = {{"fingerprint", {"12", "34"}}};
          runs[1].report.texts = {{"fingerprint", {"12", last}}};
        }));
  }
}

}  // namespace

}  // namespace vq::cli
