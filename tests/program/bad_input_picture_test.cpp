// Bad input: sizes, formats and samples.
#include "tests/support/bad_input.h"
#include "tests/support/source_test.h"

namespace vq::cli::test {
namespace {

using BadInputPicture = BadInputTest;

Chroma chroma_named(const std::string& name) {
  if (name == "400") return Chroma::k400;
  if (name == "420") return Chroma::k420;
  return name == "422" ? Chroma::k422 : Chroma::k444;
}

TEST_F(BadInputPicture, StripsAreScored) {
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

TEST_F(BadInputPicture, ImpossibleSizes) {
  // A header and nothing but a hole behind it: what is refused is not read.
  const std::string wide = made("wide.y4m", "YUV4MPEG2 W8192 H4320 Cmono\nFRAME\n");
  fs::resize_file(wide, fs::file_size(wide) + 8192 * 4320);
  refused({wide, "--feature", "cambi=window_size=127"}, 3, {"window_size=127", "8192x4320", "255"});
}

TEST_F(BadInputPicture, EveryDepthAndChromaHasTheSameLuma) {
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    std::vector<uint32_t> first;
    for (const std::string chroma : {"400", "420", "422", "444"}) {
      SCOPED_TRACE(std::to_string(depth) + " bits, " + chroma);
      const VideoShape shape{.width = 65, .height = 47, .bit_depth = depth, .chroma = chroma};
      SourceOptions options;
      options.path = made("a.y4m", y4m_video(shape));
      const Outcome y4m = read_all(options);
      ASSERT_THAT(y4m.crcs, SizeIs(2)) << y4m.message;
      if (first.empty()) first = y4m.crcs;
      EXPECT_EQ(y4m.crcs, first);
      options.path = made("a.yuv", raw_video(shape));
      options.raw = RawFormat{shape.width, shape.height, depth, chroma_named(chroma)};
      EXPECT_EQ(read_all(options).crcs, first);
    }
  }
}

TEST_F(BadInputPicture, NeitherLumaNorRgbOf8Bits) {
  const std::string video = in_folder("a.nut");
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:d=0.1 -pix_fmt rgb565le -c:v rawvideo " + video);
  refused({{video}, 3, {"a.nut", "-pix_fmt"}});
}

TEST_F(BadInputPicture, SizeChangesInTheMiddle) {
  const std::string video = in_folder("a.h264"), wide = in_folder("wide.h264");
  const std::string encode = " -c:v libx264 -bf 0 -preset ultrafast ";
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=24 -frames:v 5 -pix_fmt yuv420p" + encode + video);
  run_ffmpeg("-f lavfi -i testsrc=s=480x240:r=24 -frames:v 5 -pix_fmt yuv420p" + encode + wide);
  write_file(video, read_file(video) + read_file(wide));
  cut_short({{video}, 6, {"a.h264", "frame 5", "320x240", "480x240"}}, 5);
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=24 -frames:v 5 -pix_fmt yuv444p" + encode + wide);
  write_file(video, read_file(wide) + read_file(video));
  cut_short({{video}, 6, {"a.h264", "frame 5", "yuv444p", "yuv420p"}}, 5);
}

TEST_F(BadInputPicture, SamplesBeyondTheDepth) {
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
  cut_short({{luma}, 3, {"a.y4m", "frame 6", "x=5", "y=7", "1025", "1023"}}, 6);
  // Not scored: a reference without full_ref, and chroma.
  const auto expected = scored({clean, "--precision", "max"});
  EXPECT_EQ(scored({"-r", luma, "-d", clean, "--feature", "cambi", "--precision", "max"}), expected);
  cut_short({{"-r", luma, "-d", clean, "--full-ref"}, 3, {"a.y4m", "frame 6", "x=5", "y=7", "1025"}}, 6);
  EXPECT_EQ(scored({with_sample(320 * 240 + 3), "--precision", "max"}), expected);
}

// Bad input: streams that change, start or are damaged where nobody expects it.

class BadInputStream : public BadInputTest {};

// The first damage is not told only once hours of video behind it are decoded.
TEST_F(BadInputStream, DamageIsCountedNearTheFirstOnly) {
  const std::string video = in_folder("long.mkv");
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=25 -frames:v 240 -pix_fmt yuv420p -c:v ffv1 -level 3 -g 1 " +
             video);
  std::string bytes = read_file(video);
  const size_t frame = bytes.size() / 240;
  for (const size_t damaged : {2, 50, 200}) {
    char& byte = bytes[frame * damaged + frame / 2];
    byte = static_cast<char>(byte ^ 0x10);
  }
  write_file(video, bytes);
  ASSERT_EQ(run({video}, 1).code, 6);
  const size_t good = scores_of(read_json(partial())).size();
  fs::remove(partial());
  cut_short({{video}, 6, {"frame " + std::to_string(good), "2 of 100", "--allow-damage"}}, good);
  const auto report = scored({video, "--allow-damage"}, {"3 "});
  EXPECT_THAT(report.at("frames"), SizeIs(237));
}

TEST_F(BadInputStream, WhatComesBeforeTheFirstKeyFrame) {
  const std::string whole = in_folder("whole.mkv"), tail = in_folder("tail.mkv");
  // The second shows frames before the key frame that come after it.
  for (const std::string coding : {"libx264 -x264-params keyint=20:bframes=0:scenecut=0",
                                   "mpeg2video -g 20 -bf 2 -sc_threshold 1000000000"}) {
    run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=25 -frames:v 50 -pix_fmt yuv420p -c:v " + coding + " " +
               whole);
    run_ffmpeg("-i " + whole + " -ss 0.4 -c copy -copyinkf " + tail);
    const std::vector<double> expected = scores_of(scored({whole}));
    const std::vector<double> left = scores_of(scored({tail}, {"10 packets"}));
    EXPECT_THAT(left, SizeIs(::testing::AnyOf(29U, 30U)));
    EXPECT_TRUE(std::equal(left.rbegin(), left.rend(), expected.rbegin()));
    // Also of a run that is over soon.
    scored({tail, "--frame_cnt", "3"}, {"tail.mkv"});
  }
}

TEST_F(BadInputStream, TagsThatChangeInTheMiddle) {
  // Written into the stream: what becomes of an encoder's options is not the same in every FFmpeg.
  const auto part = [&](const std::string& name, const std::string& tags) {
    const std::string path = in_folder(name);
    run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=25 -frames:v 5 -pix_fmt yuv420p -c:v libx264 " + tags + " " +
               path);
    return read_file(path);
  };
  const std::string metadata = "-bsf:v h264_metadata=colour_primaries=1:matrix_coefficients=1:";
  const std::string sdr = part("sdr.h264", metadata + "video_full_range_flag=0:transfer_characteristics=1");
  const std::string pq = part("pq.h264", metadata + "video_full_range_flag=1:transfer_characteristics=16");
  const std::string untagged = part("untagged.h264", "");
  scored({made("both.h264", sdr + pq + sdr + pq)}, {"both.h264: from frame 5 on"});
  scored({made("same.h264", untagged + sdr + untagged)});
}

TEST_F(BadInputStream, APairMayBeOfDifferentStreams) {
  const std::string two = in_folder("two.mkv"), one = in_folder("one.mkv");
  run_ffmpeg(
      "-f lavfi -i testsrc=s=320x240:r=25:d=0.12 -f lavfi -i testsrc2=s=320x240:r=25:d=0.12 -map 0 -map 1 "
      "-pix_fmt yuv420p -c:v ffv1 " +
      two);
  run_ffmpeg("-i " + two + " -map 0:1 -c copy " + one);
  const std::string y4m = made("a.y4m", y4m_video({}));
  refused({{{"-r", one, "-d", two, "--stream", "1"}, 1, {"one.mkv", "1", "--stream-ref"}},
           {{"-r", one, "-d", two, "--stream-ref", "2"}, 1, {"one.mkv", "2"}},
           {{"-r", y4m, "-d", two, "--stream", "1"}, 1, {"a.y4m", "--stream-ref"}}});
  scored({y4m, "--stream", "0"});
  const auto pair =
      scored({"-r", one, "-d", two, "--stream", "1", "--stream-ref", "0", "--full-ref"}).at("frames");
  for (const auto& frame : pair)
    EXPECT_EQ(frame.at("metrics").at("cambi"), frame.at("metrics").at("cambi_source"));
  const auto other = scored({"-r", two, "-d", one, "--stream-ref", "0", "--full-ref"}).at("frames");
  EXPECT_EQ(other[0].at("metrics").at("cambi"), pair[0].at("metrics").at("cambi"));
  EXPECT_NE(other[0].at("metrics").at("cambi"), other[0].at("metrics").at("cambi_source"));
}

}  // namespace
}  // namespace vq::cli::test
