#include "cli/pictures/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/pictures/still.h"

namespace vq::cli {
namespace {

AvPtr<AVFrame> decoded(AVCodecID codec, const std::string& bytes) {
  AvPtr<AVCodecContext> decoder(avcodec_alloc_context3(avcodec_find_decoder(codec)));
  EXPECT_EQ(avcodec_open2(decoder.get(), decoder->codec, nullptr), 0);
  AvPtr<AVPacket> packet(av_packet_alloc());
  EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
  std::copy(bytes.begin(), bytes.end(), packet->data);
  AvPtr<AVFrame> frame(av_frame_alloc());
  EXPECT_EQ(avcodec_send_packet(decoder.get(), packet.get()), 0);
  EXPECT_EQ(avcodec_receive_frame(decoder.get(), frame.get()), 0);
  return frame;
}

const uint8_t* row_of(const AVFrame& frame, int y) {
  return frame.data[0] + ptrdiff_t{frame.linesize[0]} * y;
}

// A gradient of steps, with noise of so many levels.
Plane<uint8_t> stepped(int noise) {
  Plane<uint8_t> plane(320, 180);
  std::mt19937 random(3);
  for (int y = 0; y < 180; ++y) {
    for (int x = 0; x < 320; ++x)
      plane.row(y)[x] =
          static_cast<uint8_t>(20 + x / 32 + (noise > 0 ? static_cast<int>(random()) % noise : 0));
  }
  return plane;
}

// What a browser shows of it.
RgbImage shown(const PagePicture& picture) {
  const bool is_png = picture.mime == "image/png";
  const AvPtr<AVFrame> frame = decoded(is_png ? AV_CODEC_ID_PNG : AV_CODEC_ID_WEBP, picture.bytes);
  RgbImage image(frame->width, frame->height);
  const auto grey = [](uint8_t level) { return Colour{level, level, level}; };
  for (int y = 0; y < frame->height; ++y) {
    for (int x = 0; x < frame->width; ++x) {
      const uint8_t* const row = row_of(*frame, y);
      switch (frame->format) {
        case AV_PIX_FMT_GRAY8:
          image.set(x, y, grey(row[x]));
          break;
        case AV_PIX_FMT_ARGB:
          image.set(x, y, {row[4 * x + 1], row[4 * x + 2], row[4 * x + 3]});
          break;
        case AV_PIX_FMT_RGB24:
          image.set(x, y, {row[3 * x], row[3 * x + 1], row[3 * x + 2]});
          break;
        case AV_PIX_FMT_YUV420P:
          image.set(x, y, grey(static_cast<uint8_t>((std::clamp<int>(row[x], 16, 235) - 16) * 255 / 219)));
          break;
        default:
          ADD_FAILURE() << "format " << frame->format;
      }
    }
  }
  return image;
}

RgbImage in_colours(const Plane<uint8_t>& grey) {
  RgbImage image(grey.width(), grey.height());
  for (int y = 0; y < grey.height(); ++y) {
    for (int x = 0; x < grey.width(); ++x) image.set(x, y, {grey.row(y)[x], grey.row(y)[x], grey.row(y)[x]});
  }
  return image;
}

int largest_difference(const PagePicture& picture, const RgbImage& image) {
  const RgbImage own = shown(picture);
  int largest = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int i = 0; i < 3 * image.width(); ++i)
      largest = std::max(largest, std::abs(own.row(y)[i] - image.row(y)[i]));
  }
  return largest;
}

int largest_difference(const PagePicture& picture, const Plane<uint8_t>& grey) {
  return largest_difference(picture, in_colours(grey));
}

bool has_webp() { return avcodec_find_encoder_by_name("libwebp") != nullptr; }

TEST(Png, DecodesToTheSame) {
  RgbImage image(37, 5);
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 37; ++x) {
      image.set(x, y,
                {static_cast<uint8_t>(7 * x), static_cast<uint8_t>(40 * y), static_cast<uint8_t>(x * y)});
    }
  }
  const std::string png = encode_png(image, "a comment");
  EXPECT_NE(png.find("tEXtComment"), png.npos);
  const AvPtr<AVFrame> frame = decoded(AV_CODEC_ID_PNG, png);
  ASSERT_EQ(frame->format, AV_PIX_FMT_RGB24);
  ASSERT_EQ(frame->width, 37);
  ASSERT_EQ(frame->height, 5);
  for (int y = 0; y < 5; ++y) EXPECT_TRUE(std::equal(image.row(y), image.row(y) + 3 * 37, row_of(*frame, y)));
}

TEST(PagePicture, ThatFitsIsAPngWithEverySample) {
  const Plane<uint8_t> plane = stepped(0);
  const PagePicture picture = page_picture(plane.view(), 10000);
  EXPECT_EQ(picture.mime, "image/png");
  EXPECT_TRUE(picture.exact);
  EXPECT_EQ(largest_difference(picture, plane), 0);
}

TEST(PagePicture, ThatFitsAsWebpOnlyIsExactAsWell) {
  if (!has_webp()) GTEST_SKIP() << "this libavcodec has no WebP encoder";
  const Plane<uint8_t> plane = stepped(4);
  const size_t png = page_picture(plane.view(), 1 << 20).bytes.size();
  const PagePicture picture = page_picture(plane.view(), png - 1);
  EXPECT_EQ(picture.mime, "image/webp");
  EXPECT_TRUE(picture.exact);
  EXPECT_LT(picture.bytes.size(), png);
  EXPECT_EQ(largest_difference(picture, plane), 0);
}

TEST(PagePicture, ThatDoesNotFitIsSaidToBeInexact) {
  if (!has_webp()) GTEST_SKIP() << "this libavcodec has no WebP encoder";
  const Plane<uint8_t> plane = stepped(40);
  const PagePicture picture = page_picture(plane.view(), 37000);
  EXPECT_EQ(picture.mime, "image/webp");
  EXPECT_FALSE(picture.exact);
  EXPECT_LE(picture.bytes.size(), 37000U);
  EXPECT_LT(largest_difference(picture, plane), 40);
}

// Colours with noise, which take more than grey does.
RgbImage coloured(int noise) {
  const Plane<uint8_t> red = stepped(noise), green = stepped(2 * noise);
  RgbImage image(red.width(), red.height());
  for (int y = 0; y < red.height(); ++y) {
    for (int x = 0; x < red.width(); ++x) image.set(x, y, {red.row(y)[x], green.row(y)[x], 90});
  }
  return image;
}

TEST(ColouredPicture, IsExactWhereItFits) {
  if (!has_webp()) GTEST_SKIP() << "this libavcodec has no WebP encoder";
  const RgbImage image = coloured(4);
  const PagePicture png = page_picture(image, 1 << 20);
  EXPECT_EQ(png.mime, "image/png");
  EXPECT_EQ(largest_difference(png, image), 0);
  const PagePicture webp = page_picture(image, png.bytes.size() - 1);
  EXPECT_EQ(webp.mime, "image/webp");
  EXPECT_TRUE(webp.exact);
  EXPECT_EQ(largest_difference(webp, image), 0);
}

TEST(ColouredPicture, HasTheBestQualityThatFits) {
  if (!has_webp()) GTEST_SKIP() << "this libavcodec has no WebP encoder";
  const RgbImage image = coloured(40);
  const size_t most = lossless_picture(image).bytes.size() - 1;
  const PagePicture large = page_picture(image, most), small = page_picture(image, 33000);
  EXPECT_FALSE(large.exact);
  EXPECT_FALSE(small.exact);
  EXPECT_LE(large.bytes.size(), most);
  EXPECT_LE(small.bytes.size(), 33000U);
  EXPECT_LT(small.bytes.size(), large.bytes.size());
  // Where none fits it is the lowest.
  EXPECT_LE(page_picture(image, 10).bytes.size(), small.bytes.size());
}

// Of high pictures only strips are tried.
TEST(ColouredPicture, OfAnySizeTakesMostOfWhatItMay) {
  if (!has_webp()) GTEST_SKIP() << "this libavcodec has no WebP encoder";
  for (const int height : {180, 181, 540, 1081}) {
    RgbImage image(322, height);
    std::mt19937 random(5);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < 322; ++x) {
        const auto noise = static_cast<uint8_t>(random() % 48);
        image.set(x, y, {static_cast<uint8_t>(100 + noise), static_cast<uint8_t>(x / 2 + noise), 90});
      }
    }
    const size_t exact = lossless_picture(image).bytes.size(), most = exact / 3;
    const PagePicture picture = page_picture(image, most);
    EXPECT_FALSE(picture.exact);
    EXPECT_LE(picture.bytes.size(), most) << height;
    EXPECT_GT(picture.bytes.size(), most / 2) << height;
    EXPECT_TRUE(page_picture(image, 2 * exact).exact) << height;
  }
}

TEST(ColouredPicture, OfGreyIsStoredAsGrey) {
  const Plane<uint8_t> grey = stepped(40);
  EXPECT_EQ(page_picture(in_colours(grey), 1 << 20).bytes, page_picture(grey.view(), 1 << 20).bytes);
}

TEST(LosslessPicture, KeepsEverySampleWhateverItTakes) {
  const RgbImage image = coloured(40);
  const PagePicture picture = lossless_picture(image);
  EXPECT_TRUE(picture.exact);
  EXPECT_EQ(largest_difference(picture, image), 0);
  EXPECT_LE(picture.bytes.size(), page_picture(image, SIZE_MAX).bytes.size());
}

TEST(PageLayer, HasTheColourOfEverySample) {
  std::array<LayerColour, 256> colours;
  for (size_t i = 0; i < 256; ++i) {
    const auto level = static_cast<uint8_t>(i);
    colours[i] = {{level, static_cast<uint8_t>(255 - level), 7}, static_cast<uint8_t>(level / 2)};
  }
  const Plane<uint8_t> plane = stepped(40);
  const PagePicture layer = page_layer(plane.view(), colours);
  EXPECT_TRUE(layer.exact);
  const AvPtr<AVFrame> frame = decoded(AV_CODEC_ID_PNG, layer.bytes);
  ASSERT_EQ(frame->format, AV_PIX_FMT_PAL8);
  const int pick = row_of(*frame, 17)[200];
  EXPECT_EQ(pick, plane.row(17)[200]);
  uint32_t word;
  std::memcpy(&word, frame->data[1] + 4 * pick, sizeof word);
  const auto level = static_cast<uint32_t>(pick);
  EXPECT_EQ(word, level / 2 << 24 | level << 16 | (255 - level) << 8 | 7U);
}

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
