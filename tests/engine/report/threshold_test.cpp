#include "engine/report/threshold.h"
#include "cli/reports/compare_files.h"
#include "tests/support/bad_input.h"
#include "tests/support/golden_text.h"

namespace vq::cli::test {
namespace {

Threshold above(const std::string& text) { return parse_threshold(text, ThresholdSide::kAbove); }

Threshold below(const std::string& text) { return parse_threshold(text, ThresholdSide::kBelow); }

std::string threshold_refusal(const std::string& text, ThresholdSide side = ThresholdSide::kAbove) {
  return vq::test::expect_error(ErrorKind::kUsage, {}, [&] { parse_threshold(text, side); });
}

std::vector<ThresholdFacts> judged(const std::vector<std::string>& texts) {
  Report report;
  report.metrics = {{"cambi_eotf_pq", {1, 2, 3, 4, 5}}, {"cambi_source", {0, 0, 0, 0, 1}}};
  std::vector<Threshold> thresholds;
  for (const std::string& text : texts) thresholds.push_back(above(text));
  return judge(thresholds, report);
}

std::string crossed(const std::vector<std::string>& texts) { return crossed_text(judged(texts)); }

TEST(Threshold, ReadsItsParts) {
  const Threshold threshold = above("cambi_full_reference:p99.5>=1.25");
  EXPECT_EQ(threshold.metric, "cambi_full_reference");
  EXPECT_EQ(threshold.statistic.name, "p99.5");
  EXPECT_TRUE(threshold.inclusive);
  EXPECT_EQ(threshold.value, 1.25);
  EXPECT_FALSE(above("mean>5").inclusive);
}

TEST(Threshold, TakesBlanksAndEveryWordOfAComparison) {
  const Threshold threshold = above(" cambi : median >= 5 ");
  EXPECT_EQ(threshold.metric, "cambi");
  EXPECT_EQ(threshold.statistic, parse_statistic("p50", ""));
  EXPECT_TRUE(threshold.inclusive);
  EXPECT_EQ(threshold.value, 5);
  EXPECT_EQ(above("harmonic>1").statistic.name, "harmonic_mean");
  EXPECT_DOUBLE_EQ(above("share > 12.5 %").value, 0.125);
  EXPECT_DOUBLE_EQ(above("share>0.125").value, 0.125);
}

TEST(Threshold, Refusals) {
  EXPECT_THAT(threshold_refusal("mean"), HasSubstr("there is no > or >=. Quote it, or the shell takes it."));
  EXPECT_THAT(threshold_refusal("mean<5"),
              HasSubstr("threshold \"mean<5\" fails below its value, not above."));
  EXPECT_THAT(threshold_refusal("maen>5"), HasSubstr("Did you mean \"mean\"?"));
  EXPECT_THAT(threshold_refusal("p101>5"), HasSubstr("unknown statistic"));
  EXPECT_THAT(threshold_refusal("p>5"), HasSubstr("unknown statistic"));
  EXPECT_THAT(threshold_refusal("mean>"), HasSubstr("\"\" is not a number"));
  EXPECT_THAT(threshold_refusal("mean>=5x"), HasSubstr("\"5x\" is not a number"));
  EXPECT_THAT(threshold_refusal("mean>nan"), HasSubstr("is not a number"));
  EXPECT_THAT(threshold_refusal(":mean>5"), HasSubstr("metric before the colon"));
  EXPECT_THAT(threshold_refusal("share>10"),
              HasSubstr("a share is below 1, or has a percent sign. It takes"));
  EXPECT_THAT(threshold_refusal("mean>5%"), HasSubstr("\"5%\" is not a number"));
  EXPECT_THAT(threshold_refusal("mean>+"), HasSubstr("\"+\" is not a number"));
  EXPECT_THAT(threshold_refusal("share>+10"), HasSubstr("a share is below 1, or has a percent sign"));
  EXPECT_THAT(threshold_refusal(">5"), HasSubstr("unknown statistic"));
  EXPECT_THAT(threshold_refusal("mine>30"), HasSubstr("Where mine is a metric: 'mine:mean>30'."));
  EXPECT_THAT(threshold_refusal("psnr_y:maen>30"), Not(HasSubstr("is a metric")));
}

TEST(Threshold, SaysWhichAndByHowMuch) {
  EXPECT_EQ(crossed({"mean>2.5"}), "mean of cambi_eotf_pq is 3 (mean>2.5)");
  EXPECT_EQ(crossed({"mean>3", "max>5", "p50>3", "min>1", "share>20%"}), "");
  EXPECT_EQ(crossed({"mean>=3"}), "mean of cambi_eotf_pq is 3 (mean>=3)");
  for (const char* text : {"max>4", "p75>3.5", "stdev>1", "harmonic_mean>2", "min>0", "share>=20%"})
    EXPECT_TRUE(judged({text})[0].crossed) << text;
  EXPECT_EQ(
      crossed({"cambi:max>4.5", "max>9", "cambi_source:max>0.5", "share>1%"}),
      "max of cambi_eotf_pq is 5 (cambi:max>4.5); max of cambi_source is 1 (cambi_source:max>0.5); share of "
      "cambi_eotf_pq is 20.00 % (share>1%)");
}

TEST(Threshold, FromBelowIsTheOtherWayRound) {
  Report report;
  report.metrics = {{"cambi", {1, 2, 3}}};
  const auto is_crossed = [&](const std::string& text) {
    return judge(std::vector{below("cambi:" + text)}, report)[0].crossed;
  };
  for (const char* text : {"mean<2.5", "mean<=2", "p0<1.5", "share<50%"})
    EXPECT_TRUE(is_crossed(text)) << text;
  for (const char* text : {"mean<2", "max<=2.9", "min<1"}) EXPECT_FALSE(is_crossed(text)) << text;
  report.metrics[0].values[1] = NAN;
  EXPECT_TRUE(is_crossed("mean<0"));
  EXPECT_THAT(threshold_refusal("mean", ThresholdSide::kBelow),
              HasSubstr("threshold \"mean\": there is no < or <=. Quote it, or the shell takes it. It takes "
                        "[METRIC:]STATISTIC<VALUE"));
}

TEST(Threshold, WithoutAMetricItMeansTheOneThatANumberAloneMayJudge) {
  Report report;
  report.metrics = {
      {"psnr_y", {40}}, {"integer_aim", {3}}, {"cambi", {3}}, {"vmaf", {70}}, {"unheard_of", {7}}};
  EXPECT_EQ(judge(std::vector{above("mean>5")}, report)[0].metric, "cambi");
  EXPECT_EQ(judge(std::vector{below("mean<5")}, report)[0].metric, "vmaf");
  for (const char* const name : {"cambi", "psnr_y", "unheard_of"}) {
    EXPECT_THROW(check_threshold_metrics(std::vector{below("mean<5")}, std::vector<Metric>{{name, {}}}),
                 Error)
        << name;
  }
  const std::vector<Metric> higher = {{"psnr_y", {}}};
  EXPECT_THROW(check_threshold_metrics(std::vector{above("mean>5")}, higher), Error);
  EXPECT_NO_THROW(check_threshold_metrics(std::vector{above("psnr_y:mean>5")}, higher));
}

TEST(Threshold, AShareNeedsNoteworthyScores) {
  const std::vector<Metric> metrics = {{"integer_aim", {}}, {"vmaf", {}}};
  EXPECT_NO_THROW(check_threshold_metrics(std::vector{above("vmaf:share>10%")}, metrics));
  EXPECT_NO_THROW(check_threshold_metrics(std::vector{below("share<10%")}, metrics));
  EXPECT_THROW(check_threshold_metrics(std::vector{above("share>10%")}, metrics), Error);
  EXPECT_THROW(check_threshold_metrics(std::vector{above("integer_aim:share>10%")}, metrics), Error);
}

Baseline baseline_of(const std::vector<double>& scores) {
  Baseline baseline{"old.json", {}};
  baseline.report.metrics = {{"psnr_y", scores}, {"cambi", scores}};
  for (size_t i = 0; i < scores.size(); ++i) baseline.report.frames.push_back(static_cast<int64_t>(i));
  return baseline;
}

// How it comes out that a run has these scores and the baseline those.
ThresholdFacts from_baseline(const Threshold& threshold, const std::vector<double>& now,
                             const std::vector<double>& old) {
  const Baseline baseline = baseline_of(old);
  const Baseline run = baseline_of(now);
  return judge(std::vector{threshold}, run.report, &baseline)[0];
}

bool crossed_from(const Threshold& threshold, double now, double old) {
  return from_baseline(threshold, {now}, {old}).crossed;
}

TEST(Threshold, ASignMeasuresFromTheBaseline) {
  EXPECT_TRUE(crossed_from(above("mean>+0.5"), 4.6, 4));
  EXPECT_FALSE(crossed_from(above("mean>+0.5"), 4.5, 4));
  EXPECT_TRUE(crossed_from(above("mean>=+0.5"), 4.5, 4));
  EXPECT_FALSE(crossed_from(above("mean>=+0.5"), 4.4, 4));
  EXPECT_TRUE(crossed_from(below("psnr_y:mean<-0.3"), 39.6, 40));
  EXPECT_FALSE(crossed_from(below("psnr_y:mean<-0.3"), 39.7, 40));
  EXPECT_TRUE(crossed_from(below("psnr_y:mean<=-0.3"), 39.7, 40));
  // To be better is asked for.
  EXPECT_TRUE(crossed_from(above("mean>-1"), 3.5, 4));
  EXPECT_FALSE(crossed_from(above("mean>-1"), 2.9, 4));
  EXPECT_TRUE(crossed_from(below("psnr_y:mean < +1"), 40.5, 40));
}

TEST(Threshold, APercentageIsOneOfTheBaselinesValue) {
  EXPECT_TRUE(crossed_from(above("mean>+10%"), 4.5, 4));
  EXPECT_FALSE(crossed_from(above("mean>+10%"), 4.4, 4));
  EXPECT_FALSE(crossed_from(above("mean>+15%"), 4.5, 4));
  EXPECT_TRUE(crossed_from(below("psnr_y:mean<-1 %"), 39.5, 40));
  EXPECT_FALSE(crossed_from(below("psnr_y:mean<-2%"), 39.5, 40));
  // Of a negative value as well it is on the worse side.
  EXPECT_FALSE(crossed_from(below("psnr_y:mean<-10%"), -4.2, -4));
  EXPECT_TRUE(crossed_from(below("psnr_y:mean<-10%"), -4.5, -4));
  // Of a share it is that many more of a hundred frames.
  EXPECT_TRUE(from_baseline(above("share>+20%"), {6, 6, 6, 1}, {6, 6, 1, 1}).crossed);
  EXPECT_FALSE(from_baseline(above("share>+25%"), {6, 6, 6, 1}, {6, 6, 1, 1}).crossed);
  EXPECT_FALSE(from_baseline(above("share>+0.25"), {6, 6, 6, 1}, {6, 6, 1, 1}).crossed);
}

TEST(Threshold, SixDecimalsOfAReportAreNoDifference) {
  EXPECT_FALSE(crossed_from(above("mean>+0"), 3.3430004, 3.343));
  EXPECT_TRUE(crossed_from(above("mean>=+0"), 3.3429996, 3.343));
  EXPECT_TRUE(crossed_from(above("mean>+0"), 3.343002, 3.343));
  EXPECT_FALSE(crossed_from(below("psnr_y:mean<-0"), 39.9999996, 40));
}

TEST(Threshold, WithoutASignItIsAsWithoutABaseline) {
  const ThresholdFacts plain = from_baseline(above("mean>5"), {6}, {1});
  EXPECT_TRUE(plain.crossed);
  EXPECT_FALSE(plain.baseline);
  EXPECT_EQ(threshold_text(plain), "mean of cambi is 6 (mean>5)");
  EXPECT_FALSE(crossed_from(above("mean>5"), 4, 1));
}

TEST(Threshold, ABaselineWithoutAScoreIsCrossed) {
  const ThresholdFacts facts = from_baseline(above("mean>+100"), {6, 6}, {4, NAN});
  EXPECT_TRUE(facts.crossed);
  ASSERT_TRUE(facts.baseline);
  EXPECT_TRUE(std::isnan(*facts.baseline));
}

TEST(Threshold, ABaselineAndWhatIsMeasuredFromItNeedEachOther) {
  check_baseline_use(std::vector{above("mean>+1"), above("max>5")}, true);
  check_baseline_use(std::vector{above("mean>5")}, false);
  check_baseline_use(std::vector{below("psnr_y:mean<-5")}, false);  // decibels
  const auto refused = [](const std::vector<Threshold>& thresholds, bool has_baseline, const char* part) {
    vq::test::expect_error(ErrorKind::kUsage, {part}, [&] { check_baseline_use(thresholds, has_baseline); });
  };
  for (const Threshold& threshold : {above("mean>+1"), below("psnr_y:mean<-5%"), above("share>+5%")})
    refused({threshold}, false, "how far from a baseline, and there is none");
  refused({above("mean>5")}, true, "a baseline has no effect");
  refused({}, true, "a baseline has no effect");
}

TEST(Threshold, AMetricThatTheBaselineLacksIsToldByName) {
  const Baseline baseline = baseline_of({1});
  const std::vector<Metric> metrics = {{"cambi", {}}, {"cambi_source", {}}};
  EXPECT_NO_THROW(
      check_baseline(std::vector{above("mean>+1"), above("cambi_source:mean>5")}, metrics, {}, baseline));
  vq::test::expect_error(
      ErrorKind::kMismatch, {"the baseline old.json has no cambi_source, only psnr_y, cambi."},
      [&] { check_baseline(std::vector{above("cambi_source:mean>+1")}, metrics, {}, baseline); });
}

TEST(Threshold, TheBaselinesScoresMeanWhatThoseOfTheRunMean) {
  const std::string model = "mine";
  Baseline baseline;
  baseline.report.metrics = {{model, {60, 90}}};
  Report report;
  report.metrics = {{model, {60, 65}, find_model_score(model, {&model, 1})}};
  const ThresholdFacts facts = judge(std::vector{above("mine:share>+10%")}, report, &baseline)[0];
  EXPECT_EQ(facts.baseline, 0.5);
  EXPECT_EQ(facts.value, 1);
}

TEST(Threshold, WhatIsNotANumberCrossesEveryOne) {
  Report report;
  report.metrics = {{"cambi", {1, NAN}}};
  for (const char* text : {"mean>100", "p50>100", "share>99%"})
    EXPECT_TRUE(judge(std::vector{above(text)}, report)[0].crossed) << text;
}

class ThresholdRun : public FolderTest {
 protected:
  const std::string clip_ = testdata("clips/sky_640x360_8b.mp4");
};

TEST_F(ThresholdRun, ForGitHubTheStepHasASummary) {
  const std::string path = in_folder("summary.md"), video = in_folder("a_|b_.mp4");
  std::filesystem::create_symlink(clip_, video);
  write_file(path, "before\n");
  const ProgramOptions in_step = {.environment = {{"GITHUB_STEP_SUMMARY", path}}};
  run_program({clip_, "-q"}, in_step);
  EXPECT_EQ(read_file(path), "before\n");
  EXPECT_EQ(run_program({video, "-q", "--github", "--fail-above", "mean>5"}, in_step).code, 7);
  EXPECT_EQ(run_program({"none.mp4", "-q", "--github"}, in_step).code, 2);
  const std::string summary = read_file(path);
  EXPECT_THAT(summary, StartsWith("before\n### cambi: "));
  EXPECT_THAT(
      summary,
      HasSubstr(
          "a\\_\\|b\\_.mp4\n\n| metric | mean | max | p99 | p95 | p50 | frames >= 5 |\n| --- | ---: |"));
  EXPECT_THAT(summary,
              HasSubstr("\n\n| threshold |  | value |\n| --- | --- | --- |\n| mean>5 | crossed | 8.689"));
  EXPECT_THAT(summary, HasSubstr("\n### cambi: none.mp4\n\n**Failed:** none.mp4 cannot be opened"));
}

TEST_F(ThresholdRun, ScoresStreamAsTheReportHasThem) {
  const std::string path = in_folder("r.json");
  const ProgramResult result =
      run_well({clip_, "-r", clip_, "--full-ref", "--stream-scores", "--extended", "-o", path});
  const json report = read_json(path);
  std::istringstream lines(result.out);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_EQ(json::parse(line), report["frames"][count]) << line;
  EXPECT_EQ(count, 12U);
  EXPECT_THAT(result.err, HasSubstr("metric"));  // the summary makes way
}

// The same moments in the summary, the report and the pictures, in the same order. The video has three.
TEST_F(ThresholdRun, TheWorstMomentsAreTheSameEverywhere) {
  const std::string path = in_folder("r.json"), maps = in_folder("maps");
  const std::string video = in_folder("v.mkv");
  run_ffmpeg(
      "-f lavfi -i gradients=s=320x240:c0=0x202020:c1=0x303030:d=4:r=25:seed=7:speed=0.05 -pix_fmt yuv420p "
      "-c:v ffv1 " +
      video);
  const auto run = [&](const std::string& count) {
    return run_program(
        {video, "--worst", count, "--extended", "-o", path, "--heatmaps", maps, "--heatmap-format", "png"});
  };
  const ProgramResult result = run("2");
  ASSERT_EQ(result.code, 0) << result.err;
  const json worst = read_json(path)["worst"]["cambi"];
  ASSERT_EQ(worst.size(), 2U);
  std::set<std::string> wanted, found;
  std::string pattern = "worst: ";
  for (const json& moment : worst) {
    const std::string number = moment["frameNum"].dump();
    pattern += ".*\\(#" + number + "\\) .*";
    wanted.insert(std::string(6 - number.size(), '0') + number);
  }
  EXPECT_THAT(result.out, ::testing::ContainsRegex(pattern));
  for (const auto& entry : std::filesystem::directory_iterator(maps)) {
    const std::string name = entry.path().stem();
    found.insert(name.substr(name.find_first_of("0123456789", name.find_last_of("_f")), 6));
  }
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(run_program({clip_, "--worst", "0"}).out.find("worst"), std::string::npos);
  EXPECT_EQ(run_program({clip_, "--worst", "1001"}).code, 1);
}

// What is said of a report that thresholds are measured from, where it is of another run.

using vq::test::GoldenTexts;

// A complete run of three frames.
Report plain_run() {
  Report report;
  report.frames = {0, 1, 2};
  report.width = 640;
  report.height = 360;
  report.metrics = {{"cambi", {1, 2, 3}}};
  InputFacts& input = report.run.inputs.emplace_back();
  input.role = "distorted";
  input.width = report.width;
  input.height = report.height;
  report.run.features = {{"cambi", {{"eotf", "bt1886"}, {"heatmaps_path", "x"}}}};
  return report;
}

TEST(Baseline, RemarksAreAsReviewed) {
  GoldenTexts golden("reports/baseline_remarks.txt");
  const auto add = [&](const std::string& title, const std::function<void(Report&)>& change,
                       const Report& now = plain_run()) {
    Report old = plain_run();
    change(old);
    std::string text;
    for (const std::string& remark : remarks_on_baseline({"folder/old.json", old}, now))
      text += remark + "\n";
    golden.add(title, text.empty() ? "none" : text);
  };
  add("the same run", [](Report&) {});
  add("where files go changes no score",
      [](Report& old) { old.run.features[0].second[1].second = "elsewhere"; });
  add("fewer frames", [](Report& old) { old.frames = {0, 1}; });
  add("other frames", [](Report& old) { old.frames = {0, 10, 20}; });
  add("another size", [](Report& old) { old.height = 368; });
  add("another area", [](Report& old) { old.run.crop = Rectangle{0, 44, 640, 272}; });
  add("another area of the reference", [](Report& old) {
    old.run.reference_crop = Rectangle{0, 44, 640, 272};
  });
  add("another option", [](Report& old) { old.run.features[0].second[0].second = "pq"; });
  add("another feature", [](Report& old) { old.run.features[0].first = "psnr"; });
  add("a run that ended early", [](Report& old) { old.run.complete = false; });
  add("a compatible report tells only of its frames", [](Report& old) {
    old.run = {};
    old.width = old.height = 0;
    old.frames = {0};
  });
  Report now = plain_run();
  now.run.models = {{.name = "vmaf", .source = "vmaf_v0.6.1"}};
  add(
      "a model that was scaled",
      [](Report& old) {
        old.run.models = {{.name = "vmaf", .source = "vmaf_v0.6.1", .scored_at = "1920x1080@8"}};
      },
      now);
}

TEST(Baseline, IsReadFromAReport) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/old.json";
  write_file(path, write_report(plain_run(), {ReportFormat::kJson, {}, true}));
  const Baseline baseline = read_baseline(path);
  EXPECT_EQ(baseline.path, path);
  EXPECT_EQ(baseline.report.metrics[0].values, plain_run().metrics[0].values);
  EXPECT_THAT(remarks_on_baseline(baseline, plain_run()), IsEmpty());
  EXPECT_THROW(read_baseline(folder.path() + "/none.json"), Error);
}

}  // namespace

}  // namespace vq::cli::test
