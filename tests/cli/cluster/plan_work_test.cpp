#include "cli/cluster/plan_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/cluster/plan.h"
#include "cli/cluster/shard_result.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

PlannedTitle a_title(const std::string& name, size_t shards) {
  PlannedTitle title;
  title.name = name;
  title.distorted.file.path = "/videos/" + name;
  title.shards.resize(shards);
  for (size_t i = 0; i < shards; ++i) {
    title.shards[i].first = static_cast<int64_t>(100 * i);
    title.shards[i].end = static_cast<int64_t>(100 * (i + 1));
  }
  return title;
}

class PlanWorkTest : public ::testing::Test {
 protected:
  // Of two titles with three shards and one; nobody knows how long the second is.
  PlanFile plan() {
    PlanHead head;
    head.version = CAMBI_VERSION;
    head.results = folder_.path() + "/results";
    PlanWriter writer(path(), head);
    PlannedTitle first = a_title("a.mkv", 3), second = a_title("b.mkv", 1);
    first.frames = 300;
    first.width = 1000;
    first.height = 500;
    first.threads = 2;
    first.memory_bytes = 1000;
    second.threads = 4;
    second.memory_bytes = 500;
    writer.add(first);
    writer.add(second);
    writer.commit();
    return PlanFile(path());
  }
  std::string path() const { return folder_.path() + "/plan.json"; }
  static void finish(const WorkShard& shard, const ShardId& id) {
    fs::create_directories(fs::path(shard.result).parent_path());
    test::write_file(shard.result, shard_text(id, {}, {}));
  }

  test::TemporaryFolder folder_;
};

TEST_F(PlanWorkTest, HasTheShardsOfAllTitlesAndTheLargestNeeds) {
  const PlanWork work = plan_work(plan());
  EXPECT_EQ(work.path, path());
  EXPECT_EQ(work.results, folder_.path() + "/results");
  EXPECT_EQ(work.threads, 4);
  EXPECT_EQ(work.memory_bytes, 1000);
  ASSERT_EQ(work.shards.size(), 4u);
  // 100 frames of 1000x500; the second counts as their mean.
  for (const WorkShard& shard : work.shards) EXPECT_DOUBLE_EQ(shard.work, 0.05);
  EXPECT_THAT(shards_left(work), ElementsAre(0, 1, 2, 3));
}

TEST_F(PlanWorkTest, CountsResultsOfThisPlanAlone) {
  PlanWork work = plan_work(plan());
  finish(work.shards[1], {.plan = work.id, .shard = 1});
  finish(work.shards[2], {.plan = "another", .shard = 2});
  finish(work.shards[3], {.plan = work.id, .shard = 0});
  test::write_file(work.shards[0].result, "");
  test::write_file(work.shards[0].failure, "2\tthe file has changed\n");
  const WorkState state = look_at_results(work);
  EXPECT_EQ(state.done, 1u);
  EXPECT_EQ(state.failed, 1u);
  EXPECT_DOUBLE_EQ(state.share, 0.25);
  EXPECT_THAT(shards_left(work), ElementsAre(0, 2, 3));
  for (const int64_t shard : {0, 2, 3})
    finish(work.shards[static_cast<size_t>(shard)], {.plan = work.id, .shard = shard});
  EXPECT_EQ(look_at_results(work).failed, 0u);
  EXPECT_THAT(shards_left(plan_work(plan())), IsEmpty());
}

}  // namespace
}  // namespace vq::cli
