#include "cli/decoding/stream_facts.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/ffmpeg_log.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

TEST(FilmGrain, TheLogTellsOfPicturesLeftEmpty) {
  EXPECT_TRUE(tells_of_failed_grain("Failed synthesizing film grain, ignoring: %s\n"));
  EXPECT_FALSE(tells_of_failed_grain("Unsupported film grain parameters. Ignoring film grain.\n"));
}

class FilmGrainProgram : public testing::Test {
 protected:
  // The mean score, and what the extended report says of the grain.
  std::pair<double, std::string> scored(std::vector<std::string> words,
                                        const std::string& video = format_path("grain_av1.mp4")) {
    const std::string path = folder_.path() + "/r.json";
    words.insert(words.begin(), {video, "-o", path, "--extended", "--backend", "cpu"});
    const test::ProgramResult result = test::run_program(words);
    EXPECT_EQ(result.code, 0) << result.err;
    warnings_ = result.err;
    const auto report = nlohmann::json::parse(test::read_file(path));
    return {report["pooled_metrics"]["cambi"]["mean"], report["run"]["inputs"][0]["film_grain"]};
  }
  std::string warnings_;
  test::TemporaryFolder folder_;
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
  const test::ProgramResult result =
      test::run_program({"compare", format_path("grain_av1.mp4"), "--film-grain", "both", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto ranking = nlohmann::json::parse(result.out);
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

TEST_F(FilmGrainProgram, BothAreTwoRuns) {
  const test::ProgramResult result =
      test::run_program({format_path("grain_av1.mp4"), "--film-grain", "both"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("cambi compare VIDEO --film-grain both"));
  EXPECT_EQ(test::run_program({"compare", format_path("grain_av1.mp4")}).code, 1);
}

}  // namespace
}  // namespace vq::cli
