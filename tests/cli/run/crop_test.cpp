#include "cli/run/crop.h"

#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>
#include <random>

#include "core/error.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(Crop, ReadsARectangle) {
  EXPECT_FALSE(parse_crop("auto").rectangle);
  const Rectangle r = *parse_crop("1920:800:0:140").rectangle;
  EXPECT_EQ(crop_text(r), "1920:800:0:140");
  EXPECT_EQ(r.height, 800);
  EXPECT_EQ(r.y, 140);
  for (const char* text :
       {"", "1:2:3", "1:2:3:4:5", "0:2:3:4", "1:2:-3:4", "a:2:3:4", "1:2:3:", "99999:2:3:4"}) {
    EXPECT_THROW(parse_crop(text), Error) << text;
  }
}

// Pictures of 40 x 20 samples, black but for what a test lights.
class ActiveAreaTest : public ::testing::Test {
 protected:
  ActiveAreaTest() : luma_(40, 20) {
    format_.width = 40;
    format_.height = 20;
    fill({0, 0, 40, 20}, 16);
  }
  void fill(const Rectangle& area, uint8_t value) {
    for (int y = area.y; y < area.y + area.height; ++y) std::fill_n(luma_.row(y) + area.x, area.width, value);
  }
  bool look(ActiveArea& area) {
    Frame frame;
    frame.luma().u8 = luma_.view();
    return area.look(frame);
  }
  std::string found(const ActiveArea& area) {
    return area.rectangle() ? crop_text(*area.rectangle()) : "none";
  }

  VideoFormat format_;
  Plane<uint8_t> luma_;
};

TEST_F(ActiveAreaTest, BarsAreWhatIsNeverLit) {
  ActiveArea area(format_);
  EXPECT_FALSE(look(area));
  fill({0, 3, 30, 14}, 25);
  EXPECT_TRUE(look(area));
  EXPECT_EQ(found(area), "30:16:0:2");
  fill({0, 0, 40, 20}, 16);
  fill({20, 5, 18, 10}, 200);
  look(area);
  EXPECT_EQ(found(area), "38:16:0:2");
  EXPECT_FALSE(area.is_whole());
  fill({0, 0, 40, 20}, 200);
  look(area);
  EXPECT_TRUE(area.is_whole());
}

TEST_F(ActiveAreaTest, NearlyBlackIsBlack) {
  ActiveArea area(format_);
  fill({0, 0, 40, 20}, 24);
  EXPECT_FALSE(look(area));
  format_.range = Range::kFull;
  ActiveArea full(format_);
  EXPECT_TRUE(look(full));
}

TEST_F(ActiveAreaTest, ALightInTheDarkIsNoPicture) {
  ActiveArea area(format_);
  fill({11, 5, 17, 12}, 200);
  EXPECT_TRUE(look(area));
  EXPECT_EQ(found(area), "none");
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
  EXPECT_NO_THROW(check_crop_of_chroma({2, 4, 3, 3}, video));
  EXPECT_THROW(check_crop_of_chroma({3, 4, 3, 3}, video), Error);
  EXPECT_THROW(check_crop_of_chroma({2, 5, 3, 3}, video), Error);
  video.chroma = Chroma::k411;
  EXPECT_NO_THROW(check_crop_of_chroma({4, 5, 3, 3}, video));
  EXPECT_THROW(check_crop_of_chroma({2, 5, 3, 3}, video), Error);
  video.chroma = Chroma::k444;
  EXPECT_NO_THROW(check_crop_of_chroma({3, 5, 3, 3}, video));
}

TEST_F(ActiveAreaTest, EndsWhereSamplesOfChromaBegin) {
  format_.chroma = Chroma::k410;
  ActiveArea area(format_);
  fill({6, 6, 31, 11}, 200);
  look(area);
  EXPECT_EQ(found(area), "36:16:4:4");
}

// The rule sample by sample: what ActiveArea must find, however samples are counted.
class PlainActiveArea {
 public:
  explicit PlainActiveArea(const VideoFormat& format)
      : format_(format),
        black_(((format.range == Range::kFull ? 0 : 16) + 8) << (format.bit_depth - 8)),
        left_(format.width),
        top_(format.height) {}

  bool look(PlaneView<const uint16_t> luma) {
    std::vector<int> columns(static_cast<size_t>(luma.width));
    bool any = false;
    for (int y = 0; y < luma.height; ++y) {
      int lit = 0;
      for (int x = 0; x < luma.width; ++x) {
        const int one = luma.row(y)[x] > black_ ? 1 : 0;
        lit += one;
        columns[static_cast<size_t>(x)] += one;
      }
      if (lit * 100 <= luma.width) continue;
      top_ = std::min(top_, y);
      bottom_ = std::max(bottom_, y + 1);
      any = true;
    }
    if (!any) return false;
    for (int x = 0; x < luma.width; ++x) {
      if (columns[static_cast<size_t>(x)] * 100 <= luma.height) continue;
      left_ = std::min(left_, x);
      right_ = std::max(right_, x + 1);
    }
    return true;
  }

  std::optional<Rectangle> rectangle() const {
    const int step_x = std::max(2, 1 << chroma_shifts(format_.chroma).x), step_y = std::max(2, 1 << chroma_shifts(format_.chroma).y);
    const int left = left_ / step_x * step_x, top = top_ / step_y * step_y;
    const int right = std::min((right_ + step_x - 1) / step_x * step_x, format_.width);
    const int bottom = std::min((bottom_ + step_y - 1) / step_y * step_y, format_.height);
    if ((right - left) * 2 < format_.width || (bottom - top) * 2 < format_.height) return std::nullopt;
    return Rectangle{left, top, right - left, bottom - top};
  }
  bool is_whole() const { return left_ == 0 && top_ == 0 && right_ == format_.width && bottom_ == format_.height; }

 private:
  const VideoFormat format_;
  const int black_;
  int left_, top_, right_ = 0, bottom_ = 0;
};

// Bars of any width with specks of light in them, around a rectangle that is lit here and there.
Plane<uint16_t> barred_picture(const VideoFormat& format, std::minstd_rand& random) {
  const auto any = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  const int peak = (1 << format.bit_depth) - 1, black = ((format.range == Range::kFull ? 0 : 16) + 8) << (format.bit_depth - 8);
  const int left = any(format.width / 2 + 1), right = format.width - any(format.width / 2 + 1);
  const int top = any(format.height / 2 + 1), bottom = format.height - any(format.height / 2 + 1);
  const int lit_inside = any(2) == 0 ? 100 : any(60), lit_outside = any(3);
  Plane<uint16_t> luma(format.width, format.height);
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      const bool is_inside = x >= left && x < right && y >= top && y < bottom;
      const bool is_lit = any(100) < (is_inside ? lit_inside : lit_outside);
      luma.row(y)[x] = static_cast<uint16_t>(is_lit ? black + 1 + any(peak - black) : any(black + 1));
    }
  }
  return luma;
}

Frame frame_of(const Plane<uint16_t>& words, Plane<uint8_t>& bytes, int bit_depth) {
  Frame frame;
  if (bit_depth > 8) {
    frame.luma().u16 = words.view();
    return frame;
  }
  bytes = Plane<uint8_t>(words.width(), words.height());
  for (int y = 0; y < words.height(); ++y) std::copy_n(words.row(y), words.width(), bytes.row(y));
  frame.luma().u8 = bytes.view();
  return frame;
}

TEST(ActiveArea, IsThatOfEverySampleLookedAt) {
  std::minstd_rand random(5);
  int found = 0, none = 0;
  for (int i = 0; i < 1500; ++i) {
    VideoFormat format;
    format.width = 1 + static_cast<int>(random() % 250);
    format.height = 1 + static_cast<int>(random() % 250);
    format.bit_depth = std::array{8, 8, 10, 16}[random() % 4];
    format.range = std::array{Range::kUnspecified, Range::kLimited, Range::kFull}[random() % 3];
    format.chroma = std::array{Chroma::k400, Chroma::k410, Chroma::k420, Chroma::k422, Chroma::k444}[random() % 5];
    const Execution execution = {.backend = random() % 4 == 0 ? Backend::kScalar : Backend::kCpu};
    ActiveArea area(format, execution);
    PlainActiveArea plain(format);
    for (unsigned pictures = random() % 4; pictures-- > 0;) {
      const Plane<uint16_t> words = barred_picture(format, random);
      Plane<uint8_t> bytes;
      ASSERT_EQ(area.look(frame_of(words, bytes, format.bit_depth)), plain.look(words.view())) << i;
    }
    ASSERT_EQ(area.is_whole(), plain.is_whole()) << i;
    const std::optional<Rectangle> expected = plain.rectangle(), actual = area.rectangle();
    ASSERT_EQ(actual ? crop_text(*actual) : "none", expected ? crop_text(*expected) : "none")
        << i << ": " << format.width << "x" << format.height << ", " << format.bit_depth << " bits";
    ++(expected ? found : none);
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(none, 300);
}

// A single lit column of 200 lights no row, so it does not count.
TEST(ActiveArea, ColumnsCountInPicturesWithALitRow) {
  VideoFormat format;
  format.width = 200;
  format.height = 20;
  Plane<uint8_t> luma(200, 20);
  Frame frame;
  frame.luma().u8 = luma.view();
  ActiveArea area(format);
  for (int y = 0; y < 20; ++y) luma.row(y)[0] = luma.row(y)[199] = 200;
  EXPECT_FALSE(area.look(frame));
  for (int y = 0; y < 20; ++y) {
    luma.row(y)[0] = luma.row(y)[199] = 0;
    std::fill_n(luma.row(y) + 20, 160, uint8_t{200});
  }
  EXPECT_TRUE(area.look(frame));
  EXPECT_EQ(crop_text(area.rectangle().value()), "160:20:20:0");
}

// A single lit row of 250 lights no column: where the picture begins at the left is not known from that.
TEST(ActiveArea, ALitRowAloneHasNoColumns) {
  VideoFormat format;
  format.width = 200;
  format.height = 250;
  Plane<uint8_t> luma(200, 250);
  Frame frame;
  frame.luma().u8 = luma.view();
  ActiveArea area(format);
  std::fill_n(luma.row(10), 200, uint8_t{200});
  EXPECT_TRUE(area.look(frame));
  EXPECT_FALSE(area.rectangle());
  for (int y = 100; y < 240; ++y) std::fill_n(luma.row(y) + 20, 160, uint8_t{200});
  EXPECT_TRUE(area.look(frame));
  EXPECT_EQ(crop_text(area.rectangle().value()), "160:230:20:10");
}

// The bars of a long dark start would be looked for in all of it.
TEST(ActiveAreaSearch, EndsWhenAsked) {
  test::TemporaryFolder folder;
  ActiveAreaSearch search;
  search.source.path = folder.path() + "/black.y4m";
  std::string video = "YUV4MPEG2 W640 H360 Cmono\n";
  for (int i = 0; i < 20; ++i) video += "FRAME\n" + std::string(size_t{640} * 360, '\x10');
  test::write_file(search.source.path, video);
  int asked = 0;
  search.source.stopped = [&] { return ++asked > 4; };
  EXPECT_THROW(find_active_area(search), Error);
  EXPECT_LT(asked, 10);
  search.source.path = testdata("clips/letterbox_640x360_8b.mp4");
  asked = 0;
  EXPECT_THROW(find_active_area(search), Error);
  EXPECT_LT(asked, 10);
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
  EXPECT_GT(crop["y"], 20);
  EXPECT_LT(crop["height"].get<int>() + crop["y"].get<int>(), 345);
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
  EXPECT_EQ(frames({"-d", folder + "/whole.y4m", "-r", folder + "/part.y4m", "--crop", "320:240:50:20"}),
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
