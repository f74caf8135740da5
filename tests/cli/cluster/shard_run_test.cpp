// Which shards a task of a cluster scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "cli/cluster/shard_run.h"
#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"

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

namespace vq::cli::test {

// What of a planned file is looked at again before its shards are scored.

namespace {

namespace fs = std::filesystem;

class InputCheck : public testing::Test {
 protected:
  InputCheck() {
    write_file(path_, std::string(kBytes, 'a'));
    planned_ = look_at_file(path_);
  }
  // As `cp --preserve` of another file of the same length would leave it.
  void change(size_t at) const {
    const fs::file_time_type time = fs::last_write_time(path_);
    std::string bytes(kBytes, 'a');
    bytes[at] = 'b';
    write_file(path_, bytes);
    fs::last_write_time(path_, time);
  }
  void refused(std::initializer_list<std::string_view> parts = {}) const {
    vq::test::expect_error(ErrorKind::kInput, parts, [this] { check_unchanged(planned_); });
  }

  static constexpr size_t kBytes = 1 << 20;
  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/a.mkv";
  PlannedFile planned_;
};

TEST_F(InputCheck, TakesAFileThatIsAsItWas) {
  check_unchanged(planned_);
}

// Containers have their index at either end.
TEST_F(InputCheck, LooksAtBothEndsOfAFileWhoseTimeIsTheSame) {
  for (const size_t at : {size_t{0}, size_t{1000}, kBytes - 1000, kBytes - 1}) {
    SCOPED_TRACE(at);
    change(at);
    refused();
  }
}

TEST_F(InputCheck, LooksAtTimeAndLength) {
  fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::hours(1));
  refused();
  write_file(path_, std::string(kBytes + 1, 'a'));
  refused({"1048577", "1048576"});
}

}  // namespace

}  // namespace vq::cli::test
