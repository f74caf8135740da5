#include "cli/decoding/frame_reader.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/stream_facts.h"
#include "tests/support/bad_input.h"
#include "tests/support/source_test.h"
#include "tests/support/threads_at_rest.h"

namespace vq::cli {
namespace {

// Checksums of the luma as the ffmpeg tool decodes it: first frame, all frames.
struct Clip {
  const char* name;
  int width, height, bit_depth;
  size_t frames;
  uint32_t first_crc, crc;
  Range range = Range::kUnspecified;
  Transfer transfer = Transfer::kUnspecified;
};

constexpr Clip kClips[] = {
    {"black_320x240_10b.mkv", 320, 240, 10, 1, 0x46ca2abc, 0x46ca2abc, Range::kLimited},
    {"bright_480x270_16b.mkv", 480, 270, 16, 1, 0x945627ce, 0x945627ce, Range::kLimited},
    {"bright_480x270_8b.mkv", 480, 270, 8, 1, 0x74259599, 0x74259599, Range::kLimited},
    {"checker_320x240_8b.mkv", 320, 240, 8, 1, 0x83c5d405, 0x83c5d405, Range::kLimited},
    {"clouds_1280x720_8b.mp4", 1280, 720, 8, 4, 0x7823f2f5, 0xe99c71cc},
    {"clouds_1280x720_8b_ref.mp4", 1280, 720, 8, 4, 0x9e810b8e, 0x2504a0ec},
    {"clouds_1920x1080_10b.mp4", 1920, 1080, 10, 2, 0xd465fbb8, 0xf230f78d, Range::kLimited},
    {"dusk_1280x720_10b_pq.mp4", 1280, 720, 10, 3, 0x3705971d, 0x2637e9cd, Range::kLimited, Transfer::kPq},
    {"dusk_1280x720_8b.webm", 1280, 720, 8, 4, 0x034f311f, 0xbf854b26, Range::kLimited},
    {"dusk_960x540_10b_hlg.mp4", 960, 540, 10, 3, 0x1e3efc9a, 0xd1f0b678, Range::kLimited, Transfer::kHlg},
    {"flat_320x240_8b.mkv", 320, 240, 8, 1, 0x2e47f401, 0x2e47f401, Range::kLimited},
    {"letterbox_640x360_8b.mp4", 640, 360, 8, 3, 0xf608c88b, 0xdfd7050e},
    {"noise_320x240_8b.mkv", 320, 240, 8, 1, 0xc2180276, 0xc2180276, Range::kLimited},
    {"sky_1280x720_from_960x540.mp4", 1280, 720, 8, 3, 0x06aa4ca7, 0x77637076},
    {"sky_1920x1080_8b_av1.mp4", 1920, 1080, 8, 3, 0x422242e5, 0x6e486d7f, Range::kLimited},
    {"sky_360x640_portrait.mp4", 360, 640, 8, 3, 0xe6446096, 0x42771a4a},
    {"sky_3840x2160_10b.mp4", 3840, 2160, 10, 2, 0x84e77448, 0xa849ed34, Range::kLimited},
    {"sky_3840x2160_8b.mp4", 3840, 2160, 8, 2, 0x6e9cbd44, 0x17449082},
    {"sky_4096x2160_8b.mp4", 4096, 2160, 8, 1, 0xa704080a, 0xa704080a},
    {"sky_480x270_9b.mkv", 480, 270, 9, 1, 0x7239a16b, 0x7239a16b, Range::kLimited},
    {"sky_640x360_10b.mkv", 640, 360, 10, 6, 0xa87321e2, 0xe08350ac, Range::kLimited},
    {"sky_640x360_444.mp4", 640, 360, 8, 3, 0x7b2d5162, 0x81069b14},
    {"sky_640x360_8b.mp4", 640, 360, 8, 12, 0xa1f000f0, 0x0c99c6b7},
    {"sky_640x360_8b_ref.mp4", 640, 360, 8, 12, 0x2d31fafa, 0x0bd1d2c5},
    {"sky_640x360_full_range.mp4", 640, 360, 8, 3, 0x13bce102, 0xefa14304, Range::kFull},
    {"sky_7680x4320_8b.mp4", 7680, 4320, 8, 1, 0xff70df1a, 0xff70df1a},
    {"small_256x144_8b.mp4", 256, 144, 8, 3, 0x057737e6, 0x0453065d},
    {"static_640x360_8b.mp4", 640, 360, 8, 12, 0x181746f9, 0x4c89191e},
    {"textured_417x235_8b.mkv", 417, 235, 8, 3, 0x04c1ffb1, 0x5dfd8a6a, Range::kLimited},
    {"textured_480x270_12b.mkv", 480, 270, 12, 1, 0x87307221, 0x87307221, Range::kLimited},
    {"textured_480x270_16b.mkv", 480, 270, 16, 1, 0x3315c02c, 0x3315c02c, Range::kLimited},
    {"tiny_128x96_8b.mp4", 128, 96, 8, 2, 0xf003f6c6, 0x051746df},
};

class ClipTest : public testing::TestWithParam<Clip> {};

TEST_P(ClipTest, IsDecodedAsFfmpegDoes) {
  const Clip& clip = GetParam();
  for (const int threads : {1, 4}) {
    const Outcome outcome = read_all(options_for(clip_path(clip.name), threads));
    EXPECT_EQ(outcome.code, 0) << outcome.message;
    const VideoFormat& format = outcome.info.format;
    EXPECT_EQ(format.width, clip.width);
    EXPECT_EQ(format.height, clip.height);
    EXPECT_EQ(format.bit_depth, clip.bit_depth);
    EXPECT_EQ(format.range, clip.range);
    EXPECT_EQ(format.transfer, clip.transfer);
    EXPECT_FALSE(outcome.info.interlaced);
    EXPECT_EQ(outcome.info.frame_rate(), 24.0);
    ASSERT_THAT(outcome.crcs, SizeIs(clip.frames));
    EXPECT_EQ(outcome.crcs.front(), clip.first_crc);
    EXPECT_EQ(outcome.crc, clip.crc);
    EXPECT_THAT(outcome.warnings, IsEmpty());
    EXPECT_EQ(outcome.info.frames.value_or(static_cast<int64_t>(clip.frames)),
              static_cast<int64_t>(clip.frames));
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, ClipTest, testing::ValuesIn(kClips), [](const auto& instance) {
  const std::string name = instance.param.name;
  return name.substr(0, name.find('.'));
});

TEST(FfmpegSource, ReadsUnusualFormats) {
  const std::tuple<const char*, size_t, uint32_t> files[] = {
      {"nv12.nut", 2, 0xce361043},       {"yuyv422.nut", 2, 0xce361043},  {"yuv420p10be.nut", 2, 0x169f5b38},
      {"ya8.nut", 2, 0xa563d024},        {"gray12be.nut", 2, 0xd24b8c3f}, {"edit_list.mp4", 20, 0x810dceb8},
      {"faststart.mp4", 50, 0x3a92e5ea}, {"h264.mkv", 50, 0x3a92e5ea},    {"hevc.mkv", 25, 0x4b3d7e45},
      {"ffv1.mkv", 8, 0xfdec9820},       {"vfr.mkv", 43, 0x8f8cfd83},     {"interlaced.mp4", 3, 0xf54d226c},
      {"crop.mp4", 3, 0xc291ee0e}};
  for (const auto& [name, frames, crc] : files) {
    for (const int threads : {1, 3}) {
      const Outcome outcome = read_all(options_for(format_path(name), threads));
      EXPECT_EQ(outcome.code, 0) << outcome.message;
      EXPECT_THAT(outcome.crcs, SizeIs(frames)) << name;
      EXPECT_EQ(outcome.crc, crc) << name;
      EXPECT_THAT(outcome.warnings, IsEmpty()) << name;
    }
  }
}

TEST(FfmpegSource, TellsWhatItKnows) {
  EXPECT_TRUE(read_all(options_for(format_path("interlaced.mp4"))).info.interlaced);
  const Outcome cut = read_all(options_for(format_path("edit_list.mp4")));
  EXPECT_EQ(cut.info.frames, 20);
  const Outcome vfr = read_all(options_for(format_path("vfr.mkv")));
  EXPECT_EQ(vfr.timestamps[0], 0.0);
  EXPECT_NEAR(*vfr.timestamps[3], 4 / 25.0, 1e-9);  // the fourth frame was left out
  const Outcome crop = read_all(options_for(format_path("crop.mp4")));
  EXPECT_EQ(crop.info.format.width, 56);
  EXPECT_EQ(crop.info.format.height, 42);
}

TEST(FfmpegSource, ReadsPipes) {
  for (const char* name : {"h264.mkv", "faststart.mp4", "nv12.nut", "size_change.h264"}) {
    const auto bytes = file_bytes(format_path(name));
    EXPECT_TRUE(read_bytes(bytes, {}, false) == read_bytes(bytes, {}, true)) << name;
  }
  EXPECT_THAT(read_bytes(file_bytes(clip_path("clouds_1280x720_8b_ref.mp4")), {}, false),
              Ends(2, HasSubstr("faststart")));
}

TEST(FfmpegSource, SkipsExactly) {
  const std::string path = format_path("h264.mkv");
  const Outcome whole = read_all(options_for(path));
  const auto source = open_video(options_for(path));
  EXPECT_EQ(source->skip(7), 7);
  const auto frame = source->read();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->index, 7);
  EXPECT_EQ(luma_crc(*frame), whole.crcs[7]);
  EXPECT_EQ(source->skip(100), 42);
  EXPECT_FALSE(source->read());
}

TEST(FfmpegSource, ChoosesStreams) {
  SourceOptions options = options_for(format_path("long_sound.mkv"));
  options.stream = 0;
  const Outcome pictures = read_all(options);
  EXPECT_EQ(pictures.code, 0) << pictures.message;
  EXPECT_THAT(pictures.crcs, SizeIs(10)) << "none is missing where only the sound goes on";
  options.stream = 1;
  EXPECT_EQ(read_all(options).code, 1);
  options.stream = 2;
  const Outcome none = read_all(options);
  EXPECT_THAT(none, Ends(1, HasSubstr("has 2 streams; there is none of index 2")));
  options.path = format_path("h264.mkv");
  EXPECT_THAT(read_all(options).message, HasSubstr("has 1 stream; there is none of index 2"));
}

TEST(FfmpegSource, WarnsWhereContainerAndStreamDisagree) {
  const Outcome outcome = read_all(options_for(format_path("tags.mkv")));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.info.format.range, Range::kLimited);
  EXPECT_EQ(outcome.info.format.transfer, Transfer::kBt1886);
  EXPECT_THAT(outcome.warnings, ElementsAre(AllOf(HasSubstr("full"), HasSubstr("limited")),
                                            AllOf(HasSubstr("pq"), HasSubstr("bt1886"))));
}

// That damage at any byte gives the same answer is tested with every container.
TEST(FfmpegSource, ContainersThatEndEarlyMayBeAllowed) {
  std::vector<uint8_t> bytes = file_bytes(format_path("h264.mkv"));
  bytes.resize(bytes.size() * 6 / 10);
  const Outcome refused = read_bytes(bytes);
  EXPECT_THAT(refused, Ends(6, HasSubstr("of 2.000 s")));
  SourceOptions options;
  options.allow_damage = true;
  const Outcome allowed = read_bytes(bytes, options);
  EXPECT_EQ(allowed.code, 0);
  EXPECT_EQ(allowed.crcs, refused.crcs);
  EXPECT_THAT(allowed.warnings, ElementsAre(HasSubstr("of 2.000 s")));
}

std::vector<uint8_t> damaged(const std::string& name, unsigned seed, int flips) {
  auto bytes = file_bytes(format_path(name));
  std::mt19937 random(seed);
  for (int i = 0; i < flips; ++i) {
    const size_t at = bytes.size() / 3 + random() % (bytes.size() / 2);
    bytes[at] = static_cast<uint8_t>(bytes[at] ^ (1u << random() % 8));
  }
  return bytes;
}

TEST(FfmpegSource, DamageGivesTheSameAnswerForEveryNumberOfThreads) {
  int noticed = 0;
  for (const char* name : {"h264.mkv", "hevc.mkv", "ffv1.mkv", "faststart.mp4", "crop.mp4"}) {
    const Outcome clean = read_all(options_for(format_path(name)));
    for (unsigned seed = 0; seed < 6; ++seed) {
      const auto bytes = damaged(name, seed, 6);
      for (const bool allow : {false, true}) {
        SourceOptions options;
        options.allow_damage = allow;
        options.threads = 1;
        const Outcome one = read_bytes(bytes, options);
        // An index at the end of an mp4 is out of the reach of a pipe.
        if (name != std::string("crop.mp4")) {
          EXPECT_TRUE(read_bytes(bytes, options, false) == one) << name << " through a pipe, seed " << seed;
        }
        for (const int threads : {2, 4, 4}) {
          options.threads = threads;
          EXPECT_TRUE(read_bytes(bytes, options) == one)
              << name << " seed " << seed << ", " << threads << " threads";
        }
        options.decoders = 3;
        EXPECT_TRUE(read_bytes(bytes, options) == one) << name << " seed " << seed << ", three decoders";
        if (one.code == 6 && one.opened) {
          ++noticed;
          EXPECT_FALSE(allow) << one.message;
          // Its checksums leave no damage unseen, so everything before the first is whole.
          for (size_t i = 0; i < one.crcs.size() && name == std::string("ffv1.mkv"); ++i)
            EXPECT_EQ(one.crcs[i], clean.crcs[i]) << seed;
          EXPECT_THAT(one.message, HasSubstr("frame " + std::to_string(one.crcs.size()) + ": "));
        }
      }
    }
  }
  EXPECT_GE(noticed, 12);
}

TEST(FfmpegSource, DamagedFramesAreLeftOutAndKeepTheirNumbers) {
  auto bytes = file_bytes(format_path("ffv1.mkv"));
  // Every frame is coded for itself; this byte lies in the middle of one.
  bytes[bytes.size() / 2] ^= 0x10;
  const Outcome clean = read_all(options_for(format_path("ffv1.mkv")));
  SourceOptions options;
  options.allow_damage = true;
  const Outcome outcome = read_bytes(bytes, options);
  EXPECT_EQ(outcome.code, 0) << outcome.message;
  ASSERT_THAT(outcome.indices, SizeIs(7));
  EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("1 damaged frame was left out")));
  int64_t missing = 0;
  for (size_t i = 0; i < outcome.indices.size(); ++i) {
    missing += outcome.indices[i] - static_cast<int64_t>(i) > 0 ? 0 : 1;
    EXPECT_EQ(outcome.crcs[i], clean.crcs[static_cast<size_t>(outcome.indices[i])]);
  }
  EXPECT_THAT(outcome.warnings.front(), HasSubstr("left out: " + std::to_string(missing)));
  const auto source = open_bytes(bytes, options);
  EXPECT_EQ(source->skip(missing + 1), missing + 1);
  EXPECT_EQ(source->read()->index, missing + 1);
}

TEST(FfmpegSource, GivesTheReasonOfAReadError) {
  const auto bytes = file_bytes(clip_path("noise_320x240_8b.mkv"));
  SourceOptions options;
  options.path = "input";
  for (const bool allow : {false, true}) {
    options.allow_damage = allow;
    std::vector<int> codes;
    for (int fail_at = 0; fail_at < 3; ++fail_at) {
      auto inner = std::make_unique<MemorySource>(bytes, false);
      const Outcome outcome = read_all(options, std::make_unique<FailingSource>(std::move(inner), fail_at));
      codes.push_back(outcome.code);
      if (outcome.code != 0) {
        EXPECT_THAT(outcome.message, HasSubstr("Input/output error"));
      }
    }
    EXPECT_THAT(codes, ElementsAre(2, 2, 6));
  }
}

TEST(FfmpegSource, SidesFromTwoToThe31OnAreToldAsTheyAre) {
  // An AVI of a header alone; its format is told with 32 bits a side.
  const auto number = [](uint32_t value) {
    std::string bytes;
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 255);
    return bytes;
  };
  const auto chunk = [&](const std::string& name, const std::string& content) {
    return name + number(static_cast<uint32_t>(content.size())) + content;
  };
  const uint32_t side = uint32_t{3} << 30;
  const std::string format = number(40) + number(side) + number(side) + std::string("\1\0\x18\0", 4) +
                             "MJPG" + std::string(20, '\0');
  const std::string stream =
      "vidsMJPG" + std::string(12, '\0') + number(1) + number(25) + std::string(28, '\0');
  const std::string header =
      chunk("LIST", "hdrl" + chunk("avih", std::string(56, '\0')) +
                        chunk("LIST", "strl" + chunk("strh", stream) + chunk("strf", format)));
  EXPECT_THAT(read_bytes(text_bytes(chunk("RIFF", "AVI " + header + chunk("LIST", "movi")))),
              Ends(3, HasSubstr("is 3221225472x")));
}

// What is known of a stream's length does not depend on how far ahead of the run it was read.
TEST(ReadToEnd, ALengthIsKnownOnceTheRunReadsToTheEnd) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/a.ts";
  test::run_ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 12 -c:v mpeg2video -q 4 -threads 1 " +
                   path);
  SourceOptions options;
  options.path = path;
  options.threads = 1;
  ReadLimits limits;
  limits.capacity = 100;
  FrameReader queue(options, limits);
  queue.start();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.next({}));
  vq::test::wait_until_others_sleep();  // the rest is read ahead
  EXPECT_FALSE(queue.report().length);
  int more = 0;
  while (queue.next({})) ++more;
  EXPECT_EQ(more, 9);
  ASSERT_TRUE(queue.report().length);
  EXPECT_NEAR(queue.report().length->seconds, 0.48, 0.001);
}

using testing::ContainsRegex;

Outcome read_grain(const std::string& name, bool applied, int threads = 1) {
  SourceOptions options = options_for(format_path(name), threads);
  options.film_grain = applied;
  return read_all(options);
}

// Checksums of the luma of all frames, as the ffmpeg tool decodes it with `-export_side_data film_grain` and
// without. The grain of H.274 is another in FFmpeg 7, and is left out with FFmpeg 9.
struct GrainClip {
  const char* name;
  uint32_t with, with_before_7, without;
  bool is_made() const { return kTellsOfAddedGrain || std::string_view(name) == "grain_av1.mp4"; }
  uint32_t with_here() const {
    return !is_made() ? without : avcodec_version() < AV_VERSION_INT(61, 0, 0) ? with_before_7 : with;
  }
};
constexpr GrainClip kGrainClips[] = {{"grain_av1.mp4", 0x35d0329d, 0x35d0329d, 0xa395057b},
                                     {"grain.h264", 0x3a026163, 0x362a6871, 0x626804c7},
                                     {"grain.hevc", 0x21fa1cdb, 0x945907d3, 0x0d1cfba4}};

TEST(FilmGrain, IsAddedOrNotAsAsked) {
  for (const GrainClip& clip : kGrainClips) {
    for (const int threads : {1, 4}) {
      const Outcome with = read_grain(clip.name, true, threads),
                    without = read_grain(clip.name, false, threads);
      EXPECT_EQ(with.code, 0) << clip.name << ": " << with.message;
      EXPECT_EQ(without.code, 0) << clip.name << ": " << without.message;
      EXPECT_EQ(with.crc, clip.with_here()) << clip.name << ", threads: " << threads;
      EXPECT_EQ(without.crc, clip.without) << clip.name << ", threads: " << threads;
      EXPECT_EQ(with.info.film_grain, clip.is_made() ? FilmGrain::kApplied : FilmGrain::kNotApplied)
          << clip.name;
      EXPECT_EQ(without.info.film_grain, FilmGrain::kNotApplied) << clip.name;
      EXPECT_THAT(with.warnings, IsEmpty()) << clip.name;
    }
  }
}

TEST(StoredLight, IsReadFromTheStream) {
  const StoredLight stored = {.maxcll = 1000, .maxfall = 400, .mastering_peak = 1000};
  EXPECT_EQ(read_grain("hdr10.mkv", true).info.format.stored_light, stored);
  EXPECT_EQ(read_grain("hevc.mkv", true).info.format.stored_light, StoredLight());
}

TEST(FilmGrain, StreamsWithoutHaveNone) {
  for (const char* name : {"h264.mkv", "hevc.mkv", "ffv1.mkv"}) {
    EXPECT_EQ(read_grain(name, true).info.film_grain, FilmGrain::kNone) << name;
    EXPECT_EQ(read_grain(name, false).info.film_grain, FilmGrain::kNone) << name;
  }
}

// FFmpeg 5.1 would give out pictures with whatever was in memory.
TEST(FilmGrain, ThatLibavcodecCannotMakeIsLeftOut) {
  const Outcome asked = read_grain("grain_10b.hevc", true), other = read_grain("grain_10b.hevc", false);
  EXPECT_EQ(asked.code, 0) << asked.message;
  EXPECT_EQ(asked.crcs, other.crcs);
  EXPECT_EQ(asked.crc, 0xcfdca64bU);
  EXPECT_EQ(asked.info.film_grain, FilmGrain::kNotApplied);
}

// A picture that cannot be told from a cut one by its samples, for grain need not come out the same again.
TEST(FilmGrain, ACutLastPictureIsStillFound) {
  for (const char* name : {"grain.h264", "grain.hevc"}) {
    for (const bool applied : {false, true}) {
      std::vector<uint8_t> bytes = file_bytes(format_path(name));
      SourceOptions options;
      options.film_grain = applied;
      EXPECT_EQ(read_bytes(bytes, options).code, 0) << name;
      bytes.resize(bytes.size() - 12);
      EXPECT_EQ(read_bytes(bytes, options).code, 6) << name << (applied ? " with" : " without");
    }
  }
}

class FilmGrainProgram : public test::FolderTest {
 protected:
  // The mean score, and what the extended report says of the grain.
  std::pair<double, std::string> scored(std::vector<std::string> words,
                                        const std::string& video = format_path("grain_av1.mp4")) {
    const std::string path = in_folder("r.json");
    words.insert(words.begin(), {video, "-o", path, "--extended", "--backend", "cpu"});
    warnings_ = test::run_well(words).err;
    const auto report = test::read_json(path);
    return {report["pooled_metrics"]["cambi"]["mean"], report["run"]["inputs"][0]["film_grain"]};
  }
  std::string warnings_;
};

TEST_F(FilmGrainProgram, HidesBandingFromTheScore) {
  const auto [plain, plain_fact] = scored({});
  EXPECT_EQ(plain_fact, "applied");
  EXPECT_THAT(warnings_, HasSubstr("has film grain, which the decoder adds"));
  const auto [on, on_fact] = scored({"--film-grain", "on"});
  EXPECT_EQ(on_fact, "applied");
  EXPECT_THAT(warnings_, Not(HasSubstr("film grain")));
  const auto [off, off_fact] = scored({"--film-grain", "off"});
  EXPECT_EQ(off_fact, "not applied");
  EXPECT_THAT(warnings_, Not(HasSubstr("film grain")));
  EXPECT_EQ(plain, on);
  EXPECT_GT(off, 5 * on);
}

TEST_F(FilmGrainProgram, SaysWhatDoesNothing) {
  EXPECT_EQ(scored({"--film-grain", "off"}, clip_path("small_256x144_8b.mp4")).second, "none");
  EXPECT_THAT(warnings_, HasSubstr("describes no film grain"));
  EXPECT_EQ(scored({}, format_path("grain_10b.hevc")).second, "not applied");
  EXPECT_THAT(warnings_, HasSubstr("cannot add to yuv420p10le; it is scored without"));
}

TEST_F(FilmGrainProgram, BothAreComparedInOneCommand) {
  const double on = scored({"--film-grain", "on"}).first, off = scored({"--film-grain", "off"}).first;
  const auto ranking = nlohmann::json::parse(
      test::run_well({"compare", format_path("grain_av1.mp4"), "--film-grain", "both", "--json"}).out);
  ASSERT_EQ(ranking["runs"].size(), 2U);
  EXPECT_EQ(ranking["runs"][0]["name"], "grain_av1 with grain");
  EXPECT_EQ(ranking["runs"][1]["name"], "grain_av1 without grain");
  EXPECT_NEAR(ranking["runs"][0]["statistics"]["mean"], on, 1e-6);
  EXPECT_NEAR(ranking["runs"][1]["statistics"]["mean"], off, 1e-6);
}

TEST_F(FilmGrainProgram, InfoTellsOfIt) {
  EXPECT_THAT(test::run_program({"info", format_path("grain_av1.mp4")}).out,
              HasSubstr("film grain    described by the stream"));
  const auto info =
      nlohmann::json::parse(test::run_program({"info", "--json", format_path("grain_av1.mp4")}).out);
  EXPECT_EQ(info["files"][0]["input"]["film_grain"], "applied");
}

}  // namespace
}  // namespace vq::cli
