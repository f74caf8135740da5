// Everything of a run beside its scores, and what is refused.
#include <clocale>
#include <iomanip>

#include "tests/c_api/run_under_test.h"
#include "tests/support/comma_locale.h"

namespace vq::test {
namespace {

TEST(CApiRun, HasMetricsStatisticsTextsHistogramsAndFigures) {
  RunUnderTest run({.histograms = 1});
  run.feature("psnr=enable_apsnr=true").feature("histogram").feature("fingerprint");
  run.push(kShape, 0, 3);
  double value = -1;
  EXPECT_EQ(cambi_run_aggregate(run, "apsnr_y", &value), CAMBI_ENOTFOUND);  // not before the end
  run.finish();
  CambiMetric metric = {.size = sizeof metric};
  ASSERT_EQ(cambi_run_metric(run, 0, &metric), CAMBI_OK);
  EXPECT_STREQ(metric.name, "psnr_y");
  EXPECT_STREQ(metric.unit, "dB");
  EXPECT_EQ(metric.better, CAMBI_HIGHER_IS_BETTER);
  const std::vector<double> scores = run.scores("psnr_y");
  ASSERT_EQ(scores.size(), 4U);
  EXPECT_EQ(cambi_run_statistic(run, "psnr_y", "min", 1, 2, &value), CAMBI_OK);
  EXPECT_EQ(value, std::min(scores[1], scores[2]));
  EXPECT_EQ(cambi_run_statistic(run, "psnr_y", "mean", 0, -1, &value), CAMBI_OK);
  EXPECT_NEAR(value, (scores[0] + scores[1] + scores[2] + scores[3]) / 4, 1e-12);
  EXPECT_EQ(cambi_run_aggregate(run, "apsnr_y", &value), CAMBI_OK);
  EXPECT_NEAR(value, scores[0], 3);
  const char* words = nullptr;
  EXPECT_EQ(cambi_run_text(run, "fingerprint", 2, &words), CAMBI_OK) << cambi_error();
  EXPECT_EQ(std::string(words).size(), 32U);
  const uint32_t* bins = nullptr;
  size_t count = 0;
  ASSERT_EQ(cambi_run_histogram(run, "y", 1, &bins, &count), CAMBI_OK) << cambi_error();
  uint64_t samples = 0;
  for (size_t i = 0; i < count; ++i) samples += bins[i];
  EXPECT_EQ(samples, 320U * 240U);
}

TEST(CApiRun, ReleasesEachPictureOnceAlsoIfItIsRefused) {
  int releases = 0;
  const auto counted = [&](const TestPicture& from) {
    CambiPicture picture = from.picture();
    picture.release = [](void* user) { ++*static_cast<int*>(user); };
    picture.release_user = &releases;
    return picture;
  };
  const TestPicture small({.width = 200, .height = 100}, 0, 1), large(kShape, 0, 1);
  {
    RunUnderTest run;
    run.feature("psnr");
    const CambiPicture one = counted(large), other = counted(large), wrong = counted(small);
    EXPECT_EQ(cambi_run_push(run, &one, &other), CAMBI_OK) << cambi_error();
    EXPECT_EQ(cambi_run_push(run, &wrong, &other), CAMBI_EFORMAT);
    EXPECT_EQ(cambi_run_push(nullptr, &one, &other), CAMBI_EUSAGE);
    EXPECT_EQ(cambi_run_push(run, &one, nullptr), CAMBI_EUSAGE);
  }
  EXPECT_EQ(releases, 7);
}

TEST(CApiRun, HoldsNoPictureOnceItIsFinished) {
  int releases = 0;
  RunUnderTest run({.skip_unchanged = 1});
  run.feature("motion").feature("psnr");
  const TestPicture samples(kShape, 0, 1);
  for (int i = 0; i < 3; ++i) {
    CambiPicture picture = samples.picture();
    picture.release = [](void* user) { ++*static_cast<int*>(user); };
    picture.release_user = &releases;
    ASSERT_EQ(cambi_run_push(run, &picture, &picture), CAMBI_OK) << cambi_error();
  }
  EXPECT_LT(releases, 6);
  run.finish();
  EXPECT_EQ(releases, 6);
  EXPECT_FALSE(run.report(CAMBI_JSON_EXTENDED).empty());
}

TEST(CApiRun, TellsXpsnrTheFrameRate) {
  const auto scores = [](double rate, const char* feature) {
    RunUnderTest run({.frame_rate = rate});
    run.feature(feature).push(kShape, 0, 3);
    run.finish();
    return run.scores("xpsnr_y");
  };
  EXPECT_EQ(scores(60, "xpsnr"), scores(0, "xpsnr=fps=60"));
  EXPECT_EQ(scores(0, "xpsnr"), scores(24, "xpsnr"));
  EXPECT_NE(scores(60, "xpsnr"), scores(24, "xpsnr"));
}

TEST(CApiRun, RefusesWhatIsWrongInWords) {
  RunUnderTest run;
  const TestPicture picture(kShape, 0, 1);
  CambiPicture one = picture.picture();
  EXPECT_EQ(cambi_run_push(run, &one, &one), CAMBI_EUSAGE);
  EXPECT_STREQ(cambi_error(), "the run has neither features nor models");
  EXPECT_EQ(cambi_run_add_feature(run, "psnrr"), CAMBI_EUSAGE);
  EXPECT_NE(std::string(cambi_error()).find("psnr"), std::string::npos) << cambi_error();
  EXPECT_EQ(cambi_run_add_feature(run, "cambi=topk=7"), CAMBI_EUSAGE);
  EXPECT_EQ(cambi_run_add_model(run, "version=vmaf_v9"), CAMBI_EUSAGE);
  run.feature("psnr");
  EXPECT_EQ(cambi_run_push(run, &one, nullptr), CAMBI_EUSAGE);
  one.bit_depth = 7;
  EXPECT_EQ(cambi_run_push(run, &one, &one), CAMBI_EFORMAT);
  one = picture.picture();
  one.strides[0] = kShape.width - 1;
  EXPECT_EQ(cambi_run_push(run, &one, &one), CAMBI_EUSAGE);
  one = picture.picture();
  one.planes[1] = nullptr;
  EXPECT_EQ(cambi_run_push(run, &one, &one), CAMBI_EUSAGE);
  EXPECT_STREQ(cambi_error(), "distorted: plane 1 is null");
  CambiContext* context = nullptr;
  const CambiOptions unknown = {.size = sizeof unknown, .backend = "abacus"};
  EXPECT_EQ(cambi_open(&unknown, &context), CAMBI_EUSAGE);
  EXPECT_EQ(context, nullptr);
}

TEST(CApiRun, TakesStructsOfOlderCallers) {
  CambiOptions options = {.size = offsetof(CambiOptions, backend), .threads = 1, .backend = "abacus"};
  CambiContext* context = nullptr;
  ASSERT_EQ(cambi_open(&options, &context), CAMBI_OK) << cambi_error();  // the backend is beyond its size
  cambi_close(context);
  options.size = 0;
  EXPECT_EQ(cambi_open(&options, &context), CAMBI_EUSAGE);
  RunUnderTest run;
  run.feature("psnr");
  run.push(kShape, 0, 0);
  CambiMetric metric = {.size = offsetof(CambiMetric, title), .title = "untouched"};
  ASSERT_EQ(cambi_run_metric(run, 0, &metric), CAMBI_OK);
  EXPECT_STREQ(metric.name, "psnr_y");
  EXPECT_STREQ(metric.title, "untouched");
}

TEST(CApiRun, SurvivesNullsEverywhere) {
  EXPECT_EQ(cambi_open(nullptr, nullptr), CAMBI_EUSAGE);
  EXPECT_EQ(cambi_run_open(nullptr, nullptr, nullptr), CAMBI_EUSAGE);
  EXPECT_EQ(cambi_run_read(nullptr, 0, nullptr), CAMBI_EUSAGE);
  cambi_close(nullptr);
  cambi_run_close(nullptr);
  for (const bool has_run : {false, true}) {
    RunUnderTest open;
    CambiRun* const run = has_run ? static_cast<CambiRun*>(open) : nullptr;
    EXPECT_NE(cambi_run_add_feature(run, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_add_model(run, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_push(run, nullptr, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_finish(run), CAMBI_OK);
    EXPECT_NE(cambi_run_frames(run, 0, 1, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_metric(run, 0, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_score(run, nullptr, 0, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_scores(run, nullptr, 0, 1, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_statistic(run, nullptr, nullptr, 0, 0, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_text(run, nullptr, 0, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_histogram(run, nullptr, 0, nullptr, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_aggregate(run, nullptr, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_threshold(run, nullptr, nullptr, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_remark(run, 0, nullptr, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_backend(run, nullptr), CAMBI_OK);
    EXPECT_NE(cambi_run_write(run, CAMBI_JSON, nullptr, nullptr), CAMBI_OK);
  }
  EXPECT_NE(cambi_catalogue(CAMBI_FEATURES, nullptr, nullptr), CAMBI_OK);
}

TEST(CApiRun, KeepsTheErrorOfEachThread) {
  EXPECT_EQ(cambi_open(nullptr, nullptr), CAMBI_EUSAGE);
  std::thread([] { EXPECT_STREQ(cambi_error(), ""); }).join();
  EXPECT_STREQ(cambi_error(), "context is null");
}

TEST(CApiRun, WritesPointsInALocaleWithCommas) {
  const cli::test::CommaLocale comma;
  const Variable folder("LOCPATH", comma.folder());
  ASSERT_NE(std::setlocale(LC_ALL, comma.name().c_str()), nullptr);
  RunUnderTest run;
  run.model("version=vmaf_v0.6.1").feature("cambi=topk=0.2");
  run.push(kShape, 0, 0);
  run.finish();
  const std::string text = run.report(CAMBI_CSV);
  std::setlocale(LC_ALL, "C");
  EXPECT_NE(text.find("cambi_topk_0.2"), std::string::npos) << text;
  EXPECT_EQ(text.find(",,"), std::string::npos);
}

TEST(CApiRun, StopsWritingWhereTheCallerDoes) {
  RunUnderTest run;
  run.feature("psnr");
  run.push(kShape, 0, 0);
  run.finish();
  const auto refuse = [](void*, const char*, size_t) { return 1; };
  EXPECT_EQ(cambi_run_write(run, CAMBI_JSON_EXTENDED, refuse, nullptr), CAMBI_EOUTPUT);
}

TEST(CApiRun, IsReadFromItsReport) {
  RunUnderTest run;
  run.feature("psnr=enable_apsnr=true").feature("cambi").feature("fingerprint");
  run.push(kShape, 0, 3);
  run.finish();
  const std::string report = run.report(CAMBI_JSON_EXTENDED);
  CambiRun* saved = nullptr;
  ASSERT_EQ(cambi_run_read(report.data(), report.size(), &saved), CAMBI_OK) << cambi_error();
  int64_t pushed = 0, rows = 0;
  EXPECT_EQ(cambi_run_progress(saved, &pushed, &rows), CAMBI_OK);
  EXPECT_EQ(std::pair(pushed, rows), std::pair(int64_t{4}, int64_t{4}));
  CambiMetric metric = {.size = sizeof metric};
  double value = 0, expected = 0;
  size_t metrics = 0;
  for (; cambi_run_metric(saved, metrics, &metric) == CAMBI_OK; ++metrics) {
    EXPECT_EQ(metric.name, run.metrics()[metrics]);
    for (const char* const statistic : {"mean", "p5"}) {
      ASSERT_EQ(cambi_run_statistic(saved, metric.name, statistic, 0, -1, &value), CAMBI_OK);
      ASSERT_EQ(cambi_run_statistic(run, metric.name, statistic, 0, -1, &expected), CAMBI_OK);
      EXPECT_NEAR(value, expected, 1e-6) << metric.name;
    }
  }
  EXPECT_EQ(metrics, run.metrics().size());
  ASSERT_EQ(cambi_run_metric(saved, 3, &metric), CAMBI_OK);
  EXPECT_STREQ(metric.name, "cambi");
  EXPECT_EQ(metric.better, CAMBI_LOWER_IS_BETTER);
  EXPECT_EQ(metric.noteworthy, 5);
  EXPECT_EQ(cambi_run_aggregate(saved, "apsnr_y", &value), CAMBI_OK);
  const char* words = nullptr;
  EXPECT_EQ(cambi_run_text(saved, "fingerprint", 2, &words), CAMBI_OK) << cambi_error();
  EXPECT_EQ(std::string(words).size(), 32U);
  CambiBackend backend = {.size = sizeof backend};
  EXPECT_EQ(cambi_run_backend(saved, &backend), CAMBI_OK);
  EXPECT_STREQ(backend.backend, "cpu");
  int crossed = 0;
  EXPECT_EQ(cambi_run_threshold(saved, "psnr_y<99", &crossed, nullptr), CAMBI_OK) << cambi_error();
  EXPECT_EQ(crossed, 1);
  const TestPicture picture(kShape, 4, 1);
  const CambiPicture one = picture.picture();
  EXPECT_EQ(cambi_run_push(saved, &one, &one), CAMBI_EUSAGE);
  EXPECT_EQ(cambi_run_finish(saved), CAMBI_EUSAGE);
  EXPECT_EQ(cambi_run_histogram(saved, "y", 0, nullptr, nullptr), CAMBI_EUSAGE);
  cambi_run_close(saved);
  EXPECT_EQ(cambi_run_read("{}", 2, &saved), CAMBI_EFORMAT);
}

TEST(CApiCatalogue, ListsFeaturesModelsAndDevices) {
  std::string text;
  ASSERT_EQ(cambi_catalogue(CAMBI_FEATURES, append_text, &text), CAMBI_OK) << cambi_error();
  EXPECT_NE(text.find("\"topk\""), std::string::npos);
  text.clear();
  ASSERT_EQ(cambi_catalogue(CAMBI_MODELS, append_text, &text), CAMBI_OK) << cambi_error();
  EXPECT_NE(text.find("vmaf_v0.6.1neg"), std::string::npos);
  ASSERT_EQ(cambi_catalogue(CAMBI_DEVICES, append_text, &text), CAMBI_OK) << cambi_error();
}

// Scores are the same on every system that the library is built for.
constexpr size_t kFrames = 3;
struct Figures {
  const char* metric;
  double values[kFrames];
};
constexpr Figures kFigures[] = {
#include "testdata/golden/library.inc"
};

constexpr const char* kModels[] = {"version=vmaf_v0.6.1", "version=vmaf_b_v0.6.3:name=bagged",
                                   "version=vmaf_v1.0.16_3d0h:name=v1"};

void score_all(RunUnderTest& run) {
  for (const char* feature : kAllFeatures) run.feature(feature);
  run.feature("butteraugli").feature("ssimulacra2");
  for (const char* model : kModels) run.model(model);
  run.push({.width = 322, .height = 242, .bit_depth = 10}, 0, static_cast<int>(kFrames) - 1);
  run.finish();
}

std::string recorded(RunUnderTest& run) {
  std::ostringstream out;
  out << std::setprecision(17);
  for (const std::string& metric : run.metrics()) {
    const char* separator = "{";
    out << "{\"" << metric << "\", ";
    for (const double score : run.scores(metric.c_str())) out << std::exchange(separator, ", ") << score;
    out << "}},\n";
  }
  return out.str();
}

// CAMBI_UPDATE_GOLDEN=1 in the environment writes figures anew to the standard output.
TEST(CApiFigures, AreThoseOfEverySystem) {
  RunUnderTest run;
  score_all(run);
  if (std::getenv("CAMBI_UPDATE_GOLDEN") != nullptr) {
    std::fputs(recorded(run).c_str(), stdout);
    FAIL() << "wrote the figures";
  }
  EXPECT_EQ(run.metrics().size(), std::size(kFigures));
  for (const Figures& figures : kFigures) {
    const std::vector<double> found = run.scores(figures.metric);
    ASSERT_EQ(found.size(), kFrames) << figures.metric;
    for (size_t i = 0; i < kFrames; ++i)
      EXPECT_EQ(found[i], figures.values[i])
          << figures.metric << " of frame " << i << ": " << std::setprecision(17) << found[i];
  }
}

}  // namespace
}  // namespace vq::test
