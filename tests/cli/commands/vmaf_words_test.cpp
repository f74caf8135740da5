// Command lines that vmaf takes, as it takes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/commands/arguments.h"
#include "core/error.h"

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
}  // namespace vq::cli::test
