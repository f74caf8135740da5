// The statistics that summaries, rankings and thresholds name.
#include "engine/report/statistic.h"
#include "engine/report/threshold.h"
#include "tests/support/report_test.h"

namespace vq {
namespace {

using cli::kNaN;
using cli::named;

TEST(Statistics, AreTheReportsOwn) {
  const std::vector<double> values = {0, 1, 2, 3, 9};
  const PooledScores pooled = *pool_scores(values);
  const std::pair<const char*, double> expected[] = {{"mean", pooled.mean},
                                                     {"harmonic", pooled.harmonic_mean},
                                                     {"min", 0},
                                                     {"max", 9},
                                                     {"stdev", pooled.stdev},
                                                     {"p50", 2},
                                                     {"p75", 3},
                                                     {"p90", pooled.p90},
                                                     {"p95", pooled.p95},
                                                     {"p99", pooled.p99},
                                                     {"share", 0.2}};
  for (const auto& [word, value] : expected)
    EXPECT_DOUBLE_EQ(statistic_of({"cambi", values}, named(word)), value) << word;
  for (const char* word : {"share", "mean", "p95", "max"})
    EXPECT_TRUE(std::isnan(statistic_of({"cambi", {1, kNaN}}, named(word)))) << word;
  EXPECT_TRUE(std::isnan(statistic_of({"cambi", {}}, named("p95"))));
  EXPECT_TRUE(std::isnan(statistic_of({"unheard_of", {1, 2}}, named("share"))));
}

TEST(Statistics, TablesShowTheWorseEnd) {
  const auto names = [](const std::vector<std::string>& metrics) {
    std::vector<Metric> columns;
    for (const std::string& name : metrics) columns.push_back({name, {1}});
    std::string all;
    for (const ShownStatistic& shown : table_statistics(columns)) all += shown.statistic.name + " ";
    return all;
  };
  EXPECT_EQ(names({"cambi", "cambi_source"}), "mean max p99 p95 p50 share ");
  EXPECT_EQ(names({"psnr_y", "psnr_cb"}), "mean harmonic_mean min p1 p5 p50 ");
  EXPECT_EQ(names({"psnr_y", "cambi"}), "mean min p5 p50 p95 max share ");
  EXPECT_EQ(names({"unheard_of"}), "mean max p99 p95 p50 ");
  // Neither end is the worse one.
  EXPECT_EQ(names({"bounds_share", "bounds_x"}), "mean min p5 p50 p95 max ");
}

TEST(Statistics, SeveralWordsMeanOne) {
  EXPECT_EQ(named("median"), named("p50"));
  EXPECT_EQ(named("p50.0"), named("p50"));
  EXPECT_EQ(named("harmonic"), named("harmonic_mean"));
  EXPECT_EQ(named("harmonic").name, "harmonic_mean");
  EXPECT_EQ(words_of(named("median"), known_metric("cambi")), "median");
  EXPECT_EQ(words_of(named("p2"), known_metric("cambi")), "2nd percentile");
  EXPECT_EQ(words_of(named("p93"), known_metric("cambi")), "93rd percentile");
  EXPECT_EQ(words_of(named("p12"), known_metric("cambi")), "12th percentile");
  EXPECT_EQ(words_of(named("p99.5"), known_metric("cambi")), "99.5th percentile");
  EXPECT_EQ(heading_of(named("share"), known_metric("cambi_source_eotf_pq")), "frames >= 5");
  EXPECT_EQ(words_of(named("share"), known_metric("cambi")), "share of frames from 5 on");
  const MetricInfo decibels = {.name = "db", .better = Better::kHigher, .noteworthy = 30};
  EXPECT_EQ(heading_of(named("share"), decibels), "frames <= 30");
  EXPECT_EQ(words_of(named("share"), decibels), "share of frames from 30 down");
  EXPECT_EQ(heading_of(named("share"), known_metric("unheard_of")), "noteworthy");
}

}  // namespace

}  // namespace vq

// Which metric is judged, ranked and shown where it is named shortly, or not at all.

namespace vq::cli::test {
namespace {

Metric inner_metric(const std::string& name) { return {name, {}, nullptr, true}; }

std::vector<std::string> names_at(const std::vector<Metric>& metrics, const std::vector<size_t>& positions) {
  std::vector<std::string> names;
  for (const size_t position : positions) names.push_back(metrics[position].name);
  return names;
}

// As a run with a model of VMAF v1, CAMBI and PSNR has them.
const std::vector<Metric> kOfV1 = {inner_metric("integer_adm3"),
                                   inner_metric("integer_aim"),
                                   inner_metric("cambi_hrs_1080_cmxv_17"),
                                   {"cambi", {}},
                                   {"psnr_y", {}},
                                   {"bounds_share", {}},
                                   {"vmaf", {}}};

TEST(MetricChoice, JudgesWhatWasAskedForAndHasNoteworthyScores) {
  EXPECT_THAT(names_at(kOfV1, judging_metrics(kOfV1)), ElementsAre("vmaf", "cambi"));
  const std::vector<Metric> with_reference = {
      {"cambi", {}}, {"cambi_source", {}}, {"cambi_full_reference", {}}};
  EXPECT_THAT(names_at(with_reference, judging_metrics(with_reference)), ElementsAre("cambi"));
  const std::vector<Metric> none = {{"integer_aim", {}}, {"psnr_y", {}}, {"unheard_of", {}}};
  EXPECT_THAT(judging_metrics(none), IsEmpty());
}

TEST(MetricChoice, SpeaksInOneOrder) {
  EXPECT_THAT(names_at(kOfV1, speaking_order(kOfV1)),
              ElementsAre("vmaf", "cambi", "psnr_y", "integer_adm3", "integer_aim", "cambi_hrs_1080_cmxv_17",
                          "bounds_share"));
  EXPECT_EQ(leading_metric(kOfV1), 6U);
  EXPECT_THAT(names_at(kOfV1, reading_order(kOfV1)),
              ElementsAre("vmaf", "cambi", "psnr_y", "bounds_share", "integer_adm3", "integer_aim",
                          "cambi_hrs_1080_cmxv_17"));
}

std::string named_in(const std::vector<Metric>& metrics, const std::string& name) {
  const std::optional<size_t> found = find_named(metrics, name);
  return found ? metrics[*found].name : "none";
}

TEST(MetricChoice, FindsWhatPeopleCallMetrics) {
  EXPECT_EQ(named_in(kOfV1, "cambi"), "cambi");
  EXPECT_EQ(named_in(kOfV1, "cambi_hrs_1080_cmxv_17"), "cambi_hrs_1080_cmxv_17");
  EXPECT_EQ(named_in(kOfV1, "aim"), "integer_aim");
  EXPECT_EQ(named_in(kOfV1, "psnr"), "psnr_y");
  EXPECT_EQ(named_in(kOfV1, "ssim"), "none");
  const std::vector<Metric> all = {
      {"float_ssim", {}},  {"float_ms_ssim", {}}, {"integer_vif_scale0", {}}, {"integer_vif_scale1", {}},
      {"integer_vif", {}}, {"psnr_hvs_y", {}},    {"cambi_eotf_pq", {}}};
  EXPECT_EQ(named_in(all, "ssim"), "float_ssim");
  EXPECT_EQ(named_in(all, "ms_ssim"), "float_ms_ssim");
  EXPECT_EQ(named_in(all, "vif"), "integer_vif");
  EXPECT_EQ(named_in({all.begin(), all.begin() + 4}, "vif"), "integer_vif_scale0");
  EXPECT_EQ(named_in(all, "cambi"), "cambi_eotf_pq");
}

std::string choice_refusal(const std::string& text, const std::vector<Metric>& metrics) {
  const auto side = text.find('<') == text.npos ? ThresholdSide::kAbove : ThresholdSide::kBelow;
  const std::vector<Threshold> thresholds = {parse_threshold(text, side)};
  return vq::test::expect_error(ErrorKind::kUsage, {}, [&] { check_threshold_metrics(thresholds, metrics); });
}

TEST(MetricChoice, RefusesAThresholdThatCouldMeanTwo) {
  std::vector<Metric> metrics = kOfV1;
  metrics.push_back({"histogram_y_clipped_high", {}});
  EXPECT_THAT(choice_refusal("p95>5", metrics),
              AllOf(HasSubstr("'cambi:p95>5'"), HasSubstr("'histogram_y_clipped_high:p95>5'")));
  metrics.push_back({"vmaf_neg", {}});
  EXPECT_THAT(choice_refusal("mean<90", metrics),
              AllOf(HasSubstr("'vmaf:mean<90'"), HasSubstr("'vmaf_neg:mean<90'")));
  EXPECT_THAT(choice_refusal("mean<30", {{"psnr_y", {}}, {"psnr_cb", {}}}), HasSubstr("'psnr_y:mean<30'"));
  EXPECT_THAT(choice_refusal("mean<3", {{"cambi", {}}}), HasSubstr("a lower cambi is better"));
  EXPECT_NO_THROW(
      check_threshold_metrics(std::vector{parse_threshold("p95>5", ThresholdSide::kAbove)}, kOfV1));
}

TEST(MetricChoice, RefusesSegmentsThatCouldBeOfTwo) {
  EXPECT_THAT(vq::test::expect_error(ErrorKind::kUsage, {},
                                     [] { check_segments(std::vector{parse_segments("5")}, kOfV1); }),
              AllOf(HasSubstr("'vmaf:5'"), HasSubstr("'cambi:5'")));
  EXPECT_NO_THROW(check_segments(std::vector{parse_segments("psnr:30"), parse_segments("vmaf:70")}, kOfV1));
}

TEST(MetricChoice, VerdictsAreOfScoresAndOfEachOtherSubject) {
  const auto verdicts = [](const std::vector<Metric>& metrics) {
    std::vector<std::string> names;
    for (const size_t i : verdict_metrics(metrics)) names.push_back(metrics[i].name);
    return names;
  };
  EXPECT_THAT(verdicts(kOfV1), ElementsAre("vmaf", "cambi"));
  // What was asked for goes before what a model asked for; else the most noteworthy frames decide.
  const Metric inner = {"cambi_cmxv_17", {9, 9}, nullptr, true}, asked = {"cambi", {1, 1}},
               source = {"cambi_source", {9, 9}};
  EXPECT_THAT(verdicts({inner, {"vmaf", {90, 90}}, source, asked}), ElementsAre("vmaf", "cambi"));
  EXPECT_THAT(verdicts({inner, {"vmaf", {90, 90}}}), ElementsAre("vmaf", "cambi_cmxv_17"));
  EXPECT_THAT(verdicts({{"cambi", {1, 1}}, {"cambi_topk_0.5", {1, 9}}}), ElementsAre("cambi_topk_0.5"));
  // Without a score the first speaks, and what has noteworthy scores.
  EXPECT_THAT(verdicts({{"psnr_y", {}}, {"psnr_cb", {}}, {"float_ssim", {}}, {"cambi", {}}}),
              ElementsAre("psnr_y", "cambi"));
  EXPECT_THAT(verdicts({{"unheard_of", {}}, {"bounds_left", {}}}), ElementsAre("unheard_of"));
  EXPECT_THAT(verdicts({}), IsEmpty());
}

TEST(MetricChoice, AMetricAloneIsItsMean) {
  for (const char* const name :
       {"vmaf", "vmaf_neg", "psnr", "psnr_y", "ssim", "ms_ssim", "vif", "cambi", "cambi_eotf_pq", "adm2"}) {
    const Threshold threshold = parse_threshold(std::string(name) + " < 90", ThresholdSide::kBelow);
    EXPECT_EQ(threshold.metric, name);
    EXPECT_EQ(threshold.statistic.name, "mean") << name;
    EXPECT_EQ(threshold.value, 90) << name;
  }
  for (const char* const text : {"unheard_of<3", "bounds_share<3", "men<3"})
    vq::test::expect_error(ErrorKind::kUsage, {}, [&] { parse_threshold(text, ThresholdSide::kBelow); });
  EXPECT_THAT(vq::test::expect_error(ErrorKind::kUsage, {},
                                     [] { parse_threshold("vmaf<90", ThresholdSide::kAbove); }),
              HasSubstr("fails below its value"));
  EXPECT_THAT(vq::test::expect_error(ErrorKind::kUsage, {},
                                     [] { parse_threshold("cambi>5", ThresholdSide::kBelow); }),
              HasSubstr("fails above its value"));
}

TEST(MetricChoice, ComparisonsTakeTheSameNames) {
  NamedReport a = run_of("a", {1, 2}, "psnr_y"), b = run_of("b", {3, 4}, "psnr_y");
  const std::vector<NamedReport> runs = {a, b};
  EXPECT_EQ(common_metric(runs, "psnr"), "psnr_y");
  vq::test::expect_error(ErrorKind::kMismatch, {}, [&] { common_metric(runs, "ssim"); });
}

TEST(MetricChoice, RanksByWhatVideosCost) {
  std::vector<NamedReport> runs = {run_of("large", {1}), run_of("small", {3}), run_of("unknown", {2})};
  runs[0].report.run.inputs[0].file_bytes = 9000;
  runs[0].report.run.inputs[0].bit_rate = 100;
  runs[1].report.run.inputs[0].file_bytes = 1000;
  runs[1].report.run.inputs[0].bit_rate = 900;
  ComparisonBasis basis{"cambi", named("mean"), {}, RankedBy::kSize};
  EXPECT_THAT(ranking(runs, basis), ElementsAre(1, 0, 2));
  EXPECT_EQ(ranked_by_word(basis), "size");
  basis.ranked_by = RankedBy::kBitRate;
  EXPECT_THAT(ranking(runs, basis), ElementsAre(0, 1, 2));
  EXPECT_EQ(ranked_by_word(basis), "bitrate");
}

TEST(MetricChoice, SavedReportsSayWhatOnlyModelsAskedFor) {
  Report report = run_of("a", {1, 2}).report;
  report.metrics = {{"integer_aim", {0, 0}, nullptr, true}, {"cambi", {1, 2}}, {"vmaf", {90, 91}}};
  report.run.models = {{.name = "vmaf", .source = "vmaf_v0.6.1", .metrics = {"integer_aim", "cambi"}}};
  const auto inner_of = [](const std::string& text) {
    std::vector<std::string> names;
    for (const Metric& metric : parse_report(text, "a.json").report.metrics) {
      if (metric.is_inner) names.push_back(metric.name);
    }
    return names;
  };
  json document = json::parse(write_report(report, {.format = ReportFormat::kJson, .extended = true}));
  EXPECT_EQ(document["run"]["inner_metrics"], json({"integer_aim"}));
  EXPECT_THAT(inner_of(document.dump()), ElementsAre("integer_aim"));
  document["run"].erase("inner_metrics");  // as older reports are
  EXPECT_THAT(inner_of(document.dump()), testing::UnorderedElementsAre("integer_aim", "cambi"));
  document.erase("run");
  EXPECT_THAT(inner_of(document.dump()), IsEmpty());
  report.run.models.clear();
  EXPECT_THAT(write_report(report, {.format = ReportFormat::kJson, .extended = true}),
              Not(HasSubstr("inner_metrics")));
}

// A gate on banding goes on to be one where a model is added to the job, whose own features it must not
// judge.
class GateBesideAModel : public FolderTest {
 protected:
  const std::string reference_ = testdata("clips/sky_640x360_8b_ref.mp4"),
                    video_ = testdata("clips/sky_640x360_8b.mp4");
  const std::vector<std::string> scored_ = {"--frame_cnt", "2", "-q"};

  int code(std::vector<std::string> words) const {
    words.insert(words.end(), scored_.begin(), scored_.end());
    const ProgramResult result = run_program(words);
    EXPECT_LT(result.code, 8) << result.err;
    return result.code;
  }
  std::vector<std::string> run(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"-r", reference_, "-d", video_};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(GateBesideAModel, JudgesTheFeatureThatWasAskedFor) {
  EXPECT_EQ(code(run({"--feature", "cambi", "--model", "version=vmaf_v0.6.1", "--fail-above", "p95>5"})), 7);
  EXPECT_EQ(code(run({"--feature", "adm", "--feature", "cambi", "--fail-above", "p95>5"})), 7);
  EXPECT_EQ(code(run({"--model", "version=vmaf_v0.6.1", "--fail-above", "p95>5"})), 1);
  EXPECT_EQ(code(run({"--model", "version=vmaf_v0.6.1", "--fail-below", "mean<99.9"})), 7);
  EXPECT_EQ(code(run({"--model", "version=vmaf_v0.6.1", "--fail-below", "vmaf<99.9"})), 7);
  EXPECT_EQ(code(run({"--model", "version=vmaf_v0.6.1", "--model", "version=vmaf_v0.6.1neg:name=neg",
                      "--fail-below", "mean<90"})),
            1);
  EXPECT_EQ(code(run({"--feature", "psnr", "--fail-below", "mean<99"})), 1);
  EXPECT_EQ(code(run({"--feature", "ssim", "--fail-below", "ssim<0.1"})), 0);
  EXPECT_EQ(code(run({"--feature", "psnr", "--fail-below", "psnr<99"})), 7);
}

TEST_F(GateBesideAModel, AFeatureThatModelsTakeAsWellWasAskedFor) {
  const std::string saved = in_folder("a.json");
  ASSERT_EQ(code(run({"--feature", "adm", "--model", "version=vmaf_v0.6.1", "-o", saved, "--extended"})), 0);
  const std::vector<std::string> inner = read_json(saved)["run"]["inner_metrics"];
  EXPECT_THAT(inner, Contains("integer_motion2"));
  EXPECT_THAT(inner, Not(Contains("integer_adm2")));
}

TEST_F(GateBesideAModel, ComparisonsAndBatchesJudgeTheSame) {
  EXPECT_EQ(code({"compare", video_, reference_, "-r", reference_, "--feature", "cambi", "--model",
                  "version=vmaf_v0.6.1", "--fail-above", "p95>5"}),
            7);
  const std::string reports = in_folder("reports");
  EXPECT_EQ(code({"batch", video_, "-r", reference_, "--reports", reports, "--feature", "cambi", "--model",
                  "version=vmaf_v0.6.1", "--fail-above", "p95>5"}),
            7);
  const std::string saved = in_folder("a.json"), plain = in_folder("b.json");
  ASSERT_EQ(code(run({"--feature", "cambi", "--model", "version=vmaf_v0.6.1", "-o", saved, "--extended"})),
            0);
  ASSERT_EQ(code(run({"--feature", "cambi", "--model", "version=vmaf_v0.6.1", "-o", plain})), 0);
  EXPECT_EQ(run_program({"compare", saved, plain, "-q", "--fail-above", "p95>5"}).code, 7);
  EXPECT_EQ(run_program({"report", saved, "--segments", "5", "-o", in_folder("a.html")}).code, 1);
}

}  // namespace

}  // namespace vq::cli::test

namespace vq {

// Which scores of a report without facts about its run are those of models.

namespace {

std::vector<std::string> scores(const std::vector<std::string>& metrics) { return scores_of_models(metrics); }

TEST(PlainModels, AreBehindFeaturesThatCompare) {
  EXPECT_THAT(scores({"integer_adm2", "integer_motion2", "mine"}), ElementsAre("mine"));
  EXPECT_THAT(scores({"integer_adm2_egl_1", "cambi", "mine", "yours"}), ElementsAre("mine", "yours"));
  EXPECT_THAT(scores({"mine", "integer_adm2"}), IsEmpty());
  EXPECT_THAT(scores({"integer_adm2", "mine", "psnr_y"}), IsEmpty());
  EXPECT_THAT(scores({"integer_adm2", "integer_motion2"}), IsEmpty());
}

TEST(PlainModels, AreNotWithoutWhatTheyAreMadeOf) {
  EXPECT_THAT(scores({"mine"}), IsEmpty());
  EXPECT_THAT(scores({"cambi", "mine"}), IsEmpty());
  EXPECT_THAT(scores({}), IsEmpty());
}

TEST(PlainModels, AreNoFeaturesOfOtherPrograms) {
  EXPECT_THAT(scores({"psnr_y", "float_psnr"}), IsEmpty());
  EXPECT_THAT(scores({"psnr_y", "adm2", "adm_scale0", "vif_scale3", "motion2"}), IsEmpty());
  EXPECT_THAT(scores({"psnr_y", "motion2", "mine"}), ElementsAre("mine"));
}

TEST(PlainModels, OfACollectionOnlyTheScore) {
  EXPECT_THAT(scores({"integer_adm2", "ours", "ours_0001", "ours_bagging", "ours_ci_p95_lo"}),
              ElementsAre("ours"));
}

// Whether the last metric of the report is the score of a model.
bool ends_with_score(const char* report) {
  return is_model_score(parse_report(report, "report.json").report.metrics.back());
}

TEST(PlainModels, AreKnownInTheirReportAlone) {
  EXPECT_TRUE(ends_with_score(R"({"version": "1", "fps": 1, "frames": [
      {"frameNum": 0, "metrics": {"integer_adm2": 0.5, "read_here": 50}}], "pooled_metrics": {}})"));
  EXPECT_FALSE(ends_with_score(R"({"version": "1", "fps": 1, "frames": [
      {"frameNum": 0, "metrics": {"read_here": 50}}], "pooled_metrics": {}})"));
}

TEST(PlainModels, AreNotGuessedWhereTheReportListsThem) {
  EXPECT_TRUE(ends_with_score(R"({"run": {"models": [{"name": "listed"}]}, "frames": [
      {"frameNum": 0, "metrics": {"cambi": 0.5, "listed": 50}}]})"));
  EXPECT_FALSE(ends_with_score(R"({"run": {"models": [{"name": "listed"}]}, "frames": [
      {"frameNum": 0, "metrics": {"integer_adm2": 0.5, "mine": 50}}]})"));
}

}  // namespace

}  // namespace vq
