// What a title's report says beside its scores, from shards that are made up.
#include "cli/cluster/merged_title.h"
#include "cli/cluster/shard_result.h"
#include "cli/run/run_record.h"
#include "core/version.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

// A 10-bit video of two shards of two frames each, that is scored by the default feature.
class MergedTitleTest : public test::FolderTest {
 protected:
  MergedTitleTest() {
    arguments_.distorted = "/a.mkv";
    arguments_.features.push_back({&default_feature(), OptionSet(default_feature().options)});
    head_.id = "0123456789abcdef";
    head_.results = in_folder("results");
    title_.frames = 4;
    title_.shards = {{.first = 0, .end = 2, .lead = 0, .distorted = {}, .reference = {}},
                     {.first = 2, .end = -1, .lead = 1, .distorted = {}, .reference = {}}};
    for (int shard = 0; shard < 2; ++shard) {
      facts_.push_back(facts());
      findings_.push_back(findings(2 * shard));
    }
  }

  MergedTitle merge() const {
    for (size_t i = 0; i < facts_.size(); ++i) {
      const std::string path = shard_path(head_, title_, static_cast<int64_t>(i));
      fs::create_directories(fs::path(path).parent_path());
      test::write_file(path, shard_text({head_.id, static_cast<int64_t>(i)}, facts_[i], findings_[i]));
    }
    return merge_title(head_, title_, arguments_);
  }

  Report merged() const {
    const MergedTitle result = merge();
    EXPECT_THAT(result.gaps, IsEmpty());
    return result.report;
  }

  RunFacts& run(size_t shard) { return facts_[shard].report.run; }

  RunOptions arguments_;
  std::vector<ShardFacts> facts_;
  std::vector<PartFindings> findings_;

 private:
  ShardFacts facts() const {
    ShardFacts facts;
    facts.report.version = version();
    facts.report.width = 640;
    facts.report.height = 360;
    facts.report.metrics = {{"cambi", {}}};
    facts.report.run.features.push_back(feature_facts(arguments_.features.front()));
    InputFacts& input = facts.report.run.inputs.emplace_back();
    input.role = "distorted";
    input.path = "/a.mkv";
    input.decoder = "hevc";
    facts.report.run.backend = "cpu";
    return facts;
  }

  static PartFindings findings(int64_t first) {
    PartFindings found;
    found.formats.distorted = {.name = "/a.mkv", .width = 640, .height = 360, .bit_depth = 10};
    found.pairs_read = 2;
    for (int64_t frame = first; frame < first + 2; ++frame) {
      found.frames.push_back({.frame = frame, .timestamp = {}});
      found.results.emplace_back().push_back({.values = {static_cast<double>(frame)}});
    }
    return found;
  }

  PlanHead head_;
  PlannedTitle title_;
};

// Whoever can write its sum can write anything.
TEST_F(MergedTitleTest, HasAGapWhereAShardDoesNotFitThePlan) {
  const auto expect_gap = [this] {
    const MergedTitle result = merge();
    EXPECT_THAT(result.report.frames, ElementsAre(0, 1));
    ASSERT_THAT(result.gaps, SizeIs(1));
    EXPECT_EQ(result.gaps[0].shard, 1);
    EXPECT_EQ(result.gaps[0].kind, ShardGap::Kind::kDamaged);
    EXPECT_THAT(result.gaps[0].reason, HasSubstr("what its plan asks for"));
  };
  findings_[0].pairs.emplace_back().frame = 1;
  findings_[1].pairs.emplace_back().frame = int64_t{1} << 40;
  expect_gap();
  findings_[1].pairs.front().frame = 2;
  for (std::vector<FrameResult>& results : findings_[1].results) results[0].values.clear();
  expect_gap();
  for (std::vector<FrameResult>& results : findings_[1].results) results.clear();
  expect_gap();
}

// Of every tenth frame that is scored: the pairs behind a shard's last one are looked at as well.
TEST_F(MergedTitleTest, FindsScenesInAllPairs) {
  arguments_.extended = true;
  arguments_.outputs = {{"out.json", ReportFormat::kJson}};
  std::minstd_rand random(1);
  Signature scenes[2];
  for (Signature& scene : scenes) {
    for (uint16_t& level : scene.levels) level = static_cast<uint16_t>(400 + random() % 2000);
  }
  for (int64_t frame = 0; frame < 20; ++frame) {
    LookedPair& pair = findings_[frame < 10 ? 0 : 1].pairs.emplace_back();
    pair.frame = frame;
    pair.scene = scenes[frame < 7 ? 0 : 1];
  }
  findings_[0].frames = {{.frame = 0, .timestamp = {}}};
  findings_[1].frames = {{.frame = 10, .timestamp = {}}};
  for (PartFindings& found : findings_) found.results.resize(1);
  EXPECT_THAT(merged().run.scene_cuts, testing::Optional(ElementsAre(7)));
}

// Those of opening the videos are of every shard; others may be.
TEST_F(MergedTitleTest, TellsAWarningOnce) {
  run(0).warnings = {"opening", "both", "first"};
  run(1).warnings = {"opening", "both", "second"};
  for (ShardFacts& facts : facts_) facts.opening_warnings = 1;
  EXPECT_THAT(merged().run.warnings, ElementsAre("opening", "both", "first", "second"));
}

// A sample of the first shard is 512, and others differ from it in bits from 4 on: 8 bits of material.
TEST_F(MergedTitleTest, NotesMaterialOfFewBitsWhereNoShardSawMore) {
  findings_[0].padding = {512, 0x0F0, 10};
  findings_[1].padding = {512 + 4, 0x004, 10};
  EXPECT_THAT(merged().run.notes, ElementsAre(HasSubstr("8-bit material in 10 bits")));
  findings_[1].padding.differing = 1;
  EXPECT_THAT(merged().run.notes, IsEmpty());
}

TEST_F(MergedTitleTest, NamesEveryDecoderOnce) {
  const std::string lists[][3] = {{"hevc", "hevc", "hevc"},
                                  {"hevc", "hevc (cuda)", "hevc, hevc (cuda)"},
                                  {"hevc (cuda)", "hevc", "hevc (cuda), hevc"},
                                  {"hevc (cuda), hevc", "hevc", "hevc (cuda), hevc"},
                                  {"hevc", "hevc (cuda), hevc", "hevc, hevc (cuda)"},
                                  {"", "", ""}};
  for (const auto& [first, second, all] : lists) {
    run(0).inputs.front().decoder = first;
    run(1).inputs.front().decoder = second;
    EXPECT_EQ(merged().run.inputs.front().decoder, all);
  }
}

// The summary of more titles than are kept.

class CatalogueTest : public test::FolderTest {
 protected:
  Catalogue catalogue(size_t moments, const std::string& by = "mean") const {
    const Statistic statistic = parse_statistic(by, "--by");
    return Catalogue(
        {.folder = folder_.path(), .by = statistic, .moments = moments, .numbers = {}, .arguments = {}});
  }
  static Report report_of(const std::string& metric, const std::vector<double>& values) {
    return run_of("a", values, metric).report;
  }
  static void add(Catalogue& catalogue, const std::string& name, const Report& report) {
    VideoOutcome outcome;
    outcome.path = outcome.name = name;
    outcome.state = VideoOutcome::State::kScored;
    outcome.scores = scores_of(report);
    catalogue.add(std::move(outcome), report);
  }
  static void fail(Catalogue& catalogue, const std::string& name) {
    VideoOutcome outcome;
    outcome.path = outcome.name = name;
    outcome.state = VideoOutcome::State::kFailed;
    catalogue.add(std::move(outcome), {});
  }
  static std::vector<std::string> names(const BatchSummary& summary) {
    std::vector<std::string> names;
    for (const VideoOutcome& video : summary.videos) names.push_back(video.name);
    return names;
  }
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
    std::ranges::sort(expected);
    const BatchSummary summary = all.summary();
    const std::vector<std::string> kept = names(summary);
    ASSERT_EQ(kept.size(), kMostTitles);
    for (size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], std::to_string(expected[i].second)) << i;
    EXPECT_THAT(summary.remarks, ElementsAre(AllOf(HasSubstr("1040"), HasSubstr("1000"))));
  }
}

// Files have some percentiles only.
TEST_F(CatalogueTest, RanksByAnyPercentile) {
  for (const char* const by : {"p75", "p99.5", "p100", "p95", "max"}) {
    Catalogue all = catalogue(0, by);
    add(all, "good", report_of("cambi", {4, 4, 4, 4}));
    add(all, "worst", report_of("cambi", {0, 0, 9, 9}));
    add(all, "bad", report_of("cambi", {1, 1, 7, 7}));
    EXPECT_THAT(names(all.summary()), ElementsAre("worst", "bad", "good")) << by;
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
  EXPECT_EQ(all.counts().text(), "3 videos: 3 scored; 1 not comparable");
}

TEST_F(CatalogueTest, NamesThoseThatFailedFirst) {
  Catalogue all = catalogue(0);
  add(all, "good", report_of("cambi", {1}));
  fail(all, "bad");
  add(all, "worse", report_of("cambi", {3}));
  EXPECT_THAT(names(all.summary()), ElementsAre("bad", "worse", "good"));
}

using Json = nlohmann::json;

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

class MissingShards : public test::FolderTest {
 protected:
  // Of two titles with three shards and one; nobody knows how long the second is.
  void SetUp() override {
    PlanHead head;
    head.version = version();
    head.results = in_folder("results");
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
  std::string path() const { return in_folder("plan.json"); }
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
};

TEST_F(MissingShards, AreThoseOfAllTitlesWithTheLargestNeeds) {
  const Json facts = this->facts();
  EXPECT_EQ(facts.at("version"), version());
  EXPECT_EQ(facts.at("results"), in_folder("results"));
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
