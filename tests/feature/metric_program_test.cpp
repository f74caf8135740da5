// Bounds, PSNR and XPSNR in the program: beside CAMBI, sampled, cropped, against thresholds, and on pages.
#include "cli/pages/page_assets.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

constexpr const char* kMaster = "sky_640x360_8b_ref.mp4";
constexpr const char* kEncode = "sky_640x360_8b.mp4";

Words asked(const Words& features) {
  Words words;
  for (const std::string& feature : features) words.insert(words.end(), {"--feature", feature});
  return words;
}

class MetricProgram : public FolderTest {
 protected:
  static ProgramResult run(const Words& features, const Words& more, const std::string& video = kEncode) {
    Words words = {"-d", testdata("clips/" + video), "--backend", "cpu", "-q"};
    if (features.front() != "bounds") words.insert(words.end(), {"-r", testdata("clips/") + kMaster});
    return run_program(joined(joined(words, asked(features)), more));
  }
  static json report(const Words& features, const Words& more = {}) {
    return report_of_clips(kMaster, kEncode, features, joined(more, {"--extended", "--backend", "cpu"}));
  }
};

// As with motion, the frame before is the one before in the video, and the run's figure is that of all
// frames.
TEST_F(MetricProgram, SampledFramesScoreAsInARunOfAll) {
  for (const Words& features :
       {Words{"xpsnr"}, Words{"xpsnr=fps=60"}, Words{"psnr=enable_apsnr=true", "cambi", "motion"}}) {
    SCOPED_TRACE(features.front());
    const json all = report(features);
    ASSERT_EQ(all.at("frames").size(), 12U);
    for (const auto& [sample, count] : {std::pair("5", 3U), {"2:spread", 6U}}) {
      const json some = report(features, {"--subsample", sample});
      ASSERT_EQ(some.at("frames").size(), count);
      for (const json& frame : some.at("frames"))
        EXPECT_EQ(frame, all.at("frames")[frame.at("frameNum").get<size_t>()]);
      EXPECT_EQ(some.at("aggregate_metrics"), all.at("aggregate_metrics"));
      EXPECT_GE(some.at("aggregate_metrics").size(), 3U);
    }
  }
}

// A y4m that says 60 frames a second is measured as such, and one that says nothing as a slow one.
TEST_F(MetricProgram, TakesTheRateOfTheDistortedVideo) {
  const auto video = [&](const std::string& name, const std::string& rate, int phase) {
    std::string text = y4m_video({.frames = 3, .phase = phase});
    const size_t at = text.find(" F") + 1;
    text.replace(at, text.find(' ', at) - at, rate);
    return made(name, text);
  };
  const std::string master = video("master.y4m", "F24:1", 0), slow = video("slow.y4m", "F24:1", 1),
                    fast = video("fast.y4m", "F60:1", 1), unknown = video("unknown.y4m", "F0:0", 1);
  const auto scored = [&](const std::string& encode, const std::string& feature) {
    return report_of_run({"-r", master, "-d", encode, "--backend", "cpu", "--extended"}, {feature});
  };
  const json as_slow = scored(slow, "xpsnr"), as_fast = scored(fast, "xpsnr"),
             as_unknown = scored(unknown, "xpsnr");
  EXPECT_NE(as_slow.at("frames"), as_fast.at("frames"));
  EXPECT_EQ(scored(slow, "xpsnr=fps=60").at("aggregate_metrics"), as_fast.at("aggregate_metrics"));
  EXPECT_EQ(scored(fast, "xpsnr=fps=24").at("aggregate_metrics"), as_slow.at("aggregate_metrics"));
  EXPECT_EQ(as_unknown.at("aggregate_metrics"), as_slow.at("aggregate_metrics"));
  EXPECT_THAT(as_fast.at("run").at("notes"), Contains("xpsnr: fps=60 (from the stream)"));
  EXPECT_THAT(as_unknown.at("run").at("notes"), Contains("xpsnr: fps=25 (assumed)"));
}

TEST_F(MetricProgram, RanksByNoShareThatThereIsNot) {
  const std::string a = in_folder("a.json");
  ASSERT_EQ(run({"psnr"}, {"-o", a}).code, 0);
  const ProgramResult result = run_program({"compare", a, a, "--by", "share"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("psnr_y has no noteworthy level"));
  EXPECT_EQ(run_program({"compare", a, a, "--by", "p5"}).code, 0);
}

TEST_F(MetricProgram, HeatmapsAreThoseOfTheFeatureThatHasThem) {
  for (const Words& features : {Words{"psnr", "cambi"}, Words{"cambi", "psnr"}}) {
    const std::string maps = in_folder(features.front());
    const ProgramResult result = run(features, {"--heatmaps", maps});
    EXPECT_EQ(result.code, 0) << result.err;
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(maps))
      names.push_back(entry.path().filename());
    EXPECT_THAT(names, AllOf(Not(IsEmpty()), Each(HasSubstr("sky_640x360_8b.cambi."))));
  }
}

TEST_F(MetricProgram, BoundsLookInsideTheCrop) {
  const auto frames = [](const std::string& clip, const Words& more) {
    return report_of_run({testdata("clips/") + clip, "--backend", "cpu"}, {"bounds"}, more)["frames"];
  };
  EXPECT_EQ(frames("letterbox_640x360_8b.mp4", {"--crop", "300:100:20:30"})[0]["metrics"],
            (json{{"bounds_share", 0.85},
                  {"bounds_x", 0},
                  {"bounds_y", 15},
                  {"bounds_width", 300},
                  {"bounds_height", 85}}));
  for (const char* clip : {"bars_pillarbox_640x360_8b.mp4", "bars_letterbox_320x240_full_range.mp4"}) {
    for (const json& frame : frames(clip, {"--crop", "auto"}))
      EXPECT_EQ(frame["metrics"]["bounds_share"], 1) << clip;
  }
}

// Where no metric judges, the highest and the lowest frames are shown; beside one that does, its worst,
// though it comes second.
TEST_F(MetricProgram, PagesShowTheFramesOfAMetricThatJudgesWhereThereIsOne) {
  if (!has_pages()) GTEST_SKIP() << "this build has no pages";
  const std::string alone = in_folder("alone.html"), both = in_folder("both.html");
  ASSERT_EQ(run({"bounds"}, {"-o", alone}).code, 0);
  ASSERT_EQ(run({"bounds", "cambi"}, {"-o", both}).code, 0);
  constexpr const char* kPicture = "{\"frame\":0,";
  constexpr const char* kHeat = "\"heat\":\"data:";
  EXPECT_THAT(read_file(alone), AllOf(HasSubstr(kPicture), Not(HasSubstr(kHeat))));
  EXPECT_THAT(read_file(both), AllOf(HasSubstr(kPicture), HasSubstr(kHeat)));
}

}  // namespace
}  // namespace vq::cli::test
