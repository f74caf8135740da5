// XPSNR in the program: the rate of the video, roles, sampled frames, thresholds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/report_test.h"
#include "tests/support/test_video.h"

namespace vq::xpsnr::test {
namespace {

using cli::test::run_program;
using cli::test::Words;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kMaster = "sky_640x360_8b_ref.mp4";
constexpr const char* kEncode = "sky_640x360_8b.mp4";

json report(const std::string& feature, Words more = {}) {
  more.insert(more.end(), {"--extended", "--backend", "cpu"});
  return cli::test::report_of_clips(kMaster, kEncode, {feature}, more);
}

class XpsnrProgram : public ::testing::Test {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.path() + "/" + name; }
  cli::test::TemporaryFolder folder_;
};

// A y4m that says 60 frames a second is measured as such, and one that says nothing as a slow one.
TEST_F(XpsnrProgram, TakesTheRateOfTheDistortedVideo) {
  const auto video = [&](const std::string& name, const std::string& rate, int phase) {
    std::string text = cli::test::y4m_video({.frames = 3, .phase = phase});
    const size_t at = text.find(" F") + 1;
    text.replace(at, text.find(' ', at) - at, rate);
    cli::test::write_file(in_folder(name), text);
    return in_folder(name);
  };
  const std::string master = video("master.y4m", "F24:1", 0), slow = video("slow.y4m", "F24:1", 1),
                    fast = video("fast.y4m", "F60:1", 1), unknown = video("unknown.y4m", "F0:0", 1);
  const auto scored = [&](const std::string& encode, const std::string& feature) {
    return cli::test::report_of_run({"-r", master, "-d", encode, "--backend", "cpu", "--extended"},
                                    {feature});
  };
  const json as_slow = scored(slow, "xpsnr"), as_fast = scored(fast, "xpsnr");
  EXPECT_NE(as_slow.at("frames"), as_fast.at("frames"));
  EXPECT_EQ(scored(slow, "xpsnr=fps=60").at("aggregate_metrics"), as_fast.at("aggregate_metrics"));
  EXPECT_EQ(scored(fast, "xpsnr=fps=24").at("aggregate_metrics"), as_slow.at("aggregate_metrics"));
  EXPECT_EQ(scored(unknown, "xpsnr").at("aggregate_metrics"), as_slow.at("aggregate_metrics"));
  EXPECT_THAT(as_fast.at("run").at("notes"), Contains("xpsnr: fps=60 (from the stream)"));
  EXPECT_THAT(scored(unknown, "xpsnr").at("run").at("notes"), Contains("xpsnr: fps=25 (assumed)"));
}

// As with motion, the frame before is the one before in the video, and the run's figure is that of all
// frames.
TEST_F(XpsnrProgram, SampledFramesScoreAsInARunOfAll) {
  for (const char* feature : {"xpsnr", "xpsnr=fps=60"}) {
    const json all = report(feature), some = report(feature, {"--subsample", "5"});
    ASSERT_EQ(some.at("frames").size(), 3U);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(some.at("frames")[i], all.at("frames")[5 * i]);
    EXPECT_EQ(some.at("aggregate_metrics"), all.at("aggregate_metrics"));
  }
}

TEST_F(XpsnrProgram, AnyNumberOfThreadsFindsTheSame) {
  const json one = report("xpsnr=fps=60", {"--threads", "1"});
  for (const char* threads : {"2", "5"}) {
    const json more = report("xpsnr=fps=60", {"--threads", threads});
    EXPECT_EQ(more.at("frames"), one.at("frames")) << threads;
    EXPECT_EQ(more.at("aggregate_metrics"), one.at("aggregate_metrics")) << threads;
  }
}

// The weights are the reference's.
TEST_F(XpsnrProgram, RolesMatter) {
  const json other = cli::test::report_of_clips(kEncode, kMaster, {"xpsnr"}, {"--backend", "cpu"});
  EXPECT_NE(other.at("aggregate_metrics"), report("xpsnr").at("aggregate_metrics"));
}

TEST_F(XpsnrProgram, VideoWithoutChromaIsComparedByItsLuma) {
  const std::string video = in_folder("grey.y4m");
  cli::test::write_file(video, cli::test::y4m_video({.chroma = "400"}));
  const json found = cli::test::report_of_run({"-r", video, "-d", video, "--backend", "cpu"}, {"xpsnr"});
  const json expected = {{"xpsnr_y", nullptr}, {"xpsnr_min", nullptr}};
  EXPECT_EQ(found.at("frames")[1].at("metrics"), expected);
  EXPECT_EQ(found.at("aggregate_metrics"), expected);
}

TEST_F(XpsnrProgram, ThresholdsTakeItsShortName) {
  const auto code = [](const std::string& threshold) {
    const std::string clips = testdata("clips/");
    return run_program({"-q", "-r", clips + kMaster, "-d", clips + kEncode, "--backend", "cpu", "--feature",
                        "xpsnr", "--fail-below", threshold})
        .code;
  };
  EXPECT_EQ(code("xpsnr_min:mean<37"), 0);
  EXPECT_EQ(code("xpsnr_min:mean<38"), 7);
  EXPECT_EQ(code("xpsnr:mean<38"), 7);
  EXPECT_EQ(code("xpsnr:mean<37"), 0);
}

}  // namespace
}  // namespace vq::xpsnr::test
