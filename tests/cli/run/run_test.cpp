// The parts of a run's time, which leave no gap.
#include "cli/reports/batch_summary.h"
#include "cli/run/run_record.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

// The clock takes a reader that waits for one that prepares pictures.
TEST(Pace, WaitingForFramesIsTakenFromPreparing) {
  const std::vector<StageTotal> parts = {
      {"opening", 100}, {"preparing", 500}, {"scoring", 250}, {"preparing", 500}};
  EXPECT_THAT(pace_of(parts, 0.75).seconds, ElementsAre(DoubleEq(0.1), DoubleEq(0.75), DoubleEq(0.25),
                                                        DoubleEq(0), DoubleEq(0.25), DoubleEq(0)));
  // Two clocks may differ by a little, which makes no part negative.
  EXPECT_THAT(pace_of(parts, 1.0625).seconds,
              ElementsAre(DoubleEq(0.1), DoubleEq(1), DoubleEq(0), DoubleEq(0), DoubleEq(0.25), DoubleEq(0)));
}

class PaceProgram : public FolderTest {
 protected:
  json run_of(Words words) {
    const std::string path = in_folder("a.json");
    words.insert(words.end(), {"-q", "--backend", "cpu", "--extended", "-o", path});
    run_well(words);
    return read_json(path).at("run");
  }
};

TEST_F(PaceProgram, PartsAddUpToTheDurationOfTheRun) {
  const std::string clip = testdata("clips/colour_640x360_8b_ref.mp4");
  const std::string other = testdata("clips/colour_640x360_8b_shift.mp4");
  for (const Words& words :
       {Words{clip}, Words{"-r", clip, "-d", other, "--feature", "psnr", "--crop", "320:200:8:8"}}) {
    const json run = run_of(words), parts = run.at("pace").at("parts");
    ASSERT_EQ(parts.size(), pace::kParts.size());
    double sum = 0;
    std::string longest;
    for (const auto& [part, seconds] : parts.items()) {
      EXPECT_GE(seconds.get<double>(), 0) << part;
      sum += seconds.get<double>();
      if (longest.empty() || seconds > parts.at(longest)) longest = part;
    }
    // Each is rounded to a microsecond.
    EXPECT_NEAR(sum, run.at("wall_seconds").get<double>(), 1e-5);
    EXPECT_EQ(run.at("pace").at("limit"), longest);
    for (const std::string_view part :
         {pace::kOpening, pace::kPreparing, pace::kSubmitting, pace::kScoring, pace::kReporting}) {
      EXPECT_GT(parts.at(std::string(part)), 0) << part;
    }
  }
}

// What is refused or told in a way that helps: names that XML cannot tell apart, numbers out of range, lists
// and names without end.

const std::string kScoredVideo = testdata("clips/sky_640x360_8b.mp4"),
                  kItsReference = testdata("clips/sky_640x360_8b_ref.mp4");

TEST(PlainRefusals, NamesOfModelsThatXmlCannotTellApart) {
  const auto code = [](const std::vector<std::string>& models) {
    std::vector<std::string> words = {"-r", kItsReference, "-d", kScoredVideo, "--frame_cnt", "1", "-q"};
    for (const std::string& model : models) words.insert(words.end(), {"--model", model});
    return run_program(words).code;
  };
  EXPECT_EQ(code({"version=vmaf_v0.6.1:name=frameNum"}), 1);
  EXPECT_EQ(code({"version=vmaf_v0.6.1:name=a<b", "version=vmaf_v0.6.1neg:name=a>b"}), 1);
  EXPECT_EQ(code({"version=vmaf_v0.6.1:name=a<b", "version=vmaf_v0.6.1neg:name=c>b"}), 0);
}

TEST(PlainRefusals, AModelWithANumberThatIsOutOfRange) {
  EXPECT_THAT(
      vq::test::expect_error(ErrorKind::kInput, {}, [] { model::parse_models("{\"a\": 1e999}", "m.json"); }),
      AllOf(HasSubstr("m.json"), HasSubstr("out of range"), Not(HasSubstr("json.exception"))));
}

TEST(PlainRefusals, ListsOfMetricsEnd) {
  NamedReport many = run_of("many", {1}), one = run_of("one", {1}, "psnr_y");
  many.report.metrics.clear();
  for (int i = 0; i < 20000; ++i) many.report.metrics.push_back({"metric" + std::to_string(i), {1}});
  const std::string of_comparison = vq::test::expect_error(ErrorKind::kMismatch, {}, [&] {
    common_metric({many, one}, "");
  });
  EXPECT_LT(of_comparison.size(), 1000U);
  EXPECT_THAT(of_comparison, HasSubstr("19980 more"));
  const std::vector<Threshold> thresholds = {parse_threshold("psnr_y:mean<-1", ThresholdSide::kBelow)};
  const Baseline baseline{"old.json", many.report};
  const std::string of_baseline = vq::test::expect_error(
      ErrorKind::kMismatch, {}, [&] { check_baseline(thresholds, one.report.metrics, {}, baseline); });
  EXPECT_LT(of_baseline.size(), 1000U);
  EXPECT_THAT(of_baseline, HasSubstr("19980 more"));
}

TEST(PlainRefusals, ALimitThatIsSmallIsToldAsItIs) {
  EXPECT_THAT(run_program({kScoredVideo, "-q", "--max-memory", "1K"}),
              Ends(8, AllOf(HasSubstr("1024 bytes"), Not(HasSubstr("is 0 MiB")))));
}

TEST(PlainRefusals, TheTableOfABatchIsNotAsWideAsItsLongestName) {
  BatchSummary summary;
  VideoOutcome& video = summary.videos.emplace_back();
  video.path = video.name = std::string(240, 'x');
  video.state = VideoOutcome::State::kScored;
  video.scores = scores_of(run_of("a", {1, 2}).report);
  for (const std::string& line : batch_table(summary).lines(0)) EXPECT_LT(line.size(), 180U);
}

TEST(PlainRefusals, AlignIsQuietWhereTheResultIsElsewhere) {
  const ProgramResult quiet = run_well({"align", kItsReference, kScoredVideo, "-q", "--json"});
  EXPECT_THAT(quiet.err, IsEmpty());
  EXPECT_THAT(quiet.out, HasSubstr("\"verdict\""));
  EXPECT_THAT(run_program({"align", kItsReference, kScoredVideo, "-q"}).out,
              Not(IsEmpty()));  // there is no other place for it
}

// Runs of which only some frames are scored.

// What is said of its types is in tests/program/messages/summary.txt.
TEST(Sampling, IsInTheReport) {
  const TemporaryFolder folder;
  run_well({testdata("formats/faststart.mp4"), "--feature", "bounds", "--subsample", "3:spread", "--backend",
            "cpu", "--extended", "-o", folder.path() + "/r.json"});
  const json report = read_json(folder.path() + "/r.json");
  EXPECT_EQ(report["run"]["subsample"], 3);
  EXPECT_EQ(report["run"]["sample_is_spread"], true);
  std::vector<int64_t> scored;
  for (const json& frame : report["frames"]) scored.push_back(frame["frameNum"]);
  EXPECT_THAT(scored, ElementsAre(0, 3, 7, 11, 14, 15, 19, 22, 26, 27, 31, 34, 38, 39, 42, 46));
}

// The timeline that --trace writes.

json trace_of(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file).at("traceEvents");
}

std::set<std::string> names_in(const json& events, const std::string& phase) {
  std::set<std::string> names;
  for (const json& event : events) {
    if (event.at("ph") != phase) continue;
    names.insert(phase == "M" ? event.at("args").at("name") : event.at("name"));
  }
  return names;
}

TEST(TraceOfARun, ShowsWhatItsThreadsDid) {
  const TemporaryFolder folder;
  const std::string trace = folder.path() + "/trace.json", video = testdata("formats/faststart.mp4");
  run_well({video, "--feature", "bounds", "--frame_cnt", "5", "--backend", "cpu", "--trace", trace, "-q"});
  const json events = trace_of(trace);
  EXPECT_THAT(names_in(events, "M"), IsSupersetOf({std::string("main"), "reader of " + video}));
  EXPECT_THAT(names_in(events, "X"),
              IsSupersetOf({"run", "open the videos", "read", "send a packet", "bounds_share", "close"}));
  int64_t read = 0;
  for (const json& event : events) read += event.at("name") == "read" ? 1 : 0;
  EXPECT_GE(read, 5) << "one for each frame, whether its scores are those of the one before or not";
}

TEST(TraceOfARun, IsWrittenThoughTheRunFails) {
  const TemporaryFolder folder;
  const std::string trace = folder.path() + "/trace.json";
  EXPECT_THAT(run_program({folder.path() + "/missing.mp4", "--backend", "cpu", "--trace", trace}),
              Ends(2, HasSubstr("cannot be opened")));
  EXPECT_THAT(names_in(trace_of(trace), "X"), IsSupersetOf({"run"}));
}

TEST(TraceOfARun, IsNoReport) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/one.json";
  const ProgramResult result =
      run_program({testdata("formats/faststart.mp4"), "--frame_cnt", "1", "-o", file, "--trace", file});
  EXPECT_EQ(result.code, 1) << "both would be the same file";
}

}  // namespace
}  // namespace vq::cli::test
