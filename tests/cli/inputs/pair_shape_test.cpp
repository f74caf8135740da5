// Pairs of two shapes: told apart before anything is scaled, with what was cropped; and --crop-ref, which
// mends them.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kWidth = 320, kHeight = 180;

// Of a picture that moves, at a place in samples of the whole picture.
double level_at(double x, double y, int t) {
  return 120 + 45 * std::sin(0.031 * x + 0.2 * t) * std::cos(0.043 * y - 0.1 * t) +
         40 * std::sin(0.0011 * x * y / 10 + y / 23);
}

// What of the whole picture a video shows, at which size.
struct Shown {
  std::string name;
  double x = 0, y = 0, width = kWidth, height = kHeight;  // of the whole picture
  int columns = kWidth, rows = kHeight;
  int bar = 0;  // black rows above and below of that
  std::string aspect = "1:1";
};

class PairShape : public ::testing::Test {
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
    write_file(folder_.path() + "/" + shown.name + ".y4m", text);
    return folder_.path() + "/" + shown.name + ".y4m";
  }
  ProgramResult score(const std::string& reference, const std::string& distorted, Words flags = {}) const {
    flags.insert(flags.begin(), {"-r", reference, "-d", distorted, "--feature", "psnr", "--backend", "cpu",
                                 "--threads", "1", "--extended", "-q", "-o", report_});
    return run_program(flags);
  }
  double psnr() const { return json::parse(read_file(report_))["pooled_metrics"]["psnr_y"]["mean"]; }

  TemporaryFolder folder_;
  const std::string report_ = folder_.path() + "/r.json";
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
    EXPECT_EQ(refused.code, 3);
    EXPECT_THAT(refused.err, EndsWith(": it looks cropped. Try: --crop-ref 320:180:0:" + rows + kAnyway));
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
  EXPECT_EQ(run_program({whole_, "--compare-anyway"}).code, 1);
}

TEST_F(PairShape, PlansAreRefusedAsRunsAre) {
  const std::string cropped = video(kCropped), plan = folder_.path() + "/plan.json";
  const Words words = {"plan", cropped, "-r", whole_, "--feature", "psnr", "-o", plan};
  const ProgramResult refused = run_program(words);
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("--crop-ref 320:136:0:22"));
}

TEST_F(PairShape, ACroppedVideoIsComparedWithItsPartOfTheReference) {
  const std::string cropped = video(kCropped);
  ASSERT_EQ(score(whole_, cropped, {"--crop-ref", "320:136:0:22"}).code, 0);
  EXPECT_EQ(psnr(), 60);
  const json run = json::parse(read_file(report_))["run"];
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
    EXPECT_EQ(json::parse(read_file(report_))["run"]["crop"]["y"], 30);
  }
  // The reference's bars alone.
  ASSERT_EQ(score(boxed, video(kCropped), {"--crop-ref", "auto"}).code, 0);
  EXPECT_EQ(psnr(), 60);
}

TEST_F(PairShape, RectanglesAreCutBeforeScaling) {
  const std::string half = video({.name = "half", .y = 22, .height = 136, .columns = 160, .rows = 68});
  ASSERT_EQ(score(whole_, half, {"--crop-ref", "320:136:0:22", "--scale-to", "reference"}).code, 0);
  EXPECT_GT(psnr(), 40);
  const ProgramResult unclear = score(whole_, half, {"--crop", "160:60:0:4", "--scale-to", "reference"});
  EXPECT_EQ(unclear.code, 1);
  EXPECT_THAT(unclear.err, HasSubstr("Add --crop-ref"));
}

TEST_F(PairShape, RectanglesThatDoNotFitAreRefused) {
  const std::string cropped = video(kCropped);
  EXPECT_EQ(score(whole_, cropped, {"--crop-ref", "320:136:0:46"}).code, 3);
  EXPECT_THAT(score(whole_, cropped, {"--crop-ref", "320:160:0:0"}).err,
              HasSubstr("also as they are cropped"));
  EXPECT_THAT(score(whole_, cropped, {"--crop", "320:100:0:0"}).err, HasSubstr("Try: --crop-ref W:H:X:Y"));
  EXPECT_EQ(run_program({whole_, "--crop-ref", "320:136:0:22"}).code, 1);
  const ProgramResult piped = run_program(
      {"-r", "-", "-d", cropped, "--feature", "psnr", "--crop-ref", "auto"}, {.input = read_file(whole_)});
  EXPECT_EQ(piped.code, 1);
  EXPECT_THAT(piped.err, HasSubstr("--crop-ref auto reads the start of the video twice"));
}

TEST_F(PairShape, OtherCommandsTakeTheReferencesPart) {
  const std::string cropped = video(kCropped);
  ASSERT_EQ(score(whole_, cropped, {"--crop-ref", "320:136:0:22"}).code, 0);
  const json expected = json::parse(read_file(report_));
  const Words crop = {"-r", whole_, "--feature", "psnr", "--crop-ref", "320:136:0:22", "--backend", "cpu"};
  const std::string out = folder_.path() + "/out";
  const auto with = [&](Words words) {
    words.insert(words.end(), crop.begin(), crop.end());
    return words;
  };
  const ProgramResult batch = run_program(with({"batch", cropped, "--reports", out}));
  ASSERT_EQ(batch.code, 0) << batch.err;
  const json done = json::parse(read_file(out + "/cropped.y4m.json"));
  EXPECT_EQ(done["frames"], expected["frames"]);
  EXPECT_EQ(done["run"]["crop_reference"], expected["run"]["crop_reference"]);
  EXPECT_THAT(done["run"]["origin"]["scores"].get<std::string>(), HasSubstr("; crop-ref=320:136:0:22"));
  EXPECT_EQ(
      run_program(with({"compare", cropped, video({.name = "other", .y = 24, .height = 136, .rows = 136})}))
          .code,
      0);
}

}  // namespace
}  // namespace vq::cli::test
