#include "cli/pictures/heatmap_outputs.h"

#include "cli/commands/arguments.h"
#include "cli/decoding/open_video.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using vq::test::expect_error;

HeatmapRequests requests_of(const std::string& formats, const std::string& frames) {
  HeatmapRequests requests;
  if (!formats.empty()) parse_heatmap_formats(formats, requests);
  if (!frames.empty()) parse_heatmap_frames(frames, requests);
  check_heatmap_requests(requests);
  return requests;
}

TEST(HeatmapRequests, PicturesUnlessRawMapsAreNamed) {
  const auto requests = [](std::vector<std::string> words) {
    words.insert(words.begin(), "a.mkv");
    const HeatmapRequests found = run_options(parse_run_words(words)).heatmaps;
    return std::string(found.raw ? "raw " : "") + (found.png ? "png " : "") + (found.video ? "video" : "");
  };
  EXPECT_EQ(requests({"--heatmaps", "maps"}), "png ");
  EXPECT_EQ(requests({"--heatmaps", "maps", "--heatmap-format", "gray"}), "raw ");
  EXPECT_EQ(requests({"--heatmaps", "maps", "--heatmap-format", "gray,video"}), "raw video");
  EXPECT_EQ(requests({"--feature", "cambi=heatmaps_path=maps"}), "raw ");
}

TEST(HeatmapRequests, ListsAndRanges) {
  const HeatmapRequests both = requests_of("png,video", "3-7");
  EXPECT_FALSE(both.raw);
  EXPECT_TRUE(both.png && both.video);
  EXPECT_FALSE(both.worst_pictures());
  EXPECT_TRUE(both.draws_range());
  EXPECT_EQ(both.range.first, 3);
  EXPECT_EQ(both.range.last, 7);
  EXPECT_EQ(requests_of("gray", "5").range.last, 5);
  EXPECT_TRUE(requests_of("png,gray", "").worst_pictures());
  EXPECT_FALSE(requests_of("png,gray", "").draws_range());
  EXPECT_FALSE(requests_of("png", "all").worst_pictures());
  EXPECT_TRUE(requests_of("png", "all").draws_range());
}

TEST(HeatmapRequests, Refusals) {
  const std::tuple<const char*, const char*, std::string_view> cases[] = {
      {"pgn", "", "\"png\""}, {"png,", "", "\"\""}, {"", "wrost", "\"worst\""},
      {"", "7-3", "7-3"},     {"", "3-x", "\"x\""}, {"png,video", "worst", "--heatmap-format png"}};
  for (const auto& [formats, frames, part] : cases) {
    expect_error(ErrorKind::kUsage, {part},
                 [&, formats = formats, frames = frames] { requests_of(formats, frames); });
  }
  HeatmapRequests requests = requests_of("png", "");
  parse_heatmap_video_size("640x360", requests);
  EXPECT_EQ(requests.video_size, (PlaneSize{640, 360}));
  EXPECT_THROW(check_heatmap_requests(requests), Error);
  for (const char* size : {"", "x", "640x", "8", "640x360x2", "-640"}) {
    EXPECT_THROW(parse_heatmap_video_size(size, requests), Error) << size;
  }
}

// Frames with pictures on the page of a run.
std::vector<int64_t> pictured(const std::string& video, std::vector<std::string> words) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/page.html";
  words.insert(words.begin(), {video, "-q", "--html", path});
  const test::ProgramResult result = test::run_program(words);
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string page = test::read_file(path), start = "id=\"pictures\">";
  const size_t at = page.find(start) + start.size();
  std::vector<int64_t> frames;
  for (const auto& one : nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at)))
    frames.push_back(one["frame"]);
  return frames;
}

TEST(PagePictures, OfAMetricWithoutASideAreItsExtremes) {
  EXPECT_THAT(pictured(testdata("clips/letterbox_640x360_8b.mp4"), {"--feature", "bounds"}), ElementsAre(0));
}

// The first of the metrics, clipped shadows, has no moment.
TEST(PagePictures, OfHighlightsThatAloneAreClipped) {
  const test::TemporaryFolder folder;
  const std::string video = folder.path() + "/bright.y4m";
  std::string bytes = "YUV4MPEG2 W64 H64 F25:1\n";
  for (int i = 0; i < 3; ++i)
    bytes += "FRAME\n" + std::string(32 * 64, '\x78') + std::string(32 * 64, '\xfe') +
             std::string(2 * 32 * 32, '\x80');
  test::write_file(video, bytes);
  EXPECT_THAT(pictured(video, {"--feature", "histogram"}), ElementsAre(0));
}

// A model's features have moments as well, but no pictures of these: one scene, one picture.
TEST(PagePictures, WhatOnlyAModelAskedForHasNone) {
  EXPECT_EQ(pictured(testdata("clips/colour_640x360_8b_shift.mp4"),
                     {"-r", testdata("clips/colour_640x360_8b_ref.mp4"), "--model", "version=vmaf_v0.6.1"})
                .size(),
            1u);
}

TEST(PagePictures, RunsAndComparisonsSayThatTheyMakeThem) {
  const test::TemporaryFolder folder;
  const std::string clip = testdata("clips/colour_640x360_");
  for (std::vector<std::string> words : {std::vector<std::string>{clip + "444_crushed.mp4"},
                                         {"compare", clip + "8b_shift.mp4", clip + "8b_crushed.mp4"}}) {
    words.insert(words.end(), {"--feature", "cambi", "--html", folder.path() + "/page.html"});
    EXPECT_THAT(test::run_program(words).err,
                HasSubstr(words[0] == "compare" ? "making " : "making 1 picture\n"));
    words.push_back("-q");
    EXPECT_THAT(test::run_program(words).err, ::testing::Not(HasSubstr("making")));
  }
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
  const test::ProgramResult result = run("sky_640x360_8b.mp4", {});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("(#0)"));
  EXPECT_THAT(names(), ElementsAre("sky_640x360_8b.cambi.f000000.png"));
  EXPECT_EQ(test::read_file(maps() + "/" + names()[0]).substr(1, 3), "PNG");
}

TEST_F(HeatmapRun, WithAReferenceBothFramesAreThereAsTheyAre) {
  ASSERT_EQ(
      run("sky_640x360_8b.mp4", {"-r", testdata("clips/sky_640x360_8b_ref.mp4"), "--heatmap-frames", "3"})
          .code,
      0);
  const std::string start = "sky_640x360_8b.cambi.f000003";
  EXPECT_THAT(names(),
              UnorderedElementsAre(start + ".distorted.png", start + ".png", start + ".reference.png"));
  for (const char* kind : {".distorted.png", ".reference.png"}) {
    const auto picture = opened(start + kind);
    EXPECT_EQ(picture->info().format.width, 640) << kind;
    EXPECT_EQ(picture->info().format.height, 360) << kind;
    EXPECT_EQ(picture->info().pixel_format, "rgb24") << kind;
  }
  EXPECT_NE(test::read_file(maps() + "/" + start + ".distorted.png"),
            test::read_file(maps() + "/" + start + ".reference.png"));
}

TEST_F(HeatmapRun, PicturesOfARange) {
  ASSERT_EQ(run("sky_640x360_8b.mp4", {"--heatmap-format", "png", "--heatmap-frames", "3-4"}).code, 0);
  EXPECT_THAT(names(),
              UnorderedElementsAre("sky_640x360_8b.cambi.f000003.png", "sky_640x360_8b.cambi.f000004.png"));
}

TEST_F(HeatmapRun, ARangeBeyondTheRunIsToldOf) {
  const std::string remark = "none of the scored frames, 0 to 2, lies in that range";
  EXPECT_THAT(run("sky_640x360_8b.mp4", {"--end", "3", "--heatmap-frames", "3-4"}).err, HasSubstr(remark));
  EXPECT_THAT(run("sky_640x360_8b.mp4", {"--end", "3", "--heatmap-frames", "2-4"}).err,
              Not(HasSubstr(remark)));
}

TEST_F(HeatmapRun, TheVideoHasEveryFrameAndTheRateOfTheInput) {
  ASSERT_EQ(run("sky_640x360_8b.mp4", {"--heatmap-format", "video"}).code, 0);
  EXPECT_THAT(names(), ElementsAre("sky_640x360_8b.cambi.mp4"));
  const auto video = opened("sky_640x360_8b.cambi.mp4");
  EXPECT_EQ(video->info().format.width, 640);
  EXPECT_EQ(video->info().format.height, 360 + 22 + 36);
  EXPECT_EQ(video->info().pixel_format, "yuv420p");
  EXPECT_EQ(video->info().frame_rate(), 24.0);
  int64_t frames = 0;
  while (video->read()) ++frames;
  EXPECT_EQ(frames, 12);
  EXPECT_TRUE(video->report().warnings.empty());
}

TEST_F(HeatmapRun, TheVideoFitsASizeThatIsAskedFor) {
  const auto size_of = [&](const std::string& size) {
    EXPECT_EQ(run("clouds_1280x720_8b.mp4", {"--heatmap-format", "video", "--heatmap-video-size", size}).code,
              0);
    const VideoFormat format = opened("clouds_1280x720_8b.cambi.mp4")->info().format;
    return std::make_pair(format.width, format.height - 22 - 36);
  };
  EXPECT_EQ(size_of("640"), std::make_pair(640, 360));
  EXPECT_EQ(size_of("1000x180"), std::make_pair(320, 180));
  EXPECT_EQ(size_of("333"), std::make_pair(334, 188));  // 333 x 187 and even
  ASSERT_EQ(run("textured_417x235_8b.mkv", {"--heatmap-format", "video"}).code, 0);
  const VideoFormat odd = opened("textured_417x235_8b.cambi.mp4")->info().format;
  EXPECT_EQ(odd.width, 418);
  EXPECT_EQ(odd.height % 2, 0);
}

TEST_F(HeatmapRun, RawFilesOfARangeHoldItsFramesAlone) {
  ASSERT_EQ(run("sky_640x360_8b.mp4", {"--heatmap-format", "gray"}).code, 0);
  const std::string name = maps() + "/cambi_heatmap_scale_0_640x360_16b.gray";
  const std::string all = test::read_file(name);
  const size_t frame = 640 * 360 * 2;
  ASSERT_EQ(all.size(), 12 * frame);
  ASSERT_EQ(
      run("sky_640x360_8b.mp4", {"--heatmap-format", "gray", "--heatmap-frames", "2-3", "--threads", "4"})
          .code,
      0);
  EXPECT_EQ(test::read_file(name), all.substr(2 * frame, 2 * frame));
}

// Whatever has the name already is not what this video left there.
TEST_F(HeatmapRun, NothingIsReplacedButThisVideosOwn) {
  fs::create_directories(maps() + "/sky_640x360_8b.cambi.f000000.png");
  const std::string reference = maps() + "/sky_640x360_8b-2.cambi.mp4",
                    report = maps() + "/sky_640x360_8b-3.cambi.mp4";
  fs::copy(testdata("clips/sky_640x360_8b_ref.mp4"), reference);
  const std::string before = test::read_file(reference);
  const test::ProgramResult result =
      run("sky_640x360_8b.mp4",
          {"-r", reference, "--full-ref", "--heatmap-format", "png,video", "-o", report, "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(test::read_file(reference), before);
  EXPECT_TRUE(nlohmann::json::accept(test::read_file(report)));
  EXPECT_THAT(names(),
              ::testing::IsSupersetOf({"sky_640x360_8b-4.cambi.mp4", "sky_640x360_8b-4.cambi.f000000.png"}));
  EXPECT_TRUE(fs::is_empty(maps() + "/sky_640x360_8b.cambi.f000000.png"));
}

TEST_F(HeatmapRun, ARunThatEndsEarlyKeepsPicturesUnderOtherNames) {
  const std::string bytes = test::y4m_video({.frames = 3});
  const std::string cut = folder_.path() + "/cut.y4m";
  test::write_file(cut, bytes.substr(0, bytes.size() - 100));
  const test::ProgramResult result = test::run_program(
      {cut, "--heatmaps", maps(), "--heatmap-format", "png,video", "--heatmap-frames", "0-9"});
  EXPECT_EQ(result.code, 6);
  EXPECT_THAT(names(), UnorderedElementsAre("cut.cambi.f000000.partial.png", "cut.cambi.f000001.partial.png",
                                            "cut.cambi.partial.mp4"));
  EXPECT_EQ(opened("cut.cambi.partial.mp4")->info().frames, 2);
  EXPECT_THAT(result.err,
              HasSubstr("cambi: kept 2 pictures, " + maps() + "/cut.cambi.f000000.partial.png to "));
}

TEST_F(HeatmapRun, AFolderThatWasMadeInVainGoes) {
  const std::string cut = folder_.path() + "/cut.y4m";
  test::write_file(cut, test::y4m_video({}).substr(0, 500));
  for (const char* formats : {"png", "video", "gray", "gray,png,video"}) {
    const test::ProgramResult result =
        test::run_program({cut, "--heatmaps", maps(), "--heatmap-format", formats});
    EXPECT_EQ(result.code, 6) << formats;
    EXPECT_FALSE(fs::exists(maps())) << formats;
  }
  fs::create_directory(maps());
  EXPECT_EQ(test::run_program({cut, "--heatmaps", maps()}).code, 6);
  EXPECT_TRUE(fs::is_empty(maps()));
}

TEST_F(HeatmapRun, RawMapsAreOnlyWrittenWhereThereIsRoom) {
  const std::string many = folder_.path() + "/many.y4m";
  const test::VideoShape shape{.width = 4000, .height = 216, .frames = 2};
  const std::string bytes = test::y4m_video(shape);
  test::write_file(many, bytes);
  // More frames than any disk holds, which a hole in the file does not take.
  const uintmax_t frame_bytes = std::string("FRAME\n").size() + test::frame_bytes(shape, 0).size();
  fs::resize_file(many, bytes.size() + 6'000'000 * frame_bytes);
  EXPECT_THAT(test::run_program({many, "--heatmaps", maps(), "--heatmap-format", "gray"}),
              test::Ends(5, ::testing::ContainsRegex(
                                "error: raw heatmaps of [0-9]+ frames to .*maps take about [0-9]+ TB, and "
                                "[0-9.]+ .B are free there")));
  EXPECT_FALSE(fs::exists(maps()));
}

TEST_F(HeatmapRun, TheSizeOfRawMapsIsToldBeforehand) {
  const auto line = HasSubstr("cambi: writing raw heatmaps of 12 frames to " + maps() + ": about 7.4 MB\n");
  EXPECT_THAT(run("sky_640x360_8b.mp4", {"--heatmap-format", "gray"}).err, line);
  EXPECT_THAT(run("sky_640x360_8b.mp4", {"--heatmap-format", "gray", "-q"}).err, ::testing::IsEmpty());
  EXPECT_THAT(run("sky_640x360_8b.mp4", {"--heatmap-format", "gray", "--heatmap-frames", "3-5"}).err,
              HasSubstr("raw heatmaps of 3 frames"));
  EXPECT_THAT(
      test::run_program({testdata("clips/sky_640x360_8b.mp4"), "--feature", "cambi=heatmaps_path=" + maps()})
          .err,
      line);
}

TEST_F(HeatmapRun, VerySlowVideoGetsAVideoAllTheSame) {
  std::string bytes = test::y4m_video({});
  const size_t rate = bytes.find(" F");
  bytes.replace(rate, bytes.find(' ', rate + 1) - rate, " F1:1000000");
  const std::string slow = folder_.path() + "/slow.y4m";
  test::write_file(slow, bytes);
  const test::ProgramResult result =
      test::run_program({slow, "--heatmaps", maps(), "--heatmap-format", "video"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(opened("slow.cambi.mp4")->info().frames, 2);
}

}  // namespace
}  // namespace vq::cli
