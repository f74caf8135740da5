// Runs that score slices until they are sure: slices are scored as in the whole run, and what is said follows
// from the order of drawing alone. The parts of a run's time leave no gap.
#include "cli/run/sampled_run.h"

#include <gtest/gtest.h>

#include "cli/commands/arguments.h"
#include "cli/inputs/run_inputs.h"
#include "cli/reports/batch_summary.h"
#include "cli/run/run_record.h"
#include "engine/report/sampled.h"
#include "tests/support/bad_input.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class SampledRunTest : public FolderTest {
 protected:
  // Scenes, noise and stills, so that frames repeat.
  std::string film(const std::string& name, int frames, const std::string& encoder,
                   const std::string& size = "224x216") const {
    run_ffmpeg("-f lavfi -i \"testsrc2=s=" + size +
               ":r=25,loop=5:1:30,noise=alls=6:allf=t:all_seed=3:enable='lt(mod(n,90),50)'\" -frames:v " +
               std::to_string(frames) + " -pix_fmt yuv420p -threads 1 " + encoder + " " + in_folder(name));
    return in_folder(name);
  }
  // 2,400 small frames, and their encode.
  Words pair() const {
    const std::string size = "64x48";
    return {"-r", film("r.mkv", 2400, "-c:v libx264 -preset ultrafast -g 30 -qp 2", size), "-d",
            film("d.mkv", 2400, "-c:v libx264 -preset ultrafast -g 48 -bf 2 -qp 34", size)};
  }
  // The same pictures. A key frame comes every `apart` frames.
  Words with_key_frames(const Words& pair, int apart) const {
    Words words = pair;
    for (std::string* path : {&words[1], &words[3]}) {
      const std::string to = std::to_string(apart) + "-" + fs::path(*path).filename().string();
      run_ffmpeg("-i " + *path + " -c:v libx264 -preset ultrafast -qp 0 -sc_threshold 0 -g " +
                 std::to_string(apart) + " -threads 1 " + in_folder(to));
      *path = in_folder(to);
    }
    return words;
  }
};

void expect_slices(const std::vector<ScoredSlice>& found, const std::vector<FrameSpan>& slices,
                   const Report& whole) {
  ASSERT_EQ(found.size(), slices.size());
  for (size_t i = 0; i < slices.size(); ++i) {
    const auto first = static_cast<ptrdiff_t>(std::ranges::lower_bound(whole.frames, slices[i].first) -
                                              whole.frames.begin());
    const auto part = [&](const auto& all) {
      return std::vector(all.begin() + first, all.begin() + first + slices[i].end - slices[i].first);
    };
    EXPECT_EQ(found[i].rows.frames, part(whole.frames));
    EXPECT_EQ(found[i].rows.timestamps, part(whole.timestamps));
    for (size_t m = 0; m < whole.metrics.size(); ++m)
      EXPECT_EQ(found[i].rows.metrics[m].values, part(whole.metrics[m].values))
          << whole.metrics[m].name << " of frames from " << slices[i].first << " on";
  }
}

TEST_F(SampledRunTest, SlicesByThemselvesAreAsInTheWholeRun) {
  const std::string open = film("open.mkv", 130, "-c:v libx264 -g 24 -bf 3 -x264-params open-gop=1"),
                    closed = film("closed.mp4", 130, "-c:v libx264 -g 17 -bf 2 -qp 10"),
                    stored = film("stored.y4m", 130, "");
  for (const Words& words : std::vector<Words>{
           {open, "-r", closed, "--model", "version=vmaf_v0.6.1", "--feature", "psnr", "--feature", "xpsnr"},
           {open, "-r", closed, "--feature",
            "motion=motion_five_frame_window=true:motion_moving_average=true", "--start", "9", "--end",
            "111"},
           {stored, "-r", open, "--feature", "ssim", "--frame_skip_ref", "3", "--frame_skip_dist", "3",
            "--compare-anyway"},
           {closed, "--feature", "cambi"}}) {
    SCOPED_TRACE(join(words, " "));
    const RunOptions options =
        run_options(parse_run_words(joined(words, {"--backend", "cpu", "--threads", "2"})));
    Messages messages([](std::string_view) {});
    ScoringRun run(options, messages), idle(options, messages);
    run.score({});
    const Report whole = run.report();
    std::optional<StreamIndex> reference;
    const auto index = [&](Role role) { return index_stream(in_software(source_options(options, role))); };
    const StreamIndex distorted = index(Role::kDistorted);
    if (options.reference) reference = index(Role::kReference);
    const RunCuts cuts(idle.settled().options, distorted, reference ? &*reference : nullptr);
    ASSERT_EQ(cuts.whole(), "");
    std::vector<FrameSpan> slices, some;
    for (int64_t at = cuts.first(); at < cuts.end(); at += kSliceFrames) {
      slices.push_back({at, std::min(at + kSliceFrames, cuts.end())});
      if (slices.size() % 3 != 1) some.push_back(slices.back());
    }
    SliceScorer scorer(options, idle.settled(), cuts);
    for (const FrameSpan& slice : slices) expect_slices(scorer.score(std::span(&slice, 1)), {slice}, whole);
    expect_slices(scorer.score(slices), slices, whole);
    expect_slices(scorer.score(some), some, whole);
  }
}

json told(const std::string& path) {
  json report = read_json(path);
  for (const char* const name : {"arguments", "wall_seconds", "threads", "stages", "pace", "backend", "simd"})
    report["run"].erase(name);
  report.erase("fps");
  return report;
}

TEST_F(SampledRunTest, VerdictsAreThoseOfAllFramesWhateverTheThreads) {
  const Words words =
      joined(pair(), {"--feature", "psnr", "--backend", "cpu", "--fail-below", "psnr_y:mean<20",
                      "--fail-below", "psnr_y:p50<60", "--fail-above", "psnr_y:p95>60"});
  const auto run = [&](const std::string& name, const Words& more) {
    const ProgramResult result =
        run_program(joined(joined(words, more), {"--extended", "-o", in_folder(name)}));
    EXPECT_EQ(result.code, 7) << result.err;
    return result.out;
  };
  run("exact.json", {"--threads", "2"});
  const std::string text = run("one.json", {"--confidence", "99", "--threads", "1"});
  run("two.json", {"--confidence", "99", "--threads", "2"});
  const json exact = read_json(in_folder("exact.json")), sampled = told(in_folder("one.json"));
  EXPECT_EQ(sampled, told(in_folder("two.json")));
  const json& certainty = sampled["run"]["certainty"];
  EXPECT_EQ(certainty["frames"], 2400);
  EXPECT_EQ(certainty["exact"], false);
  EXPECT_EQ(certainty["claims"], 3);
  EXPECT_LT(certainty["scored_frames"], 1200);
  EXPECT_EQ(certainty["scored_frames"], sampled["frames"].size());
  EXPECT_EQ(sampled["pooled_metrics"].size(), 0U) << "no statistic is known";
  for (size_t i = 0; i < 3; ++i) {
    const json &all = exact["run"]["thresholds"][i], &some = sampled["run"]["thresholds"][i];
    EXPECT_EQ(some["crossed"], all["crossed"]);
    EXPECT_TRUE(some["value"].is_null());
    EXPECT_LE(some["low"], all["value"]);
    EXPECT_GE(some["high"], all["value"]);
  }
  for (const json& frame : sampled["frames"])
    EXPECT_EQ(frame["metrics"], exact["frames"][frame["frameNum"].get<size_t>()]["metrics"]);
  EXPECT_THAT(text, HasSubstr("mean of psnr_y is at least 20 (99 % sure after "));
  EXPECT_THAT(text, Not(HasSubstr("p5 ")));
  // Nobody takes a sample for all frames.
  EXPECT_THAT(run_program({"report", in_folder("one.json")}), Ends(2, HasSubstr("of a sample")));
  run("seed.json", {"--confidence", "99", "--seed", "7", "--html", in_folder("page.html")});
  const std::string page = read_file(in_folder("page.html"));
  EXPECT_THAT(page, HasSubstr(R"("sample":"99 % sure after )"));
  EXPECT_THAT(page, HasSubstr("mean of psnr_y is at least 20 (99 % sure after "));
  EXPECT_THAT(page, Not(HasSubstr(R"("title":"minimum","value")"))) << "no figure but of what was asked";
  EXPECT_NE(told(in_folder("seed.json"))["frames"], sampled["frames"]);
}

TEST_F(SampledRunTest, KeyFramesDecideWhatIsReadAndNothingElse) {
  const Words film = pair();
  const auto sampled = [&](int apart) {
    run_well(joined(with_key_frames(film, apart),
                    {"--feature", "psnr", "--backend", "cpu", "--fail-below", "psnr_y:mean<20",
                     "--confidence", "99", "--seed", "7", "--threads", "2", "-o", in_folder("r.json")}));
    return told(in_folder("r.json"));
  };
  json near = sampled(24), far = sampled(240);
  json &of_near = near["run"]["certainty"], &of_far = far["run"]["certainty"];
  EXPECT_EQ(of_far["exact"], false);
  EXPECT_EQ(of_far["scored_frames"], far["frames"].size());
  EXPECT_LT(of_near["decoded_frames"], 1200);
  EXPECT_LE(of_far["decoded_frames"], 2400 * 11 / 10);
  for (json* certainty : {&of_near, &of_far}) certainty->erase("decoded_frames");
  EXPECT_EQ(of_near, of_far);
  EXPECT_EQ(near["run"]["thresholds"], far["run"]["thresholds"]);
  EXPECT_EQ(near["frames"], far["frames"]);
}

TEST_F(SampledRunTest, WhatASampleCannotAnswerAllFramesDo) {
  const Words near = pair(), far = with_key_frames(near, 240);
  struct Case {
    Words film, words, gate;
    std::string why;
  };
  const Words psnr = {"--feature", "psnr", "--backend", "cpu"}, mean = {"--fail-below", "psnr_y:mean<20"};
  for (const Case& each :
       std::vector<Case>{{near, psnr, {"--fail-below", "psnr_y:stdev<0"}, "stdev"},
                         {near, joined(psnr, {"--feature", "fingerprint"}), mean, "remembers"},
                         {near, joined(psnr, {"--end", "1999"}), mean, "a film of 1999 frames is too short"},
                         {near, psnr, {}, "half of them"},
                         {far, psnr, {}, "half of them"},
                         {near, {"--feature", "xpsnr"}, {"--tolerance", "1"}, "both sides"}}) {
    const Words words = joined(each.film, each.words);
    run_well(joined(words, {"--extended", "-o", in_folder("exact.json")}));
    const ProgramResult result =
        run_program(joined(joined(words, each.gate), {"--confidence", "99", "-o", in_folder("r.json")}));
    EXPECT_THAT(result, Ends(0, HasSubstr("all frames are scored, since ")));
    EXPECT_THAT(result.err, HasSubstr(each.why));
    const json report = read_json(in_folder("r.json")), exact = read_json(in_folder("exact.json"));
    EXPECT_EQ(report["run"]["certainty"]["exact"], true);
    EXPECT_EQ(report["run"]["certainty"]["scored_frames"], exact["frames"].size());
    const int64_t most = each.film == far ? 2400 * 11 / 10 : std::numeric_limits<int64_t>::max();
    EXPECT_LE(report["run"]["certainty"]["decoded_frames"], most);
    for (const char* const part : {"frames", "pooled_metrics", "worst", "scenes", "aggregate_metrics"})
      EXPECT_EQ(report[part], exact[part]) << each.why << ": " << part;
    for (const char* const fact : {"inputs", "repeated_frames", "warnings"})
      EXPECT_EQ(report["run"][fact], exact["run"][fact]) << each.why << ": " << fact;
  }
}

TEST_F(SampledRunTest, BatchesAreSureOfEachPair) {
  const Words film = pair(), batch = joined({"batch", film[1], film[3], "-r", film[1], "--reports",
                                             in_folder("out"), "--confidence", "99"},
                                            {"--feature", "psnr", "--backend", "cpu", "--fail-below",
                                             "psnr_y:mean<20", "--junit", in_folder("junit.xml")});
  const Words crossed = joined(batch, {"--fail-below", "psnr_y:p50<60"});
  EXPECT_THAT(run_program(crossed), Ends(7, HasSubstr("p50 of psnr_y is below 60 (99 % sure after ")));
  const json summary = read_json(in_folder("out/summary.json"));
  for (const size_t i : {0, 1}) {
    const json& scores = summary["videos"][i]["scores"];
    EXPECT_EQ(scores["certainty"],
              read_json(in_folder(i == 0 ? "out/d.mkv.json" : "out/r.mkv.json"))["run"]["certainty"]);
    EXPECT_EQ(scores["certainty"]["frames"], 2400);
    EXPECT_LT(scores["frames"], 1200);
    EXPECT_TRUE(scores["metrics"]["psnr_y"]["mean"].is_null());
    EXPECT_EQ(scores["thresholds"][1]["crossed"], i == 0);
  }
  EXPECT_THAT(read_file(in_folder("out/summary.csv")), HasSubstr("; p50 "));
  EXPECT_THAT(read_file(in_folder("junit.xml")), HasSubstr("p50 of psnr_y is below 60 (99 % sure after "));
  // What is there is of use for the same questions only.
  EXPECT_THAT(run_program(crossed).out, HasSubstr("2 up to date"));
  EXPECT_EQ(read_json(in_folder("out/summary.json"))["videos"][0]["scores"], summary["videos"][0]["scores"]);
  EXPECT_THAT(run_program(batch), Ends(0, Not(HasSubstr("up to date"))));
  // Progress begins again if all frames are scored.
  EXPECT_THAT(run_program(joined(batch, {"--end", "1999", "--progress", "json"})).err,
              HasSubstr(R"("index": 0, "frames": 1999})"));
}

TEST_F(SampledRunTest, ComparisonsDropWhatIsSurelyWorse) {
  const Words two = pair();
  const auto encode = [&](const std::string& name, const std::string& options) {
    return film(name, 2400, "-c:v libx264 -preset ultrafast " + options, "64x48");
  };
  const std::string alike = encode("alike.mkv", "-g 30 -bf 2 -qp 34"),
                    worse = encode("worse.mkv", "-g 60 -qp 44");
  const Words compare = {"compare",  worse,       two[3],         alike,       "-r",
                         two[1],     "--feature", "psnr",         "--backend", "cpu",
                         "--metric", "psnr_y",    "--confidence", "99",        "--tolerance"};
  const auto sampled = [&](const Words& more, const std::string& tolerance) {
    const ProgramResult result =
        run_well(joined(joined(compare, {tolerance}), joined(more, {"-o", in_folder("c.json")})));
    EXPECT_THAT(result.out, HasSubstr("surely worse than "));
    return read_json(in_folder("c.json"));
  };
  const json one = sampled({"--threads", "1"}, "3"), several = sampled({"--threads", "3"}, "3");
  EXPECT_EQ(one["runs"], several["runs"]);
  const json& last = one["runs"][2];
  EXPECT_EQ(last["name"], "worse");
  EXPECT_TRUE(last["rank"].is_null() && last["statistics"]["mean"].is_null());
  EXPECT_LT(last["standing"]["difference"]["high"], 0);
  EXPECT_EQ(last["standing"]["decided_after"], last["frames"]);
  EXPECT_LT(last["frames"], one["runs"][0]["frames"]);
  for (const size_t i : {0, 1}) EXPECT_EQ(one["runs"][i]["rank"], 1);
  // By intervals of each.
  const json by_percentile = sampled({"--by", "p20"}, "5");
  EXPECT_EQ(by_percentile["runs"][2]["name"], "worse");
  EXPECT_LT(by_percentile["runs"][2]["certainty"]["intervals"][0]["high"],
            by_percentile["runs"][0]["certainty"]["intervals"][0]["low"]);
  // Those that are left are scored as a whole if half of the frames do not tell them apart.
  const json exact = sampled({}, "0.001");
  run_well({"compare", two[3], alike, "-r", two[1], "--feature", "psnr", "--metric", "psnr_y", "-o",
            in_folder("two.json")});
  for (const size_t i : {0, 1})
    EXPECT_EQ(exact["runs"][i]["statistics"], read_json(in_folder("two.json"))["runs"][i]["statistics"]);
  EXPECT_EQ(exact["runs"][2]["frames"], last["frames"]);
  const Words few = joined(compare, {"3", "--end", "1999"});
  EXPECT_THAT(run_program(few), Ends(0, HasSubstr("all frames are scored, since a film of 1999 frames")));
}

TEST_F(SampledRunTest, WhatHasNoUseForASampleIsRefused) {
  const Words gate = {"a.mkv", "--confidence", "99", "--fail-above", "mean>5"};
  for (const Words& words :
       std::vector<Words>{{"--subsample", "2"}, {"--stream-scores"}, {"--heatmaps", "maps"}})
    EXPECT_THAT(run_program(joined(gate, words)), Ends(1, HasSubstr("takes all frames"))) << words.front();
  EXPECT_THAT(run_program({"a.mkv", "--seed", "1"}), Ends(1, HasSubstr("no effect without --confidence")));
  EXPECT_THAT(run_program({"a.mkv", "--confidence", "50"}), Ends(1, HasSubstr("no percentage above 50")));
  for (const Words& words : std::vector<Words>{
           {"--by", "size", "-r", "r.mkv"}, {"--target", "95"}, {}, {"-r", "r.mkv", "--html", "a.html"}})
    EXPECT_THAT(run_program(joined({"compare", "a.mkv", "b.mkv", "--confidence", "99"}, words)),
                Ends(1, HasSubstr("--confidence")));
  for (const char* const command : {"plan", "merge", "submit"})
    EXPECT_THAT(run_program({command, "a.mkv", "b.mkv", "--confidence", "99"}),
                Ends(1, HasSubstr("--confidence")));
}

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

TEST(SureWords, HaveAsManyDecimalsAsAShareNeeds) {
  CertaintyFacts facts;
  facts.confidence = 99;
  facts.frames = 90'000;
  EXPECT_EQ(sure_words(facts, 12), "99 % sure after 0.01 % of the frames");
  EXPECT_EQ(sure_words(facts, 1'440), "99 % sure after 1.6 % of the frames");
  EXPECT_EQ(sure_words(facts, 36'000), "99 % sure after 40 % of the frames");
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
