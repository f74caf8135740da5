#include "cli/cluster/missing_shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/cluster/plan.h"
#include "cli/cluster/shard_result.h"
#include "core/version.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
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

class MissingShards : public ::testing::Test {
 protected:
  // Of two titles with three shards and one; nobody knows how long the second is.
  void SetUp() override {
    PlanHead head;
    head.version = version();
    head.results = folder_.path() + "/results";
    head.arguments = {"--backend=cpu"};
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
  }
  std::string path() const { return folder_.path() + "/plan.json"; }
  Json facts() const { return Json::parse(missing_shards_json(PlanFile(path()))); }
  std::vector<int64_t> missing() const {
    std::vector<int64_t> numbers;
    const Json facts = this->facts();
    for (const Json& shard : facts.at("missing")) numbers.push_back(shard.at("shard"));
    return numbers;
  }
  static void finish(const Json& shard, const ShardId& id) {
    const fs::path result = shard.at("result").get<std::string>();
    fs::create_directories(result.parent_path());
    test::write_file(result, shard_text(id, {}, {}));
  }

  test::TemporaryFolder folder_;
};

TEST_F(MissingShards, AreThoseOfAllTitlesWithTheLargestNeeds) {
  const Json facts = this->facts();
  EXPECT_EQ(facts.at("version"), version());
  EXPECT_EQ(facts.at("results"), folder_.path() + "/results");
  EXPECT_EQ(facts.at("arguments"), Json({"--backend=cpu"}));
  EXPECT_EQ(facts.at("shards"), 4);
  EXPECT_EQ(facts.at("threads"), 4);
  EXPECT_EQ(facts.at("memory_bytes"), 1000);
  EXPECT_THAT(missing(), ElementsAre(0, 1, 2, 3));
  // 100 frames of 1000x500 each; the last counts as the mean of the others.
  for (const Json& shard : facts.at("missing")) EXPECT_DOUBLE_EQ(shard.at("share"), 0.25);
}

TEST_F(MissingShards, HaveNoWholeResultOfThisPlan) {
  const std::string id = PlanFile(path()).head().id;
  const Json shards = facts().at("missing");
  finish(shards[1], {.plan = id, .shard = 1});
  test::write_file(shards[0].at("result"), "");
  finish(shards[2], {.plan = "another", .shard = 2});
  finish(shards[3], {.plan = id, .shard = 0});
  EXPECT_THAT(missing(), ElementsAre(0, 2, 3));
  for (const int64_t shard : {0, 2, 3})
    finish(shards[static_cast<size_t>(shard)], {.plan = id, .shard = shard});
  EXPECT_THAT(missing(), IsEmpty());
}

}  // namespace
}  // namespace vq::cli
