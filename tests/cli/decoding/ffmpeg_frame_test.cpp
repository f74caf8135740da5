#include <bit>

#include "cli/decoding/frame_reader.h"
#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/decoding/open_video.h"
#include "tests/support/run_program.h"
#include "tests/support/source_test.h"
#include "tests/support/stored_frame.h"

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

PlaneSize size_of(const SampleView& plane) { return {plane.width(), plane.height()}; }

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
  for (uint16_t& sample : samples)
    sample = static_cast<uint16_t>(random() & ((1u << info->comp[component].depth) - 1));
  for (int y = 0; y < size.height; ++y) {
    av_write_image_line(samples.data() + static_cast<ptrdiff_t>(y) * size.width, picture.data,
                        picture.linesize, info, 0, y, component, size.width);
  }
  return samples;
}

int wrong_samples(const SampleView& plane, const std::vector<uint16_t>& expected) {
  int wrong = 0;
  for (int y = 0; y < plane.height(); ++y) {
    for (int x = 0; x < plane.width(); ++x)
      wrong += sample_at(plane, x, y) != expected[static_cast<size_t>(y * plane.width() + x)];
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

// Of semi-planar video the luma is handed out as it is, while Cb and Cr are taken apart.
TEST(FfmpegFrame, PlanarFormatsAreNotCopied) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_GRAY8, AV_PIX_FMT_YUVA444P}) {
    AvPtr<AVFrame> picture = make_picture(format);
    const uint8_t* const data = picture->data[0];
    const PictureLayout layout = picture_layout(format);
    EXPECT_EQ(make_frame(std::move(picture), layout, plane_count(layout.chroma)).luma().u8.data, data);
  }
  AvPtr<AVFrame> deep = make_picture(AV_PIX_FMT_YUV420P10);
  const std::array<const uint8_t*, 3> data = {deep->data[0], deep->data[1], deep->data[2]};
  const Frame frame = make_frame(std::move(deep), picture_layout(AV_PIX_FMT_YUV420P10), 3);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(reinterpret_cast<const uint8_t*>(frame.planes[i].u16.data), data[i]);
}

TEST(FfmpegFrame, ReadsPicturesStoredBottomUp) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_P010LE, AV_PIX_FMT_UYVY422}) {
    AvPtr<AVFrame> picture = make_picture(format);
    const auto expected = write_noise(*picture, 0, {kWidth, kHeight});
    picture->data[0] += ptrdiff_t{picture->linesize[0]} * (kHeight - 1);
    picture->linesize[0] = -picture->linesize[0];
    const Frame frame = make_frame(std::move(picture), picture_layout(format), 1);
    for (int y = 0; y < kHeight; ++y)
      EXPECT_EQ(sample_at(frame.luma(), 5, y), expected[static_cast<size_t>((kHeight - 1 - y) * kWidth + 5)]);
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
  const std::pair<AVPixelFormat, Chroma> formats[] = {
      {AV_PIX_FMT_YUV420P, Chroma::k420},  {AV_PIX_FMT_P210LE, Chroma::k422},
      {AV_PIX_FMT_YUVA444P, Chroma::k444}, {AV_PIX_FMT_YA8, Chroma::k400},
      {AV_PIX_FMT_YUV440P, Chroma::k440},  {AV_PIX_FMT_YUV411P, Chroma::k411},
      {AV_PIX_FMT_YUV410P, Chroma::k410}};
  for (const auto& [format, chroma] : formats) EXPECT_EQ(picture_layout(format).chroma, chroma);
  EXPECT_TRUE(picture_layout(AV_PIX_FMT_YUVJ422P).full_range);
  EXPECT_FALSE(picture_layout(AV_PIX_FMT_YUV422P).full_range);
  EXPECT_EQ(map_range(AVCOL_RANGE_MPEG), Range::kLimited);
  EXPECT_EQ(map_range(AVCOL_RANGE_JPEG), Range::kFull);
  const std::pair<AVColorTransferCharacteristic, Transfer> curves[] = {
      {AVCOL_TRC_SMPTE2084, Transfer::kPq},     {AVCOL_TRC_ARIB_STD_B67, Transfer::kHlg},
      {AVCOL_TRC_LINEAR, Transfer::kLinear},    {AVCOL_TRC_BT2020_12, Transfer::kBt1886},
      {AVCOL_TRC_LOG, Transfer::kOther},        {AVCOL_TRC_UNSPECIFIED, Transfer::kUnspecified},
      {AVCOL_TRC_IEC61966_2_1, Transfer::kSrgb}};
  for (const auto& [tag, curve] : curves) EXPECT_EQ(map_transfer(tag), curve) << tag;
  const std::pair<AVColorSpace, Matrix> matrices[] = {
      {AVCOL_SPC_SMPTE170M, Matrix::kBt601}, {AVCOL_SPC_BT470BG, Matrix::kBt601},
      {AVCOL_SPC_BT709, Matrix::kBt709},     {AVCOL_SPC_BT2020_NCL, Matrix::kBt2020},
      {AVCOL_SPC_YCGCO, Matrix::kOther},     {AVCOL_SPC_UNSPECIFIED, Matrix::kUnspecified}};
  for (const auto& [tag, matrix] : matrices) EXPECT_EQ(map_matrix(tag), matrix) << tag;
}

// Pictures in memory that somebody else has: the same samples, and where they should be.

using vq::test::has_stored_stride;
using vq::test::HostStore;
using vq::test::lies_in_place;

struct Coded {
  const char* name;
  bool placed = true;       // in the store
  bool device_rows = true;  // with rows as devices want them
};

// Everything that there is a decoder for.
std::vector<std::pair<std::string, Coded>> videos() {
  std::vector<std::pair<std::string, Coded>> all;
  for (const Coded& clip :
       {Coded{"sky_640x360_8b.mp4"}, Coded{"clouds_1920x1080_10b.mp4"}, Coded{"textured_417x235_8b.mkv"},
        Coded{"colour_640x360_444_ref.mp4"}, Coded{"dusk_1280x720_8b.webm"}, Coded{"sky_480x270_9b.mkv"}}) {
    all.emplace_back(clip_path(clip.name), clip);
  }
  // What libdav1d decodes lies in memory of its own; samples of other layouts are rearranged.
  all.emplace_back(clip_path("sky_1920x1080_8b_av1.mp4"), Coded{"sky_1920x1080_8b_av1.mp4", false, false});
  for (const Coded& file :
       {Coded{"h264.mkv"}, Coded{"hevc.mkv"}, Coded{"ffv1.mkv"}, Coded{"interlaced.mp4"}, Coded{"crop.mp4"},
        Coded{"nv12.nut", false, false}, Coded{"yuv420p10be.nut", false, false}}) {
    all.emplace_back(format_path(file.name), file);
  }
  return all;
}

TEST(PictureMemory, ChangesNoSampleWhereverPicturesLie) {
  for (const auto& [path, video] : videos()) {
    for (const int threads : {1, 4}) {
      const Outcome plain = read_all(options_for(path, threads, 3));
      ASSERT_EQ(plain.code, 0) << plain.message;
      for (const int refuses : {0, 3, 1}) {
        SCOPED_TRACE(path + ", " + std::to_string(threads) + " threads, refuses " + std::to_string(refuses));
        const auto store = std::make_shared<HostStore>(refuses);
        SourceOptions options = options_for(path, threads, 3);
        options.store = store;
        EXPECT_TRUE(read_all(options) == plain);
        EXPECT_EQ(store->held(), 0);
        if (video.placed) {
          EXPECT_GE(static_cast<size_t>(store->asked), plain.indices.size());
        }
      }
    }
  }
}

TEST(PictureMemory, FramesSayWhereTheyLie) {
  for (const auto& [path, video] : videos()) {
    SCOPED_TRACE(path);
    const auto store = std::make_shared<HostStore>();
    SourceOptions options = options_for(path, 1, 3);
    options.store = store;
    const auto source = open_video(options);
    const std::optional<Frame> frame = source->read();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->place != nullptr, video.placed);
    for (int i = 0; video.placed && i < plane_count(source->info().format.chroma); ++i) {
      EXPECT_TRUE(lies_in_place(*frame, i));
      if (video.device_rows) {
        EXPECT_TRUE(has_stored_stride(*frame, i)) << "plane " << i;
      }
    }
  }
}

TEST(PictureMemory, PicturesOutliveTheDecoder) {
  const auto store = std::make_shared<HostStore>();
  SourceOptions options = options_for(format_path("h264.mkv"), 4, 3);
  options.store = store;
  auto source = open_video(options);
  std::vector<Frame> frames;
  while (std::optional<Frame> frame = source->read()) frames.push_back(std::move(*frame));
  source.reset();
  EXPECT_EQ(static_cast<size_t>(store->held()), frames.size());
  uint32_t crc = 0;
  for (const Frame& frame : frames) crc = luma_crc(frame, crc);
  EXPECT_EQ(crc, read_all(options_for(format_path("h264.mkv"), 1, 3)).crc);
  frames.clear();
  EXPECT_EQ(store->held(), 0);
}

TEST(PictureMemory, DamageIsJudgedAsEver) {
  std::vector<uint8_t> bytes = file_bytes(format_path("h264.mkv"));
  for (size_t at = bytes.size() / 2; at < bytes.size() / 2 + 40; ++at) bytes[at] ^= 0x55;
  SourceOptions options;
  options.threads = 4;
  options.allow_damage = true;
  const Outcome plain = read_bytes(bytes, options);
  const auto store = std::make_shared<HostStore>();
  options.store = store;
  EXPECT_TRUE(read_bytes(bytes, options) == plain);
  EXPECT_EQ(store->held(), 0);
}

TEST(PictureMemory, UncompressedVideoLiesThereAsWell) {
  for (const int depth : {8, 10}) {
    for (const char* chroma : {"400", "420", "444"}) {
      const test::VideoShape shape{
          .width = 37, .height = 11, .frames = 3, .bit_depth = depth, .chroma = chroma};
      const std::string text = test::y4m_video(shape);
      for (const int refuses : {0, 2, 1}) {
        SourceOptions options = options_for("input", 1, 3);
        const Outcome plain = read_bytes(text_bytes(text), options);
        const auto store = std::make_shared<HostStore>(refuses);
        options.store = store;
        EXPECT_TRUE(read_bytes(text_bytes(text), options) == plain);
        EXPECT_EQ(store->asked, shape.frames);
        EXPECT_EQ(store->held(), 0);
      }
      SourceOptions options = options_for("input", 1, 3);
      options.store = std::make_shared<HostStore>();
      const auto source = open_bytes(text_bytes(text), options);
      const std::optional<Frame> frame = source->read();
      ASSERT_TRUE(frame);
      for (int i = 0; i < plane_count(source->info().format.chroma); ++i)
        EXPECT_TRUE(lies_in_place(*frame, i) && has_stored_stride(*frame, i)) << chroma << ", plane " << i;
    }
  }
}

// It is known only once the first pictures are there, of which those after them are made.
TEST(PictureMemory, AStoreMayComeAndGo) {
  const uint32_t expected = read_all(options_for(format_path("h264.mkv"), 1, 3)).crc;
  uint32_t crc = 0;
  FrameReader queue(options_for(format_path("h264.mkv"), 1, 3), {.capacity = 1});
  queue.start();
  const auto store = std::make_shared<HostStore>();
  bool placed = false, gone = false;
  int64_t count = 0;
  while (const std::optional<Frame> frame = queue.next({})) {
    EXPECT_EQ(frame->index, count++);
    crc = luma_crc(*frame, crc);
    if (count == 2) queue.use_store(store);
    if (frame->place != nullptr && !std::exchange(placed, true)) queue.use_store(nullptr);
    gone = placed && frame->place == nullptr;
  }
  EXPECT_TRUE(placed && gone);
  EXPECT_EQ(crc, expected);
}

}  // namespace
}  // namespace vq::cli
