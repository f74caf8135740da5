#include "cli/pictures/still.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vq::cli {
namespace {

// A flat picture with these samples in luma and chroma.
struct FlatVideo {
  FlatVideo(const VideoFormat& video, std::array<uint16_t, 3> samples) : format(video) {
    for (int i = 0; i < plane_count(format.chroma); ++i) {
      const PlaneSize size = plane_size({format.width, format.height}, format.chroma, i);
      const auto place = static_cast<size_t>(i);
      bytes[place] = Plane<uint8_t>(size.width, size.height);
      words[place] = Plane<uint16_t>(size.width, size.height);
      for (int y = 0; y < size.height; ++y) {
        std::fill_n(bytes[place].row(y), size.width, static_cast<uint8_t>(samples[place]));
        std::fill_n(words[place].row(y), size.width, samples[place]);
      }
      if (format.bit_depth == 8) frame.planes[place].u8 = bytes[place].view();
      if (format.bit_depth > 8) frame.planes[place].u16 = words[place].view();
    }
    frame.bit_depth = format.bit_depth;
  }
  Still still() const { return still_of(frame, format, {format.width, format.height}); }
  Colour colour() const { return colours_of(still()).at(format.width / 2, format.height / 2); }

  VideoFormat format;
  std::array<Plane<uint8_t>, 3> bytes;
  std::array<Plane<uint16_t>, 3> words;
  Frame frame;
};

VideoFormat format_of(int width, int height, int bits = 8, Chroma chroma = Chroma::k420) {
  VideoFormat format;
  format.width = width;
  format.height = height;
  format.bit_depth = bits;
  format.chroma = chroma;
  return format;
}

void expect_near(const Colour& colour, int red, int green, int blue, int tolerance = 1) {
  EXPECT_NEAR(colour.red, red, tolerance);
  EXPECT_NEAR(colour.green, green, tolerance);
  EXPECT_NEAR(colour.blue, blue, tolerance);
}

// The samples of pure red by each matrix: luma 16 + 219 kr, Cb 128 - 112 kr / (1 - kb), Cr 240.
TEST(Colours, FollowTheMatrix) {
  VideoFormat format = format_of(32, 16);
  format.matrix = Matrix::kBt709;
  expect_near(FlatVideo(format, {63, 102, 240}).colour(), 255, 0, 0, 2);
  format.matrix = Matrix::kBt601;
  expect_near(FlatVideo(format, {81, 90, 240}).colour(), 255, 0, 0, 2);
  format.matrix = Matrix::kBt2020;
  expect_near(FlatVideo(format, {74, 97, 240}).colour(), 255, 0, 0, 2);
  format.matrix = Matrix::kSmpte240;  // that of BT.709 but for a thousandth
  expect_near(FlatVideo(format, {63, 102, 240}).colour(), 255, 0, 0, 2);
}

TEST(Colours, OfUntaggedVideoDependOnItsLines) {
  expect_near(FlatVideo(format_of(64, 480), {81, 90, 240}).colour(), 255, 0, 0, 2);
  expect_near(FlatVideo(format_of(64, 720), {63, 102, 240}).colour(), 255, 0, 0, 2);
  // The matrix is that of the video, however small its picture is.
  const FlatVideo large(format_of(1280, 720), {63, 102, 240});
  expect_near(colours_of(still_of(large.frame, large.format, {320, 180})).at(100, 100), 255, 0, 0, 2);
}

TEST(Colours, FollowTheRange) {
  VideoFormat format = format_of(32, 16);
  expect_near(FlatVideo(format, {16, 128, 128}).colour(), 0, 0, 0, 0);
  expect_near(FlatVideo(format, {235, 128, 128}).colour(), 255, 255, 255, 0);
  format.range = Range::kFull;
  expect_near(FlatVideo(format, {16, 128, 128}).colour(), 16, 16, 16, 0);
  expect_near(FlatVideo(format, {255, 128, 128}).colour(), 255, 255, 255, 0);
  const VideoFormat deep = format_of(32, 16, 10);
  expect_near(FlatVideo(deep, {64, 512, 512}).colour(), 0, 0, 0, 0);
  expect_near(FlatVideo(deep, {940, 512, 512}).colour(), 255, 255, 255, 0);
}

TEST(Colours, OfRgbAreItsPlanes) {
  VideoFormat format = format_of(32, 16, 8, Chroma::k444);
  format.matrix = Matrix::kRgb;
  format.range = Range::kFull;
  expect_near(FlatVideo(format, {10, 20, 30}).colour(), 30, 10, 20, 0);  // the planes are G, B, R
}

TEST(Colours, OfVideoWithoutChromaAreGrey) {
  VideoFormat format = format_of(32, 16, 8, Chroma::k400);
  expect_near(FlatVideo(format, {126, 0, 0}).colour(), 128, 128, 128, 0);
  // Where only luma was read.
  FlatVideo read_in_part(format_of(32, 16), {126, 90, 240});
  read_in_part.frame.planes[1] = read_in_part.frame.planes[2] = {};
  expect_near(read_in_part.colour(), 128, 128, 128, 0);
}

TEST(Colours, ChromaIsInterpolatedBetweenItsSamples) {
  FlatVideo video(format_of(32, 16), {126, 128, 128});
  for (int y = 0; y < 8; ++y) std::fill_n(video.bytes[2].row(y) + 8, 8, uint8_t{200});
  const RgbImage image = colours_of(video.still());
  EXPECT_EQ(image.at(4, 8).red, image.at(4, 8).green);
  EXPECT_GT(image.at(15, 8).red, image.at(14, 8).red + 10);  // half way, as chroma lies on even columns
  EXPECT_GT(image.at(16, 8).red, image.at(15, 8).red + 10);
  EXPECT_NEAR(image.at(24, 8).red, image.at(20, 8).red, 4);
}

double pq_sample(double nits) {
  const double y = std::pow(nits / 10000, 0.1593017578125);
  return 64 + 876 * std::pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375);
}

int srgb_level(double share) {
  return static_cast<int>(std::lround(255 * (1.055 * std::pow(share, 1 / 2.4) - 0.055)));
}

TEST(ToneMapping, OfPqLeavesWhatIsDarkAndEndsInWhite) {
  VideoFormat format = format_of(32, 16, 10);
  format.transfer = Transfer::kPq;
  format.matrix = Matrix::kBt2020;
  const auto level = [&](double nits) {
    return FlatVideo(format, {static_cast<uint16_t>(std::lround(pq_sample(nits))), 512, 512}).colour();
  };
  for (const double nits : {1.0, 20.0, 80.0}) {
    const int expected = srgb_level(nits / 203);
    expect_near(level(nits), expected, expected, expected, 2);
  }
  expect_near(level(1000), 255, 255, 255, 1);
  expect_near(level(4000), 255, 255, 255, 1);
  EXPECT_LT(level(203).green, 230);  // below the peak there is room for highlights
  EXPECT_GT(level(203).green, srgb_level(0.5));
  EXPECT_GT(level(500).green, level(203).green);
  EXPECT_EQ(tone_mapped_transfer(format), "PQ");
}

TEST(LightUse, TellsThePeakAndWhatOtherGamutsLack) {
  VideoFormat format = format_of(32, 16, 10, Chroma::k444);
  format.transfer = Transfer::kPq;
  format.matrix = Matrix::kRgb;  // planes are G, B, R
  format.primaries = Primaries::kBt2020;
  format.range = Range::kLimited;
  const auto use_of = [&](double r, double g, double b) {
    const auto sample = [](double nits) { return static_cast<uint16_t>(std::lround(pq_sample(nits))); };
    return light_use_of(FlatVideo(format, {sample(g), sample(b), sample(r)}).still()).value();
  };
  const LightUse white = use_of(500, 500, 500), red = use_of(500, 1, 1), orange = use_of(500, 250, 5),
                 dark = use_of(0.9, 0, 0);
  EXPECT_NEAR(white.peak, 500, 5);
  EXPECT_EQ(white.outside_bt709, 0);
  EXPECT_NEAR(red.peak, 500, 5);
  EXPECT_EQ(red.outside_bt709, 1);
  EXPECT_EQ(red.outside_p3, 1);
  EXPECT_EQ(orange.outside_bt709, 1);
  EXPECT_EQ(orange.outside_p3, 0);
  EXPECT_EQ(dark.outside_bt709, 0);
  EXPECT_FALSE(light_use_of(FlatVideo(format_of(32, 16), {126, 100, 160}).still()));
}

TEST(ToneMapping, OfHlgEndsInWhiteAtItsPeak) {
  VideoFormat format = format_of(32, 16, 10);
  format.transfer = Transfer::kHlg;
  format.matrix = Matrix::kBt2020;
  expect_near(FlatVideo(format, {940, 512, 512}).colour(), 255, 255, 255, 1);
  // Three quarters of the signal are 203 cd/m2 of a display of 1000.
  VideoFormat pq = format;
  pq.transfer = Transfer::kPq;
  const Colour of_pq = FlatVideo(pq, {static_cast<uint16_t>(std::lround(pq_sample(203))), 512, 512}).colour();
  expect_near(FlatVideo(format, {64 + 657, 512, 512}).colour(), of_pq.red, of_pq.green, of_pq.blue, 2);
  EXPECT_EQ(tone_mapped_transfer(format), "HLG");
  EXPECT_EQ(tone_mapped_transfer(format_of(32, 16)), "");
}

TEST(Stills, KeepTheSamplesOfEveryPlane) {
  const FlatVideo video(format_of(33, 17, 10), {700, 300, 900});
  const Still still = video.still();
  ASSERT_EQ(still.frame.planes[2].width(), 17);
  ASSERT_EQ(still.frame.planes[2].height(), 9);
  EXPECT_EQ(still.frame.planes[0].u16.row(16)[32], 700);
  EXPECT_EQ(still.frame.planes[1].u16.row(8)[16], 300);
  EXPECT_EQ(still.frame.planes[2].u16.row(8)[16], 900);
  EXPECT_GE(still_bytes(video.format, {33, 17}), 2 * (33 * 17 + 2 * 17 * 9));
  const Still small = still_of(video.frame, video.format, {11, 6});
  EXPECT_EQ(small.width(), 11);
  EXPECT_EQ(small.frame.planes[1].width(), 6);
  EXPECT_EQ(small.frame.planes[2].u16.row(2)[5], 900);
  EXPECT_EQ(small.video.width, 33);
}

TEST(Stills, AreScaledToAnotherSize) {
  FlatVideo video(format_of(32, 16), {126, 100, 160});
  const Still large = scaled_still(video.still(), {64, 32});
  EXPECT_EQ(large.width(), 64);
  EXPECT_EQ(large.frame.planes[1].width(), 32);
  expect_near(colours_of(large).at(30, 15), video.colour().red, video.colour().green, video.colour().blue, 1);
  EXPECT_EQ(large.video.width, 32);
  const FlatVideo other(format_of(32, 16, 8, Chroma::k411), {126, 100, 160});
  EXPECT_EQ(scaled_still(other.still(), {64, 32}).width(), 64);
}

TEST(Differences, AreOfLevelsInShares) {
  VideoFormat full = format_of(32, 16);
  full.range = Range::kFull;
  FlatVideo one(full, {100, 128, 128});
  const FlatVideo other(full, {103, 128, 128});
  EXPECT_EQ(difference_of(one.still(), other.still(), {640, 360}).row(3)[3], 3 * kDifferenceGain);
  EXPECT_EQ(difference_of(other.still(), one.still(), {640, 360}).row(3)[3], 3 * kDifferenceGain);
  // The same grey in both ranges and depths.
  const FlatVideo limited(format_of(32, 16), {126, 128, 128}), deep(format_of(32, 16, 10), {504, 512, 512}),
      deeper(format_of(32, 16, 10), {505, 512, 512});
  EXPECT_EQ(difference_of(limited.still(), deep.still(), {640, 360}).row(3)[3], 0);
  EXPECT_EQ(difference_of(limited.still(), deeper.still(), {640, 360}).row(3)[3], 2);  // 0.29 levels
  one.bytes[0].row(0)[0] = 255;
  const Plane<uint8_t> small = difference_of(one.still(), other.still(), {16, 8});
  EXPECT_EQ(small.width(), 16);
  EXPECT_EQ(small.row(1)[1], 3 * kDifferenceGain);
  EXPECT_EQ(small.row(0)[0], 255);  // (152 + 3 * 3) / 4 times the gain
}

}  // namespace
}  // namespace vq::cli
