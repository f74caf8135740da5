#include <regex>

#include "cli/decoding/ffmpeg_decoder.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/parallel/stream_split.h"
#include "tests/support/bad_input.h"
#include "tests/support/hardware_double.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

SourceOptions software_options(const std::string& path) {
  SourceOptions options = options_for(path, 0, 3);
  options.hardware.decoder = DecoderRequest::kSoftware;
  return options;
}

SourceOptions hardware_options(const std::string& path, std::shared_ptr<HardwareApi> api,
                               DecoderRequest request = DecoderRequest::kAuto) {
  SourceOptions options = software_options(path);
  options.hardware.decoder = request;
  options.hardware.devices.emplace_back().name = "the double's";
  options.hardware.api = std::move(api);
  return options;
}

std::shared_ptr<HardwareDouble> make_double(const HardwarePlan& plan = {}) {
  return std::make_shared<HardwareDouble>(plan);
}

const char* const kHardwareClips[] = {"sky_640x360_8b.mp4",         "sky_640x360_full_range.mp4",
                                      "sky_640x360_10b.mkv",        "colour_640x360_422_ref.mp4",
                                      "colour_640x360_444_ref.mp4", "bars_windowbox_417x235_10b.mkv",
                                      "dusk_1280x720_8b.webm",      "clouds_1920x1080_10b.mp4"};

// Of each frame every sample of every plane.
std::vector<uint32_t> sums_of(const SourceOptions& options) { return rest_of(*open_video(options)); }

TEST(HardwareDecoding, GivesTheSamplesOfSoftware) {
  for (const char* clip : kHardwareClips) {
    SCOPED_TRACE(clip);
    const auto api = make_double();
    const std::vector<uint32_t> expected = sums_of(software_options(clip_path(clip)));
    EXPECT_EQ(sums_of(hardware_options(clip_path(clip), api)), expected);
    EXPECT_EQ(api->pictures(), static_cast<int>(expected.size()));
    SourceOptions luma = hardware_options(clip_path(clip), api),
                  software_luma = software_options(clip_path(clip));
    luma.planes = software_luma.planes = 1;
    EXPECT_EQ(sums_of(luma), sums_of(software_luma));
  }
}

// As where the device is opened while the first pictures are decoded; one decoder, and several that share the
// stream, of which each device opens its own share.
TEST(HardwareDecoding, PicturesThatStayAtDevicesAreThoseOfSoftware) {
  for (const char* clip : kHardwareClips) {
    const std::vector<uint32_t> expected = sums_of(software_options(clip_path(clip)));
    for (const auto& [devices, decoders] : {std::pair(1, 1), {1, 3}, {2, 1}, {2, 2}, {2, 5}}) {
      SCOPED_TRACE(words("{}, {} devices, {} decoders", clip, devices, decoders));
      const auto api = make_double({.keeps_from = 1});
      SourceOptions options = hardware_options(clip_path(clip), api);
      options.decoders = decoders;
      if (devices == 2) {
        options.hardware.devices.push_back(options.hardware.devices.front());
        options.hardware.devices.back().name = "another";
        options.hardware.turns = std::make_shared<DeviceTurns>(2);
      }
      EXPECT_EQ(sums_of(options), expected);
      EXPECT_EQ(api->pictures(), static_cast<int>(expected.size()));
      for (const auto& [device, sessions] : api->sessions_of_devices())
        EXPECT_LE(sessions, std::max(1, (decoders + devices - 1) / devices)) << device;
    }
  }
}

TEST(HardwareDecoding, DescribesTheVideoAsSoftwareDoes) {
  for (const char* clip : kHardwareClips) {
    SCOPED_TRACE(clip);
    const auto source = open_video(hardware_options(clip_path(clip), make_double()));
    const auto expected = open_video(software_options(clip_path(clip)));
    const VideoInfo &info = source->info(), &other = expected->info();
    EXPECT_EQ(info.pixel_format, other.pixel_format);
    EXPECT_EQ(info.format.bit_depth, other.format.bit_depth);
    EXPECT_EQ(info.format.width, other.format.width);
    EXPECT_EQ(info.format.height, other.format.height);
    EXPECT_EQ(info.format.chroma, other.format.chroma);
    EXPECT_EQ(info.format.range, other.format.range);
    EXPECT_EQ(info.encoder, other.encoder);
    EXPECT_EQ(info.decoder, other.decoder + " (double)");
    EXPECT_EQ(info.decoder_note, "decoding with double (--decoder software uses the CPU)");
    EXPECT_EQ(other.decoder_note, "");
  }
}

TEST(HardwareDecoding, WhoDecodesMayBeDecidedAfterALook) {
  for (const char* clip : kHardwareClips) {
    for (const bool begins_on_hardware : {false, true}) {
      SCOPED_TRACE(std::string(clip) + (begins_on_hardware ? ", from hardware" : ", from software"));
      const auto api = make_double();
      const SourceOptions hardware = hardware_options(clip_path(clip), api),
                          software = software_options(clip_path(clip));
      const auto source = open_video(begins_on_hardware ? hardware : software);
      const auto expected = open_video(begins_on_hardware ? software : hardware);
      source->decode_by(begins_on_hardware ? software : hardware);
      EXPECT_EQ(source->info().decoder, expected->info().decoder);
      EXPECT_EQ(source->info().decoder_note, expected->info().decoder_note);
      EXPECT_EQ(source->report().warnings, expected->report().warnings);
      EXPECT_EQ(rest_of(*source), sums_of(software));
      EXPECT_EQ(source->report().decoders, expected->info().decoder);
    }
  }
}

TEST(SeveralDecoders, MayBeDecidedAfterALook) {
  SourceOptions options = software_options(clip_path("clouds_1280x720_8b_ref.mp4"));
  const std::vector<uint32_t> expected = sums_of(options);
  options.threads = options.decoders = 1;
  const auto source = open_video(options);
  ASSERT_EQ(source->report().decoder_count, 1);
  options.threads = 4;
  options.decoders = 3;
  source->decode_by(options);
  EXPECT_EQ(rest_of(*source), expected);
}

TEST(HardwareDecoding, WithoutADeviceAutoTakesNoneAndHardwareAny) {
  for (const DecoderRequest request : {DecoderRequest::kAuto, DecoderRequest::kHardware}) {
    const bool is_asked_for = request == DecoderRequest::kHardware;
    const auto api = make_double();
    SourceOptions options = hardware_options(clip_path("sky_640x360_8b.mp4"), api, request);
    options.hardware.devices.clear();
    const Outcome outcome = read_all(options);
    EXPECT_EQ(api->sessions() > 0, is_asked_for);
    EXPECT_EQ(outcome.info.decoder_note, "");
    EXPECT_EQ(outcome.info.decoder, is_asked_for ? "h264 (double)" : "h264");
  }
}

// What hardware refuses before the first picture.
struct Refusal {
  HardwarePlan plan;
  std::string reason;
};

std::vector<Refusal> refusals() {
  const std::string format = "double does not decode h264 of yuv420p, 640x368",
                    gone = "double failed to hand out a picture: the device is gone";
  const std::string lacking = "Hardware is lacking required capabilities",
                    memory = "cuda cannot open device 0 (out of memory)";
  return {{{.refuses_to_open = memory}, memory},
          {{.refuses_format_at = 0}, format},
          {{.refuses_format_at = 0, .logs_before_refusal = lacking}, format + " (" + lacking + ")"},
          {{.fails_at = 0, .code = AVERROR(ENOMEM)}, gone},
          {{.fails_at = 0}, gone}};
}

TEST(HardwareDecoding, WhatItRefusesSoftwareTakesOverUnlessItWasAskedFor) {
  const std::string path = clip_path("sky_640x360_8b.mp4");
  const Outcome expected = read_all(software_options(path));
  for (const Refusal& refusal : refusals()) {
    const Outcome outcome = read_all(hardware_options(path, make_double(refusal.plan)));
    EXPECT_EQ(outcome, expected);
    EXPECT_EQ(outcome.info.decoder, "h264");
    EXPECT_EQ(outcome.info.decoder_note, "decoding in software: " + refusal.reason);
    const Outcome asked =
        read_all(hardware_options(path, make_double(refusal.plan), DecoderRequest::kHardware));
    EXPECT_FALSE(asked.opened);
    EXPECT_THAT(asked, Ends(4, testing::EndsWith("cannot be decoded by hardware: " + refusal.reason +
                                                 ". Try: --decoder auto")));
  }
  EXPECT_EQ(read_all(hardware_options(path, nullptr, DecoderRequest::kHardware)).code, 4);
}

// What happens in the middle of a stream.
std::vector<Refusal> failures(int at) {
  const std::string gone = "double failed to hand out a picture: the device is gone",
                    failed = "hardware accelerator failed to decode picture";
  return {{{.fails_at = at}, gone},
          {{.fails_at = at, .code = AVERROR(ENOMEM)}, gone},
          {{.fails_at = at, .logs_at_failure = failed}, failed}};
}

// What both decoders say, without the change from one to the other.
Outcome without_the_change(Outcome outcome) {
  std::erase_if(outcome.warnings, [](const std::string& line) {
    return line.find("goes on in software") != std::string::npos;
  });
  return outcome;
}

TEST(HardwareDecoding, SoftwareGoesOnWhereHardwareFails) {
  const std::string path = clip_path("sky_640x360_8b.mp4");
  const std::vector<uint32_t> expected = read_all(software_options(path)).crcs;
  for (const int at : {1, 5, 11}) {
    for (const Refusal& failure : failures(at)) {
      SCOPED_TRACE(std::to_string(at) + " " + failure.reason);
      const auto source = open_video(hardware_options(path, make_double(failure.plan)));
      std::vector<uint32_t> crcs;
      int64_t index = 0;
      while (const auto frame = source->read()) {
        EXPECT_EQ(frame->index, index++);
        crcs.push_back(planes_crc(*frame));
      }
      EXPECT_EQ(crcs, expected);
      EXPECT_EQ(source->info().decoder, "h264 (double)");
      EXPECT_EQ(source->report().decoders, "h264 (double), h264");
      EXPECT_THAT(source->report().warnings,
                  ElementsAre(path + ": decoding goes on in software: " + failure.reason));
    }
  }
}

TEST(HardwareDecoding, AFailureIsAnErrorWhereHardwareWasAskedFor) {
  const std::string path = clip_path("sky_640x360_8b.mp4");
  for (const Refusal& failure : failures(5)) {
    const Outcome outcome =
        read_all(hardware_options(path, make_double(failure.plan), DecoderRequest::kHardware));
    EXPECT_TRUE(outcome.opened);
    EXPECT_THAT(outcome, Ends(4, HasSubstr(failure.reason)));
    EXPECT_LE(outcome.indices.size(), 5u);
    EXPECT_THAT(outcome.warnings, IsEmpty());
  }
}

// Software tells what is wrong with a stream, whatever decoded it before.
TEST(HardwareDecoding, DamageAndEndsAreToldAsWithSoftware) {
  std::vector<uint8_t> damaged = file_bytes(clip_path("sky_640x360_8b.mp4"));
  for (size_t i = damaged.size() / 2; i < damaged.size() / 2 + 60; ++i) damaged[i] ^= 0x5A;
  std::vector<uint8_t> cut = file_bytes(format_path("faststart.mp4"));
  cut.resize(cut.size() * 2 / 3);
  const std::vector<uint8_t> grain = file_bytes(format_path("grain.h264"));
  const auto without_end = [&](size_t bytes) {
    return std::vector<uint8_t>(grain.begin(), grain.end() - static_cast<ptrdiff_t>(bytes));
  };
  const struct {
    std::vector<uint8_t> bytes;
    bool is_whole;
  } streams[] = {
      {damaged, false}, {cut, false}, {grain, true}, {without_end(40), false}, {without_end(200), false}};
  for (const auto& [bytes, is_whole] : streams) {
    for (const bool allow : {false, true}) {
      SourceOptions software = software_options(""), hardware = hardware_options("", make_double());
      software.allow_damage = hardware.allow_damage = allow;
      software.film_grain = hardware.film_grain = false;
      const Outcome expected = read_bytes(bytes, software);
      EXPECT_EQ(expected.message.empty() && expected.warnings.empty(), is_whole);
      EXPECT_EQ(without_the_change(read_bytes(bytes, hardware)), expected);
    }
  }
  const std::string other_size = format_path("size_change.h264");
  EXPECT_EQ(without_the_change(read_all(hardware_options(other_size, make_double()))),
            read_all(software_options(other_size)));
}

TEST(HardwareDecoding, FilmGrainIsAddedInSoftware) {
  for (const char* clip : {"grain.h264", "grain.hevc"}) {
    const std::string path = format_path(clip);
    const Outcome outcome = read_all(hardware_options(path, make_double()));
    EXPECT_EQ(outcome.crcs, read_all(software_options(path)).crcs) << clip;
    EXPECT_EQ(outcome.info.decoder_note, "decoding in software: it has film grain, which software adds");
    SourceOptions without = hardware_options(path, make_double());
    without.film_grain = false;
    EXPECT_THAT(read_all(without).info.decoder, HasSubstr("(double)"));
  }
}

TEST(HardwareDecoding, APipeIsLeftToSoftware) {
  const std::vector<uint8_t> bytes = file_bytes(format_path("h264.mkv"));
  const auto api = make_double();
  const Outcome outcome = read_bytes(bytes, hardware_options("", api), false);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.info.decoder, "h264");
  EXPECT_EQ(api->sessions(), 0);
  EXPECT_THAT(read_bytes(bytes, hardware_options("", api, DecoderRequest::kHardware), false),
              Ends(4, HasSubstr("pipe")));
}

TEST(HardwareDecoding, LeavesCodecsAloneWhoseDecodersMayDiffer) {
  for (const AVCodecID codec : {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9})
    EXPECT_TRUE(is_exact(codec));
  HardwareRequest request;
  request.decoder = DecoderRequest::kHardware;
  for (const AVCodecID codec : {AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MJPEG, AV_CODEC_ID_MPEG4})
    EXPECT_THROW(ffmpeg_hardware()->open(request, codec, 0), HardwareRefusal);
}

// No decoder of hardware could have been hoped for, so nothing is said of it.
TEST(HardwareDecoding, AutoSaysNothingOfSuchCodecs) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/frames.avi";
  test::run_ffmpeg("-f lavfi -i testsrc=s=128x96:d=0.2 -c:v mjpeg " + path);
  const Outcome outcome = read_all(hardware_options(path, make_double()));
  EXPECT_EQ(outcome, read_all(software_options(path)));
  EXPECT_EQ(outcome.info.decoder_note, "");
}

TEST(HardwareDecoding, KnowsWhatFitsAVendor) {
  vulkan::DeviceInfo device;
  for (const auto& [vendor, hwaccel] : {std::pair(0x10DE, "cuda"), {0x1002, "vaapi"}, {0x8086, "vaapi"}}) {
    device.vendor = static_cast<uint32_t>(vendor);
    EXPECT_THAT(hwaccels_for(device), ElementsAre(hwaccel, "vulkan"));
  }
}

// A GPU that is not there.
TEST(HardwareDecoding, FfmpegSaysWhyADeviceCannotBeOpened) {
  HardwareRequest request;
  request.decoder = DecoderRequest::kAuto;
  vulkan::DeviceInfo& device = request.devices.emplace_back();
  device.index = 7;
  device.name = "Imaginary";
  device.vendor = 0x10DE;
  device.uuid = {1, 2, 3};
  device.render_node = "/dev/dri/renderD999";
  // FFmpeg may lack any of them; CUDA is asked for the device by name.
  for (const auto& [hwaccel, reason] : {std::pair{"", "(.*cuda|Imaginary: .+); .*vulkan.*"},
                                        {"cuda", ".*cuda|Imaginary: .+"},
                                        {"vaapi", "vaapi cannot open device /dev/dri/renderD999 .*|.* vaapi"},
                                        {"no_such", "this FFmpeg has no no_such"}}) {
    request.hwaccel = hwaccel;
    try {
      ffmpeg_hardware()->open(request, AV_CODEC_ID_HEVC, 0);
      ADD_FAILURE() << hwaccel;
    } catch (const HardwareRefusal& refusal) {
      EXPECT_TRUE(std::regex_match(refusal.what(), std::regex(reason))) << refusal.what();
    }
  }
}

class DecoderProgram : public test::FolderTest {
 protected:
  test::ProgramResult run(std::vector<std::string> words) {
    words.insert(words.begin(), {clip_path("small_256x144_8b.mp4"), "-o", report_, "--extended", "-q"});
    return test::run_program(words);
  }
  std::string decoder() const { return test::read_json(report_)["run"]["inputs"][0]["decoder"]; }
  const std::string report_ = in_folder("r.json");
};

TEST_F(DecoderProgram, IsSoftwareOnTheCpuWithoutAWord) {
  for (const char* request : {"auto", "software"}) {
    const test::ProgramResult result = run({"--backend", "cpu", "--decoder", request});
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(decoder(), "h264");
  }
}

TEST_F(DecoderProgram, HardwareDecodesOrIsAnError) {
  const test::ProgramResult result = run({"--backend", "cpu", "--decoder", "hardware"});
  if (result.code == 0) {
    EXPECT_THAT(decoder(), HasSubstr("("));
  } else {
    EXPECT_THAT(result, test::Ends(4, AllOf(HasSubstr("cannot be decoded by hardware: "),
                                            testing::EndsWith("Try: --decoder auto\n"))));
  }
}

TEST_F(DecoderProgram, EveryKindOfRunTakesTheFlags) {
  const std::string video = clip_path("small_256x144_8b.mp4");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"compare", video, video, "--json"},
        {"compare", video, "-r", video, video, "--feature", "cambi", "--json"},
        {"gate", video, "--backends", "cpu,scalar"},
        {"batch", video, "--reports", in_folder("reports")}}) {
    std::vector<std::string> with_flag = words;
    with_flag.insert(with_flag.end(), {"--decoder", "software"});
    EXPECT_EQ(test::run_program(with_flag).code, 0) << words.front();
    with_flag.insert(with_flag.end(), {"--hwaccel", hwaccel_names().front()});
    EXPECT_EQ(test::run_program(with_flag).code, 1) << words.front();
  }
}

// Pictures as hardware hands them out, of formats for which there is no clip, and cropped on every side.
class FixedSession final : public HardwareSession {
 public:
  explicit FixedSession(AVPixelFormat memory) : memory_(memory) {}
  const std::string& hwaccel() const override { return name_; }
  const AVCodec& codec() const override { return *avcodec_find_decoder(AV_CODEC_ID_HEVC); }
  void attach(AVCodecContext&) override {}
  AVPixelFormat choose(const AVCodecContext&, const AVPixelFormat* offered) override { return *offered; }
  HostFormat host_format(const AVFrame&) const override { return {memory_, 64, 48}; }
  Fetched fetch(const AVFrame& picture, AVFrame& host) override {
    AvPtr<AVFrame> whole(av_frame_clone(&picture));
    whole->width = 64;
    whole->height = 48;
    lay_out(*whole, host);
    return {};
  }

 private:
  const std::string name_ = "fixed";
  const AVPixelFormat memory_;
};

AvPtr<AVFrame> noise(AVPixelFormat format) {
  AvPtr<AVFrame> frame(av_frame_alloc());
  frame->format = format;
  frame->width = 64;
  frame->height = 48;
  EXPECT_EQ(av_frame_get_buffer(frame.get(), 0), 0);
  uint32_t state = 7;
  const PictureLayout layout = picture_layout(format);
  for (int plane = 0; plane < plane_count(layout.chroma); ++plane) {
    const PlaneSize size = plane_size({64, 48}, layout.chroma, plane);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        state = state * 1664525 + 1013904223;
        const uint32_t sample = state >> (32 - layout.bit_depth);
        uint8_t* const row = frame->data[plane] + frame->linesize[plane] * y;
        if (layout.bit_depth > 8) {
          reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(sample);
        } else {
          row[x] = static_cast<uint8_t>(sample);
        }
      }
    }
  }
  return frame;
}

TEST(HardwarePictures, HaveTheFormatAndTheSamplesOfSoftware) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P10, AV_PIX_FMT_YUV420P12, AV_PIX_FMT_YUV422P,
        AV_PIX_FMT_YUV422P10, AV_PIX_FMT_YUV422P12, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P10,
        AV_PIX_FMT_YUV444P12, AV_PIX_FMT_GRAY8, AV_PIX_FMT_GRAY10}) {
    for (const int planes : {1, 3}) {
      SCOPED_TRACE(pixel_format_name(format));
      HardwarePictures pictures(std::make_unique<FixedSession>(hardware_layout(format)), planes);
      AvPtr<AVCodecContext> decoder(avcodec_alloc_context3(nullptr));
      decoder->sw_pix_fmt = format;
      const AVPixelFormat offered[] = {format, AV_PIX_FMT_NONE};
      ASSERT_EQ(pictures.choose(*decoder, offered), format);

      // As libavcodec leaves it to others: cut off on the right and below.
      Picture picture{noise(format)};
      picture.frame->pts = 42;
      picture.frame->crop_left = 6;
      picture.frame->crop_top = 4;
      picture.frame->width = 60;
      picture.frame->height = 46;
      AvPtr<AVFrame> expected(av_frame_clone(picture.frame.get()));
      ASSERT_EQ(av_frame_apply_cropping(expected.get(), AV_FRAME_CROP_UNALIGNED), 0);

      ASSERT_EQ(pictures.begin(std::move(picture.frame)), 0);
      ASSERT_TRUE(pictures.has_enough()) << "it is fetched, so nothing is under way";
      ASSERT_EQ(pictures.finish(picture), 0);
      EXPECT_EQ(picture.frame->format, format);
      EXPECT_EQ(picture.frame->pts, 42);
      EXPECT_EQ(picture.frame->width, 54);
      EXPECT_EQ(picture.frame->height, 42);
      EXPECT_EQ(picture.frame->crop_left, 0u);
      const PictureLayout layout = picture_layout(format);
      const int own = std::min(planes, plane_count(layout.chroma));
      const Frame frame = make_frame(std::move(picture.frame), layout, own);
      const Frame same = make_frame(std::move(expected), layout, own);
      EXPECT_EQ(frame.luma().width(), same.luma().width());
      EXPECT_EQ(planes_crc(frame), planes_crc(same));
    }
  }
}

// Samples would be lost, or be others.
TEST(HardwarePictures, RefuseMemoryThatDoesNotHoldTheSamples) {
  EXPECT_FALSE(layout_within(AV_PIX_FMT_NV12, AV_PIX_FMT_YUV420P10));
  EXPECT_FALSE(layout_within(AV_PIX_FMT_P010, AV_PIX_FMT_YUV420P));
  EXPECT_FALSE(layout_within(AV_PIX_FMT_P010, AV_PIX_FMT_YUV420P12));
  EXPECT_FALSE(layout_within(AV_PIX_FMT_NV12, AV_PIX_FMT_YUV422P));
  EXPECT_FALSE(layout_within(AV_PIX_FMT_NV12, AV_PIX_FMT_YUV444P));
  EXPECT_TRUE(layout_within(AV_PIX_FMT_NV12, AV_PIX_FMT_GRAY8));
  EXPECT_TRUE(layout_within(AV_PIX_FMT_P016, AV_PIX_FMT_YUV420P12));
}

TEST(HardwarePictures, ADifferentFormatIsLeftToSoftware) {
  HardwarePictures pictures(std::make_unique<FixedSession>(AV_PIX_FMT_NV12), 1);
  AvPtr<AVCodecContext> decoder(avcodec_alloc_context3(nullptr));
  const AVPixelFormat first[] = {AV_PIX_FMT_YUV420P, AV_PIX_FMT_NONE},
                      then[] = {AV_PIX_FMT_YUV420P10, AV_PIX_FMT_NONE};
  decoder->sw_pix_fmt = first[0];
  EXPECT_EQ(pictures.choose(*decoder, first), first[0]);
  EXPECT_EQ(pictures.choose(*decoder, first), first[0]);
  decoder->sw_pix_fmt = then[0];
  EXPECT_EQ(pictures.choose(*decoder, then), AV_PIX_FMT_NONE);
  EXPECT_EQ(pictures.failure(), "");
  EXPECT_EQ(pictures.doubt(), "its format changes from yuv420p to yuv420p10le");
}

}  // namespace
}  // namespace vq::cli
