// Plans as files: what is written is read, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/cluster/plan.h"
#include "core/error.h"
#include "core/version.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using testing::ElementsAre;

PlannedInput input(const std::string& path) {
  return {
      {path, 123456789012, "1700000000.123456789", "00ff00ff00ff00ff"}, 5000, StreamLength{123456, 208.375}};
}

PlannedTitle title(const std::string& name, int shards) {
  PlannedTitle title;
  title.name = name;
  title.distorted = input("/videos/" + name);
  title.run_first = 7;
  title.frames = 4000;
  title.width = 1920;
  title.height = 1080;
  title.threads = 2;
  title.memory_bytes = int64_t{3} << 30;
  for (int64_t i = 0; i < shards; ++i) {
    PlannedShard shard{.first = 7 + 100 * i,
                       .end = i + 1 < shards ? 107 + 100 * i : -1,
                       .lead = i > 0 ? 1 : 0,
                       .distorted = {},
                       .reference = {}};
    shard.distorted = StreamPart{
        .picture = 100 * i, .time = -5 + 40 * i, .seek = -10 + 40 * i, .end = 110 + 100 * i, .end_time = {}};
    if (i + 1 < shards) shard.distorted->end_time = 4000 * i;
    title.shards.push_back(shard);
  }
  return title;
}

PlanHead head() {
  return {.version = version(),
          .results = "/results",
          .arguments = {"--feature=cambi:topk=0.3", "--threads=2"},
          .id = {}};
}

class PlanTest : public testing::Test {
 protected:
  std::string path() const { return folder_.path() + "/plan.json"; }
  PlanHead written(const std::vector<PlannedTitle>& titles, const PlanHead& of = head()) const {
    PlanWriter writer(path(), of);
    for (const PlannedTitle& title : titles) writer.add(title);
    return writer.commit();
  }
  static std::vector<PlannedTitle> titles_in(const PlanFile& plan) {
    std::vector<PlannedTitle> titles;
    plan.each_title([&](const PlannedTitle& title) {
      titles.push_back(title);
      return true;
    });
    return titles;
  }
  void expect_refused(const std::string& text) const {
    SCOPED_TRACE(text.substr(0, 100));
    test::write_file(path(), text);
    vq::test::expect_error(ErrorKind::kInput, {path()}, [this] { titles_in(PlanFile(path())); });
  }
  test::TemporaryFolder folder_;
};

TEST_F(PlanTest, IsReadAsItWasWritten) {
  PlannedTitle pair = title("b \"quoted\" \xC3\xA4.mkv", 2);
  pair.reference = input("/references/b.mov");
  for (PlannedShard& shard : pair.shards) shard.reference = StreamPart{1, 2, 3, 4, 5};
  PlannedTitle whole = title("c.ts", 1);
  whole.whole = "its container has no index";
  whole.frames = -1;
  whole.distorted.pictures.reset();
  whole.distorted.measured.reset();
  whole.shards.assign(1, PlannedShard());
  const PlanHead made = written({title("a.mkv", 3), pair, whole});
  const PlanFile plan(path());
  EXPECT_EQ(plan.head(), made);
  EXPECT_EQ(plan.head().titles, 3);
  EXPECT_EQ(plan.head().shards, 6);
  EXPECT_EQ(plan.head().arguments, head().arguments);
  std::vector<PlannedTitle> expected = {title("a.mkv", 3), pair, whole};
  expected[1].number = 1;
  expected[1].first_shard = 3;
  expected[2].number = 2;
  expected[2].first_shard = 5;
  EXPECT_EQ(titles_in(plan), expected);
}

TEST_F(PlanTest, FindsTheTitleOfAShard) {
  written({title("a.mkv", 3), title("b.mkv", 1), title("c.mkv", 2)});
  const PlanFile plan(path());
  std::vector<std::string> names;
  for (int64_t shard = 0; shard < 6; ++shard) names.push_back(plan.title_of_shard(shard).name);
  EXPECT_THAT(names, ElementsAre("a.mkv", "a.mkv", "a.mkv", "b.mkv", "c.mkv", "c.mkv"));
  for (const int64_t shard : {-1, 6, 1000}) EXPECT_THROW(plan.title_of_shard(shard), Error);
}

TEST_F(PlanTest, HasAnIdOfItsContent) {
  const std::string id = written({title("a.mkv", 3)}).id;
  EXPECT_EQ(written({title("a.mkv", 3)}).id, id);
  EXPECT_NE(written({title("a.mkv", 2)}).id, id);
  PlanHead other = head();
  other.arguments.push_back("--subsample=2");
  EXPECT_NE(written({title("a.mkv", 3)}, other).id, id);
}

TEST_F(PlanTest, RefusesWhatIsForeignCutOrChanged) {
  written({title("a.mkv", 3), title("b.mkv", 2)});
  const std::string text = test::read_file(path());
  expect_refused("");
  expect_refused("{\"version\": \"1\", \"frames\": []}\n");
  expect_refused("\xFF\xD8\xFF\xE0 picture");
  for (size_t length = 0; length < text.size(); length += 37) expect_refused(text.substr(0, length));
  expect_refused(text.substr(0, text.size() - 1) + "x\n");
  expect_refused(text + "{}\n");
  std::string changed = text;
  changed.replace(changed.find("a.mkv"), 1, "A");
  expect_refused(changed);
  // As any tool leaves it that reads and writes JSON.
  expect_refused(nlohmann::json::parse(text).dump(2) + "\n");
}

TEST_F(PlanTest, RefusesThatOfAnotherVersion) {
  PlanHead other = head();
  other.version = "0.0.1";
  written({title("a.mkv", 1)}, other);
  vq::test::expect_error(ErrorKind::kInput, {"0.0.1"}, [this] { const PlanFile plan(path()); });
}

TEST_F(PlanTest, NoFolderOfResultsHasManyEntries) {
  PlanHead of = head();
  PlannedTitle one = title("a.mkv", 3);
  one.number = 1234;
  EXPECT_EQ(shard_path(of, one, 2), "/results/0012/001234/000002.shard");
  EXPECT_EQ(failure_path(of, one, 2), "/results/0012/001234/000002.failed");
}

TEST_F(PlanTest, TellsWhatAShardNeeds) {
  const PlannedTitle one = title("a.mkv", 3);
  EXPECT_EQ(needs_of(one, 1).frames, 110) << "that it decodes";
  EXPECT_DOUBLE_EQ(needs_of(one, 1).work, 100 * 1920.0 * 1080 / 1e9);
  EXPECT_EQ(needs_of(one, 1).threads, 2);
  EXPECT_EQ(needs_of(one, 1).memory_bytes, int64_t{3} << 30);
  PlannedTitle planar = one;
  planar.shards[1].distorted.reset();
  EXPECT_EQ(needs_of(planar, 1).frames, 101) << "with the lead";
  EXPECT_DOUBLE_EQ(needs_of(one, 2).work, (4000 - 200) * 1920.0 * 1080 / 1e9) << "up to the end of the title";
}

}  // namespace
}  // namespace vq::cli
