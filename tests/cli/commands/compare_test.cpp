// The two commands that make pages, run as a user would.

#include "cli/pages/page_assets.h"
#include "cli/pages/page_writer.h"
#include "cli/reports/compare_files.h"
#include "cli/system/messages.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

const std::string kComparedClips = testdata("clips/");

class Commands : public FolderTest {
 protected:
  void SetUp() override {
    try {
      page_assets();
    } catch (const Error&) {
      GTEST_SKIP() << "this build has no pages";
    }
  }
  std::string saved(const std::string& name, const Report& report) {
    const std::string path = in_folder(name);
    write_file(path, write_report(report, {ReportFormat::kJson, {}, name.front() == 'e'}));
    return path;
  }
};

TEST_F(Commands, ReportMakesThePageBesideTheReport) {
  for (const char* name : {"extended", "compatible"}) {
    run_well({"report", saved(std::string(name) + ".json", sample_report())});
    const std::string page = read_file(in_folder(std::string(name) + ".html"));
    EXPECT_TRUE(page_kind(page).of_one_run);
    EXPECT_THAT(page, HasSubstr("{\"cambi_eotf_pq\":{\"title\":\"CAMBI\""));
  }
  EXPECT_THAT(read_file(in_folder("compatible.html")), HasSubstr("<title>compatible.json"));
}

TEST_F(Commands, ReportWritesWhereItIsTold) {
  const std::string path = saved("e.json", sample_report());
  EXPECT_THAT(run_program({"report", path, "-o", "-"}).out, HasSubstr("<!doctype html>"));
  EXPECT_THAT(run_program({"report", "-"}, {.input = read_file(path), .environment = {}}).out,
              HasSubstr("<title>show.mkv"));
  const std::string page = in_folder("told.html");
  write_file(page, "<html>somebody's");
  EXPECT_THAT(run_program({"report", path, "-o", page}).err, HasSubstr(page));
  EXPECT_THAT(read_file(page), HasSubstr("<!doctype html>"));
}

TEST_F(Commands, CompareRanksReportsAndVideosTogether) {
  const NamedReport high = run_of("", std::vector<double>(12, 20.0));
  const std::string report = saved("e.json", high.report), page = in_folder("page.html");
  EXPECT_THAT(
      run_well({"compare", report, kComparedClips + "sky_640x360_8b.mp4", "--by", "max", "--html", page}).out,
      testing::MatchesRegex("[^\n]*\n1  .*sky_640x360_8b.mp4 .*\n2  .*e.json .*\n.*"));
  EXPECT_THAT(read_file(page), HasSubstr("\"kind\":\"comparison\""));
}

// The reference is decoded once for all, and read once by features that share it; each score is that of a run
// of its own.
TEST_F(Commands, CompareAgainstOneReferenceScoresAsSingleRunsDo) {
  const Words videos = {kComparedClips + "sky_640x360_8b.mp4", kComparedClips + "sky_640x360_444.mp4",
                        kComparedClips + "sky_640x360_10b.mkv"};
  const std::pair<Words, std::string> scored[] = {{{"--full-ref"}, "cambi_full_reference"},
                                                  {{"--feature", "ssimulacra2"}, "ssimulacra2"}};
  for (const auto& [feature, metric] : scored) {
    const Words flags =
        joined(feature, {"-r", kComparedClips + "sky_640x360_8b_ref.mp4", "--precision", "max", "-q"});
    const Words compare = joined(joined({"compare", "--metric", metric, "--json"}, flags), videos);
    const json runs = json::parse(run_well(compare).out).at("runs");
    ASSERT_EQ(runs.size(), videos.size());
    for (const json& run : runs) {
      const std::string alone = in_folder("alone.json");
      run_well(joined({"-d", run.at("path").get<std::string>(), "-o", alone}, flags));
      const json pooled = read_json(alone).at("pooled_metrics").at(metric);
      for (const char* const statistic : {"mean", "min", "max"})
        EXPECT_EQ(run.at("statistics").at(statistic), pooled.at(statistic)) << run.at("path") << statistic;
    }
  }
}

// What has no other place is printed, also quietly. Files are in tests/program/messages/compare.txt.
TEST_F(Commands, CompareHasAPlaceForItsRanking) {
  const std::string report = saved("e.json", sample_report());
  EXPECT_THAT(run_program({"compare", report, report, "-q"}).out, HasSubstr("cambi"));
  EXPECT_EQ(json::parse(run_program({"compare", report, report, "--json"}).out)["runs"].size(), 2U);
}

// A pipe is opened once only, when its turn comes.
TEST_F(Commands, CompareTakesPipes) {
  const std::string y4m = y4m_video({.width = 320, .height = 240, .frames = 3});
  const std::string clip = kComparedClips + "sky_640x360_8b.mp4", file = in_folder("a.y4m");
  write_file(file, y4m);
  // Of the video that is not the clip, less its name.
  const auto scores = [](const ProgramResult& result) {
    EXPECT_EQ(result.code, 0) << result.err;
    std::smatch found;
    EXPECT_TRUE(std::regex_search(result.out, found,
                                  std::regex("(a\\.y4m|-|stdin) +([0-9.]+( +[0-9.]+){4}.* %\\)).* +3\n")))
        << result.out;
    return found[2].str();
  };
  const std::string from_file = scores(run_program({"compare", clip, file}));
  EXPECT_EQ(scores(run_program({"compare", clip, "-"}, {.input = y4m})), from_file);
  EXPECT_EQ(scores(run_program({"compare", "/dev/stdin", clip}, {.input = y4m})), from_file);
  EXPECT_EQ(run_program({"compare", clip, "-", "--crop", "auto"}, {.input = y4m}).code, 1);
}

// A file that is cut is known when it ends: then the others are ranked.
TEST_F(Commands, CompareKeepsWhatWasScored) {
  const std::string clip = kComparedClips + "sky_640x360_8b.mp4", page = in_folder("page.html");
  const std::string y4m = y4m_video({.width = 320, .height = 240, .frames = 3});
  write_file(in_folder("cut.y4m"), y4m.substr(0, y4m.size() - 10));
  write_file(page, "before");
  const ProgramResult cut =
      run_program({"compare", clip, in_folder("cut.y4m"), "--html", page, "-o", in_folder("cmp.json")});
  EXPECT_EQ(cut.code, 6) << cut.err;
  EXPECT_THAT(cut.out, HasSubstr("sky_640x360_8b.mp4"));
  EXPECT_THAT(cut.out, Not(HasSubstr("cut.y4m")));
  EXPECT_THAT(cut.err, HasSubstr("cut.y4m"));
  EXPECT_EQ(read_file(page), "before");
  EXPECT_EQ(read_json(partial_path(in_folder("cmp.json")))["runs"].size(), 1U);
}

TEST_F(Commands, CompareJudgesEveryRunByItsThresholds) {
  const std::string low = saved("e1.json", run_of("", {1, 2}).report),
                    high = saved("e2.json", run_of("", {7, 9}).report);
  const std::string written = in_folder("cmp.json");
  run_well({"compare", low, high, "--fail-above", "mean>8", "-q"});
  const ProgramResult crossed =
      run_program({"compare", low, high, "--fail-above", "mean>5", "--fail-above", "max>1", "-o", written});
  EXPECT_EQ(crossed.code, 7);
  EXPECT_THAT(crossed.out, HasSubstr("cambi"));
  const auto runs = read_json(written)["runs"];
  EXPECT_EQ(runs[0]["thresholds"][0]["crossed"], false);
  EXPECT_EQ(runs[0]["thresholds"][1]["crossed"], true);
  EXPECT_EQ(runs[1]["thresholds"][0]["value"], 8);
  EXPECT_EQ(run_program({"compare", low, high, "--fail-above", "psnr_y:mean>5"}).code, 1);
  const std::string junit = in_folder("limits.xml");
  const std::vector<std::string> judged = {"compare",      low,       high,      "-q", "--baseline", low,
                                           "--fail-above", "mean>+1", "--junit", junit};
  EXPECT_EQ(run_program(judged).code, 7);
  EXPECT_THAT(read_file(junit), HasSubstr("<testsuite name=\"" + low + "\" tests=\"2\" failures=\"0\""));
  EXPECT_THAT(read_file(junit), HasSubstr("<testsuite name=\"" + high + "\" tests=\"2\" failures=\"1\""));
}

TEST_F(Commands, AReportIsKnownByItsContent) {
  const std::string report = saved("e.json", sample_report()), part = in_folder("e.json.partial");
  write_file(part, "\n " + read_file(report));
  EXPECT_THAT(run_well({"compare", part, report}).out, HasSubstr("e.json.partial"));
  EXPECT_THAT(run_program({part}), Ends(2, HasSubstr("cambi report")));
}

}  // namespace
}  // namespace vq::cli::test
