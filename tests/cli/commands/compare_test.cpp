// The commands that make pages, run as a user would, and the search for a setting, which is the number of
// percent by which its encoder darkens pictures.

#include "cli/pages/page_assets.h"
#include "cli/pages/page_writer.h"
#include "cli/reports/compare_files.h"
#include "cli/system/messages.h"
#include "tests/support/report_test.h"
#include "tests/support/run_program.h"

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

constexpr int kFrames = 1500;

constexpr char kEncoder[] = R"(#!/usr/bin/python3
import os, subprocess, sys, time
mode, source, out, crf, log = sys.argv[1:6]
with open(log, "a") as file: file.write(repr(sys.argv[6:]) + "\n")
if mode == "fail":
    for i in range(20): print("line", i, file=sys.stderr)
    sys.exit(3)
if mode == "hang":
    child = subprocess.Popen(["sleep", "1000"])
    with open(log, "w") as file: file.write(str(child.pid) + "\n")
    child.wait()
if mode == "nothing": sys.exit(0)
if mode == "small":
    with open(out, "wb") as file: file.write(b"YUV4MPEG2 W32 H24 F24:1 C420\n" + (b"FRAME\n" + bytes(32 * 24 * 3 // 2)) * 9)
    sys.exit(0)
header, frames = open(source, "rb").read().split(b"\n", 1)
size = 6 + 64 * 48 * 3 // 2
table = bytes(v - round(v * float(crf) / 100) for v in range(256))
with open(out, "wb") as file:
    file.write(header + b"\n")
    for at in range(0, len(frames), size):
        luma, chroma = frames[at + 6:at + 6 + 64 * 48], frames[at + 6 + 64 * 48:at + size]
        file.write(b"FRAME\n" + luma.translate(table) + chroma)
)";

class SearchTest : public FolderTest {
 protected:
  SearchTest() {
    fs::create_directory(temporary_);
    made("my encoder", kEncoder);
    fs::permissions(in_folder("my encoder"), fs::perms::owner_all);
    std::string film = "YUV4MPEG2 W64 H48 F24:1 C420\n";
    for (int i = 0; i < kFrames; ++i) {
      film += "FRAME\n";
      for (int at = 0; at < 64 * 48; ++at) film += static_cast<char>(40 + i / 100 * 37 % 120 + (at + i) % 24);
      film.append(64 * 48 / 2, '\x80');
    }
    made("the film.y4m", film);
  }

  Words encoder(const std::string& mode) const {
    return {
        "--",     in_folder("my encoder"), mode, "{in}", "{out}", "{crf}", in_folder("log"), "a b; $(c) '*'",
        "x{crf}x"};
  }
  Words words_of(const Words& more, const std::string& mode = "encode") const {
    const Words first = {"search", in_folder("the film.y4m"), "--crf", "1:60", "--jobs", "2"};
    return joined(joined(first, more), encoder(mode));
  }
  ProgramResult search(const Words& more, const std::string& mode = "encode") const {
    const ProgramResult result = run_program(words_of(more, mode), {.environment = {{"TMPDIR", temporary_}}});
    EXPECT_TRUE(fs::is_empty(temporary_));
    return result;
  }
  // The statistic of the whole film at this setting.
  double exact(int crf, const std::string& statistic) const {
    const std::string out = in_folder("whole.y4m"), report = in_folder("whole.json");
    run_well({"encode", in_folder("the film.y4m"), out, std::to_string(crf), in_folder("unused")},
             {.program = in_folder("my encoder")});
    run_well(
        {"-r", in_folder("the film.y4m"), "-d", out, "--feature", "psnr", "-q", "--extended", "-o", report});
    return read_json(report)["pooled_metrics"]["psnr_y"][statistic];
  }

  const std::string temporary_ = in_folder("temporary");
};

TEST_F(SearchTest, FindsTheSettingOfTheWholeFilmAndKeepsWhatItEncoded) {
  const std::string out = in_folder("found.json"), keep = in_folder("kept parts");
  for (const auto& [statistic, target] : {std::pair{"mean", 28.5}, {"p5", 24.0}}) {
    SCOPED_TRACE(statistic);
    const Words more = {
        "--target", "psnr_y:" + std::to_string(target), "--by", statistic, "-o", out, "--keep", keep};
    const ProgramResult result = search(more);
    ASSERT_EQ(result.code, 0) << result.err;
    const json found = read_json(out);
    const int setting = found["setting"];
    EXPECT_GE(exact(setting, statistic), target);
    EXPECT_LT(exact(setting + 1, statistic), target);
    EXPECT_NEAR(found["score"]["value"].get<double>(), exact(setting, statistic), 0.3);
    EXPECT_LE(found["encodes"].size(), 6U);
    for (const json& encode : found["encodes"]) EXPECT_LE(encode["frames"], kFrames / 5);
    EXPECT_THAT(result.out, HasSubstr(words("crf {} is the highest that reaches", setting)));
    // Words reach the encoder as they are, and only where a part is not kept.
    const std::string log = read_file(in_folder("log"));
    EXPECT_THAT(log, HasSubstr("[\"a b; $(c) '*'\", 'x"));
    json again;
    EXPECT_EQ(search(more).code, 0);
    again = read_json(out);
    EXPECT_EQ(again, found);
    EXPECT_EQ(read_file(in_folder("log")), log);
  }
}

TEST_F(SearchTest, SaysWhatIsNotReachedAndSpeaksAsOthersDo) {
  const ProgramResult none = search({"--target", "psnr_y:55", "--crf", "20:30", "-q"});
  EXPECT_EQ(none.code, 7);
  EXPECT_THAT(none.out, HasSubstr("no crf from 20 on reaches"));
  EXPECT_THAT(none.err, Not(HasSubstr("kbit/s")));
  const ProgramResult last = search({"--target", "psnr_y:10", "--crf", "20:30", "-q"});
  EXPECT_EQ(last.code, 0);
  EXPECT_THAT(last.out, HasSubstr("crf 30 reaches PSNR of 10: "));
  EXPECT_THAT(search({"--target", "psnr_y:10", "--crf", "30:30", "-q"}).out,
              HasSubstr("as it is the last of --crf, higher ones may"));
  const ProgramResult line = search({"--target", "psnr_y:28.5", "--as", "ab-av1", "--step", "0.5", "-q"});
  EXPECT_EQ(line.code, 0) << line.err;
  EXPECT_THAT(line.out,
              ::testing::MatchesRegex("crf [0-9.]+ PSNR_Y [0-9.]+ predicted video stream size [0-9.]+ [KM]iB "
                                      "\\([0-9]+%\\) taking [0-9]+ seconds\n"));
}

TEST_F(SearchTest, QuotesACommandThatFails) {
  const Words target = {"--target", "psnr_y:28.5"};
  EXPECT_THAT(search(target, "fail"), Ends(2, AllOf(HasSubstr("ends with code 3: line 12 | "),
                                                    HasSubstr("| line 19"), Not(HasSubstr("line 11")))));
  EXPECT_THAT(search(target, "nothing"), Ends(2, HasSubstr("leaves no video at {out}, and prints nothing")));
  EXPECT_THAT(search(target, "small"), Ends(3, HasSubstr("{out} is 32x24 and {in} is 64x48")));
  const std::string film = in_folder("the film.y4m");
  for (const auto& [more, error] : std::vector<std::pair<Words, std::string>>{
           {{"--target", "psnr_y:28", "--", "/no/encoder", "{in}", "{out}", "{crf}"},
            "/no/encoder cannot be started"},
           {{"--target", "psnr_y:28", "--", "cp", "{in}", "{out}"}, "the command has no {crf}"},
           {{"--target", "28", "--", "cp", "{in}", "{out}", "{crf}"}, "names no metric"},
           {{"--target", "psnr_z:28", "--", "cp", "{in}", "{out}", "{crf}"}, "no metric \"psnr_z\""},
           {{"--target", "psnr_y:28", "--by", "stdev", "--", "cp", "{in}", "{out}", "{crf}"}, "--by stdev"},
           {{"--target", "psnr_y:28", "--crf", "9:8", "--", "cp", "{in}", "{out}", "{crf}"}, "LOW:HIGH"},
           {{"b.mkv", "--target", "psnr_y:28", "--", "cp", "{in}", "{out}", "{crf}"}, "one video before --"},
           {{"--target", "psnr_y:28", "cp", "{in}", "{out}", "{crf}"}, "needs -- before the command"},
           {{"--target", "psnr_y:28", "--", "cp {in} {out} {crf}"}, "is a single word"},
           {{"--target", "psnr_y:28", "--start", "9", "--", "cp", "{in}", "{out}", "{crf}"},
            "no use in a search"}})
    EXPECT_THAT(run_program(joined({"search", film}, more)), Ends(1, HasSubstr(error)));
}

TEST_F(SearchTest, AnInterruptLeavesNothing) {
  RunningProgram program(words_of({"--target", "psnr_y:28.5"}, "hang"),
                         {.environment = {{"TMPDIR", temporary_}}});
  pid_t child = 0;
  for (int i = 0; child == 0 && i < 4000; ++i) {
    if (fs::exists(in_folder("log"))) std::istringstream(read_file(in_folder("log"))) >> child;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_NE(child, 0);
  program.send(SIGINT);
  EXPECT_THAT(program.wait(), Ends(130, HasSubstr("interrupted")));
  EXPECT_TRUE(fs::is_empty(temporary_));
  while (kill(child, 0) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // or the time runs out
}

}  // namespace
}  // namespace vq::cli::test
