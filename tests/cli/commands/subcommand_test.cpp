// Command lines that vmaf takes, as it takes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands/arguments.h"
#include "core/error.h"
#include "tests/support/bad_input.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

RunOptions with(std::vector<std::string> words) {
  words.insert(words.end(), {"-r", "a.mp4", "-d", "b.mp4"});
  return run_options(parse_run_words(words));
}

TEST(VmafWords, AFeatureThatIsAskedForTwiceCountsOnce) {
  for (const char* const name : {"psnr", "vif", "cambi", "psnr=min_sse=1"}) {
    const RunOptions options = with({"--feature", name, "--feature", "ciede", "--feature", name});
    ASSERT_THAT(options.features, SizeIs(2)) << name;
    EXPECT_EQ(options.features[1].info->name, "ciede");
    EXPECT_THAT(options.remarks, IsEmpty());
  }
}

TEST(VmafWords, TheFirstOfTwoFeaturesWithOneNameCountsAndAWarningSaysSo) {
  const RunOptions options = with({"--feature", "psnr", "--feature", "psnr=min_sse=1"});
  ASSERT_THAT(options.features, SizeIs(1));
  EXPECT_EQ(options.features[0].options.text("min_sse"),
            with({"--feature", "psnr"}).features[0].options.text("min_sse"));
  EXPECT_THAT(options.remarks, SizeIs(1));
  // Options that names show make two.
  EXPECT_THAT(with({"--feature", "cambi", "--feature", "cambi=topk=0.3"}).features, SizeIs(2));
}

TEST(VmafWords, NumbersOfItsFlagsAreAsInC) {
  const RunOptions options = with({"--frame_skip_ref", "010", "--frame_skip_dist", "0x10", "--subsample",
                                   "0X2", "--threads", "0x4", "--frame_cnt", "+12", "--cpumask", "0xff"});
  EXPECT_EQ(options.skip_reference, 8);
  EXPECT_EQ(options.skip_distorted, 16);
  EXPECT_EQ(options.sampling.every, 2);
  EXPECT_EQ(options.threads, 4);
  EXPECT_EQ(options.frame_count, 12);
  EXPECT_EQ(options.cpumask, 255U);
  EXPECT_EQ(with({"--threads", "0"}).threads, 0);
  for (const char* const bad :
       {"08", "0x", "0xg", "-1", "1 ", "", "99999999999999999999", "0x10000000000000000"}) {
    EXPECT_THROW(with({"--frame_cnt", bad}), Error) << bad;
  }
}

}  // namespace

// The subcommand info as other programs read it.

namespace {

using ::testing::HasSubstr;

TEST(Subcommand, InfoOfSeveralGoesOnAfterOneThatIsNoVideo) {
  const std::string clip = testdata("clips/dusk_960x540_10b_hlg.mp4");
  const nlohmann::json files =
      nlohmann::json::parse(run_program({"info", "--json", clip, "none.mp4"}).out)["files"];
  EXPECT_EQ(files[0]["streams"][0]["color_transfer"], "arib-std-b67");
  EXPECT_EQ(files[0]["input"]["transfer"], "hlg");
  EXPECT_THAT(files[1]["error"].get<std::string>(), HasSubstr("none.mp4"));
}

}  // namespace

// What a comparison keeps if one of its files cannot be written.

namespace {

TEST(KeptRanking, TheFilesThatCanBeWrittenAreKeptAsParts) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/r.json", csv = folder.path() + "/r.csv";
  const ProgramResult run = run_program({"compare", clip("static_640x360_8b.mp4"), clip("sky_640x360_8b.mp4"),
                                         "-o", out, "-o", csv, "--html", "/dev/full", "--quiet"});
  EXPECT_EQ(run.code, 5) << run.err;
  for (const std::string& path : {out, csv}) {
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_TRUE(std::filesystem::exists(path + ".partial")) << path;
  }
  EXPECT_EQ(nlohmann::json::parse(read_file(out + ".partial")).at("runs").size(), 2U);
}

}  // namespace

}  // namespace vq::cli::test
