// Pairs whose scores say nothing of quality: each fault at each way in. A certain one is refused, and where
// it is scored all the same its scores are not comparable, wherever they appear.
#include "cli/reports/compare_files.h"
#include "cli/reports/rate_report.h"
#include "cli/reports/summary.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

NamedReport faulty(NamedReport run) {
  run.report.run.pair_faults = {{PairFaultKind::kRange, {"one is full range and the other limited."}}};
  return run;
}

std::vector<NamedReport> ranked_runs(const std::string& metric) {
  std::vector<NamedReport> runs = {faulty(run_of("wrong", {60, 60}, metric)),
                                   run_of("good", {40, 42}, metric), run_of("bad", {30, 32}, metric)};
  for (NamedReport& run : runs) run.report.run.inputs[0].bit_rate = 1000;
  rank(runs, {metric, named("mean")});
  return runs;
}

std::vector<std::string> names_of_runs(const std::vector<NamedReport>& runs) {
  std::vector<std::string> names;
  for (const NamedReport& run : runs) names.push_back(run.name);
  return names;
}

TEST(PairFaults, AreLastInAComparisonThatTheySpoil) {
  const ComparisonBasis basis{"psnr_y", named("mean")};
  const std::vector<NamedReport> runs = ranked_runs("psnr_y");
  EXPECT_THAT(names_of_runs(runs), ElementsAre("good", "bad", "wrong"));
  EXPECT_EQ(worth_their_bits(runs, basis)[2], std::nullopt);
  EXPECT_EQ(worth_their_bits(runs, basis)[0], true);
  const json file = json::parse(comparison_json(runs, basis));
  EXPECT_EQ(file["runs"][2]["comparable"], false);
  EXPECT_EQ(file["runs"][0]["comparable"], true);
  EXPECT_THAT(file["remarks"][0].get<std::string>(), HasSubstr("wrong"));
  EXPECT_THAT(comparison_csv(runs, basis, {}), AllOf(HasSubstr(",comparable"), HasSubstr(",false")));
  EXPECT_THAT(comparison_markdown(runs, basis), HasSubstr("| - | wrong |"));
  EXPECT_EQ(comparison_table(runs, basis).rows()[2].back(), "not comparable");
}

TEST(PairFaults, SpoilNothingThatIsOfOneVideo) {
  EXPECT_FALSE(is_comparable(faulty(run_of("a", {1}, "psnr_y")), "psnr_y"));
  EXPECT_FALSE(is_comparable(faulty(run_of("a", {1}, "vmaf")), "vmaf"));
  EXPECT_TRUE(is_comparable(faulty(run_of("a", {1}, "cambi")), "cambi"));
  EXPECT_TRUE(is_comparable(run_of("a", {1}, "psnr_y"), "psnr_y"));
  EXPECT_THAT(names_of_runs(ranked_runs("cambi")), ElementsAre("bad", "good", "wrong"));  // by their scores
  EXPECT_EQ(comparison_table(ranked_runs("cambi"), {"cambi", named("mean")}).rows()[2].front(), "3");
}

constexpr int kWidth = 160, kHeight = 96;

using Sample = std::function<double(int x, int y, int frame)>;

// Every part of it moves, with another scene each second.
double film(int x, int y, int frame) {
  const int scene = frame / 25;
  return 120 +
         80 * std::sin(0.09 * x + 0.3 * frame + 2.7 * scene) * std::cos(0.07 * y - 0.21 * frame + scene);
}

std::string y4m(const Sample& sample, int frames, int rate = 25, int height = kHeight) {
  std::string text =
      "YUV4MPEG2 W160 H" + std::to_string(height) + " F" + std::to_string(rate) + ":1 Ip A1:1 Cmono\n";
  for (int frame = 0; frame < frames; ++frame) {
    text += "FRAME\n";
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < kWidth; ++x)
        text += static_cast<char>(std::lround(std::clamp(sample(x, y, frame), 0.0, 255.0)));
    }
  }
  return text;
}

// A fault, by a reference and a video that are made or there already.
struct Fault {
  std::string kind;
  std::function<std::string()> reference, distorted;  // the files' content
  bool is_in_headers = false;                         // known before the first frame
  Words flags = {};
};

std::string reference_film() {
  static const std::string text = y4m(film, 60);
  return text;
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = {
      {"shift", reference_film,
       [] { return y4m([](int x, int y, int t) { return film(x, y, t + 3); }, 60); }},
      {"uneven", reference_film,
       [] { return y4m([](int x, int y, int t) { return film(x, y, t < 30 ? t : t + 2); }, 58); }},
      {"rate", reference_film,
       [] { return y4m([](int x, int y, int t) { return film(x, y, t / 2); }, 120, 50); }, true},
      {"range", reference_film,
       [] { return y4m([](int x, int y, int t) { return 1.16 * (film(x, y, t) - 16); }, 60); }},
      {"pictures", reference_film,
       [] { return y4m([](int x, int y, int t) { return film(2 * y, x / 3, 400 - 2 * t); }, 60); }},
      {"mirrored", reference_film,
       [] { return y4m([](int x, int y, int t) { return film(kWidth - 1 - x, y, t); }, 60); }},
      {"negative", reference_film,
       [] { return y4m([](int x, int y, int t) { return 251 - film(x, y, t); }, 60); }},
      {"shape",
       reference_film,
       [] { return y4m([](int x, int y, int t) { return film(x, y / 2, t); }, 60, 25, 48); },
       true,
       {"--scale-to", "reference"}},
      {"transfer",
       [] { return read_file(testdata("clips/dusk_1280x720_10b_pq.mp4")); },
       [] { return read_file(testdata("clips/dusk_960x540_10b_hlg.mp4")); },
       true,
       {"--scale-to", "reference", "--frame_cnt", "2"}},
  };
  return all;
}

class PairFaultDoors : public testing::TestWithParam<size_t>, protected Folder {
 protected:
  void SetUp() override {
    write_file(in_folder("ref.mkv"), fault_.reference());
    write_file(in_folder("wrong.mkv"), fault_.distorted());
    write_file(in_folder("good.mkv"), fault_.reference());
  }

  json json_of(const std::string& name) const { return read_json(in_folder(name)); }

  ProgramResult run(const Words& words, const Words& more = {}) const {
    return run_program(joined(joined(joined(words, more), fault_.flags), {"--feature", "psnr", "-q"}));
  }
  Words pair() const { return {"-r", in_folder("ref.mkv"), "-d", in_folder("wrong.mkv")}; }
  // The extended report of the pair, scored all the same.
  void save(const std::string& name) const {
    const ProgramResult result = run(pair(), {"--compare-anyway", "--extended", "-o", in_folder(name)});
    ASSERT_EQ(result.code, 0) << result.err;
  }
  void expect_wrong_last(const json& comparison, int64_t frames) const {
    const json last = comparison.at("runs").at(1);
    EXPECT_EQ(last.at("path"), in_folder("wrong.mkv"));
    EXPECT_EQ(last.at("frames") == 0, frames == 0);
    EXPECT_EQ(last.at("comparable"), false);
    EXPECT_TRUE(last.at("rank").is_null());
    EXPECT_TRUE(last.at("worth_its_bits").is_null());
    EXPECT_EQ(comparison.at("runs").at(0).at("rank"), 1);
    EXPECT_TRUE(comparison.at("moments").at("differing").empty());
  }
  void expect_fault(const json& run) const {
    EXPECT_EQ(run.at("comparable"), false);
    EXPECT_EQ(run.at("pair_faults").at(0).at("kind"), fault_.kind);
    EXPECT_EQ(run.at("pair_faults").at(0).at("certain"), true);
  }

  const Fault& fault_ = faults()[GetParam()];
};

INSTANTIATE_TEST_SUITE_P(All, PairFaultDoors, testing::Range(size_t{0}, faults().size()),
                         [](const auto& row) { return faults()[row.param].kind; });

TEST_P(PairFaultDoors, ARunEndsWithTheFault) {
  const ProgramResult result =
      run(pair(), {"-o", in_folder("r.json"), "--junit", in_folder("j.xml"), "--fail-below", "psnr<1"});
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr(fault_.kind == "shape" ? "--crop-ref" : "--compare-anyway scores them"));
  EXPECT_THAT(read_file(in_folder("j.xml")),
              AllOf(HasSubstr("testcase name=\"pair\""), HasSubstr("failures=\"1\""), HasSubstr("<skipped")));
  EXPECT_FALSE(std::filesystem::exists(in_folder("r.json")));
  EXPECT_EQ(std::filesystem::exists(in_folder("r.json.partial")), !fault_.is_in_headers);
}

TEST_P(PairFaultDoors, ARunScoresItAllTheSameAndSaysSo) {
  save("r.json");
  expect_fault(json_of("r.json").at("run"));
  const ProgramResult plain = run(pair(), {"--compare-anyway", "-o", in_folder("plain.json")});
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(json_of("plain.json").at("pair_faults").at(0).at("kind"), fault_.kind);
  const Words words =
      joined(joined(pair(), fault_.flags), {"--compare-anyway", "--feature", "psnr", "--github"});
  const ProgramResult told =
      run_program(words, {.environment = {{"GITHUB_STEP_SUMMARY", in_folder("step.md")}}});
  EXPECT_THAT(told.out, AllOf(HasSubstr("not comparable: "), Not(HasSubstr("worst"))));
  EXPECT_THAT(read_file(in_folder("step.md")), HasSubstr("**Not comparable:**"));
  EXPECT_THAT(told.err, HasSubstr("::warning"));
}

TEST_P(PairFaultDoors, ThresholdsAreNotJudged) {
  const ProgramResult result = run(pair(), {"--compare-anyway", "--extended", "-o", in_folder("r.json"),
                                            "--junit", in_folder("j.xml"), "--fail-below", "psnr<1"});
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("threshold not judged"));
  const json threshold = json_of("r.json").at("run").at("thresholds").at(0);
  EXPECT_TRUE(threshold.at("crossed").is_null());
  EXPECT_THAT(read_file(in_folder("j.xml")),
              AllOf(HasSubstr("errors=\"1\""), HasSubstr("failures=\"0\""), HasSubstr("not judged")));
  // Those on scores of one video alone are judged as ever.
  const Words both = {"--compare-anyway", "--feature", "bounds", "--fail-above", "bounds_width:max>9999"};
  EXPECT_EQ(run(pair(), both).code, 0);
}

TEST_P(PairFaultDoors, ABaselineJudgesNothingEither) {
  save("baseline.json");
  const ProgramResult result = run({"-r", in_folder("ref.mkv"), "-d", in_folder("good.mkv")},
                                   {"--baseline", in_folder("baseline.json"), "--fail-below", "psnr<-10"});
  EXPECT_EQ(result.code, 3) << result.err;
}

TEST_P(PairFaultDoors, AComparisonRefusesItOrListsItLast) {
  const Words videos = {"compare", in_folder("wrong.mkv"), in_folder("good.mkv"), "-r", in_folder("ref.mkv"),
                        "-o",      in_folder("c.json")};
  const ProgramResult refused =
      run(videos, {"--junit", in_folder("j.xml"), "--fail-below", "psnr<1", "--html", in_folder("c.html")});
  EXPECT_EQ(refused.code, 3) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("error: "), HasSubstr("left out of the ranking")));
  EXPECT_THAT(read_file(in_folder("j.xml")),
              AllOf(HasSubstr("tests=\"5\" failures=\"1\" errors=\"0\""), HasSubstr("name=\"pair\"")));
  expect_wrong_last(json_of("c.json"), 0);
  EXPECT_EQ(run_program({"compare", in_folder("c.json"), in_folder("wrong.mkv"), "-q"}).code,
            2);  // no scores are kept
  const ProgramResult result = run(videos, {"--compare-anyway"});
  EXPECT_EQ(result.code, 0) << result.err;
  expect_wrong_last(json_of("c.json"), json_of("c.json").at("runs").at(0).at("frames"));
  EXPECT_EQ(run(videos, {"--compare-anyway", "--fail-below", "psnr<1"}).code, 3);
}

TEST_P(PairFaultDoors, ASavedReportRepeatsIt) {
  save("wrong.json");
  ASSERT_EQ(run({"-r", in_folder("ref.mkv"), "-d", in_folder("good.mkv")},
                {"--extended", "-o", in_folder("good.json")})
                .code,
            0);
  const ProgramResult compared = run_program({"compare", in_folder("wrong.json"), in_folder("good.json"),
                                              "-q", "-o", in_folder("c.json"), "--fail-below", "psnr<1"});
  EXPECT_EQ(compared.code, 3) << compared.err;
  EXPECT_EQ(json_of("c.json").at("runs").at(1).at("comparable"), false);
  ASSERT_EQ(run_program({"report", in_folder("wrong.json"), "-o", in_folder("page.html")}).code, 0);
  EXPECT_THAT(read_file(in_folder("page.html")),
              AllOf(HasSubstr("\"comparable\":false"), HasSubstr("\u00b7 not comparable</title>")));
}

TEST_P(PairFaultDoors, ABatchRefusesItAndGoesOn) {
  const ProgramResult result =
      run({"batch", in_folder("wrong.mkv"), in_folder("good.mkv"), "-r", in_folder("ref.mkv"), "--reports",
           in_folder("reports"), "--junit", in_folder("j.xml"), "--ignore-failed"});
  EXPECT_EQ(result.code, 3) << result.err;
  const json summary = json_of("reports/summary.json");
  EXPECT_EQ(summary.at("counts").at("refused"), 1);
  EXPECT_EQ(summary.at("counts").at("scored"), 1);
  EXPECT_EQ(summary.at("videos").at(1).at("state"), "refused");
  EXPECT_EQ(summary.at("videos").at(1).at("error").at("code"), 3);
  EXPECT_THAT(read_file(in_folder("j.xml")), AllOf(HasSubstr("name=\"pair\""), HasSubstr("failures=\"1\"")));
}

TEST_P(PairFaultDoors, ABatchListsItLastAndSaysSoAgain) {
  const Words words = {"batch",     in_folder("wrong.mkv"), in_folder("good.mkv"), "-r", in_folder("ref.mkv"),
                       "--reports", in_folder("reports"),   "--compare-anyway"};
  for (const char* const state : {"scored", "kept"}) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("warning")) << state;
    const json summary = json_of("reports/summary.json"), wrong = summary.at("videos").at(1);
    EXPECT_EQ(wrong.at("state"), state);
    EXPECT_EQ(wrong.at("scores").at("comparable"), false);
    EXPECT_EQ(wrong.at("scores").at("pair_faults").at(0).at("kind"), fault_.kind);
    EXPECT_EQ(summary.at("counts").at("not_comparable"), 1);
    EXPECT_THAT(read_file(in_folder("reports/index.html")), HasSubstr("\"comparable\":false"));
    EXPECT_THAT(read_file(in_folder("reports/summary.csv")), HasSubstr(",0\n"));
  }
  const ProgramResult judged = run(words, {"--fail-below", "psnr<1", "--junit", in_folder("j.xml")});
  EXPECT_EQ(judged.code, 3) << judged.err;
  EXPECT_THAT(read_file(in_folder("j.xml")), AllOf(HasSubstr("errors=\"1\""), HasSubstr("failures=\"0\"")));
}

TEST_P(PairFaultDoors, APlanAndItsMergeJudgeAsARunDoes) {
  const Words pair = {"plan", in_folder("wrong.mkv"), "-r", in_folder("ref.mkv")};
  const Words plan = joined(pair, {"-o", in_folder("plan.json"), "--shard-frames", "20"});
  const ProgramResult planned = run(plan);
  EXPECT_EQ(planned.code, fault_.is_in_headers ? 3 : 0) << planned.err;
  if (fault_.is_in_headers) {
    ASSERT_EQ(run(plan, {"--compare-anyway"}).code, 0);
  }
  // A fault that a shard is certain of ends it; others are the merge's to find.
  bool is_refused_early = false;
  const int64_t shards = json_of("plan.json").at("shard_count");
  for (int64_t i = 0; i < shards; ++i) {
    const ProgramResult shard =
        run_program({"shard", in_folder("plan.json"), "--index", std::to_string(i), "-q"});
    if (shard.code != 0) {
      ASSERT_EQ(shard.code, 3) << shard.err;
      EXPECT_THAT(shard.err, HasSubstr("--compare-anyway"));
      EXPECT_FALSE(fault_.is_in_headers);
      is_refused_early = true;
    }
  }
  const Words merge = {"merge", in_folder("plan.json"), "-q", "--extended", "-o", in_folder("merged.json")};
  if (!fault_.is_in_headers) {
    const ProgramResult merged = run_program(merge);
    EXPECT_EQ(merged.code, 3) << merged.err;
    EXPECT_THAT(merged.err, HasSubstr("--compare-anyway"));
    EXPECT_TRUE(std::filesystem::exists(in_folder("merged.json.partial")));
    const ProgramResult all =
        run_program({"merge", in_folder("plan.json"), "-q", "--reports", in_folder("all")});
    EXPECT_EQ(all.code, 3) << all.err;
    EXPECT_EQ(json_of("all/summary.json").at("videos").at(0).at("state"), "refused");
  }
  if (is_refused_early) {
    const std::string all = "0-" + std::to_string(shards - 1);
    ASSERT_EQ(run_program({"shard", in_folder("plan.json"), "--index", all, "-q", "--compare-anyway"}).code,
              0);
  }
  const ProgramResult merged = run_well(joined(merge, {"--compare-anyway"}));
  save("single.json");
  expect_fault(json_of("merged.json").at("run"));
  EXPECT_EQ(json_of("merged.json").at("run").at("pair_faults"),
            json_of("single.json").at("run").at("pair_faults"));
  const ProgramResult all = run_program({"merge", in_folder("plan.json"), "-q", "--reports", in_folder("all"),
                                         "--compare-anyway", "--fail-below", "psnr<1"});
  EXPECT_EQ(all.code, 3) << all.err;
  EXPECT_THAT(all.err, AllOf(HasSubstr("warning"), HasSubstr("not judged")));
  EXPECT_EQ(json_of("all/summary.json").at("videos").at(0).at("scores").at("comparable"), false);
  EXPECT_TRUE(json_of("all/summary.json").at("worst_moments").empty());
}

// But of lengths, which are no fault of the pair, it warns as ever.
TEST_P(PairFaultDoors, ChangeNothingWhereTheProgramIsCalledAsVmaf) {
  const Words more = {"--feature",         "psnr",         "-q",    "--extended", "-o",
                      in_folder("r.json"), "--fail-below", "psnr<1"};
  const ProgramResult result = run_well(joined(joined(pair(), fault_.flags), more), {.name = "vmaf"});
  const bool is_shorter = fault_.kind == "uneven" || fault_.kind == "rate";
  EXPECT_EQ(std::ranges::count(result.err, '\n'), is_shorter ? 1 : 0) << result.err;
  const json run = json_of("r.json").at("run");
  EXPECT_FALSE(run.contains("pair_faults"));
  EXPECT_FALSE(run.contains("comparable"));
  EXPECT_EQ(run.at("thresholds").at(0).at("crossed"), false);
}

class PairFaultProgram : public FolderTest {};

// Who compares other ranges as stored asks for it; the scores are not comparable.
TEST_F(PairFaultProgram, OtherRangesAreScoredAsStoredAndNotJudged) {
  const std::string report = in_folder("r.json");
  const Words pair = {"-r",          testdata("clips/sky_640x360_8b_ref.mp4"),
                      "-d",          testdata("clips/sky_640x360_full_range.mp4"),
                      "--feature",   "psnr",
                      "--frame_cnt", "2",
                      "-q",          "--extended",
                      "-o",          report};
  const auto psnr = [&] {
    return read_json(report).at("pooled_metrics").at("psnr_y").at("mean").get<double>();
  };
  run_well(joined(pair, {"--strict"}));
  EXPECT_GT(psnr(), 50) << "ranges are evened out";
  const Words words = joined(pair, {"--as-stored"});
  run_well(words);
  EXPECT_LT(psnr(), 40);
  const json run = read_json(report).at("run");
  EXPECT_EQ(run.at("comparable"), false);
  EXPECT_EQ(run.at("pair_faults").at(0).at("kind"), "range");
  for (const Words& more : {Words{"--fail-below", "psnr<1"}, Words{"--strict"}})
    EXPECT_EQ(run_program(joined(words, more)).code, 3);
}

// A shard that looks wrong is judged as a run is, by how the whole begins.
TEST_F(PairFaultProgram, AShardOfAnotherFilmEndsWhereARunWould) {
  const auto other = [](int x, int y, int t) { return film(2 * y, x / 3, 900 - 2 * t); };
  write_file(in_folder("r.mkv"), y4m(film, 640));
  write_file(in_folder("other.mkv"), y4m(other, 640));
  write_file(in_folder("part.mkv"),
             y4m([&](int x, int y, int t) { return t < 320 ? film(x, y, t) : other(x, y, t); }, 640));
  const std::string plan = in_folder("plan.json"), pair_text = "do not show the same pictures";
  const auto make = [&](const std::string& video) {
    return run_program({"plan", in_folder(video), "-r", in_folder("r.mkv"), "-o", plan, "--shard-frames",
                        "320", "--feature", "psnr", "--results", in_folder(video + ".shards")})
        .code;
  };
  const auto score = [&](const char* shard, const Words& more = {}) {
    return run_program(joined({"shard", plan, "--index", shard, "-q"}, more));
  };
  ASSERT_EQ(make("other.mkv"), 0);
  for (const char* const shard : {"0", "1"}) {
    const ProgramResult refused = score(shard);
    EXPECT_EQ(refused.code, 3) << refused.err;
    EXPECT_THAT(refused.err, AllOf(HasSubstr(pair_text), HasSubstr("--compare-anyway")));
  }
  const ProgramResult merged = run_program({"merge", plan, "-q", "--reports", in_folder("all")});
  EXPECT_EQ(merged.code, 3) << merged.err;
  EXPECT_THAT(merged.err, HasSubstr(pair_text));
  const json summary = read_json(in_folder("all/summary.json"));
  EXPECT_EQ(summary.at("videos").at(0).at("state"), "refused");
  for (const char* const shard : {"0", "1"}) EXPECT_EQ(score(shard, {"--compare-anyway"}).code, 0);
  EXPECT_EQ(run_program({"merge", plan, "-q", "-o", in_folder("m.json")}).code, 3);
  EXPECT_EQ(run_program({"merge", plan, "-q", "-o", in_folder("m.json"), "--compare-anyway"}).code, 0);
  ASSERT_EQ(make("part.mkv"), 0);
  for (const char* const shard : {"0", "1"}) EXPECT_EQ(score(shard).code, 0);
}

TEST_F(PairFaultProgram, ConcernNoRunWhoseFeaturesScoreEachVideoByItself) {
  write_file(in_folder("r.y4m"), reference_film());
  write_file(in_folder("d.y4m"), y4m([](int x, int y, int t) { return film(x, y, t + 3); }, 60));
  EXPECT_EQ(run_program(
                {"-r", in_folder("r.y4m"), "-d", in_folder("d.y4m"), "--feature", "bounds", "--strict", "-q"})
                .code,
            0);
  // Nobody looks for shifts then.
  EXPECT_EQ(run_program({"-r", in_folder("r.y4m"), "-d", in_folder("d.y4m"), "--feature", "psnr", "--strict",
                         "-q", "--align", "off"})
                .code,
            0);
}

}  // namespace
}  // namespace vq::cli::test
