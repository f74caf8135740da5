extern "C" {
#include <libavutil/imgutils.h>
}

#include "cli/decoding/ffmpeg_log.h"
#include "tests/support/test.h"

namespace vq::cli {
namespace {

// What a line tells of.
enum class Tells { kNothing, kDamage, kHardware, kStreams, kSize };

Tells meaning_of(const std::string& line) {
  if (is_harmless(line)) return Tells::kNothing;
  if (tells_of_hardware(line)) return Tells::kHardware;
  if (tells_of_too_many_streams(line)) return Tells::kStreams;
  return tells_of_too_large_a_picture(line) ? Tells::kSize : Tells::kDamage;
}

// Of FFmpeg 5.1 and 7.1.
TEST(FfmpegLog, KnowsWhatLinesTellOf) {
  const std::pair<Tells, const char*> lines[] = {
      {Tells::kNothing, "SEI type 5 size 800 truncated at 64"},
      {Tells::kNothing, "Unsupported User Data Registered ITU-T T35 SEI message (country_code = 38)"},
      {Tells::kNothing, "Truncated VUI (3)"},
      {Tells::kNothing, "Invalid ICC_PROFILE header in APP2"},
      {Tells::kNothing, "Error parsing DOVI NAL unit."},
      {Tells::kNothing, "Error parsing DOVI OBU."},  // 7.1
      {Tells::kNothing, "Not enough memory for closed captions, skipping"},
      {Tells::kNothing, "mmco: unref short failure"},
      {Tells::kNothing, "warning: first frame is no keyframe"},
      {Tells::kDamage, "error while decoding MB 12 3, bytestream -5"},
      {Tells::kDamage, "Invalid NAL unit size (40211 > 1200)."},
      {Tells::kDamage, "cabac decode of qscale diff failed at 0 0"},
      {Tells::kDamage, "mmco: unref long failure"},
      {Tells::kDamage, "Could not find ref with POC 12"},
      {Tells::kDamage, "ac-tex damaged at 3 7"},
      {Tells::kDamage, "Reference not available for error concealing"},
      {Tells::kDamage, "illegal reordering_of_pic_nums_idc 5"},
      {Tells::kHardware, "Failed setup for format cuda: hwaccel initialisation returned error."},
      {Tells::kHardware, "Hardware is lacking required capabilities"},
      {Tells::kHardware, "hardware accelerator failed to decode picture"},
      {Tells::kHardware, "No decoder surfaces left"},
      {Tells::kHardware,
       "decoder->cvdl->cuvidDecodePicture(decoder->decoder, &ctx->pic_params) failed -> "
       "CUDA_ERROR_UNKNOWN: unknown error"},
      {Tells::kHardware, "Failed to sync surface 0x3: 1 (operation failed)."},
      {Tells::kStreams,
       "Number of streams exceeds max_streams parameter (257), see the documentation if you "
       "wish to increase it"},
      {Tells::kStreams, "Error stream_count is (300)"},
      {Tells::kStreams, "Number of tracks exceeds max_streams (257)"},  // 7.1
      {Tells::kSize,
       "Picture size 16384x16384 exceeds specified max pixel count 1000, see the documentation "
       "if you wish to increase it"},
      {Tells::kSize, "Picture size 2147483647x2147483647 is invalid"},
      {Tells::kSize, "Picture size 0x0 is invalid"}};
  for (const auto& [tells, line] : lines) EXPECT_EQ(meaning_of(line), tells) << line;
  EXPECT_TRUE(tells_of_concealment("concealing %d DC, %d AC, %d MV errors in %c frame\n"));
  EXPECT_FALSE(tells_of_concealment("Reference not available for error concealing\n"));
  EXPECT_TRUE(tells_of_failed_grain("Failed synthesizing film grain, ignoring: %s\n"));
  EXPECT_FALSE(tells_of_failed_grain("Unsupported film grain parameters. Ignoring film grain.\n"));
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

}  // namespace
}  // namespace vq::cli
