// Bad input, cases 1 to 9: sizes, formats and samples.
#include <algorithm>
#include <filesystem>

#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::SizeIs;
using BadInputPicture = BadInputTest;

constexpr int64_t kLittleMemory = int64_t{64} << 20;

TEST_F(BadInputPicture, Case1StripsAreScored) {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{
           {1920, 160}, {3840, 336}, {4000, 20}, {20, 4000}, {216, 16}, {216, 1}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    const std::string video =
        made("strip.y4m", y4m_video({.width = width, .height = height, .frames = 1, .chroma = "400"}));
    const auto cpu = scored({video, "--precision", "max"});
    EXPECT_THAT(scores_of(cpu), SizeIs(1));
    EXPECT_EQ(scored({video, "--precision", "max", "--backend", "scalar"}), cpu);
  }
}

TEST_F(BadInputPicture, Case2BothSidesTooSmall) {
  refused({clip("tiny_128x96_8b.mp4")}, 3, {"tiny_128x96_8b.mp4", "128x96", "216"});
  const std::string video = made("small.y4m", y4m_video({.width = 215, .height = 215}));
  refused({video}, 3, {"small.y4m", "215x215", "216"});
}

TEST_F(BadInputPicture, Case4WindowsTooLarge) {
  // A header and nothing but a hole behind it: what is refused is not read.
  const std::string video = made("wide.y4m", "YUV4MPEG2 W8192 H4320 Cmono\nFRAME\n");
  std::filesystem::resize_file(video, std::filesystem::file_size(video) + 8192 * 4320);
  refused({video, "--feature", "cambi=window_size=127"}, 3, {"window_size=127", "8192x4320", "255"});
}

TEST_F(BadInputPicture, Case4ImpossibleSides) {
  const std::string raw = made("a.yuv", std::string(1000, 'x'));
  for (const std::string side : {"0", "-320", "16385", "65536", "2147483647", "100000000000000000000"}) {
    SCOPED_TRACE(side);
    refused({raw, "-w", side, "-h", "240", "-p", "420", "-b", "8"}, 3, {"width", side, "16384"});
    refused({raw, "-w", "320", "-h", side, "-p", "420", "-b", "8"}, 3, {"height", side, "16384"});
    const std::string y4m =
        made("a.y4m", "YUV4MPEG2 W" + side + " H240 F24:1\nFRAME\n" + std::string(999, 'x'));
    refused({y4m}, 3, {"a.y4m", "width", side, "16384"});
    expect_peak_below(kLittleMemory, run({y4m}, 1));
  }
}

TEST_F(BadInputPicture, Case5EveryDepthAndChroma) {
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    std::vector<double> first;
    for (const std::string chroma : {"400", "420", "422", "444"}) {
      SCOPED_TRACE(std::to_string(depth) + " bits, " + chroma);
      const VideoShape shape{.width = 333, .height = 217, .bit_depth = depth, .chroma = chroma};
      const auto scores = scores_of(scored({made("a.y4m", y4m_video(shape)), "--precision", "max"}));
      ASSERT_THAT(scores, SizeIs(2));
      if (first.empty()) first = scores;
      EXPECT_EQ(scores, first);
      const auto raw = scored({made("a.yuv", raw_video(shape)), "-w", "333", "-h", "217", "-p", chroma, "-b",
                               std::to_string(depth), "--precision", "max"});
      EXPECT_EQ(scores_of(raw), first);
    }
  }
}

TEST_F(BadInputPicture, Case5PackedFormatsAndAlpha) {
  const auto expect_same = [&](const std::string& source, const std::string& format) {
    SCOPED_TRACE(format);
    const auto plain = scores_of(scored({clip(source), "--precision", "max", "--frame_cnt", "2"}));
    run_ffmpeg("-i " + clip(source) + " -frames:v 2 -pix_fmt " + format + " -c:v rawvideo " +
               in_folder("packed.nut"));
    EXPECT_EQ(scores_of(scored({in_folder("packed.nut"), "--precision", "max"})), plain);
  };
  for (const char* format : {"nv12", "nv21", "yuyv422", "uyvy422", "yuva420p"})
    expect_same("sky_640x360_8b.mp4", format);
  for (const char* format : {"yuva420p10le", "yuv420p10be"}) expect_same("sky_640x360_10b.mkv", format);
}

TEST_F(BadInputPicture, Case6NoLumaPlane) {
  const std::string video = in_folder("a.nut");
  for (const char* format : {"gbrp", "bgr0", "pal8"}) {
    SCOPED_TRACE(format);
    run_ffmpeg(std::string("-f lavfi -i testsrc=s=320x240:d=0.1 -pix_fmt ") + format + " -c:v rawvideo " +
               video);
    refused({video}, 3, {"a.nut", "no luma plane", "-pix_fmt"});
  }
  const std::string samples = made("bayer.raw", std::string(320 * 240, 'x'));
  run_ffmpeg("-f rawvideo -pixel_format bayer_rggb8 -video_size 320x240 -i " + samples + " -c copy " + video);
  refused({video}, 3, {"a.nut", "no luma plane", "Bayer"});
}

TEST_F(BadInputPicture, Case7AcceptedWithAWarning) {
  scored({clip("sky_640x360_full_range.mp4"), "--feature", "cambi"}, {"full range"});
  scored({clip("sky_640x360_full_range.mp4"), "--range", "limited"}, {"full range"});
  scored({clip("sky_640x360_full_range.mp4")});
  scored({clip("dusk_1280x720_10b_pq.mp4"), "--frame_cnt", "1", "--feature", "cambi"}, {"is tagged pq, but CAMBI takes it as bt1886"});
  scored({clip("dusk_1280x720_10b_pq.mp4"), "--frame_cnt", "1", "--eotf", "bt1886"}, {"pq"});
  scored({clip("dusk_1280x720_10b_pq.mp4"), "--frame_cnt", "1"});
  std::string video = y4m_video({});
  video.replace(video.find("Ip"), 2, "It");
  const std::string interlaced = made("a.y4m", video);
  scored({interlaced}, {"interlaced"});

  ASSERT_EQ(run({interlaced, "--extended"}, 1).code, 0);
  const auto report = nlohmann::json::parse(read_file(out()));
  ASSERT_THAT(report.at("run").at("warnings"), SizeIs(1));
  EXPECT_THAT(report.at("run").at("warnings")[0], ::testing::HasSubstr("interlaced"));
}

// Samples of one video mean other light than those of the other.
TEST_F(BadInputPicture, Case7PairsThatAreNotAlike) {
  const std::string full = clip("sky_640x360_full_range.mp4"), limited = clip("sky_640x360_8b_ref.mp4");
  const Words three = {"--frame_cnt", "3", "--align", "off"};
  const auto scored_pair = [&](Words words, const Words& warnings) {
    words.insert(words.end(), three.begin(), three.end());
    scored(words, warnings);
  };
  scored_pair({"-r", limited, "-d", full, "--feature", "psnr"},
              {"is full range and " + limited + " is limited range (assumed)"});
  scored_pair({"-r", full, "-d", limited, "--model", "version=vmaf_v0.6.1"}, {"(assumed) and " + full + " is full range"});
  scored_pair({"-r", full, "-d", full, "--feature", "psnr"}, {});
  scored_pair({"-r", limited, "-d", full, "--feature", "bounds"}, {});
  const std::string pq = clip("dusk_1280x720_10b_pq.mp4"), hlg = clip("dusk_960x540_10b_hlg.mp4");
  scored_pair({"-r", pq, "-d", hlg, "--feature", "psnr", "--scale-to", "reference"}, {"is tagged hlg and " + pq + " pq"});
  scored_pair({"-r", pq, "-d", pq, "--feature", "psnr"}, {});
}

TEST_F(BadInputPicture, Case8SizeChangesInTheMiddle) {
  const std::string video = in_folder("a.h264"), wide = in_folder("wide.h264");
  const std::string encode = " -c:v libx264 -bf 0 -preset ultrafast ";
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=24 -frames:v 5 -pix_fmt yuv420p" + encode + video);
  run_ffmpeg("-f lavfi -i testsrc=s=480x240:r=24 -frames:v 5 -pix_fmt yuv420p" + encode + wide);
  write_file(video, read_file(video) + read_file(wide));
  cut_short({video}, 6, {"a.h264", "frame 5", "320x240", "480x240"}, 5);
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=24 -frames:v 5 -pix_fmt yuv444p" + encode + wide);
  write_file(video, read_file(wide) + read_file(video));
  cut_short({video}, 6, {"a.h264", "frame 5", "yuv444p", "yuv420p"}, 5);
}

TEST_F(BadInputPicture, Case9SamplesBeyondTheDepth) {
  const VideoShape shape{.frames = 9, .bit_depth = 10};
  const std::string good = y4m_video(shape);
  const std::string clean = made("clean.y4m", good);
  const size_t frame = y4m_header(shape).size() + 6 * (frame_size(shape) + 6) + 6;  // of frame 6
  const auto with_sample = [&](size_t position) {
    std::string bytes = good;
    bytes[frame + 2 * position] = '\x01';
    bytes[frame + 2 * position + 1] = '\x04';
    return made("a.y4m", bytes);
  };
  const std::string luma = with_sample(320 * 7 + 5);
  cut_short({luma}, 3, {"a.y4m", "frame 6", "x=5", "y=7", "1025", "1023"}, 6);
  // Not scored: a reference without full_ref, and chroma.
  const auto expected = scored({clean, "--precision", "max"});
  EXPECT_EQ(scored({"-r", luma, "-d", clean, "--precision", "max"}), expected);
  cut_short({"-r", luma, "-d", clean, "--full-ref"}, 3, {"a.y4m", "frame 6", "x=5", "y=7", "1025"}, 6);
  EXPECT_EQ(scored({with_sample(320 * 240 + 3), "--precision", "max"}), expected);
}

}  // namespace
}  // namespace vq::cli::test
