#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

extern "C" {
#include <libavutil/imgutils.h>
}

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/open_video.h"
#include "tests/support/bad_input.h"

namespace vq::cli {
namespace {

// Lines of FFmpeg 5.1 and 7.1; where only one of them writes a line, it stands behind.
TEST(FfmpegLog, KnowsLinesThatSayNothingAgainstThePicture) {
  for (const char* line :
       {"SEI type 5 size 800 truncated at 64",
        "Unsupported User Data Registered ITU-T T35 SEI message (country_code = 38)", "Truncated VUI (3)",
        "Invalid ICC_PROFILE header in APP2", "Error parsing DOVI NAL unit.",
        "Error parsing DOVI OBU.",  // 7.1
        "Not enough memory for closed captions, skipping", "mmco: unref short failure",
        "warning: first frame is no keyframe"}) {
    EXPECT_TRUE(is_harmless(line)) << line;
  }
  for (const char* line :
       {"error while decoding MB 12 3, bytestream -5", "Invalid NAL unit size (40211 > 1200).",
        "cabac decode of qscale diff failed at 0 0", "mmco: unref long failure",
        "Could not find ref with POC 12", "ac-tex damaged at 3 7",
        "Reference not available for error concealing", "Picture size 0x0 is invalid"}) {
    EXPECT_FALSE(is_harmless(line)) << line;
  }
}

TEST(FfmpegLog, KnowsConcealment) {
  EXPECT_TRUE(tells_of_concealment("concealing %d DC, %d AC, %d MV errors in %c frame\n"));
  EXPECT_FALSE(tells_of_concealment("Reference not available for error concealing\n"));
}

TEST(FfmpegLog, KnowsWhatHardwareFailsWith) {
  for (const char* line : {"Failed setup for format cuda: hwaccel initialisation returned error.",
                           "Hardware is lacking required capabilities",
                           "hardware accelerator failed to decode picture", "No decoder surfaces left",
                           "decoder->cvdl->cuvidDecodePicture(decoder->decoder, &ctx->pic_params) failed -> "
                           "CUDA_ERROR_UNKNOWN: unknown error",
                           "Failed to sync surface 0x3: 1 (operation failed)."}) {
    EXPECT_TRUE(tells_of_hardware(line)) << line;
  }
  for (const char* line :
       {"error while decoding MB 12 3, bytestream -5", "Invalid NAL unit size (40211 > 1200).",
        "Could not find ref with POC 12", "illegal reordering_of_pic_nums_idc 5"}) {
    EXPECT_FALSE(tells_of_hardware(line)) << line;
  }
}

// VA-API's devices keep something of their own where CUDA's have the log.
TEST(FfmpegLog, HearsTheDevicesThatHaveRoomForIt) {
  install_ffmpeg_log();
  for (const AVHWDeviceType type : {AV_HWDEVICE_TYPE_CUDA, AV_HWDEVICE_TYPE_VAAPI}) {
    AVBufferRef* const buffer = av_hwdevice_ctx_alloc(type);
    if (buffer == nullptr) continue;  // this FFmpeg has none
    auto& device = *reinterpret_cast<AVHWDeviceContext*>(buffer->data);
    FfmpegLog log;
    device.user_opaque = &log;
    av_log(&device, AV_LOG_ERROR, "a call failed -> CUDA_ERROR_UNKNOWN\n");
    EXPECT_EQ(log.errors(), has_log(device) ? 1 : 0);
    device.user_opaque = nullptr;
    AVBufferRef* gone = buffer;
    av_buffer_unref(&gone);
  }
}

TEST(FfmpegLog, KnowsRefusalsOfTooMuch) {
  const char* const kStreams =
      "Number of streams exceeds max_streams parameter (257), see the documentation if you wish to increase "
      "it";
  for (const char* line :
       {kStreams, "Error stream_count is (300)", "Number of tracks exceeds max_streams (257)"}) {  // 7.1
    EXPECT_TRUE(tells_of_too_many_streams(line)) << line;
    EXPECT_FALSE(tells_of_too_large_a_picture(line)) << line;
  }
  const char* const kPixels =
      "Picture size 16384x16384 exceeds specified max pixel count 1000, see the documentation if you wish to "
      "increase it";
  for (const char* line : {kPixels, "Picture size 2147483647x2147483647 is invalid"}) {
    EXPECT_TRUE(tells_of_too_large_a_picture(line)) << line;
    EXPECT_FALSE(tells_of_too_many_streams(line)) << line;
  }
}

// The FFmpeg that is installed says so in the same words.
TEST(FfmpegLog, UnderstandsALimitOnStreams) {
  install_ffmpeg_log();
  FfmpegLog log;
  const AvPtr<AVFormatContext> container(avformat_alloc_context());
  container->opaque = &log;
  container->max_streams = 1;
  ASSERT_NE(avformat_new_stream(container.get(), nullptr), nullptr);
  EXPECT_EQ(log.errors(), 0);
  ASSERT_EQ(avformat_new_stream(container.get(), nullptr), nullptr);
  EXPECT_EQ(log.errors(), 1);
  EXPECT_TRUE(tells_of_too_many_streams(log.first())) << log.first();
}

TEST(FfmpegLog, UnderstandsALimitOnThePicture) {
  install_ffmpeg_log();
  for (const int side : {100, 1 << 30}) {
    FfmpegLog log;
    const AvPtr<AVCodecContext> codec(avcodec_alloc_context3(nullptr));
    codec->opaque = &log;
    EXPECT_LT(
        av_image_check_size2(static_cast<unsigned>(side), 100, 9999, AV_PIX_FMT_YUV420P, 0, codec.get()), 0);
    EXPECT_EQ(log.errors(), 1);
    EXPECT_TRUE(tells_of_too_large_a_picture(log.first())) << log.first();
  }
}

// Allocations that fail count for the decoders that are at work then, and for no others.

// As one of FFmpeg's: the program itself may have that in it.
void fail_once() {
  void* memory = nullptr;
  const volatile size_t most = SIZE_MAX / 4;
  ASSERT_NE(posix_memalign(&memory, 64, most), 0);
}

int64_t frames_of(VideoSource& source) {
  int64_t count = 0;
  while (source.read()) ++count;
  return count;
}

class AllocationWatchTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (test::kSanitized) GTEST_SKIP() << "sanitizers have allocators of their own";
    options_.path = folder_.path() + "/a.mp4";
    test::run_ffmpeg(
        "-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 60 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -g "
        "10 -threads 1 " +
        options_.path);
    options_.decoders = GetParam();
    options_.threads = GetParam();
  }
  test::TemporaryFolder folder_;
  SourceOptions options_;
};

TEST_P(AllocationWatchTest, OneFailureDoesNotFailLaterDecoders) {
  const int64_t frames = frames_of(*open_video(options_));
  ASSERT_GT(frames, 0);
  const AllocationWatch before;
  fail_once();
  EXPECT_TRUE(before.has_failed());
  EXPECT_FALSE(AllocationWatch().has_failed());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(frames_of(*open_video(options_)), frames);
}

TEST_P(AllocationWatchTest, AFailureEndsTheDecoderThatIsAtWork) {
  const std::unique_ptr<VideoSource> source = open_video(options_);
  fail_once();
  EXPECT_THROW(frames_of(*source), std::bad_alloc);
}

INSTANTIATE_TEST_SUITE_P(Decoders, AllocationWatchTest, testing::Values(1, 3));

}  // namespace
}  // namespace vq::cli
