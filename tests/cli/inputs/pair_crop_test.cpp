// Pairs of two shapes: told apart before anything is scaled, with what was cropped; and --crop-ref, which
// mends them.
#include "cli/inputs/pair_crop.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using ::testing::EndsWith;

constexpr int kColumns = 320, kRows = 180;

// Of a picture that moves, at a place in samples of the whole picture.
double level_at(double x, double y, int t) {
  return 120 + 45 * std::sin(0.031 * x + 0.2 * t) * std::cos(0.043 * y - 0.1 * t) +
         40 * std::sin(0.0011 * x * y / 10 + y / 23);
}

// What of the whole picture a video shows, at which size.
struct Shown {
  std::string name;
  double x = 0, y = 0, width = kColumns, height = kRows;  // of the whole picture
  int columns = kColumns, rows = kRows;
  int bar = 0;  // black rows above and below of that
  std::string aspect = "1:1";
};

class PairShape : public FolderTest {
 protected:
  std::string video(const Shown& shown, int frames = 20) const {
    std::string text = "YUV4MPEG2 W" + std::to_string(shown.columns) + " H" +
                       std::to_string(shown.rows + 2 * shown.bar) + " F25:1 Ip A" + shown.aspect + " Cmono\n";
    const std::string bar(static_cast<size_t>(shown.bar * shown.columns), '\x10');
    for (int t = 0; t < frames; ++t) {
      text += "FRAME\n" + bar;
      for (int y = 0; y < shown.rows; ++y) {
        for (int x = 0; x < shown.columns; ++x) {
          const double level = level_at(shown.x + (x + 0.5) * shown.width / shown.columns - 0.5,
                                        shown.y + (y + 0.5) * shown.height / shown.rows - 0.5, t);
          text += static_cast<char>(static_cast<unsigned char>(std::lround(level)));
        }
      }
      text += bar;
    }
    return made(shown.name + ".y4m", text);
  }
  ProgramResult score(const std::string& reference, const std::string& distorted, Words flags = {}) const {
    flags.insert(flags.begin(), {"-r", reference, "-d", distorted, "--feature", "psnr", "--backend", "cpu",
                                 "--threads", "1", "--extended", "-q", "-o", report_});
    return run_program(flags);
  }
  double psnr() const { return read_json(report_)["pooled_metrics"]["psnr_y"]["mean"]; }

  const std::string report_ = in_folder("r.json");
  const std::string whole_ = video({.name = "whole"});
};

const std::string kAnyway = " (--compare-anyway scores them all the same)\n";

const Shown kCropped{.name = "cropped", .y = 22, .height = 136, .rows = 136};

TEST_F(PairShape, TellsWhatWasDone) {
  const Shown none{.name = "none"};
  const struct {
    Shown reference, distorted;
    std::string ending;
  } cases[] = {
      {none, kCropped, "(2.35:1 against 1.78:1): it looks cropped. Try: --crop-ref 320:136:0:22"},
      {none,
       {.name = "low", .y = 36, .height = 136, .rows = 136},
       ": it looks cropped. Try: --crop-ref 320:136:0:36"},
      {none,
       {.name = "sides", .x = 40, .width = 240, .columns = 240},
       ": it looks cropped. Try: --crop-ref 240:180:40:0"},
      {none,
       {.name = "half", .y = 22, .height = 136, .columns = 160, .rows = 68},
       ": it looks cropped. Try: --crop-ref 320:136:0:22 --scale-to reference"},
      {none,
       {.name = "squeezed", .columns = 240},
       ": its picture looks squeezed, not cropped. Try: --compare-anyway --scale-to reference"},
      {kCropped,
       {.name = "boxed", .y = 22, .height = 136, .rows = 136, .bar = 22},
       ": it looks as if bars had been added. Try: --crop 320:136:0:22 --crop-ref 320:136:0:0"},
      {none,
       {.name = "other", .x = 5000, .y = 2000, .width = 900, .rows = 136},
       ". If it was cropped, try: --crop-ref 320:136:0:22 (the middle, which is a guess)"},
      {none,
       {.name = "upright", .columns = 180, .rows = 320},
       "Try: ffmpeg -i IN -vf transpose=1 -c:v ffv1 OUT.mkv, or transpose=2, "
       "because one video is rotated by 90 degrees"},
      {{.name = "square", .columns = 240, .rows = 180, .aspect = "1:1"},
       {.name = "wide", .columns = 320, .rows = 240, .aspect = "4:3"},
       ": its picture looks squeezed, not cropped. Try: --compare-anyway --scale-to reference"},
  };
  for (const auto& [reference, distorted, ending] : cases) {
    const ProgramResult result = score(video(reference), video(distorted));
    EXPECT_EQ(result.code, 3) << distorted.name;
    EXPECT_THAT(result.err, EndsWith(ending + kAnyway));
  }
}

// A landscape picture with bars above and below, as phones and platforms make it, is not turned.
TEST_F(PairShape, IsAskedOfWhatIsLeftAfterCropping) {
  for (const int bar : {6, 72, 194}) {  // not yet, just, and plainly upright
    const std::string rows = std::to_string(bar);
    const std::string tall = video({.name = "tall" + rows, .bar = bar});
    EXPECT_EQ(score(tall, whole_, {"--crop-ref", "320:180:0:" + rows}).code, 0) << bar;
    EXPECT_EQ(psnr(), 60);
    const ProgramResult refused = score(tall, whole_);
    EXPECT_THAT(refused,
                Ends(3, EndsWith(": it looks cropped. Try: --crop-ref 320:180:0:" + rows + kAnyway)));
    EXPECT_THAT(refused.err, Not(HasSubstr("transpose")));
  }
  const std::string square = video({.name = "square", .bar = 72});
  EXPECT_EQ(score(square, whole_, {"--crop-ref", "auto"}).code, 0);
}

TEST_F(PairShape, IsTheSameWithinRoundingAndAsItIsShown) {
  const Words scaled = {"--scale-to", "reference"};
  EXPECT_EQ(score(whole_, video({.name = "rounded", .columns = 214, .rows = 120}), scaled).code, 0);
  EXPECT_EQ(score(whole_, video({.name = "anamorphic", .columns = 240, .aspect = "4:3"}), scaled).code, 0);
  EXPECT_EQ(
      score(whole_, video({.name = "untold", .columns = 160, .rows = 90, .aspect = "0:0"}), scaled).code, 0);
  // Nothing is scaled, whatever a tag says.
  EXPECT_EQ(score(whole_, video({.name = "tagged", .aspect = "4:3"})).code, 0);
}

TEST_F(PairShape, IsOfNoInterestWhereNothingComparesOrItIsAskedFor) {
  const std::string cropped = video(kCropped);
  EXPECT_EQ(run_program({"-r", whole_, "-d", cropped, "--feature", "cambi", "-q"}).code, 0);
  EXPECT_EQ(score(whole_, cropped, {"--scale-to", "reference"}).code, 3);
  EXPECT_EQ(score(whole_, cropped, {"--scale-to", "reference", "--compare-anyway"}).code, 0);
  EXPECT_LT(psnr(), 30);
}

TEST_F(PairShape, ACroppedVideoIsComparedWithItsPartOfTheReference) {
  const std::string cropped = video(kCropped);
  ASSERT_EQ(score(whole_, cropped, {"--crop-ref", "320:136:0:22"}).code, 0);
  EXPECT_EQ(psnr(), 60);
  const json run = read_json(report_)["run"];
  EXPECT_EQ(run["crop_reference"].dump(), R"({"height":136,"width":320,"x":0,"y":22})");
  EXPECT_TRUE(run["crop"].is_null());
  EXPECT_EQ(run["notes"][0], "crop-ref=320:136:0:22 (as asked)");
  EXPECT_EQ(run["warnings"], json::array());
}

TEST_F(PairShape, EachVideoHasItsOwnRectangle) {
  const std::string boxed = video({.name = "boxed", .y = 22, .height = 136, .rows = 136, .bar = 30});
  for (const char* crop : {"320:136:0:30", "auto"}) {
    ASSERT_EQ(score(whole_, boxed, {"--crop", crop, "--crop-ref", "320:136:0:22"}).code, 0);
    EXPECT_EQ(psnr(), 60);
    EXPECT_EQ(read_json(report_)["run"]["crop"]["y"], 30);
  }
  // The reference's bars alone.
  ASSERT_EQ(score(boxed, video(kCropped), {"--crop-ref", "auto"}).code, 0);
  EXPECT_EQ(psnr(), 60);
}

TEST_F(PairShape, RectanglesAreCutBeforeScaling) {
  const std::string half = video({.name = "half", .y = 22, .height = 136, .columns = 160, .rows = 68});
  ASSERT_EQ(score(whole_, half, {"--crop-ref", "320:136:0:22", "--scale-to", "reference"}).code, 0);
  EXPECT_GT(psnr(), 40);
}

TEST_F(PairShape, BarsOfAPipeAreNotLookedFor) {
  EXPECT_THAT(run_program({"-r", "-", "-d", video(kCropped), "--feature", "psnr", "--crop-ref", "auto"},
                          {.input = read_file(whole_)}),
              Ends(1, HasSubstr("--crop-ref auto reads the start of the video twice")));
}

TEST_F(PairShape, OtherCommandsTakeTheReferencesPart) {
  const std::string cropped = video(kCropped);
  ASSERT_EQ(score(whole_, cropped, {"--crop-ref", "320:136:0:22"}).code, 0);
  const json expected = read_json(report_);
  const Words crop = {"-r", whole_, "--feature", "psnr", "--crop-ref", "320:136:0:22", "--backend", "cpu"};
  const std::string out = in_folder("out");
  const auto with = [&](Words words) {
    words.insert(words.end(), crop.begin(), crop.end());
    return words;
  };
  run_well(with({"batch", cropped, "--reports", out}));
  const json done = read_json(out + "/cropped.y4m.json");
  EXPECT_EQ(done["frames"], expected["frames"]);
  EXPECT_EQ(done["run"]["crop_reference"], expected["run"]["crop_reference"]);
  EXPECT_THAT(done["run"]["origin"]["scores"].get<std::string>(), HasSubstr("--crop-ref=320:136:0:22"));
  EXPECT_EQ(
      run_program(with({"compare", cropped, video({.name = "other", .y = 24, .height = 136, .rows = 136})}))
          .code,
      0);
}

// A rectangle of one level.
struct Patch {
  Rectangle area;
  uint8_t level = 100;
};

// Black but for the patches, of which a later one covers an earlier one.
BarFinder finder_of(const VideoFormat& format, const std::vector<Patch>& patches) {
  Plane<uint8_t> luma(format.width, format.height);
  for (int y = 0; y < format.height; ++y) std::fill_n(luma.row(y), format.width, uint8_t{16});
  for (const Patch& patch : patches) {
    for (int y = patch.area.y; y < patch.area.y + patch.area.height; ++y)
      std::fill_n(luma.row(y) + patch.area.x, patch.area.width, patch.level);
  }
  BarFinder bars(format);
  Frame frame;
  frame.luma().u8 = luma.view();
  bars.look(frame);
  return bars;
}

BarFinder finder(int width, int height, const Rectangle& lit, uint8_t level = 100) {
  VideoFormat format;
  format.width = width;
  format.height = height;
  return finder_of(format, {{lit, level}});
}

// In a video of 400x200.
TEST(Bars, LeaveThePicture) {
  const Rectangle boxed = {0, 24, 400, 152};
  const struct {
    const char* name;
    std::vector<Patch> patches;
    std::string left;
    Chroma chroma = Chroma::k420;
  } cases[] = {
      {"no bars", {{{0, 0, 400, 200}}}, "400:200:0:0"},
      {"above and below", {{boxed}}, "400:152:0:24"},
      {"on all sides", {{{20, 24, 360, 152}}}, "360:152:20:24"},
      {"odd edges are taken inwards", {{{21, 25, 357, 149}}}, "356:148:22:26"},
      {"to where samples of chroma begin", {{{22, 26, 358, 148}}}, "356:144:24:28", Chroma::k410},
      {"rows of the bars that compression lit", {{{0, 21, 400, 158}, 30}, {boxed}}, "400:152:0:24"},
      {"more of them", {{{0, 8, 400, 182}, 30}, {boxed}}, "400:152:0:24"},
      {"a few plainly lit samples of a bar", {{{100, 22, 30, 156}}, {boxed}}, "400:152:0:24"},
      {"columns of the bars that compression lit",
       {{{17, 0, 366, 200}, 30}, {{20, 0, 360, 200}}},
       "360:200:20:0"},
      {"a dark part of the picture is too large for that", {{{0, 2, 400, 196}, 30}, {boxed}}, "400:196:0:2"},
      {"a dark edge of the frame is no bar", {{{0, 0, 400, 200}, 30}, {{4, 4, 392, 192}}}, "400:200:0:0"},
      {"all is dark", {{boxed, 30}}, "400:152:0:24"},
      {"nearly black is black", {{{0, 0, 400, 200}, 24}}, "none"},
  };
  for (const auto& [name, patches, left, chroma] : cases) {
    VideoFormat format;
    format.width = 400;
    format.height = 200;
    format.chroma = chroma;
    const std::optional<Rectangle> picture = finder_of(format, patches).picture();
    EXPECT_EQ(picture ? crop_text(*picture) : "none", left) << name;
  }
}

TEST(Bars, AreWhatIsNeverLit) {
  BarFinder bars = finder(401, 201, {0, 24, 380, 152});
  EXPECT_EQ(crop_text(bars.picture().value()), "380:152:0:24");
  bars.add(finder(401, 201, {100, 50, 301, 151}).seen());
  EXPECT_EQ(crop_text(bars.picture().value()), "401:177:0:24");
  EXPECT_FALSE(bars.is_whole());
  bars.add(finder(401, 201, {0, 0, 401, 201}).seen());
  EXPECT_TRUE(bars.is_whole());
}

TEST(Bars, AreNotToldOfALightInTheDark) {
  EXPECT_TRUE(finder(400, 200, {0, 50, 200, 100}).active_area());
  EXPECT_FALSE(finder(400, 200, {0, 50, 198, 100}).active_area());
  EXPECT_FALSE(finder(400, 200, {0, 50, 200, 98}).active_area());
  const BarFinder none = finder(400, 200, {0, 0, 400, 200}, 16);
  EXPECT_FALSE(none.active_area());
}

TEST(Bars, DifferWhereOneVideoHasThem) {
  const BarFinder whole = finder(400, 200, {0, 0, 400, 200}), boxed = finder(400, 200, {0, 24, 400, 152}),
                  black = finder(400, 200, {0, 0, 400, 200}, 16);
  EXPECT_TRUE(whole.is_whole());
  EXPECT_FALSE(boxed.is_whole());
  EXPECT_EQ(crop_text(*boxed.picture()), "400:152:0:24");
  EXPECT_THAT(difference_of_bars(whole, boxed).value(),
              HasSubstr("distorted picture is 400:152:0:24 and the reference's 400:200:0:0"));
  EXPECT_TRUE(difference_of_bars(boxed, whole));
  EXPECT_TRUE(difference_of_bars(finder(400, 200, {0, 0, 380, 200}), whole));
  // At another size, or by a few rows.
  EXPECT_FALSE(difference_of_bars(boxed, finder(800, 400, {0, 48, 800, 304})));
  EXPECT_FALSE(difference_of_bars(boxed, finder(400, 200, {0, 26, 400, 150})));
  // What is dark in both is no bar; in the first pair nothing is plainly lit.
  EXPECT_FALSE(
      difference_of_bars(finder(400, 200, {0, 0, 400, 200}, 30), finder(400, 200, {0, 24, 400, 152}, 26)));
  EXPECT_FALSE(difference_of_bars(boxed, finder(400, 200, {0, 24, 400, 152}, 60)));
  EXPECT_FALSE(difference_of_bars(black, boxed));

  const BarFinder letterboxed = finder(400, 200, {0, 25, 400, 150});
  EXPECT_EQ(crop_text(*shown_by_both(letterboxed, finder(400, 200, {20, 0, 360, 200}))), "360:148:20:26");
  EXPECT_FALSE(shown_by_both(letterboxed, finder(800, 400, {0, 0, 800, 400})));
  EXPECT_FALSE(shown_by_both(letterboxed, black));
}

// Bars of any width with specks of light in them, around a rectangle that is lit here and there.
Plane<uint16_t> barred_picture(const VideoFormat& format, std::minstd_rand& random) {
  const auto any = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  const int peak = (1 << format.bit_depth) - 1, black = ((format.range == Range::kFull ? 0 : 16) + 8)
                                                        << (format.bit_depth - 8);
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

// From the first row and column to the last of which more than one in `share` samples is above black by more
// than the slack.
ActiveArea plain_area(const Plane<uint16_t>& luma, const VideoFormat& format, int slack, int share) {
  const int black = ((format.range == Range::kFull ? 0 : 16) + slack) << (format.bit_depth - 8);
  ActiveArea area{.left = format.width, .top = format.height};
  std::vector<int> columns(static_cast<size_t>(format.width));
  for (int y = 0; y < format.height; ++y) {
    int lit = 0;
    for (int x = 0; x < format.width; ++x) {
      const int one = luma.row(y)[x] > black ? 1 : 0;
      lit += one;
      columns[static_cast<size_t>(x)] += one;
    }
    if (lit * share <= format.width) continue;
    area.top = std::min(area.top, y);
    area.bottom = y + 1;
  }
  for (int x = 0; x < format.width; ++x) {
    if (columns[static_cast<size_t>(x)] * share <= format.height) continue;
    area.left = std::min(area.left, x);
    area.right = x + 1;
  }
  return area.has_rows() && area.has_columns() ? area : ActiveArea();
}

// The rule sample by sample, whatever counts samples.
TEST(BarFinder, FindsWhatEverySampleSays) {
  std::minstd_rand random(5);
  int found = 0, none = 0;
  for (int i = 0; i < 1000; ++i) {
    VideoFormat format;
    format.width = 1 + static_cast<int>(random() % 250);
    format.height = 1 + static_cast<int>(random() % 250);
    format.bit_depth = std::array{8, 8, 10, 16}[random() % 4];
    format.range = std::array{Range::kUnspecified, Range::kLimited, Range::kFull}[random() % 3];
    const Plane<uint16_t> words = barred_picture(format, random);
    Plane<uint8_t> bytes(format.width, format.height);
    Frame frame;
    if (format.bit_depth > 8) {
      frame.luma().u16 = words.view();
    } else {
      for (int y = 0; y < format.height; ++y) std::copy_n(words.row(y), format.width, bytes.row(y));
      frame.luma().u8 = bytes.view();
    }
    BarFinder bars(format, {.backend = random() % 4 == 0 ? Backend::kScalar : Backend::kCpu});
    bars.look(frame);
    ASSERT_EQ(bars.seen(), (BarsSeen{plain_area(words, format, 8, 100), plain_area(words, format, 32, 10)}))
        << i << ": " << format.width << "x" << format.height << ", " << format.bit_depth << " bits";
    ++(bars.picture() ? found : none);
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(none, 10);
}

// The bars of a long dark start would be looked for in all of it.
TEST(LookForBars, EndsWhenAsked) {
  TemporaryFolder folder;
  RunOptions options;
  options.distorted = folder.path() + "/black.y4m";
  const VideoInfo info;
  const auto look = [&] { look_for_bars(options, {.distorted = info}, Role::kDistorted); };
  std::string video = "YUV4MPEG2 W640 H360 Cmono\n";
  for (int i = 0; i < 20; ++i) video += "FRAME\n" + std::string(size_t{640} * 360, '\x10');
  write_file(options.distorted, video);
  int asked = 0;
  options.stop = StopToken([&] { return ++asked > 4; });
  EXPECT_THROW(look(), Error);
  EXPECT_LT(asked, 10);
  options.distorted = testdata("clips/letterbox_640x360_8b.mp4");
  asked = 0;
  EXPECT_THROW(look(), Error);
  EXPECT_LT(asked, 10);
}

TEST(BarSchedule, ThinsOut) {
  int looks = 0;
  for (int64_t frame = 0; frame < 1024; ++frame) looks += is_looked_at_for_bars(frame) ? 1 : 0;
  EXPECT_EQ(looks, 11);
  EXPECT_TRUE(is_looked_at_for_bars(0));
  EXPECT_TRUE(is_looked_at_for_bars(512));
  EXPECT_FALSE(is_looked_at_for_bars(513));
}

}  // namespace
}  // namespace vq::cli::test
