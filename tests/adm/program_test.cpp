// ADM as a user meets it: reports, options, and what is refused.
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

using AdmProgram = BadInputTest;

const std::string kReference = clip("sky_640x360_8b_ref.mp4"), kDistorted = clip("sky_640x360_8b.mp4");

TEST_F(AdmProgram, ReportsItsMetrics) {
  const nlohmann::json report =
      scored({"-r", kReference, "-d", kDistorted, "--feature", "adm=adm_skip_scale0=true"});
  std::vector<std::string> names;
  for (const auto& [name, value] : report.at("frames")[0].at("metrics").items()) names.push_back(name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                         "integer_adm2_ssz", "integer_aim_ssz", "integer_adm3_ssz", "integer_adm_scale0_ssz",
                         "integer_adm_scale1_ssz", "integer_adm_scale2_ssz", "integer_adm_scale3_ssz"));
}

TEST_F(AdmProgram, WarnsOfOptionsThatDoNothing) {
  scored({"-r", kReference, "-d", kDistorted, "--frame_cnt", "1", "--feature", "adm=adm_csf_scale=2"},
         {"adm_csf_scale has no effect"});
}

TEST_F(AdmProgram, RefusesWhatItHasNoFiguresFor) {
  const Words videos = {"-r", kReference, "-d", kDistorted, "--feature"};
  const auto with = [&](const std::string& feature) {
    Words words = videos;
    words.push_back(feature);
    return words;
  };
  refused(with("adm=adm_norm_view_dist=2"), 1, {"adm", "3240"});
  refused(with("adm=adm_csf_mode=2:adm_norm_view_dist=4"), 1, {"adm_csf_mode=2", "1080"});
  refused(with("adm=adm_csf_mode=4"), 1, {"adm_csf_mode", "0..3"});
  refused(with("adm=egl=1"), 1, {"egl", "adm_enhn_gain_limit"});
  refused({"-d", kDistorted, "--feature", "adm"}, 1, {"adm", "reference"});
  refused({"-r", clip("tiny_128x96_8b.mp4"), "-d", kDistorted, "--feature", "adm"}, 3, {"128x96", "640x360"});
}

TEST_F(AdmProgram, ScoresFrom33SamplesOn) {
  for (const auto& [width, height] :
       std::vector<std::pair<int, int>>{{33, 33}, {33, 500}, {500, 33}, {34, 35}}) {
    const std::string video = made("a.y4m", y4m_video({.width = width, .height = height}));
    const nlohmann::json report =
        scored({"-r", video, "-d", video, "--feature", "adm", "--precision", "max"});
    EXPECT_EQ(scores_of(report).size(), 2U) << width << "x" << height;
    EXPECT_EQ(
        scored({"-r", video, "-d", video, "--feature", "adm", "--precision", "max", "--backend", "scalar"}),
        report);
  }
  for (const auto& [width, height] :
       std::vector<std::pair<int, int>>{{32, 33}, {500, 32}, {16, 16}, {1, 1}, {2, 100}}) {
    const std::string video = made("a.y4m", y4m_video({.width = width, .height = height, .chroma = "400"}));
    refused({"-r", video, "-d", video, "--feature", "adm"}, 3, {"a.y4m", std::to_string(width) + "x", "33"});
  }
}

// 8 bits and the same picture at 10: shifting is all that there is to it.
TEST_F(AdmProgram, ComparesVideosOfDifferentDepths) {
  const std::string shallow = made("a.y4m", y4m_video({.width = 120, .height = 90}));
  const std::string deep = made("b.y4m", y4m_video({.width = 120, .height = 90, .bit_depth = 10}));
  const auto same =
      scores_of(scored({"-r", shallow, "-d", shallow, "--feature", "adm", "--precision", "max"}));
  EXPECT_EQ(scores_of(scored({"-r", deep, "-d", shallow, "--feature", "adm", "--precision", "max"})), same);
  EXPECT_EQ(scores_of(scored({"-r", shallow, "-d", deep, "--feature", "adm", "--precision", "max"})), same);
}

TEST_F(AdmProgram, ASampleAboveTheDepthIsToldWithItsFrame) {
  const VideoShape shape = {.width = 64, .height = 48, .frames = 2, .bit_depth = 10, .chroma = "400"};
  const std::string good = y4m_video(shape);
  std::string bad = good;
  bad[bad.size() - 1] = '\x07';  // the high byte of the last sample of frame 1
  cut_short({"-r", made("good.y4m", good), "-d", made("bad.y4m", bad), "--feature", "adm"}, 3,
            {"bad.y4m", "frame 1", "x=63", "y=47", "1023"}, 1);
}

}  // namespace
}  // namespace vq::cli::test
