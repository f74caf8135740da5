#include "cli/pictures/picture.h"

#include <gtest/gtest.h>

#include <random>

#include "cli/decoding/ffmpeg_functions.h"

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

bool has_webp() {
  return avcodec_find_encoder_by_name("libwebp") != nullptr;
}

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

}  // namespace
}  // namespace vq::cli
