// The summary of more titles than are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/cluster/catalogue.h"
#include "cli/cluster/plan.h"
#include "cli/cluster/shard_result.h"
#include "core/version.h"
#include "tests/support/report_test.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class CatalogueTest : public testing::Test {
 protected:
  Catalogue catalogue(size_t moments) const {
    const Statistic mean = parse_statistic("mean", "--by");
    return Catalogue(
        {.folder = folder_.path(), .by = mean, .moments = moments, .numbers = {}, .arguments = {}});
  }
  static Report report_of(const std::string& metric, const std::vector<double>& values) {
    return run_of("a", values, metric).report;
  }
  static void add(Catalogue& catalogue, const std::string& name, const Report& report) {
    VideoOutcome outcome;
    outcome.path = outcome.name = name;
    outcome.state = VideoOutcome::State::kScored;
    outcome.scores = scores_of(report);
    catalogue.add(std::move(outcome), &report);
  }
  static void fail(Catalogue& catalogue, const std::string& name) {
    VideoOutcome outcome;
    outcome.path = outcome.name = name;
    outcome.state = VideoOutcome::State::kFailed;
    catalogue.add(std::move(outcome), nullptr);
  }
  static std::vector<std::string> names(const BatchSummary& summary) {
    std::vector<std::string> names;
    for (const VideoOutcome& video : summary.videos) names.push_back(video.name);
    return names;
  }

  test::TemporaryFolder folder_;
};

// Scores come in any order, each twice: of equal ones the first titles come first.
TEST_F(CatalogueTest, KeepsTheWorstTitlesTheWorstFirst) {
  constexpr int kTitles = static_cast<int>(kMostTitles) + 40;
  for (const bool highest_is_worst : {true, false}) {
    Catalogue all = catalogue(0);
    std::vector<std::pair<int, int>> expected;  // rank and order
    for (int i = 0; i < kTitles; ++i) {
      const int score = i * 37 % kTitles / 2;
      add(all, std::to_string(i),
          report_of(highest_is_worst ? "cambi" : "psnr_y", {static_cast<double>(score)}));
      expected.emplace_back(highest_is_worst ? -score : score, i);
    }
    std::sort(expected.begin(), expected.end());
    const BatchSummary summary = all.summary();
    const std::vector<std::string> kept = names(summary);
    ASSERT_EQ(kept.size(), kMostTitles);
    for (size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], std::to_string(expected[i].second)) << i;
    EXPECT_THAT(summary.remarks, ElementsAre(AllOf(HasSubstr("1040"), HasSubstr("1000"))));
  }
}

TEST_F(CatalogueTest, HasTheWorstMomentsOfAllTitles) {
  Catalogue low = catalogue(2), high = catalogue(2);
  add(low, "a", report_of("psnr_y", {50, 31, 50}));
  add(low, "b", report_of("psnr_y", {30, 49, 49}));
  add(low, "c", report_of("psnr_y", {40, 40, 35}));
  EXPECT_THAT(low.summary().moments, ElementsAre(AllOf(HasSubstr("b"), HasSubstr("psnr_y 30")),
                                                 AllOf(HasSubstr("a"), HasSubstr("psnr_y 31"))));
  add(high, "a", report_of("cambi", {1, 9, 1}));
  add(high, "b", report_of("cambi", {2, 2, 12}));
  add(high, "c", report_of("cambi", {5, 5, 5}));
  EXPECT_THAT(high.summary().moments, ElementsAre(AllOf(HasSubstr("b"), HasSubstr("cambi 12")),
                                                  AllOf(HasSubstr("a"), HasSubstr("cambi 9"))));
}

// A model's score leads, wherever its column is.
TEST_F(CatalogueTest, NamesNoMomentsOfWhatOnlyAModelAskedFor) {
  Report report = report_of("integer_adm2", {0.9, 0.3, 0.9});
  report.metrics.front().is_inner = true;
  report.metrics.push_back({"vmaf", {90, 80, 70}});
  Catalogue all = catalogue(1);
  add(all, "a", report);
  EXPECT_THAT(all.summary().moments, ElementsAre(HasSubstr("frame 2: vmaf 70")));
}

TEST_F(CatalogueTest, ListsWhatIsNotComparableLastAndApart) {
  Report wrong = report_of("psnr_y", {10, 10});
  wrong.run.pair_faults = {{PairFaultKind::kShift, {"wrong is late"}}};
  Catalogue all = catalogue(9);
  add(all, "wrong", wrong);
  add(all, "good", report_of("psnr_y", {50, 49}));
  add(all, "bad", report_of("psnr_y", {30, 29}));
  EXPECT_THAT(names(all.summary()), ElementsAre("bad", "good", "wrong"));
  EXPECT_THAT(all.summary().moments, Each(Not(HasSubstr("wrong"))));
  EXPECT_EQ(all.totals(), "3 videos: 3 scored; 1 not comparable");
}

TEST_F(CatalogueTest, NamesThoseThatFailedFirst) {
  Catalogue all = catalogue(0);
  add(all, "good", report_of("cambi", {1}));
  fail(all, "bad");
  add(all, "worse", report_of("cambi", {3}));
  EXPECT_THAT(names(all.summary()), ElementsAre("bad", "worse", "good"));
}

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
