// Pictures of runs that are over.
#include "cli/batch/rerender_moments.h"

#include "cli/reports/compare_files.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

const std::string kClip = testdata("clips/sky_640x360_8b.mp4");

class RerenderMoments : public FolderTest {
 protected:
  NamedReport run_of_clip(const std::vector<std::string>& flags = {}) const {
    const std::string path = in_folder("run.json");
    std::vector<std::string> words = {"-d", kClip, "-q", "-o", path, "--extended"};
    words.insert(words.end(), flags.begin(), flags.end());
    EXPECT_EQ(run_program(words).code, 0);
    return {.name = "run", .report = read_report(path).report, .path = path};
  }
  static LookRequest request(const std::string& metric = "cambi") {
    return {.metric = metric,
            .moments = {SharedMoment{.frame = 7, .timestamp = {}, .scores = {}},
                        SharedMoment{.frame = 2, .timestamp = {}, .scores = {}},
                        SharedMoment{.frame = 99, .timestamp = {}, .scores = {}}},
            .limit = {320, 180}};
  }
};

TEST_F(RerenderMoments, ShowsTheFramesThatTheRunHas) {
  const NamedReport run = run_of_clip();
  const LookedAgain seen = rerender_moments(run, request());
  EXPECT_EQ(seen.remark, "");
  ASSERT_EQ(seen.pictures.size(), 2U);
  EXPECT_EQ(seen.pictures[0].frame, 2);
  EXPECT_EQ(seen.pictures[1].frame, 7);
  EXPECT_EQ(seen.pictures[1].score, run.report.metrics[0].values[7]);
  EXPECT_FALSE(seen.pictures[0].picture.bytes.empty());
  EXPECT_FALSE(seen.pictures[0].heat.bytes.empty());
}

TEST_F(RerenderMoments, FollowsTheOptionsAndTheAreaOfTheRun) {
  EXPECT_EQ(rerender_moments(run_of_clip({"--topk", "0.2"}), request("cambi_topk_0.2")).remark, "");
  EXPECT_EQ(rerender_moments(run_of_clip({"--crop", "320:180:100:60"}), request()).remark, "");
  const NamedReport part = run_of_clip({"--start", "1", "--end", "9"});
  EXPECT_EQ(rerender_moments(part, request()).pictures.size(), 2U);
}

TEST_F(RerenderMoments, AReferenceIsNotNeededForTheHeatMap) {
  const NamedReport run = run_of_clip({"-r", testdata("clips/sky_640x360_8b_ref.mp4"), "--full-ref"});
  const LookedAgain seen = rerender_moments(run, request("cambi_full_reference"));
  EXPECT_EQ(seen.remark, "");
  ASSERT_EQ(seen.pictures.size(), 2U);
  EXPECT_FALSE(seen.pictures[0].heat.bytes.empty());
}

TEST_F(RerenderMoments, TheReferenceGivesItsSizeAndDifferences) {
  const NamedReport run = run_of_clip({"-r", testdata("clips/sky_640x360_8b_ref.mp4"), "--feature", "psnr"});
  LookRequest asked = request("psnr_y");
  SharedReference source = look_at_reference({run, run}, asked);
  EXPECT_EQ(source.name, "sky_640x360_8b_ref.mp4");
  EXPECT_EQ(source.remark, "");
  int made = 0;
  asked.made = [&] { ++made; };
  asked.reference = source.stills;
  const std::vector<FramePicture> pictures = pictures_of_reference(asked);
  ASSERT_EQ(pictures.size(), 2U);
  EXPECT_EQ(pictures[0].frame, 2);
  EXPECT_FALSE(pictures[0].picture.bytes.empty());
  // As if the reference had been twice as large.
  for (auto& [frame, still] : source.stills) still = scaled_still(still, {640, 360});
  asked.reference = source.stills;
  const LookedAgain seen = rerender_moments(run, asked);
  ASSERT_EQ(seen.pictures.size(), 2U);
  EXPECT_EQ(made, 4);
  EXPECT_FALSE(seen.pictures[0].difference.bytes.empty());
  EXPECT_TRUE(seen.pictures[0].reference.bytes.empty());
  EXPECT_TRUE(seen.pictures[0].heat.bytes.empty());  // PSNR has none
  EXPECT_EQ(seen.pictures[0].scaled_from, (PlaneSize{640, 360}));
  EXPECT_EQ(rerender_moments(run, request("psnr_y")).pictures[0].scaled_from, PlaneSize());
}

TEST_F(RerenderMoments, RunsWithSeveralReferencesShareNone) {
  const NamedReport run = run_of_clip({"-r", testdata("clips/sky_640x360_8b_ref.mp4"), "--feature", "psnr"});
  NamedReport other = run;
  other.report.run.inputs[1].skipped = 1;
  EXPECT_EQ(look_at_reference({run, other}, request("psnr_y")).name, "");
  other = run;
  other.report.run.inputs[1].path = "elsewhere.mp4";
  EXPECT_EQ(look_at_reference({run, other}, request("psnr_y")).name, "");
  EXPECT_EQ(look_at_reference({other}, request("psnr_y")).remark,
            "There are no pictures of the reference: elsewhere.mp4 is not there, or cannot be read twice.");
  EXPECT_EQ(look_at_reference({run, run_of_clip()}, request("psnr_y")).name, "");
}

TEST_F(RerenderMoments, AVideoThatDoesNotFitHasNone) {
  const auto remark_of = [](const NamedReport& run) {
    const LookedAgain seen = rerender_moments(run, request());
    EXPECT_TRUE(seen.pictures.empty());
    return seen.remark;
  };
  const NamedReport run = run_of_clip();
  NamedReport other = run;
  *other.report.run.inputs[0].file_bytes += 1;
  EXPECT_THAT(remark_of(other), HasSubstr("There are no pictures of run: "));
  EXPECT_THAT(remark_of(other), HasSubstr("is not what was scored"));
  other = run;
  other.report.metrics[0].values[7] += 0.5;
  EXPECT_THAT(remark_of(other), HasSubstr("is not what was scored"));
  other = run;
  other.report.run.inputs[0].path = "nowhere.mp4";
  EXPECT_EQ(remark_of(other),
            "There are no pictures of run: nowhere.mp4 is not there, or cannot be read twice.");
  other.report.run = {};
  EXPECT_EQ(remark_of(other), "There are no pictures of run: its report does not name the video.");
  other = run;
  other.report.run.inputs[0].path = run.path;  // no video at all
  EXPECT_THAT(remark_of(other), HasSubstr("There are no pictures of run: "));
}

TEST_F(RerenderMoments, TheVideoMayLieBesideTheReport) {
  NamedReport run = run_of_clip();
  std::filesystem::copy_file(kClip, in_folder("moved.mp4"));
  run.report.run.inputs[0].path = "moved.mp4";
  EXPECT_EQ(rerender_moments(run, request()).pictures.size(), 2U);
}

}  // namespace
}  // namespace vq::cli::test
