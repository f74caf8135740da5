#include "cli/decoding/ffmpeg_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tests/support/expect_error.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace vq::cli {
namespace {

constexpr int kWidth = 38;
constexpr int kHeight = 9;

AvPtr<AVFrame> make_picture(AVPixelFormat format) {
  AvPtr<AVFrame> picture(av_frame_alloc());
  picture->format = format;
  picture->width = kWidth;
  picture->height = kHeight;
  EXPECT_EQ(av_frame_get_buffer(picture.get(), 0), 0);
  for (const AVBufferRef* buffer : picture->buf) {
    if (buffer != nullptr) std::fill_n(buffer->data, buffer->size, uint8_t{0});
  }
  return picture;
}

int sample_at(const SampleView& plane, int x, int y) {
  return plane.is_u8() ? plane.u8.row(y)[x] : plane.u16.row(y)[x];
}

PlaneSize size_of(const SampleView& plane) {
  return {plane.width(), plane.height()};
}

bool is_readable(AVPixelFormat format) {
  try {
    picture_layout(format);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// FFmpeg's own writer of single components is the reference.
std::vector<uint16_t> write_noise(AVFrame& picture, int component, PlaneSize size) {
  const AVPixFmtDescriptor* info = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
  std::mt19937 random(7U + static_cast<unsigned>(component));
  std::vector<uint16_t> samples(static_cast<size_t>(size.width * size.height));
  for (uint16_t& sample : samples) {
    sample = static_cast<uint16_t>(random() & ((1u << info->comp[component].depth) - 1));
  }
  for (int y = 0; y < size.height; ++y) {
    av_write_image_line(samples.data() + static_cast<ptrdiff_t>(y) * size.width, picture.data,
                        picture.linesize, info, 0, y, component, size.width);
  }
  return samples;
}

int wrong_samples(const SampleView& plane, const std::vector<uint16_t>& expected) {
  int wrong = 0;
  for (int y = 0; y < plane.height(); ++y) {
    for (int x = 0; x < plane.width(); ++x) {
      wrong += sample_at(plane, x, y) != expected[static_cast<size_t>(y * plane.width() + x)];
    }
  }
  return wrong;
}

TEST(FfmpegFrame, ReadsThePlanesOfEveryFormat) {
  int formats = 0, coloured = 0;
  for (const AVPixFmtDescriptor* info = av_pix_fmt_desc_next(nullptr); info != nullptr;
       info = av_pix_fmt_desc_next(info)) {
    const AVPixelFormat format = av_pix_fmt_desc_get_id(info);
    if (!is_readable(format) || picture_layout(format).form != SampleForm::kIntegers) continue;
    ++formats;
    AvPtr<AVFrame> picture = make_picture(format);
    const PictureLayout layout = picture_layout(format);
    const int planes = plane_count(layout.chroma);
    EXPECT_NE(layout.chroma, Chroma::kOther) << info->name;
    coloured += planes == kMaxPlanes ? 1 : 0;
    std::vector<std::vector<uint16_t>> expected;
    for (int i = 0; i < planes; ++i) {
      const int component = layout.is_rgb ? (i + 1) % kMaxPlanes : i;
      expected.push_back(write_noise(*picture, component, plane_size({kWidth, kHeight}, layout.chroma, i)));
    }
    const Frame frame = make_frame(std::move(picture), layout, planes);
    EXPECT_EQ(frame.bit_depth, info->comp[0].depth) << info->name;
    for (int i = 0; i < planes; ++i) {
      const SampleView& plane = frame.planes[static_cast<size_t>(i)];
      EXPECT_EQ(plane.is_u8(), frame.bit_depth == 8) << info->name;
      ASSERT_EQ(size_of(plane), plane_size({kWidth, kHeight}, layout.chroma, i)) << info->name;
      EXPECT_EQ(wrong_samples(plane, expected[static_cast<size_t>(i)]), 0) << info->name << " plane " << i;
    }
  }
  EXPECT_GT(formats, 110);
  EXPECT_GT(coloured, 100);
}

TEST(FfmpegFrame, LeavesOutThePlanesThatNobodyAskedFor) {
  const Frame frame = make_frame(make_picture(AV_PIX_FMT_YUV420P), picture_layout(AV_PIX_FMT_YUV420P), 1);
  EXPECT_FALSE(frame.planes[0].empty());
  EXPECT_TRUE(frame.planes[1].empty());
  EXPECT_TRUE(frame.planes[2].empty());
}

TEST(FfmpegFrame, PlanarFormatsAreNotCopied) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_GRAY8, AV_PIX_FMT_YUVA444P}) {
    AvPtr<AVFrame> picture = make_picture(format);
    const uint8_t* const data = picture->data[0];
    EXPECT_EQ(make_frame(std::move(picture), picture_layout(format), 1).luma().u8.data, data);
  }
  AvPtr<AVFrame> deep = make_picture(AV_PIX_FMT_YUV420P10);
  const std::array<const uint8_t*, 3> data = {deep->data[0], deep->data[1], deep->data[2]};
  const Frame frame = make_frame(std::move(deep), picture_layout(AV_PIX_FMT_YUV420P10), 3);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(reinterpret_cast<const uint8_t*>(frame.planes[i].u16.data), data[i]);
}

// Of semi-planar video the luma is handed out as it is, while Cb and Cr are taken apart.
TEST(FfmpegFrame, HoldsThePictureBesideCopiesOfItsChroma) {
  AvPtr<AVFrame> picture = make_picture(AV_PIX_FMT_NV12);
  const uint8_t* const data = picture->data[0];
  picture->data[0][0] = 55;
  picture->data[1][3] = 66;
  const Frame frame = make_frame(std::move(picture), picture_layout(AV_PIX_FMT_NV12), 3);
  EXPECT_EQ(frame.luma().u8.data, data);
  EXPECT_EQ(sample_at(frame.luma(), 0, 0), 55);
  EXPECT_EQ(sample_at(frame.planes[1], 1, 0), 0);
  EXPECT_EQ(sample_at(frame.planes[2], 1, 0), 66);
}

TEST(FfmpegFrame, ReadsPicturesStoredBottomUp) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_P010LE, AV_PIX_FMT_UYVY422}) {
    AvPtr<AVFrame> picture = make_picture(format);
    const auto expected = write_noise(*picture, 0, {kWidth, kHeight});
    picture->data[0] += ptrdiff_t{picture->linesize[0]} * (kHeight - 1);
    picture->linesize[0] = -picture->linesize[0];
    const Frame frame = make_frame(std::move(picture), picture_layout(format), 1);
    for (int y = 0; y < kHeight; ++y) {
      EXPECT_EQ(sample_at(frame.luma(), 5, y), expected[static_cast<size_t>((kHeight - 1 - y) * kWidth + 5)]);
    }
  }
}

TEST(FfmpegFrame, CopiesDeepSamplesAtOddAddresses) {
  AvPtr<AVFrame> picture = make_picture(AV_PIX_FMT_GRAY16LE);
  std::vector<uint8_t> bytes(2 * kWidth * kHeight + 1);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 31);
  const size_t shift = reinterpret_cast<uintptr_t>(bytes.data()) % 2 == 0 ? 1 : 0;
  picture->data[0] = bytes.data() + shift;
  picture->linesize[0] = 2 * kWidth;
  const Frame frame = make_frame(std::move(picture), picture_layout(AV_PIX_FMT_GRAY16LE), 1);
  for (int x = 0; x < kWidth; ++x) {
    const size_t at = shift + 2 * static_cast<size_t>(x);
    EXPECT_EQ(frame.luma().u16.row(0)[x], bytes[at] | bytes[at + 1] << 8);
  }
}

TEST(FfmpegFrame, KeepsThePictureAliveAsLongAsTheFrame) {
  Frame copy;
  {
    AvPtr<AVFrame> picture = make_picture(AV_PIX_FMT_GRAY8);
    picture->data[0][0] = 77;
    const Frame frame = make_frame(std::move(picture), picture_layout(AV_PIX_FMT_GRAY8), 1);
    copy = frame;
  }
  EXPECT_EQ(copy.luma().u8.row(0)[0], 77);
}

TEST(FfmpegFrame, RefusesFormatsThatItCannotRead) {
  const std::pair<AVPixelFormat, const char*> cases[] = {{AV_PIX_FMT_RGB565LE, "RGB"},
                                                         {AV_PIX_FMT_RGB8, "RGB"},
                                                         {AV_PIX_FMT_BAYER_BGGR8, "Bayer"},
                                                         {AV_PIX_FMT_XYZ12LE, "XYZ"},
                                                         {AV_PIX_FMT_CUDA, "device"}};
  for (const auto& [format, words] : cases) {
    vq::test::expect_error(ErrorKind::kMismatch, {words, "ffmpeg -i"},
                           [&, format = format] { picture_layout(format); });
  }
  EXPECT_THROW(picture_layout(AV_PIX_FMT_NONE), Error);
}

TEST(FfmpegFrame, PlanesOfRgbAreGreenBlueAndRed) {
  AvPtr<AVFrame> picture = make_picture(AV_PIX_FMT_RGB24);
  for (uint8_t i = 0; i < 6; ++i) picture->data[0][i] = static_cast<uint8_t>(10 + i);
  const PictureLayout layout = picture_layout(AV_PIX_FMT_RGB24);
  EXPECT_TRUE(layout.is_rgb);
  EXPECT_FALSE(picture_layout(AV_PIX_FMT_YUV444P).is_rgb);
  const Frame frame = make_frame(std::move(picture), layout, kMaxPlanes);
  EXPECT_EQ(frame.planes[0].u8.row(0)[1], 14);
  EXPECT_EQ(frame.planes[1].u8.row(0)[1], 15);
  EXPECT_EQ(frame.planes[2].u8.row(0)[1], 13);
}

TEST(FfmpegFrame, PalettesBecomeTheirColours) {
  AvPtr<AVFrame> picture = make_picture(AV_PIX_FMT_PAL8);
  const uint32_t colours[] = {0xFF102030, 0x00A0B0C0};  // alpha is ignored
  std::memcpy(picture->data[1] + 4 * 7, colours, sizeof(colours));
  picture->data[0][0] = 8;
  picture->data[0][1] = 7;
  const PictureLayout layout = picture_layout(AV_PIX_FMT_PAL8);
  EXPECT_TRUE(layout.is_rgb);
  EXPECT_TRUE(layout.full_range);
  EXPECT_EQ(layout.bit_depth, 8);
  EXPECT_EQ(layout.chroma, Chroma::k444);
  const Frame frame = make_frame(std::move(picture), layout, delivered_planes(layout, 1));
  const int first[] = {0xB0, 0xC0, 0xA0}, second[] = {0x20, 0x30, 0x10};  // G, B, R
  for (size_t i = 0; i < kMaxPlanes; ++i) {
    EXPECT_EQ(frame.planes[i].u8.row(0)[0], first[i]);
    EXPECT_EQ(frame.planes[i].u8.row(0)[1], second[i]);
  }
}

TEST(FfmpegFrame, BitsBecomeBlackAndWhite) {
  for (const AVPixelFormat format : {AV_PIX_FMT_MONOBLACK, AV_PIX_FMT_MONOWHITE}) {
    AvPtr<AVFrame> picture = make_picture(format);
    picture->data[0][0] = 0x81;
    picture->data[0][1] = 0x40;
    const PictureLayout layout = picture_layout(format);
    EXPECT_EQ(layout.chroma, Chroma::k400);
    const Frame frame = make_frame(std::move(picture), layout, 1);
    const int on = format == AV_PIX_FMT_MONOBLACK ? 255 : 0;
    const std::pair<int, bool> bits[] = {{0, true}, {1, false}, {7, true}, {8, false}, {9, true}};
    for (const auto& [x, bit] : bits) EXPECT_EQ(frame.luma().u8.row(0)[x], bit ? on : 255 - on) << x;
  }
}

TEST(FfmpegFrame, FloatsAreRoundedTo16Bits) {
  const std::pair<float, int> cases[] = {{0.0F, 0},
                                         {1.0F, 65535},
                                         {0.5F, 32768},
                                         {1.0F / 65535, 1},
                                         {0.4F / 65535, 0},
                                         {static_cast<float>(63.498 / 65535), 63},
                                         {-1.0F, 0},
                                         {7.0F, 65535},
                                         {std::numeric_limits<float>::quiet_NaN(), 0},
                                         {std::numeric_limits<float>::infinity(), 65535}};
  for (const AVPixelFormat format : {AV_PIX_FMT_GRAYF32LE, AV_PIX_FMT_GRAYF32BE, AV_PIX_FMT_GBRPF32LE}) {
    AvPtr<AVFrame> picture = make_picture(format);
    for (size_t i = 0; i < std::size(cases); ++i) {
      auto bits = std::bit_cast<uint32_t>(cases[i].first);
      if (format == AV_PIX_FMT_GRAYF32BE) bits = __builtin_bswap32(bits);
      std::memcpy(picture->data[0] + 4 * i, &bits, sizeof(bits));
    }
    const PictureLayout layout = picture_layout(format);
    EXPECT_EQ(layout.bit_depth, 16);
    EXPECT_TRUE(layout.full_range);
    EXPECT_EQ(layout.is_rgb, format == AV_PIX_FMT_GBRPF32LE);
    const Frame frame = make_frame(std::move(picture), layout, 1);
    for (size_t i = 0; i < std::size(cases); ++i)
      EXPECT_EQ(frame.luma().u16.row(0)[i], cases[i].second) << cases[i].first;
  }
  AvPtr<AVFrame> picture = make_picture(AV_PIX_FMT_GRAYF32LE);
  const auto one = std::bit_cast<uint32_t>(1.0F);
  std::memcpy(picture->data[0], &one, sizeof(one));
  PictureLayout layout = picture_layout(AV_PIX_FMT_GRAYF32LE);
  layout.bottom_up = true;
  const Frame frame = make_frame(std::move(picture), layout, 1);
  EXPECT_EQ(frame.luma().u16.row(0)[0], 0);
  EXPECT_EQ(frame.luma().u16.row(kHeight - 1)[0], 65535);
}

TEST(FfmpegFrame, MapsTags) {
  EXPECT_EQ(picture_layout(AV_PIX_FMT_YUV420P).chroma, Chroma::k420);
  EXPECT_EQ(picture_layout(AV_PIX_FMT_P210LE).chroma, Chroma::k422);
  EXPECT_EQ(picture_layout(AV_PIX_FMT_YUVA444P).chroma, Chroma::k444);
  EXPECT_EQ(picture_layout(AV_PIX_FMT_YA8).chroma, Chroma::k400);
  EXPECT_EQ(picture_layout(AV_PIX_FMT_YUV440P).chroma, Chroma::k440);
  EXPECT_EQ(picture_layout(AV_PIX_FMT_YUV411P).chroma, Chroma::k411);
  EXPECT_EQ(picture_layout(AV_PIX_FMT_YUV410P).chroma, Chroma::k410);
  EXPECT_TRUE(picture_layout(AV_PIX_FMT_YUVJ422P).full_range);
  EXPECT_FALSE(picture_layout(AV_PIX_FMT_YUV422P).full_range);
  EXPECT_EQ(map_range(AVCOL_RANGE_MPEG), Range::kLimited);
  EXPECT_EQ(map_range(AVCOL_RANGE_JPEG), Range::kFull);
  EXPECT_EQ(map_transfer(AVCOL_TRC_SMPTE2084), Transfer::kPq);
  EXPECT_EQ(map_transfer(AVCOL_TRC_ARIB_STD_B67), Transfer::kHlg);
  EXPECT_EQ(map_transfer(AVCOL_TRC_BT2020_12), Transfer::kBt1886);
  EXPECT_EQ(map_transfer(AVCOL_TRC_UNSPECIFIED), Transfer::kUnspecified);
  EXPECT_EQ(map_transfer(AVCOL_TRC_LINEAR), Transfer::kLinear);
  EXPECT_EQ(map_transfer(AVCOL_TRC_IEC61966_2_1), Transfer::kSrgb);
  EXPECT_EQ(map_transfer(AVCOL_TRC_LOG), Transfer::kOther);
  EXPECT_EQ(map_matrix(AVCOL_SPC_SMPTE170M), Matrix::kBt601);
  EXPECT_EQ(map_matrix(AVCOL_SPC_BT470BG), Matrix::kBt601);
  EXPECT_EQ(map_matrix(AVCOL_SPC_BT709), Matrix::kBt709);
  EXPECT_EQ(map_matrix(AVCOL_SPC_BT2020_NCL), Matrix::kBt2020);
  EXPECT_EQ(map_matrix(AVCOL_SPC_YCGCO), Matrix::kOther);
  EXPECT_EQ(map_matrix(AVCOL_SPC_UNSPECIFIED), Matrix::kUnspecified);
}

}  // namespace
}  // namespace vq::cli
