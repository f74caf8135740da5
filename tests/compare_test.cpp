// Ranking of runs, and the two commands that make pages, run as a user would.
#include "cli/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cli/page_assets.h"
#include "cli/report_reader.h"
#include "cli/report_writer.h"
#include "core/error.h"
#include "tests/paths.h"
#include "tests/report_samples.h"
#include "tests/run_program.h"

namespace vq::cli {
namespace {

using test::ProgramResult;
using test::read_file;
using test::run_program;
using test::TemporaryFolder;
using test::write_file;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::string kClips = testdata("clips/");

NamedReport run_of(const std::string& name, const std::vector<double>& values,
                   const std::string& metric = "cambi") {
  Report report = sample_report();
  report.frames.clear();
  report.timestamps.clear();
  for (size_t i = 0; i < values.size(); ++i) {
    report.frames.push_back(static_cast<int64_t>(i));
    report.timestamps.push_back(static_cast<double>(i) / 24);
  }
  report.metrics = {{metric, values}};
  return {name, report};
}

std::vector<std::string> names(const std::vector<NamedReport>& runs) {
  std::vector<std::string> list;
  for (const NamedReport& run : runs) list.push_back(run.name);
  return list;
}

template <typename Action>
std::string message_of(ErrorKind kind, Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Compare, EveryStatisticIsTheReportsOwn) {
  const std::vector<double> values = {0, 1, 2, 3, 9};
  const PooledScores pooled = *pool_scores(values);
  const std::pair<const char*, double> expected[] = {{"mean", pooled.mean},
                                                     {"harmonic", pooled.harmonic_mean},
                                                     {"min", 0},
                                                     {"max", 9},
                                                     {"stdev", pooled.stdev},
                                                     {"p50", 2},
                                                     {"p90", pooled.p90},
                                                     {"p95", pooled.p95},
                                                     {"p99", pooled.p99},
                                                     {"share", 0.2}};
  for (const auto& [word, value] : expected) {
    EXPECT_DOUBLE_EQ(statistic_of(values, find_statistic(word)), value) << word;
  }
  EXPECT_TRUE(std::isnan(statistic_of(std::vector<double>{1, kNaN}, find_statistic("share"))));
}

TEST(Compare, AnUnknownStatisticIsToldWithTheNearest) {
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { find_statistic("maen"); }), HasSubstr("mean"));
}

TEST(Compare, RanksTheLowestFirstAndWhatIsNoNumberLast) {
  std::vector<NamedReport> runs = {run_of("none", {kNaN, 0}), run_of("high", {1, 9}), run_of("low", {4, 5}),
                                   run_of("same", {5, 4})};
  rank(runs, "cambi", find_statistic("max"));
  EXPECT_EQ(names(runs), (std::vector<std::string>{"low", "same", "high", "none"}));
  rank(runs, "cambi", find_statistic("min"));
  EXPECT_EQ(names(runs), (std::vector<std::string>{"high", "low", "same", "none"}));
}

TEST(Compare, TakesTheFirstMetricThatAllHave) {
  std::vector<NamedReport> runs = {run_of("a", {1}), run_of("b", {1})};
  runs[0].report.metrics.push_back({"cambi_source", {2}});
  runs[1].report.metrics = {{"cambi_source", {2}}};
  EXPECT_EQ(common_metric(runs, ""), "cambi_source");
  EXPECT_EQ(common_metric(runs, "cambi_source"), "cambi_source");
  EXPECT_EQ(message_of(ErrorKind::kMismatch, [&] { common_metric(runs, "cambi"); }),
            "b has cambi_source, but not cambi. Try --metric, or score all with the same options.");
  runs[0].report.metrics.pop_back();
  EXPECT_THAT(message_of(ErrorKind::kMismatch, [&] { common_metric(runs, ""); }),
              HasSubstr("b has cambi_source"));
}

TEST(Compare, TheTableHasARowARun) {
  const std::vector<NamedReport> runs = {run_of("a.mkv", {1, 2}), run_of("longer.mkv", {5, 7, 3, 5})};
  EXPECT_EQ(comparison_text(runs, {"cambi", "mean"}),
            "#  cambi of     mean  harmonic    p50    p95    max  frames >= 5  frames\n"
            "1  a.mkv       1.500     1.400  1.500  1.950  2.000    0 (0.0 %)       2\n"
            "2  longer.mkv  5.000     4.647  5.000  6.700  7.000   3 (75.0 %)       4\n");
  EXPECT_THAT(comparison_text(runs, {"cambi", "p99"}), HasSubstr("p99"));
}

class Commands : public testing::Test {
 protected:
  void SetUp() override {
    try {
      page_assets();
    } catch (const Error&) {
      GTEST_SKIP() << "this build has no pages";
    }
  }
  std::string saved(const std::string& name, const Report& report) {
    const std::string path = folder_.path() + "/" + name;
    write_file(path, write_report(report, {ReportFormat::kJson, {}, name.front() == 'e'}));
    return path;
  }
  const TemporaryFolder folder_;
};

TEST_F(Commands, ReportMakesThePageBesideTheReport) {
  for (const char* name : {"extended", "compatible"}) {
    const ProgramResult result = run_program({"report", saved(std::string(name) + ".json", sample_report())});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(read_file(folder_.path() + "/" + name + ".html"), HasSubstr("\"frameNum\":1439"));
  }
  EXPECT_THAT(read_file(folder_.path() + "/compatible.html"), HasSubstr("<title>compatible.json"));
}

TEST_F(Commands, ReportWritesWhereItIsTold) {
  const std::string path = saved("e.json", sample_report());
  EXPECT_THAT(run_program({"report", path, "-o", "-"}).out, HasSubstr("<!doctype html>"));
  EXPECT_THAT(run_program({"report", "-"}, {.input = read_file(path), .environment = {}}).out,
              HasSubstr("<title>show.mkv"));
  EXPECT_EQ(run_program({"report", path, "-o", path}).code, 1);
  EXPECT_EQ(run_program({"report", path, "-o", folder_.path() + "/no/page.html"}).code, 5);
  EXPECT_EQ(run_program({"report", folder_.path() + "/none.json"}).code, 2);
}

TEST_F(Commands, HtmlIsAnOutputOfAScoringRun) {
  const std::string page = folder_.path() + "/page.html";
  const ProgramResult result = run_program({kClips + "sky_640x360_8b.mp4", "--html", page});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(read_file(page), HasSubstr("\"codec\":\"h264\""));
  EXPECT_EQ(run_program({kClips + "sky_640x360_8b.mp4", "--html", page, "-o", page}).code, 1);
  EXPECT_EQ(run_program({kClips + "sky_640x360_8b.mp4", "--html", ""}).code, 1);
}

TEST_F(Commands, CompareRanksReportsAndVideosTogether) {
  const NamedReport high = run_of("", std::vector<double>(12, 20.0));
  const std::string report = saved("e.json", high.report), page = folder_.path() + "/page.html";
  const ProgramResult result =
      run_program({"compare", report, kClips + "sky_640x360_8b.mp4", "--by", "max", "--html", page});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              testing::MatchesRegex("#  cambi of .*\n1  .*sky_640x360_8b.mp4 .*\n2  .*e.json .*\n"));
  EXPECT_THAT(read_file(page), HasSubstr("\"kind\":\"comparison\""));
}

// The reference is decoded once for both; each score is that of a run of its own.
TEST_F(Commands, CompareAgainstOneReferenceScoresAsSingleRunsDo) {
  const std::string reference = kClips + "sky_640x360_8b_ref.mp4";
  const std::vector<std::string> videos = {kClips + "sky_640x360_8b.mp4", kClips + "sky_640x360_444.mp4",
                                           kClips + "sky_640x360_10b.mkv"};
  std::vector<std::string> words = {"compare",    "-r",       reference,
                                    "--full-ref", "--metric", "cambi_full_reference"};
  words.insert(words.end(), videos.begin(), videos.end());
  const ProgramResult compared = run_program(words);
  ASSERT_EQ(compared.code, 0) << compared.err;
  for (const std::string& video : videos) {
    const std::string path = folder_.path() + "/single.json";
    const ProgramResult single = run_program({"-r", reference, "-d", video, "--full-ref", "-o", path, "-q"});
    ASSERT_EQ(single.code, 0) << single.err;
    const NamedReport run{video, to_report(read_report(path))};
    const std::string row = comparison_text({run}, {"cambi_full_reference", "mean"});
    const std::vector<double>& values = run.report.metrics.back().values;
    const std::string mean = fixed_text(pool_scores(values)->mean, 3),
                      max = fixed_text(pool_scores(values)->max, 3);
    EXPECT_THAT(compared.out, testing::ContainsRegex(video + " +" + mean + " .* " + max + " "));
  }
}

TEST_F(Commands, CompareRefusesWhatItCannotDo) {
  const std::string report = saved("e.json", sample_report());
  EXPECT_EQ(run_program({"compare", report}).code, 1);
  EXPECT_EQ(run_program({"compare", report, report, "-o", "x.json"}).code, 1);
  EXPECT_EQ(run_program({"compare", report, report, "--by", "average"}).code, 1);
  EXPECT_EQ(run_program({"compare", report, report, "--html", report}).code, 1);
  EXPECT_EQ(run_program({"compare", report, report, "--metric", "psnr"}).code, 3);
  EXPECT_EQ(run_program({"compare", "--help"}).code, 0);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"compare", "-", "/dev/stdin"},
                                             {"compare", "/dev/fd/0", report, "-r", "-"},
                                             {"gate", "-", "--backends", "cpu,scalar"},
                                             {"gate", "/proc/self/fd/0", "--backends", "cpu,scalar"}}) {
    const ProgramResult result = run_program(words, {.input = read_file(kClips + "tiny_128x96_8b.mp4")});
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr("only once")) << words[0];
  }
}

}  // namespace
}  // namespace vq::cli
