// Which shards a task of a cluster scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cli/cluster/shard_index.h"
#include "core/error.h"
#include "tests/support/expect_error.h"

namespace vq::cli {
namespace {

using testing::ElementsAre;

class ShardIndexTest : public testing::Test {
 protected:
  std::vector<NumberRange> ranges(std::optional<std::string> text, int64_t each = 1,
                                  int64_t shards = 10) const {
    return shard_ranges({.text = std::move(text), .each = each, .shards = shards},
                        [&](const char* name) -> const char* {
                          const auto found = environment_.find(name);
                          return found == environment_.end() ? nullptr : found->second.c_str();
                        });
  }
  void refused(const std::optional<std::string>& text, std::initializer_list<std::string_view> parts,
               int64_t each = 1) const {
    SCOPED_TRACE(text.value_or("none"));
    vq::test::expect_error(ErrorKind::kUsage, parts, [&] { ranges(text, each); });
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
  for (const char* const name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX",
                                 "BATCH_TASK_INDEX", "PBS_ARRAY_INDEX", "PBS_ARRAYID"}) {
    environment_ = {{name, "4"}};
    EXPECT_THAT(ranges({}), ElementsAre(NumberRange{4, 4})) << name;
  }
  for (const char* const name : {"LSB_JOBINDEX", "SGE_TASK_ID"}) {
    environment_ = {{name, "4"}};
    EXPECT_THAT(ranges({}), ElementsAre(NumberRange{3, 3})) << name << " counts from 1";
  }
  environment_ = {{"SGE_TASK_ID", "undefined"}, {"LSB_JOBINDEX", "0"}};
  refused({}, {"--index N"});  // there is no array
  environment_ = {{"SGE_TASK_ID", "undefined"}, {"SLURM_ARRAY_TASK_ID", "2"}};
  EXPECT_THAT(ranges({}), ElementsAre(NumberRange{2, 2}));
}

TEST_F(ShardIndexTest, AnIndexMayStandForSeveral) {
  EXPECT_THAT(ranges("0", 4), ElementsAre(NumberRange{0, 3}));
  EXPECT_THAT(ranges("2", 4), ElementsAre(NumberRange{8, 9}));
  EXPECT_THAT(ranges("0-2", 4), ElementsAre(NumberRange{0, 9}));
  refused("3", {"3", "2"}, 4);
}

TEST_F(ShardIndexTest, WhatIsNoShardIsAnError) {
  refused("10", {"--index", "10", "9"});
  environment_["SLURM_ARRAY_TASK_ID"] = "12";
  refused({}, {"SLURM_ARRAY_TASK_ID", "12"});
  for (const char* const text :
       {"", "x", "1.5", "-1", "3-", "-", "1,,2", "5-3", "1 2", "99999999999999999999"}) {
    refused(text, {"--index"});
  }
}

}  // namespace
}  // namespace vq::cli
