// Which shards a task of a cluster scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cli/cluster/shard_index.h"
#include "core/error.h"

namespace vq::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ShardIndexTest : public testing::Test {
 protected:
  std::vector<NumberRange> ranges(std::optional<std::string> text, int64_t each = 1, int64_t shards = 10) const {
    return shard_ranges({.text = std::move(text), .each = each, .shards = shards}, [&](const char* name) -> const char* {
      const auto found = environment_.find(name);
      return found == environment_.end() ? nullptr : found->second.c_str();
    });
  }
  std::string error(std::optional<std::string> text, int64_t each = 1) const {
    try {
      ranges(std::move(text), each);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "no error";
  }
  std::map<std::string, std::string> environment_;
};

TEST_F(ShardIndexTest, TheFlagSaysWhich) {
  environment_["SLURM_ARRAY_TASK_ID"] = "1";
  EXPECT_THAT(ranges("7"), ElementsAre(NumberRange{7, 7}));
  EXPECT_THAT(ranges("3-5"), ElementsAre(NumberRange{3, 5}));
  EXPECT_THAT(ranges("9,0-1"), ElementsAre(NumberRange{9, 9}, NumberRange{0, 1}));
}

TEST_F(ShardIndexTest, EnginesSayWhichInTheirOwnWays) {
  for (const char* const name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX", "BATCH_TASK_INDEX",
                                 "PBS_ARRAY_INDEX", "PBS_ARRAYID"}) {
    environment_ = {{name, "4"}};
    EXPECT_THAT(ranges({}), ElementsAre(NumberRange{4, 4})) << name;
  }
  for (const char* const name : {"LSB_JOBINDEX", "SGE_TASK_ID"}) {
    environment_ = {{name, "4"}};
    EXPECT_THAT(ranges({}), ElementsAre(NumberRange{3, 3})) << name << " counts from 1";
  }
  environment_ = {{"SGE_TASK_ID", "undefined"}, {"LSB_JOBINDEX", "0"}};
  EXPECT_THAT(error({}), HasSubstr("Add --index N")) << "there is no array";
  environment_ = {{"SGE_TASK_ID", "undefined"}, {"SLURM_ARRAY_TASK_ID", "2"}};
  EXPECT_THAT(ranges({}), ElementsAre(NumberRange{2, 2}));
}

TEST_F(ShardIndexTest, AnIndexMayStandForSeveral) {
  EXPECT_THAT(ranges("0", 4), ElementsAre(NumberRange{0, 3}));
  EXPECT_THAT(ranges("2", 4), ElementsAre(NumberRange{8, 9}));
  EXPECT_THAT(ranges("0-2", 4), ElementsAre(NumberRange{0, 9}));
  EXPECT_THAT(error("3", 4), HasSubstr("the last is 2"));
}

TEST_F(ShardIndexTest, WhatIsNoShardIsAnError) {
  EXPECT_THAT(error("10"), HasSubstr("there is no number 10; the plan has 10 shards, so the last is 9"));
  environment_["SLURM_ARRAY_TASK_ID"] = "12";
  EXPECT_THAT(error({}), HasSubstr("SLURM_ARRAY_TASK_ID: there is no number 12"));
  for (const char* const text : {"", "x", "1.5", "-1", "3-", "-", "1,,2", "5-3", "1 2", "99999999999999999999"}) {
    EXPECT_THAT(error(text), HasSubstr("--index")) << text;
  }
}

}  // namespace
}  // namespace vq::cli
