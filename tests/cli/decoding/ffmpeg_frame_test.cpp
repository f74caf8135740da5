#include "cli/decoding/ffmpeg_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "core/error.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace vq::cli {
namespace {

using testing::HasSubstr;

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

int sample_at(const Frame& frame, int x, int y) {
  return frame.luma.is_u8() ? frame.luma.u8.row(y)[x] : frame.luma.u16.row(y)[x];
}

bool has_luma(AVPixelFormat format) {
  try {
    luma_layout(format);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// FFmpeg's own writer of single components is the reference.
std::vector<uint16_t> write_noise(AVFrame& picture, int component, unsigned seed) {
  const AVPixFmtDescriptor* info = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
  std::mt19937 random(seed);
  std::vector<uint16_t> samples(static_cast<size_t>(kWidth) * kHeight);
  for (uint16_t& sample : samples) {
    sample = static_cast<uint16_t>(random() & ((1u << info->comp[component].depth) - 1));
  }
  for (int y = 0; y < kHeight; ++y) {
    av_write_image_line(samples.data() + static_cast<ptrdiff_t>(y) * kWidth, picture.data, picture.linesize,
                        info, 0, y, component, kWidth);
  }
  return samples;
}

TEST(FfmpegFrame, ReadsTheLumaOfEveryFormatThatHasIt) {
  int formats = 0;
  for (const AVPixFmtDescriptor* info = av_pix_fmt_desc_next(nullptr); info != nullptr;
       info = av_pix_fmt_desc_next(info)) {
    const AVPixelFormat format = av_pix_fmt_desc_get_id(info);
    if (!has_luma(format)) continue;
    ++formats;
    AvPtr<AVFrame> picture = make_picture(format);
    const auto expected = write_noise(*picture, 0, 7);
    const LumaLayout layout = luma_layout(format);
    const Frame frame = make_frame(std::move(picture), layout);
    EXPECT_EQ(frame.bit_depth, info->comp[0].depth) << info->name;
    EXPECT_EQ(frame.luma.is_u8(), frame.bit_depth == 8) << info->name;
    ASSERT_EQ(frame.luma.width(), kWidth);
    ASSERT_EQ(frame.luma.height(), kHeight);
    int wrong = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x)
        wrong += sample_at(frame, x, y) != expected[static_cast<size_t>(y * kWidth + x)];
    }
    EXPECT_EQ(wrong, 0) << info->name;
  }
  EXPECT_GT(formats, 90);
}

TEST(FfmpegFrame, PlanarFormatsAreNotCopied) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_GRAY8, AV_PIX_FMT_YUVA444P}) {
    AvPtr<AVFrame> picture = make_picture(format);
    const uint8_t* const data = picture->data[0];
    const LumaLayout layout = luma_layout(format);
    EXPECT_TRUE(layout.direct());
    EXPECT_EQ(make_frame(std::move(picture), layout).luma.u8.data, data);
  }
  AvPtr<AVFrame> deep = make_picture(AV_PIX_FMT_YUV420P10);
  const auto* const data = reinterpret_cast<const uint16_t*>(deep->data[0]);
  const LumaLayout layout = luma_layout(AV_PIX_FMT_YUV420P10);
  EXPECT_EQ(make_frame(std::move(deep), layout).luma.u16.data, data);
}

TEST(FfmpegFrame, ReadsPicturesStoredBottomUp) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_P010LE, AV_PIX_FMT_UYVY422}) {
    AvPtr<AVFrame> picture = make_picture(format);
    const auto expected = write_noise(*picture, 0, 9);
    picture->data[0] += ptrdiff_t{picture->linesize[0]} * (kHeight - 1);
    picture->linesize[0] = -picture->linesize[0];
    const Frame frame = make_frame(std::move(picture), luma_layout(format));
    for (int y = 0; y < kHeight; ++y) {
      EXPECT_EQ(sample_at(frame, 5, y), expected[static_cast<size_t>((kHeight - 1 - y) * kWidth + 5)]);
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
  const Frame frame = make_frame(std::move(picture), luma_layout(AV_PIX_FMT_GRAY16LE));
  for (int x = 0; x < kWidth; ++x) {
    const size_t at = shift + 2 * static_cast<size_t>(x);
    EXPECT_EQ(frame.luma.u16.row(0)[x], bytes[at] | bytes[at + 1] << 8);
  }
}

TEST(FfmpegFrame, KeepsThePictureAliveAsLongAsTheFrame) {
  Frame copy;
  {
    AvPtr<AVFrame> picture = make_picture(AV_PIX_FMT_GRAY8);
    picture->data[0][0] = 77;
    const Frame frame = make_frame(std::move(picture), luma_layout(AV_PIX_FMT_GRAY8));
    copy = frame;
  }
  EXPECT_EQ(copy.luma.u8.row(0)[0], 77);
}

TEST(FfmpegFrame, RefusesFormatsWithoutLuma) {
  const std::pair<AVPixelFormat, const char*> cases[] = {
      {AV_PIX_FMT_RGB24, "RGB"},          {AV_PIX_FMT_GBRP10LE, "RGB"}, {AV_PIX_FMT_PAL8, "palette"},
      {AV_PIX_FMT_BAYER_BGGR8, "Bayer"},  {AV_PIX_FMT_XYZ12LE, "XYZ"},  {AV_PIX_FMT_MONOWHITE, "1 bits"},
      {AV_PIX_FMT_GRAYF32LE, "floating"}, {AV_PIX_FMT_CUDA, "device"},  {AV_PIX_FMT_X2RGB10LE, "RGB"}};
  for (const auto& [format, words] : cases) {
    try {
      luma_layout(format);
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
      EXPECT_THAT(error.what(), HasSubstr(words));
      EXPECT_THAT(error.what(), HasSubstr("ffmpeg -i"));
    }
  }
  EXPECT_THROW(luma_layout(AV_PIX_FMT_NONE), Error);
}

TEST(FfmpegFrame, MapsTags) {
  EXPECT_EQ(luma_layout(AV_PIX_FMT_YUV420P).chroma, Chroma::k420);
  EXPECT_EQ(luma_layout(AV_PIX_FMT_P210LE).chroma, Chroma::k422);
  EXPECT_EQ(luma_layout(AV_PIX_FMT_YUVA444P).chroma, Chroma::k444);
  EXPECT_EQ(luma_layout(AV_PIX_FMT_YA8).chroma, Chroma::k400);
  EXPECT_EQ(luma_layout(AV_PIX_FMT_YUV440P).chroma, Chroma::kOther);
  EXPECT_TRUE(luma_layout(AV_PIX_FMT_YUVJ422P).full_range);
  EXPECT_FALSE(luma_layout(AV_PIX_FMT_YUV422P).full_range);
  EXPECT_EQ(map_range(AVCOL_RANGE_MPEG), Range::kLimited);
  EXPECT_EQ(map_range(AVCOL_RANGE_JPEG), Range::kFull);
  EXPECT_EQ(map_transfer(AVCOL_TRC_SMPTE2084), Transfer::kPq);
  EXPECT_EQ(map_transfer(AVCOL_TRC_ARIB_STD_B67), Transfer::kHlg);
  EXPECT_EQ(map_transfer(AVCOL_TRC_BT2020_12), Transfer::kBt1886);
  EXPECT_EQ(map_transfer(AVCOL_TRC_UNSPECIFIED), Transfer::kUnspecified);
  EXPECT_EQ(map_transfer(AVCOL_TRC_LINEAR), Transfer::kOther);
}

}  // namespace
}  // namespace vq::cli
