// Reports, segments and scenes, made by the whole program; JUnit XML: counts, outcomes and text that XML
// cannot have.

#include "cli/reports/batch_summary.h"
#include "cli/reports/ci_formats.h"
#include "tests/support/bad_input.h"
#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

TEST(ReportProgram, RangesAreAccurateToTheFrame) {
  const std::string clip = testdata("clips/sky_640x360_8b.mp4");
  const ProgramResult all = run_program({clip, "-q", "--csv", "-o", "-"});
  const ProgramResult range = run_program({clip, "-q", "--csv", "-o", "-", "--start", "4", "--end", "6"});
  const ProgramResult time =
      run_program({clip, "-q", "--csv", "-o", "-", "--start", "0:00.1666", "--end", "0.25s"});
  ASSERT_EQ(all.code + range.code + time.code, 0);
  const auto line = [&](int frame) {
    const size_t at = all.out.find("\n" + std::to_string(frame) + ",") + 1;
    return all.out.substr(at, all.out.find('\n', at) - at + 1);
  };
  EXPECT_EQ(range.out, "Frame,cambi,\n" + line(4) + line(5));
  EXPECT_EQ(time.out, range.out);
}

// Matroska has milliseconds: frames 2 and 5 are at 83 and 208, a third of a millisecond early.
TEST(ReportProgram, RangesAllowForTimestampsThatTheContainerRounds) {
  const std::string clip = testdata("clips/sky_640x360_10b.mkv");
  const auto range = [&](const std::string& start, const std::string& end) {
    return run_well({clip, "-q", "--csv", "-o", "-", "--start", start, "--end", end}).out;
  };
  EXPECT_EQ(range("0.0833333s", "0.2083333s"), range("2", "5"));
}

// Segments and scene cuts, from the command line to the files.

// 12 frames at 24 a second, of which the first six score 8.7 or more.
std::string sky() { return testdata("clips/sky_640x360_8b.mp4"); }

std::string printed(const Words& words) { return run_well(words).out; }

std::string refusal(const Words& words, int code = 1) {
  const ProgramResult result = run_program(words);
  EXPECT_EQ(result.code, code) << result.err;
  return result.err;
}

// Grey video of 64x64 in which each scene, so many frames long, has a picture of its own and a border of 16
// rows around it.
void write_scenes(const std::string& path, const std::vector<int>& lengths) {
  std::ofstream file(path, std::ios::binary);
  file << "YUV4MPEG2 W64 H96 F24:1 Cmono\n";
  unsigned state = 1;
  for (const int length : lengths) {
    std::string picture(64 * 96, '\x10');
    unsigned char blocks[64];
    for (unsigned char& block : blocks)
      block = static_cast<unsigned char>(40 + (state = state * 1103515245 + 12345) / 65536 % 160);
    for (size_t y = 0; y < 64; ++y) {
      for (size_t x = 0; x < 64; ++x)
        picture[(y + 16) * 64 + x] = static_cast<char>(blocks[y / 8 * 8 + x / 8]);
    }
    for (int i = 0; i < length; ++i) file << "FRAME\n" << picture;
  }
}

TEST(SegmentProgram, ZonesCountTheFramesOfTheVideo) {
  const auto zones = [](const Words& more) {
    return printed(
        joined({sky(), "-q", "--segments", "0", "--segments-output", "x264:-", "--zone-snap", "0"}, more));
  };
  EXPECT_EQ(zones({}), "0,11,b=1.5\n");
  EXPECT_EQ(zones({"--start", "4", "--end", "9"}), "4,8,b=1.5\n");
  EXPECT_EQ(zones({"--frame_skip_dist", "3"}), "3,11,b=1.5\n");
  EXPECT_EQ(zones({"--frame_skip_dist", "3", "--start", "2", "--frame_cnt", "4"}), "5,8,b=1.5\n");
  EXPECT_EQ(zones({"--subsample", "5"}), "0,10,b=1.5\n");
}

TEST(SegmentProgram, EveryFormGoesToItsFile) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return folder.path() + "/" + name; };
  printed({sky(), "--segments", "0", "--segments-output", "csv:" + path("a"), "--segments-output",
           "chapters:" + path("b"), "--segments-output", "x265:" + path("c")});
  EXPECT_THAT(read_file(path("a")),
              StartsWith("segment,metric,first_frame,last_frame,start,end,duration,mean,worst,"
                         "worst_frame\n1,cambi,0,11,0.000000,0.500000,0.500000,"));
  EXPECT_THAT(read_file(path("b")),
              StartsWith(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=cambi 9."));
  EXPECT_EQ(read_file(path("c")), "0,11,b=1.5\n");
  printed({sky(), "--segments", "0", "--zone-options", "svt-av1 --crf 20", "--segments-output",
           "av1an:" + path("d")});
  EXPECT_EQ(read_file(path("d")), "0 12 svt-av1 --crf 20\n");
}

TEST(SegmentProgram, AReportHasThemAsWell) {
  const TemporaryFolder folder;
  const std::string saved = folder.path() + "/r.json", page = folder.path() + "/p.html";
  const Words rule = {"--segments", "cambi:9", "--segments-until", "8.5", "--segments-shortest", "2"};
  const Words zones = {"--segments-output", "csv:-"};
  const std::string of_run = printed(
      joined(joined({sky(), "-q", "--frame_skip_dist", "1", "-o", saved, "--extended"}, rule), zones));
  EXPECT_THAT(of_run, testing::ContainsRegex("\n1,cambi,"));
  EXPECT_EQ(printed(joined({"report", saved}, zones)), of_run);  // those it came with
  EXPECT_EQ(printed(joined(joined({"report", saved}, rule), zones)), of_run);
  EXPECT_NE(printed(joined({"report", saved, "--segments", "9"}, zones)), of_run);
  EXPECT_EQ(read_file(folder.path() + "/r.html"), "");  // nobody asked for a page
  EXPECT_EQ(printed({"report", saved, "--segments", "0", "--segments-output", "x264:-"}), "1,11,b=1.5\n");
  EXPECT_THAT(printed({"report", saved, "--segments", "8", "-o", page}),
              HasSubstr("1 stretch of cambi at 8 or more: "));
  EXPECT_THAT(read_file(page), StartsWith("<!doctype html>"));
}

TEST(SegmentProgram, ACompatibleReportKnowsNoTimes) {
  const TemporaryFolder folder;
  const std::string saved = folder.path() + "/r.json";
  printed({sky(), "-q", "-o", saved});
  EXPECT_THAT(printed({"report", saved, "--segments", "0", "-o", folder.path() + "/p.html"}),
              HasSubstr("1 stretch of cambi at 0 or more: 100.0 %\nsegment  from  to   duration"));
  EXPECT_EQ(printed({"report", saved, "--segments", "0", "--segments-output", "x264:-"}), "0,11,b=1.5\n");
  EXPECT_THAT(refusal({"report", saved, "--segments", "0", "--segments-output", "chapters:-"}, 2),
              HasSubstr("chapters need times"));
}

TEST(SegmentProgram, NeedAThresholdOfAMetricWithoutALevel) {
  EXPECT_THAT(refusal({"-r", testdata("clips/sky_640x360_8b_ref.mp4"), "-d", sky(), "--feature", "psnr",
                       "--segments-output", "csv:-"}),
              HasSubstr("Add --segments METRIC:VALUE"));
  EXPECT_THAT(refusal({"report", sky() + ".json", "--segments-until", "5"}), HasSubstr("needs a threshold"));
}

TEST(SceneCutProgram, AreInExtendedReportsOfEveryBackend) {
  const TemporaryFolder folder;
  const std::string video = folder.path() + "/scenes.y4m", saved = folder.path() + "/r.json";
  write_scenes(video, {20, 15, 30});
  const auto cuts = [&](const Words& more) {
    printed(joined({video, "-q", "--feature", "histogram", "--extended", "-o", saved}, more));
    return read_json(saved)["run"]["scene_cuts"];
  };
  const json both = {20, 35};
  EXPECT_EQ(cuts({}), both);
  for (const char* backend : {"scalar", "cpu"}) EXPECT_EQ(cuts({"--backend", backend}), both) << backend;
  EXPECT_EQ(cuts({"--subsample", "7"}), both);
  EXPECT_EQ(cuts({"--crop", "64:64:0:16"}), both);
  EXPECT_EQ(cuts({"--crop", "64:16:0:0"}), json::array());  // the border alone
  EXPECT_EQ(cuts({"--frame_skip_dist", "5"}), json({15, 30}));
  EXPECT_EQ(cuts({"--start", "22"}), json({35}));
  EXPECT_EQ(cuts({"--frame_cnt", "20"}), json::array());
  EXPECT_EQ(cuts({"-r", video, "--feature", "psnr"}), both);
}

// All of the clip is within a second of what is worst in it.
TEST(SceneCutProgram, ZonesEndWithTheirScenes) {
  const Words words = {sky(), "-q", "--segments", "9.2", "--segments-output", "x264:-"};
  EXPECT_EQ(printed(words), "0,11,b=1.5\n");
  EXPECT_NE(printed(joined(words, {"--zone-snap", "0"})), "0,11,b=1.5\n");
}

// Scenes through the program: the table of a run and of its report, lists of others, zones by scene.

class SceneProgram : public FolderTest {
 protected:
  // Three scenes of 12, 18 and 10 frames, of which the middle one is coded worst.
  void SetUp() override {
    const std::string source =
        "-f lavfi -i \"pal100bars=s=192x128:r=25,trim=end_frame=12[a];"
        "mandelbrot=s=192x128:r=25,trim=end_frame=18,setpts=PTS-STARTPTS[b];"
        "smptebars=s=192x128:r=25,trim=end_frame=10[c];[a][b][c]concat=n=3\" -pix_fmt yuv420p ";
    run_ffmpeg(source + "-c:v ffv1 " + in_folder("source.mkv"));
    run_ffmpeg("-i " + in_folder("source.mkv") + " -c:v libx264 -qp 40 -threads 1 " + in_folder("coded.mkv"));
  }

  ProgramResult run(Words words) const {
    for (std::string& word : words) {
      if (word.starts_with("@")) word = in_folder(word.substr(1));
    }
    return run_program(words);
  }

  std::string printed(const Words& words) const {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }

  std::string scored(const Words& more) const {
    return printed(joined({"-r", "@source.mkv", "-d", "@coded.mkv", "--feature", "psnr", "-q"}, more));
  }
};

std::vector<std::string> first_columns(const std::string& csv, size_t count) {
  std::vector<std::string> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    size_t end = 0;
    for (size_t i = 0; i < count; ++i) end = line.find(',', end) + 1;
    const std::string row = line.substr(0, end - 1);
    if (rows.empty() || rows.back() != row) rows.push_back(row);
  }
  return rows;
}

TEST_F(SceneProgram, AReportHasWhatTheRunSaid) {
  const std::string of_run = scored({"--precision", "max", "--extended", "-o", "@r.json", "--scenes", "-"});
  EXPECT_EQ(first_columns(of_run, 4), (Words{"1,0,11,12", "2,12,29,18", "3,30,39,10"}));
  EXPECT_EQ(printed({"report", "@r.json", "--scenes", "-"}), of_run);
  EXPECT_EQ(read_file(in_folder("r.html")), "");  // nobody asked for a page
  EXPECT_THAT(printed({"report", "@r.json", "--scenes", "table"}),
              StartsWith("3 scenes\nscene        from          to  duration  psnr_y "));
  // The table of the run is that of its frames.
  const auto report = read_json(in_folder("r.json"));
  const json& scene = report["scenes"][1];
  double sum = 0;
  for (size_t i = 12; i < 30; ++i) sum += report["frames"][i]["metrics"]["psnr_y"].get<double>();
  EXPECT_DOUBLE_EQ(scene["metrics"]["psnr_y"]["mean"], sum / 18);
  EXPECT_EQ(scene["first"], 12);
  EXPECT_EQ(scene["end"], 1.2);
}

TEST_F(SceneProgram, ListsOfOthersReplaceThoseFound) {
  const std::string found =
      scored({"--scenes", "@found.csv", "--segments-output", "av1an-scenes:-", "--segments", "psnr_y:0"});
  write_file(in_folder("av1an.json"), found);
  EXPECT_EQ(scored({"--scenes-from", "@av1an.json", "--scenes", "-"}), read_file(in_folder("found.csv")));
  EXPECT_EQ(scored({"--scenes-from", "@found.csv", "--scenes", "-"}), read_file(in_folder("found.csv")));
  write_file(in_folder("others.csv"),
             "Timecode List:,00:00:00.800\nScene Number,Start Frame,Start Timecode\n"
             "1,1,00:00:00.000\n2,21,00:00:00.800\n");
  EXPECT_EQ(first_columns(scored({"--scenes-from", "@others.csv", "--scenes", "-"}), 4),
            (Words{"1,0,19,20", "2,20,39,20"}));
  // They count from the start of the video, what was skipped of it included.
  EXPECT_EQ(first_columns(scored({"--scenes-from", "@others.csv", "--scenes", "-", "--frame_skip_dist", "5",
                                  "--frame_skip_ref", "5"}),
                          4),
            (Words{"1,0,14,15", "2,15,34,20"}));
  EXPECT_EQ(first_columns(scored({"--scenes-from", "@others.csv", "--scenes", "-", "--start", "25"}), 4),
            (Words{"1,25,39,15"}));
  scored({"-o", "@r.json", "--extended"});
  EXPECT_EQ(first_columns(printed({"report", "@r.json", "--scenes-from", "@others.csv", "--scenes", "-"}), 4),
            (Words{"1,0,19,20", "2,20,39,20"}));
}

TEST_F(SceneProgram, EachHasThePercentilesOfItsSamples) {
  const auto report_of = [&](const Words& more) {
    scored(joined({"--feature", "light", "--precision", "max", "--extended", "-o", "@r.json"}, more));
    return read_json(in_folder("r.json"));
  };
  const json part = report_of({"--start", "12", "--end", "30"}), whole = report_of({});
  const json& scene = whole["scenes"][1]["aggregate_metrics"];
  EXPECT_EQ(scene.size(), 4U);
  for (const auto& [name, value] : scene.items()) EXPECT_EQ(value, part["aggregate_metrics"][name]) << name;
  EXPECT_THAT(printed({"report", "@r.json", "--scenes", "table"}), HasSubstr("light_p99_99"));
}

// The middle scene is the worst by far.
TEST_F(SceneProgram, ZonesMayBeScenes) {
  const Words zones = {"--segments", "scenes:psnr_y:34", "--segments-output", "x265:-"};
  EXPECT_EQ(scored(zones), "12,29,b=1.5\n");
  EXPECT_EQ(scored(joined(zones, {"-o", "@r.json", "--extended"})), "12,29,b=1.5\n");
  EXPECT_EQ(printed({"report", "@r.json", "--segments-output", "x265:-"}), "12,29,b=1.5\n");
  const auto report = read_json(in_folder("r.json"));
  EXPECT_EQ(report["run"]["segments"]["by_scene"], true);
  const json& segment = report["run"]["segments"]["list"].at(0);
  EXPECT_NEAR(segment["mean"], report["scenes"][1]["metrics"]["psnr_y"]["mean"], 1e-6);
}

TEST_F(SceneProgram, EachVideoOfABatchHasATable) {
  printed({"batch", "@coded.mkv", "-r", "@source.mkv", "--feature", "psnr", "--reports", "@out", "--formats",
           "scenes", "-q"});
  EXPECT_EQ(first_columns(read_file(in_folder("out/coded.mkv.scenes.csv")), 4),
            (Words{"1,0,11,12", "2,12,29,18", "3,30,39,10"}));
}

using vq::test::GoldenTexts;

Report judged_report() {
  Report report;
  report.run.wall_seconds = 1.25;
  report.run.thresholds = {{"mean>5", "cambi", "mean", 8.5, true}, {"max>9", "cambi", "max", 9, false}};
  return report;
}

TEST(Junit, FilesAreAsReviewed) {
  GoldenTexts golden("reports/junit.txt");
  const std::vector<std::string> expressions = {"mean>5"};
  golden.add("a case for the scoring and each threshold",
             junit_xml(std::array{scored_suite("show.mkv", judged_report().run)}));
  golden.add("a run that failed is an error, and its thresholds are skipped",
             junit_xml(std::array{failed_suite("a.mp4", "a.mp4: the file ended", expressions)}));
  golden.add("suites add up",
             junit_xml(std::array{scored_suite("a", judged_report().run), failed_suite("b", "no", {}),
                                  scored_suite("c", judged_report().run)}));
  golden.add("no suite", junit_xml({}));
  golden.add("names from anywhere",
             junit_xml(std::array{failed_suite("a\"<&'\x01\xFF.mp4", "one\ntwo", {})}));
}

class JunitRun : public FolderTest {
 protected:
  // What those who show it make of the file, see there.
  std::string parsed() const {
    return output_of("/usr/bin/python3 " + testdata("../tests/cli/reports/read_junit.py") + " " + path_);
  }

  const std::string clip_ = testdata("clips/sky_640x360_8b.mp4");
  const std::string path_ = in_folder("limits.xml");
};

TEST_F(JunitRun, OfARunWithThresholds) {
  const ProgramResult judged =
      run_program({clip_, "--junit", path_, "--fail-above", "mean > 5", "--fail-above", "max>100"});
  EXPECT_EQ(judged.code, 7);
  EXPECT_THAT(judged.err, HasSubstr("wrote " + path_));
  EXPECT_EQ(
      parsed(),
      "sky_640x360_8b.mp4: scoring\nsky_640x360_8b.mp4: mean > 5: failure\nsky_640x360_8b.mp4: max>100\n");
}

TEST_F(JunitRun, OfARunThatFails) {
  EXPECT_EQ(run_program({"none.mp4", "--junit", path_, "--fail-above", "mean>5"}).code, 2);
  EXPECT_EQ(parsed(), "none.mp4: scoring: error\nnone.mp4: mean>5: skipped\n");
  EXPECT_THAT(read_file(path_), HasSubstr("none.mp4 cannot be opened"));
}

TEST_F(JunitRun, OfAGate) {
  const std::vector<std::string> words = {"gate", clip_,     "--backends", "cpu,scalar",
                                          "-q",   "--junit", path_,        "--github"};
  run_well(words, {.environment = {{"GITHUB_STEP_SUMMARY", in_folder("s.md")}}});
  EXPECT_EQ(parsed(), "sky_640x360_8b.mp4: cpu\nsky_640x360_8b.mp4: scalar\n");
  EXPECT_THAT(read_file(in_folder("s.md")), HasSubstr("| scalar |"));
  EXPECT_EQ(run_program({"gate", "none.mp4", "--backends", "cpu,scalar", "--junit", path_}).code, 2);
  EXPECT_EQ(parsed(), "none.mp4: scoring: error\n");
}

TEST_F(JunitRun, OfADiff) {
  const std::string a = in_folder("a.json"), b = in_folder("b.json");
  ASSERT_EQ(run_program({clip_, "-q", "-o", a}).code, 0);
  ASSERT_EQ(run_program({clip_, "-q", "-o", b, "--eotf", "bt1886", "--frame_cnt", "5"}).code, 0);
  EXPECT_EQ(run_well({"diff", a, a, "--junit", path_, "--github"}).err, "");
  EXPECT_EQ(parsed(), "a.json: equals " + a + "\n");
  const ProgramResult other = run_program({"diff", a, b, "--junit", path_, "--github"});
  EXPECT_EQ(other.code, 7);
  EXPECT_THAT(other.err, StartsWith("::error title=cambi::" + a + " and " + b + " differ in 7 of 12 scores"));
  EXPECT_EQ(parsed(), "b.json: equals " + a + ": failure\n");
  EXPECT_EQ(run_program({"diff", a, clip_, "--junit", path_}).code, 2);
  EXPECT_EQ(parsed(), "sky_640x360_8b.mp4: scoring: error\n");
  EXPECT_EQ(run_program({"diff", a, b, "--junit", a}).code, 1);
}

TEST_F(JunitRun, ItsPlaceIsCheckedBeforeAnythingIsScored) {
  const auto refused = [&](const std::string& path) {
    return run_program({clip_, "-q", "--junit", path}).code;
  };
  EXPECT_EQ(refused("-"), 1);
  EXPECT_EQ(refused(""), 1);
  EXPECT_EQ(refused(clip_), 1);
  EXPECT_EQ(refused(in_folder("none/x.xml")), 5);
  EXPECT_EQ(run_program({clip_, "-q", "-o", path_, "--junit", path_}).code, 1);
}

using State = VideoOutcome::State;

// One video of each state.
BatchSummary sample_summary() {
  BatchSummary summary{.arguments = {"batch", "x"},
                       .videos = {},
                       .remarks = {"a.mkv is the same file as b.mkv"},
                       .wall_seconds = 1.5};
  for (const State state : {State::kFailed, State::kScored, State::kKept, State::kLeft, State::kRefused}) {
    VideoOutcome& video = summary.videos.emplace_back();
    video.path = std::string("/x/") + word_of(state) + ".mkv";
    video.name = std::string(word_of(state)) + ".mkv";
    video.state = state;
  }
  summary.videos[0].error = ErrorKind::kIncomplete;
  summary.videos[0].message = "cut \"short\", and more";
  summary.videos[0].partial = "failed.mkv.json.partial";
  summary.videos[1].scores = scores_of(run_of("a", {1, 2, 6}).report);
  summary.videos[1].scores->thresholds = {{"mean>2", "cambi", "mean", 3, true}};
  summary.videos[1].report = "scored.mkv.json";
  summary.videos[2].scores = scores_of(full_report());
  summary.videos[2].scores->strip.resize(3);
  summary.videos[2].reference = "/x/master.mov";
  summary.videos[2].report = "kept.mkv.json";
  summary.videos[2].page = "kept.mkv.html";
  summary.videos.back().error = ErrorKind::kMismatch;
  summary.videos.back().message = "another film (--compare-anyway scores them all the same)";
  // Its scores say nothing, and its threshold is not judged.
  VideoOutcome& wrong = *summary.videos.insert(summary.videos.begin() + 3, VideoOutcome());
  wrong.path = "/x/wrong.mkv";
  wrong.name = "wrong.mkv";
  wrong.state = State::kScored;
  Report report = run_of("a", {90, 91, 92}, "psnr_y").report;
  report.run.pair_faults = {{PairFaultKind::kShift, {"wrong.mkv is late"}}};
  wrong.scores = scores_of(report);
  wrong.scores->thresholds = {
      {.expression = "psnr_y<30", .metric = "psnr_y", .statistic = "mean", .value = 91, .judged = false}};
  return summary;
}

TEST(BatchSummary, AStripHasTheWorstOfEachPart) {
  std::vector<double> values(1000, 1.0);
  values[0] = 5;
  values[999] = 7;
  values[505] = NAN;
  const std::vector<double> low = scores_of(run_of("a", values).report).strip;
  ASSERT_EQ(low.size(), kStripParts);
  EXPECT_EQ(low[0], 5);
  EXPECT_EQ(low[50], 1);
  EXPECT_EQ(low[99], 7);
  // Where higher is better the least is the worst; where neither is, there is only the mean.
  EXPECT_EQ(scores_of(run_of("a", values, "psnr_y").report).strip[0], 1);
  EXPECT_DOUBLE_EQ(scores_of(run_of("a", values, "bounds_x").report).strip[0], 1.4);
  EXPECT_THAT(scores_of(run_of("a", {3, 1, 2}).report).strip, ElementsAre(3, 1, 2));
  EXPECT_TRUE(std::isnan(scores_of(run_of("a", {NAN}).report).strip[0]));
}

TEST(BatchSummary, LengthIsToTheEndOfTheLastFrame) {
  Report report = run_of("a", std::vector<double>(24, 1.0)).report;
  report.run.inputs[0].frame_rate = 24;
  EXPECT_NEAR(*scores_of(report).seconds, 1.0, 1e-6);  // times in reports have six decimals
  report.timestamps.back().reset();
  EXPECT_FALSE(scores_of(report).seconds.has_value());
}

TEST(BatchSummary, TextsAreAsReviewed) {
  GoldenTexts golden("reports/batch.txt");
  const BatchSummary summary = sample_summary();
  golden.add("totals", counts_of(summary).text());
  golden.add("table", batch_table(summary).text());
  golden.add("CSV", batch_csv(summary, {}));
}

// schema_test.py compares the file with its schema.
TEST(BatchSummary, JsonIsAsReviewed) {
  BatchSummary summary = sample_summary();
  summary.videos.erase(summary.videos.begin() + 1);  // the one kept has all that this one has
  vq::test::expect_golden("reports/batch.summary.json",
                          vq::test::in_few_lines(without_version(batch_json(summary, {}))));
}

}  // namespace
}  // namespace vq::cli::test
