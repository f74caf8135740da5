// What a title's report says beside its scores, from shards that are made up.
#include "cli/cluster/merged_title.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "cli/cluster/shard_result.h"
#include "cli/run/run_record.h"
#include "core/version.h"
#include "feature/feature.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A 10-bit video of two shards of two frames each, that is scored by the default feature.
class MergedTitleTest : public testing::Test {
 protected:
  MergedTitleTest() {
    arguments_.distorted = "/a.mkv";
    arguments_.features.push_back({&default_feature(), OptionSet(default_feature().options)});
    head_.id = "0123456789abcdef";
    head_.results = folder_.path() + "/results";
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

  test::TemporaryFolder folder_;
  PlanHead head_;
  PlannedTitle title_;
};

TEST_F(MergedTitleTest, HasTheFramesOfAllShards) {
  const Report report = merged();
  EXPECT_THAT(report.frames, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(report.metrics.front().values, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(report.run.inputs.front().frames, 4);
}

// Whoever can write its sum can write anything.
TEST_F(MergedTitleTest, HasAGapWhereAShardDoesNotFitThePlan) {
  const auto expect_gap = [this] {
    const MergedTitle result = merge();
    EXPECT_THAT(result.report.frames, ElementsAre(0, 1));
    ASSERT_THAT(result.gaps, testing::SizeIs(1));
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

}  // namespace
}  // namespace vq::cli
