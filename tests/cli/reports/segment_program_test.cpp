// Segments and scene cuts, from the command line to the files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// 12 frames at 24 a second, of which the first six score 8.7 or more.
std::string sky() {
  return testdata("clips/sky_640x360_8b.mp4");
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string printed(const Words& words) {
  const ProgramResult result = run_program(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

std::string refusal(const Words& words, int code = 1) {
  const ProgramResult result = run_program(words);
  EXPECT_EQ(result.code, code) << result.err;
  return result.err;
}

// Grey video of 64x64 in which each scene, so many frames long, has a picture of its own and a border of 16
// rows around it.
void write_scenes(const std::string& path, const std::vector<int>& lengths) {
  std::ofstream file(path, std::ios::binary);
  file << "YUV4MPEG2 W64 H96 F24:1 Cmono\n";
  unsigned state = 1;
  for (const int length : lengths) {
    std::string picture(64 * 96, '\x10');
    unsigned char blocks[64];
    for (unsigned char& block : blocks)
      block = static_cast<unsigned char>(40 + (state = state * 1103515245 + 12345) / 65536 % 160);
    for (size_t y = 0; y < 64; ++y) {
      for (size_t x = 0; x < 64; ++x)
        picture[(y + 16) * 64 + x] = static_cast<char>(blocks[y / 8 * 8 + x / 8]);
    }
    for (int i = 0; i < length; ++i) file << "FRAME\n" << picture;
  }
}

TEST(SegmentProgram, ListsThemAfterTheSummary) {
  const std::string text = printed({sky(), "--segments", "8.7"});
  EXPECT_THAT(text, HasSubstr("\n1 stretch of cambi at 8.7 or more: 0:00:00.25 together, 50.0 %\nsegment "));
  EXPECT_EQ(printed({sky()}).find("segment"), std::string::npos);
  EXPECT_THAT(printed({sky(), "--segments", "50"}), HasSubstr("segments: none of cambi at 50 or more\n"));
  EXPECT_THAT(
      printed({"-r", testdata("clips/sky_640x360_8b_ref.mp4"), "-d", sky(), "--feature", "psnr", "--segments",
               "psnr_y:100"}),
      HasSubstr("1 stretch whose half-second mean of psnr_y is 100 or less: 0:00:00.50 together, 100.0 %\n"));
}

TEST(SegmentProgram, ZonesCountTheFramesOfTheVideo) {
  const auto zones = [](const Words& more) {
    return printed(
        with({sky(), "-q", "--segments", "0", "--segments-output", "x264:-", "--zone-snap", "0"}, more));
  };
  EXPECT_EQ(zones({}), "0,11,b=1.5\n");
  EXPECT_EQ(zones({"--start", "4", "--end", "9"}), "4,8,b=1.5\n");
  EXPECT_EQ(zones({"--frame_skip_dist", "3"}), "3,11,b=1.5\n");
  EXPECT_EQ(zones({"--frame_skip_dist", "3", "--start", "2", "--frame_cnt", "4"}), "5,8,b=1.5\n");
  EXPECT_EQ(zones({"--subsample", "5"}), "0,10,b=1.5\n");
}

TEST(SegmentProgram, EveryFormGoesToItsFile) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return folder.path() + "/" + name; };
  printed({sky(), "--segments", "0", "--segments-output", "csv:" + path("a"), "--segments-output",
           "chapters:" + path("b"), "--segments-output", "x265:" + path("c")});
  EXPECT_THAT(read_file(path("a")),
              testing::StartsWith("segment,metric,first_frame,last_frame,start,end,duration,mean,worst,"
                                  "worst_frame\n1,cambi,0,11,0.000000,0.500000,0.500000,"));
  EXPECT_THAT(
      read_file(path("b")),
      testing::StartsWith(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=cambi 9."));
  EXPECT_EQ(read_file(path("c")), "0,11,b=1.5\n");
  printed({sky(), "--segments", "0", "--zone-options", "svt-av1 --crf 20", "--segments-output",
           "av1an:" + path("d")});
  EXPECT_EQ(read_file(path("d")), "0 12 svt-av1 --crf 20\n");
  printed(
      {sky(), "--segments", "0", "--zone-options", "20", "--segments-output", "svt-essential:" + path("e")});
  EXPECT_EQ(read_file(path("e")), "0,11,20\n");
  printed({sky(), "--segments", "50", "--segments-output", "x264:" + path("f")});
  EXPECT_EQ(read_file(path("f")), "");
}

// What a report says later is what the run said.
TEST(SegmentProgram, AReportHasThemAsWell) {
  const TemporaryFolder folder;
  const std::string saved = folder.path() + "/r.json", page = folder.path() + "/p.html";
  const Words rule = {"--segments", "cambi:9", "--segments-until", "8.5", "--segments-shortest", "2"};
  const Words zones = {"--segments-output", "csv:-"};
  const std::string of_run =
      printed(with(with({sky(), "-q", "--frame_skip_dist", "1", "-o", saved, "--extended"}, rule), zones));
  EXPECT_THAT(of_run, testing::ContainsRegex("\n1,cambi,"));
  EXPECT_EQ(printed(with({"report", saved}, zones)), of_run);  // those it came with
  EXPECT_EQ(printed(with(with({"report", saved}, rule), zones)), of_run);
  EXPECT_NE(printed(with({"report", saved, "--segments", "9"}, zones)), of_run);
  EXPECT_EQ(read_file(folder.path() + "/r.html"), "");  // nobody asked for a page
  EXPECT_EQ(printed({"report", saved, "--segments", "0", "--segments-output", "x264:-"}), "1,11,b=1.5\n");
  EXPECT_THAT(printed({"report", saved, "--segments", "8", "-o", page}),
              HasSubstr("1 stretch of cambi at 8 or more: "));
  EXPECT_THAT(read_file(page), testing::StartsWith("<!doctype html>"));
}

TEST(SegmentProgram, ACompatibleReportKnowsNoTimes) {
  const TemporaryFolder folder;
  const std::string saved = folder.path() + "/r.json";
  printed({sky(), "-q", "-o", saved});
  EXPECT_THAT(printed({"report", saved, "--segments", "0", "-o", folder.path() + "/p.html"}),
              HasSubstr("1 stretch of cambi at 0 or more: 100.0 %\nsegment  from  to   duration"));
  EXPECT_EQ(printed({"report", saved, "--segments", "0", "--segments-output", "x264:-"}), "0,11,b=1.5\n");
  EXPECT_THAT(refusal({"report", saved, "--segments", "0", "--segments-output", "chapters:-"}, 2),
              HasSubstr("chapters need times"));
}

TEST(SegmentProgram, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal({sky(), "--segments", "psnr_y:5"}), HasSubstr("no metric \"psnr_y\" here"));
  EXPECT_THAT(refusal({sky(), "--segments", "5", "--segments-until", "6"}),
              HasSubstr("cannot end at a worse score"));
  const Words psnr = {
      "-r",   testdata("clips/sky_640x360_8b_ref.mp4"), "-d", sky(), "--feature", "psnr", "--segments-output",
      "csv:-"};
  EXPECT_THAT(refusal(psnr), HasSubstr("Add --segments METRIC:VALUE"));
  EXPECT_THAT(refusal({"compare", sky(), sky(), "--segments-output", "csv:-"}),
              HasSubstr("does not take --segments-output"));
  EXPECT_THAT(refusal({"gate", sky(), "--segments-output", "csv:-"}),
              HasSubstr("does not take --segments-output"));
  EXPECT_THAT(refusal({"report", sky() + ".json", "--segments-until", "5"}), HasSubstr("needs a threshold"));
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/z";
  EXPECT_THAT(refusal({sky(), "--segments", "5", "--segments-output", "csv:" + file, "--segments-output",
                       "x264:" + file}),
              HasSubstr("same file"));
}

TEST(SceneCutProgram, AreInExtendedReportsOfEveryBackend) {
  const TemporaryFolder folder;
  const std::string video = folder.path() + "/scenes.y4m", saved = folder.path() + "/r.json";
  write_scenes(video, {20, 15, 30});
  const auto cuts = [&](const Words& more) {
    printed(with({video, "-q", "--feature", "histogram", "--extended", "-o", saved}, more));
    return json::parse(read_file(saved))["run"]["scene_cuts"];
  };
  const json both = {20, 35};
  EXPECT_EQ(cuts({}), both);
  for (const char* backend : {"scalar", "cpu"}) EXPECT_EQ(cuts({"--backend", backend}), both) << backend;
  EXPECT_EQ(cuts({"--subsample", "7"}), both);
  EXPECT_EQ(cuts({"--crop", "64:64:0:16"}), both);
  EXPECT_EQ(cuts({"--crop", "64:16:0:0"}), json::array());  // the border alone
  EXPECT_EQ(cuts({"--frame_skip_dist", "5"}), json({15, 30}));
  EXPECT_EQ(cuts({"--start", "22"}), json({35}));
  EXPECT_EQ(cuts({"--frame_cnt", "20"}), json::array());
  EXPECT_EQ(cuts({"-r", video, "--feature", "psnr"}), both);
}

// All of the clip is within a second of what is worst in it.
TEST(SceneCutProgram, ZonesEndWithTheirScenes) {
  const Words words = {sky(), "-q", "--segments", "9.2", "--segments-output", "x264:-"};
  EXPECT_EQ(printed(words), "0,11,b=1.5\n");
  EXPECT_NE(printed(with(words, {"--zone-snap", "0"})), "0,11,b=1.5\n");
}

}  // namespace
}  // namespace vq::cli::test
