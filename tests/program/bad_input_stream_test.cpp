// Bad input: streams that change, start or are damaged where nobody expects it.
#include <algorithm>
#include <filesystem>

#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

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
  const size_t good = scores_of(nlohmann::json::parse(read_file(partial()))).size();
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
