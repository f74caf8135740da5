#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/decoding/frame_reader.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_options.h"
#include "core/error.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(Crop, ReadsARectangle) {
  EXPECT_FALSE(parse_crop("--crop", "auto").rectangle);
  const Rectangle r = *parse_crop("--crop", "1920:800:0:140").rectangle;
  EXPECT_EQ(crop_text(r), "1920:800:0:140");
  EXPECT_EQ(r.height, 800);
  EXPECT_EQ(r.y, 140);
  for (const char* text :
       {"", "1:2:3", "1:2:3:4:5", "0:2:3:4", "1:2:-3:4", "a:2:3:4", "1:2:3:", "99999:2:3:4"}) {
    EXPECT_THROW(parse_crop("--crop", text), Error) << text;
  }
}

TEST(Crop, IsASmallerWindowOnTheSameSamples) {
  Plane<uint16_t> luma(10, 6), chroma(5, 3);
  Frame frame;
  frame.planes[0].u16 = luma.view();
  frame.planes[2].u16 = chroma.view();
  crop_frame(frame, Chroma::k420, {4, 2, 5, 3});
  EXPECT_EQ(frame.luma().width(), 5);
  EXPECT_EQ(frame.luma().height(), 3);
  EXPECT_EQ(frame.luma().u16.data, luma.row(2) + 4);
  EXPECT_TRUE(frame.planes[1].empty());
  EXPECT_EQ(frame.planes[2].width(), 3);
  EXPECT_EQ(frame.planes[2].height(), 2);
  EXPECT_EQ(frame.planes[2].u16.data, chroma.row(1) + 2);
}

TEST(Crop, BeginsWhereSamplesOfChromaDo) {
  VideoFormat video;
  video.name = "a.mp4";
  EXPECT_NO_THROW(check_crop_of_chroma("--crop", {2, 4, 3, 3}, video));
  EXPECT_THROW(check_crop_of_chroma("--crop", {3, 4, 3, 3}, video), Error);
  EXPECT_THROW(check_crop_of_chroma("--crop", {2, 5, 3, 3}, video), Error);
  video.chroma = Chroma::k411;
  EXPECT_NO_THROW(check_crop_of_chroma("--crop", {4, 5, 3, 3}, video));
  EXPECT_THROW(check_crop_of_chroma("--crop", {2, 5, 3, 3}, video), Error);
  video.chroma = Chroma::k444;
  EXPECT_NO_THROW(check_crop_of_chroma("--crop", {3, 5, 3, 3}, video));
}

class CropRun : public ::testing::Test {
 protected:
  json report_of(const std::string& clip, std::vector<std::string> words) {
    words.insert(words.begin(), testdata("clips/") + clip);
    words.insert(words.end(), {"--extended", "--precision", "max", "-o", folder_.path() + "/r.json"});
    const test::ProgramResult result = test::run_program(words);
    EXPECT_EQ(result.code, 0) << result.err;
    out_ = result.out;
    return json::parse(test::read_file(folder_.path() + "/r.json"));
  }
  test::TemporaryFolder folder_;
  std::string out_;
};

TEST_F(CropRun, BlackBarsAreFoundAndReported) {
  const json found = report_of("letterbox_640x360_8b.mp4", {"--crop", "auto"});
  const json crop = found["run"]["crop"];
  EXPECT_EQ(crop["width"], 640);
  EXPECT_EQ(crop["x"], 0);
  EXPECT_EQ(crop["y"], 46);  // the first row that is plainly lit
  EXPECT_EQ(crop["height"], 268);
  EXPECT_THAT(out_, HasSubstr("(without black bars)"));
  const std::string text = "640:" + crop["height"].dump() + ":0:" + crop["y"].dump();
  EXPECT_EQ(report_of("letterbox_640x360_8b.mp4", {"--crop", text})["frames"], found["frames"]);
  EXPECT_NE(report_of("letterbox_640x360_8b.mp4", {})["frames"], found["frames"]);
}

TEST_F(CropRun, AWholePictureStaysWhole) {
  const json cropped = report_of("sky_640x360_8b.mp4", {"--crop", "auto"});
  EXPECT_TRUE(cropped["run"]["crop"].is_null());
  EXPECT_THAT(out_, HasSubstr("crop=none (no black bars)"));
}

// The same picture with and without what surrounds it.
TEST_F(CropRun, ScoresAreThoseOfTheRectangleAlone) {
  std::string whole = "YUV4MPEG2 W400 H300 F25:1 Cmono\nFRAME\n",
              part = "YUV4MPEG2 W320 H240 F25:1 Cmono\nFRAME\n";
  for (int y = 0; y < 300; ++y) {
    for (int x = 0; x < 400; ++x) {
      const bool inside = x >= 50 && x < 370 && y >= 20 && y < 260;
      const char sample = static_cast<char>(inside ? 40 + x / 40 : (x * 7 + y * 13) % 200);
      whole += sample;
      if (inside) part += sample;
    }
  }
  const std::string folder = folder_.path();
  test::write_file(folder + "/whole.y4m", whole);
  test::write_file(folder + "/part.y4m", part);
  const auto frames = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-q", "--precision", "max", "--json", "-o", folder + "/x.json"});
    const test::ProgramResult result = test::run_program(all);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(test::read_file(folder + "/x.json"))["frames"];
  };
  const json expected = frames({folder + "/part.y4m"});
  EXPECT_GT(expected[0]["metrics"]["cambi"], 0.5);
  EXPECT_EQ(frames({folder + "/whole.y4m", "--crop", "320:240:50:20"}), expected);
  EXPECT_EQ(frames({folder + "/whole.y4m", "--crop", "320:240:50:20", "--feature", "cambi"}), expected);
  const json both = frames(
      {"-d", folder + "/whole.y4m", "-r", folder + "/whole.y4m", "--full-ref", "--crop", "320:240:50:20"});
  EXPECT_EQ(both[0]["metrics"]["cambi_source"], expected[0]["metrics"]["cambi"]);
  const test::ProgramResult mixed = test::run_program(
      {"-d", folder + "/whole.y4m", "-r", folder + "/part.y4m", "--full-ref", "--crop", "320:240:50:20"});
  EXPECT_EQ(mixed.code, 3);
  EXPECT_THAT(mixed.err, HasSubstr("--crop needs a reference of the same size"));
  EXPECT_EQ(frames({"-d", folder + "/whole.y4m", "-r", folder + "/part.y4m", "--crop", "320:240:50:20",
                    "--feature", "cambi"}),
            expected);
}

TEST_F(CropRun, Refusals) {
  const std::string clip = testdata("clips/sky_640x360_8b.mp4");
  const test::ProgramResult beyond = test::run_program({clip, "--crop", "640:300:0:100"});
  EXPECT_EQ(beyond.code, 3);
  EXPECT_THAT(beyond.err, HasSubstr("reaches beyond"));
  EXPECT_EQ(test::run_program({clip, "--crop", "100:100:0:0"}).code, 3);
  for (const char* name : {"-", "/dev/stdin", "/dev/fd/0"}) {
    const test::ProgramResult piped =
        test::run_program({name, "--crop", "auto"}, {.input = test::read_file(clip)});
    EXPECT_EQ(piped.code, 1) << name;
    EXPECT_THAT(piped.err, HasSubstr("--crop auto reads the start of the video twice")) << name;
  }
}

}  // namespace
}  // namespace vq::cli
