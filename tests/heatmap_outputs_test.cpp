#include "cli/heatmap_outputs.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/video_source.h"
#include "core/error.h"
#include "tests/paths.h"
#include "tests/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

HeatmapWishes wishes_of(const std::string& formats, const std::string& frames) {
  HeatmapWishes wishes;
  if (!formats.empty()) parse_heatmap_formats(formats, wishes);
  if (!frames.empty()) parse_heatmap_frames(frames, wishes);
  check_heatmap_wishes(wishes);
  return wishes;
}

std::string refusal_of(const std::string& formats, const std::string& frames) {
  try {
    wishes_of(formats, frames);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(HeatmapWishes, ListsAndRanges) {
  const HeatmapWishes both = wishes_of("png,video", "3-7");
  EXPECT_FALSE(both.raw);
  EXPECT_TRUE(both.png && both.video);
  EXPECT_FALSE(both.worst_pictures());
  EXPECT_EQ(both.range.first, 3);
  EXPECT_EQ(both.range.last, 7);
  EXPECT_EQ(wishes_of("gray", "5").range.last, 5);
  EXPECT_TRUE(wishes_of("png,gray", "").worst_pictures());
  EXPECT_FALSE(wishes_of("png", "all").worst_pictures());
}

TEST(HeatmapWishes, Refusals) {
  EXPECT_THAT(refusal_of("pgn", ""), HasSubstr("Did you mean \"png\"?"));
  EXPECT_THAT(refusal_of("png,", ""), HasSubstr("unknown value \"\""));
  EXPECT_THAT(refusal_of("", "wrost"), HasSubstr("Did you mean \"worst\"?"));
  EXPECT_THAT(refusal_of("", "7-3"), HasSubstr("ends before it starts"));
  EXPECT_THAT(refusal_of("", "3-x"), HasSubstr("invalid value \"x\"; expected an integer"));
  EXPECT_THAT(refusal_of("png,video", "worst"), HasSubstr("goes with --heatmap-format png alone"));
}

class HeatmapRun : public ::testing::Test {
 protected:
  test::ProgramResult run(const std::string& clip, std::vector<std::string> words) {
    words.insert(words.begin(), {testdata("clips/") + clip, "--heatmaps", maps()});
    return test::run_program(words);
  }
  std::string maps() const { return folder_.path() + "/maps"; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(maps())) names.push_back(entry.path().filename());
    return names;
  }

  std::unique_ptr<VideoSource> opened(const std::string& name) const {
    SourceOptions options;
    options.path = maps() + "/" + name;
    return open_video(options);
  }

  test::TemporaryFolder folder_;
};

TEST_F(HeatmapRun, PicturesAreThoseOfTheWorstMoment) {
  const test::ProgramResult result = run("sky_640x360_8b.mp4", {"--heatmap-format", "png"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("(#0)"));
  EXPECT_THAT(names(), ElementsAre("cambi_overlay_000000.png"));
  EXPECT_EQ(test::read_file(maps() + "/" + names()[0]).substr(1, 3), "PNG");
}

TEST_F(HeatmapRun, PicturesOfARange) {
  ASSERT_EQ(run("sky_640x360_8b.mp4", {"--heatmap-format", "png", "--heatmap-frames", "3-4"}).code, 0);
  EXPECT_THAT(names(), UnorderedElementsAre("cambi_overlay_000003.png", "cambi_overlay_000004.png"));
}

TEST_F(HeatmapRun, TheVideoHasEveryFrameAndTheRateOfTheInput) {
  ASSERT_EQ(run("sky_640x360_8b.mp4", {"--heatmap-format", "video"}).code, 0);
  EXPECT_THAT(names(), ElementsAre("cambi_overlay.mp4"));
  const auto video = opened("cambi_overlay.mp4");
  EXPECT_EQ(video->info().format.width, 640);
  EXPECT_EQ(video->info().format.height, 360 + 22 + 36);
  EXPECT_EQ(video->info().pixel_format, "yuv420p");
  EXPECT_EQ(video->info().frame_rate(), 24.0);
  int64_t frames = 0;
  while (video->read()) ++frames;
  EXPECT_EQ(frames, 12);
  EXPECT_TRUE(video->take_warnings().empty());
}

TEST_F(HeatmapRun, OddSizesGetEvenVideo) {
  ASSERT_EQ(run("textured_417x235_8b.mkv", {"--heatmap-format", "video"}).code, 0);
  const VideoInfo info = opened("cambi_overlay.mp4")->info();
  EXPECT_EQ(info.format.width, 418);
  EXPECT_EQ(info.format.height % 2, 0);
}

TEST_F(HeatmapRun, RawFilesOfARangeHoldItsFramesAlone) {
  ASSERT_EQ(run("sky_640x360_8b.mp4", {}).code, 0);
  const std::string name = maps() + "/cambi_heatmap_scale_0_640x360_16b.gray";
  const std::string all = test::read_file(name);
  const size_t frame = 640 * 360 * 2;
  ASSERT_EQ(all.size(), 12 * frame);
  ASSERT_EQ(run("sky_640x360_8b.mp4", {"--heatmap-frames", "2-3", "--threads", "4"}).code, 0);
  EXPECT_EQ(test::read_file(name), all.substr(2 * frame, 2 * frame));
}

TEST_F(HeatmapRun, ScoresDoNotDependOnPictures) {
  const std::string report = folder_.path() + "/r.json", other = folder_.path() + "/s.json";
  ASSERT_EQ(run("dusk_1280x720_10b_pq.mp4", {"--heatmap-format", "png,video,gray", "-o", report}).code, 0);
  EXPECT_EQ(names().size(), 7U);
  ASSERT_EQ(test::run_program({testdata("clips/dusk_1280x720_10b_pq.mp4"), "-o", other}).code, 0);
  EXPECT_EQ(nlohmann::json::parse(test::read_file(report))["frames"],
            nlohmann::json::parse(test::read_file(other))["frames"]);
}

TEST_F(HeatmapRun, NothingStaysOfARunThatFails) {
  std::string clip = test::read_file(testdata("clips/sky_640x360_8b.mp4"));
  clip.resize(clip.size() * 2 / 3);
  test::write_file(folder_.path() + "/cut.mp4", clip);
  const test::ProgramResult result =
      test::run_program({folder_.path() + "/cut.mp4", "--heatmaps", maps(), "--heatmap-format", "png,video",
                         "--heatmap-frames", "all"});
  EXPECT_NE(result.code, 0);
  if (!fs::exists(maps())) return;  // the cut was seen before the folder was made
  EXPECT_THAT(names(), ::testing::IsEmpty());
}

TEST_F(HeatmapRun, FormatsNeedAFolder) {
  const test::ProgramResult result =
      test::run_program({testdata("clips/sky_640x360_8b.mp4"), "--heatmap-format", "png"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("--heatmap-format needs a folder. Add --heatmaps DIR"));
  const test::ProgramResult exact = test::run_program(
      {testdata("clips/sky_640x360_8b.mp4"), "--feature", "cambi", "--heatmap-format", "png"});
  EXPECT_EQ(exact.code, 1);
}

TEST_F(HeatmapRun, OnlyTheScoringOfOneVideoHasThem) {
  const std::string clip = testdata("clips/sky_640x360_8b.mp4");
  const test::ProgramResult compare = test::run_program({"compare", clip, clip, "--heatmaps", maps()});
  EXPECT_EQ(compare.code, 1);
  EXPECT_THAT(compare.err, HasSubstr("compare does not take --heatmaps"));
  EXPECT_EQ(test::run_program({"gate", clip, "--fail-above", "mean>5"}).code, 1);
  EXPECT_EQ(test::run_program({"gate", clip, "--stream-scores"}).code, 1);
  EXPECT_FALSE(fs::exists(maps()));
}

TEST_F(HeatmapRun, AFolderThatCannotBeIsToldBeforeTheFirstFrame) {
  test::write_file(maps(), "a file");
  const test::ProgramResult result = run("sky_640x360_8b.mp4", {"--heatmap-format", "video"});
  EXPECT_EQ(result.code, 5);
  EXPECT_EQ(test::read_file(maps()), "a file");
}

}  // namespace
}  // namespace vq::cli
