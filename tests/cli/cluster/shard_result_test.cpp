// What a shard found, written and read back, and refused where it is not whole.
#include <sys/resource.h>

#include "cli/cluster/shard_result.h"
#include "cli/cluster/shard_run.h"
#include "core/version.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

const ShardId kId = {"0123456789abcdef", 42};

ShardFacts facts() {
  ShardFacts facts;
  Report& report = facts.report;
  report.version = version();
  report.width = 640;
  report.height = 360;
  report.metrics = {{"one", {}}, {"two", {}}};
  report.run.arguments = {"a", "b"};
  InputFacts& input = report.run.inputs.emplace_back();
  input.role = "distorted";
  input.path = "/a.mkv";
  input.codec = input.decoder = "h264";
  input.width = 640;
  input.height = 360;
  input.bit_depth = 8;
  report.run.inputs.push_back(report.run.inputs.front());
  report.run.inputs.back().role = "reference";
  report.run.backend = "cpu";
  report.run.wall_seconds = 1.25;
  report.run.warnings = {"first", "second"};
  report.run.notes = {"note"};
  facts.opening_warnings = 1;
  return facts;
}

// With long and short runs of zeros, and numbers of which one byte or all are not 0.
std::vector<double> counts(int i) {
  std::vector<double> all(300);
  all[static_cast<size_t>(i)] = 1e300 * i;
  all[static_cast<size_t>(20 + i)] = i + 1;
  all[static_cast<size_t>(299 - i)] = 1.0 / 3;
  return all;
}

PartFindings findings(bool watches) {
  PartFindings found;
  found.watches_pairs = watches;
  found.padding = {512, 0xF0, 10};
  found.types = {.all = {1, 2, 3, 4}, .scored = {0, 1, 2, 3}};
  found.pairs_read = 5;
  found.shorter = ShorterVideo::kReference;
  found.formats.distorted = {.name = "/a.mkv",
                             .width = 640,
                             .height = 360,
                             .bit_depth = 10,
                             .chroma = Chroma::k422,
                             .range = Range::kFull,
                             .transfer = Transfer::kPq,
                             .matrix = Matrix::kBt2020};
  found.formats.reference = found.formats.distorted;
  found.bars = {{.frame = 16, .reference = {}, .distorted = {{1, 2, 3, 4}, {5, 6, 7, 8}}}};
  found.distorted_frames = 77;
  for (int i = 0; i < 4; ++i) {
    found.frames.push_back({.frame = 100 + i,
                            .timestamp = i == 2 ? std::nullopt : std::optional(0.04 * i),
                            .is_reported = i != 1,
                            .has_reference = watches,
                            .distorted_repeats = i,
                            .reference_repeats = 3 - i});
    std::vector<FrameResult>& results = found.results.emplace_back();
    results.push_back({.values = {1.0 / (i + 3), -0.0, std::nan("")},
                       .tallies = counts(i),
                       .texts = {"w\xC3\xA4rd " + std::to_string(i), ""}});
    // A feature that does not look at frames which are not reported.
    results.push_back(i == 1 ? FrameResult() : FrameResult{.values = {i + 0.5}, .tallies = {}, .texts = {}});
  }
  for (int i = 0; i < 5; ++i) {
    LookedPair& pair = found.pairs.emplace_back();
    pair.frame = 100 + i;
    pair.scene.levels.fill(static_cast<uint16_t>(i));
    if (watches) pair.reference.levels.fill(static_cast<uint16_t>(60000 + i));
  }
  return found;
}

class ShardResultTest : public FolderTest {
 protected:
  std::string path() const { return in_folder("one.shard"); }
  void write(const std::string& text) const { write_file(path(), text); }
  void expect_refused(const std::string& text) const {
    write(text);
    vq::test::expect_error(ErrorKind::kIncomplete, {}, [this] { const ShardResult result(path(), kId); });
  }
};

TEST_F(ShardResultTest, IsReadAsItWasWritten) {
  for (const bool watches : {false, true}) {
    const PartFindings found = findings(watches);
    write(shard_text(kId, facts(), found));
    EXPECT_TRUE(is_whole_result(path(), kId));
    const ShardResult result(path(), kId);
    EXPECT_EQ(result.facts().opening_warnings, 1U);
    EXPECT_THAT(result.facts().report.run.warnings, ElementsAre("first", "second"));
    EXPECT_EQ(result.facts().report.run.inputs, facts().report.run.inputs);
    EXPECT_EQ(result.findings().padding, found.padding);
    EXPECT_EQ(result.findings().types, found.types);
    EXPECT_EQ(result.findings().pairs_read, 5);
    EXPECT_EQ(result.findings().shorter, ShorterVideo::kReference);
    EXPECT_EQ(result.findings().bars, found.bars);
    EXPECT_EQ(result.findings().distorted_frames, 77);
    EXPECT_EQ(result.findings().formats.distorted.transfer, Transfer::kPq);
    EXPECT_EQ(result.findings().formats.reference.value().chroma, Chroma::k422);
    ASSERT_EQ(result.frames(), found.frames.size());
    std::vector<FrameResult> read;
    for (size_t i = 0; i < result.frames(); ++i) {
      EXPECT_EQ(result.frame(i), found.frames[i]);
      result.fill(i, read);
      ASSERT_EQ(read.size(), 2U);
      const FrameResult& first = found.results[i][0];
      EXPECT_EQ(read[0].values[0], first.values[0]);
      EXPECT_TRUE(std::signbit(read[0].values[1]));
      EXPECT_TRUE(std::isnan(read[0].values[2]));
      EXPECT_EQ(read[0].tallies, first.tallies);
      EXPECT_EQ(read[0].texts, first.texts);
      if (i != 1) {
        EXPECT_EQ(read[1].values, found.results[i][1].values);
      } else {
        EXPECT_THAT(read[1].values, ElementsAre(testing::IsNan())) << "the feature did not look at it";
      }
    }
    ASSERT_EQ(result.pairs(), found.pairs.size());
    for (size_t i = 0; i < result.pairs(); ++i) EXPECT_EQ(result.pair(i), found.pairs[i]);
  }
}

TEST_F(ShardResultTest, AnyChangeIsDamage) {
  EXPECT_EQ(result_state(path(), kId), ResultState::kAbsent);
  PartFindings found;
  found.frames.push_back({.frame = 1, .timestamp = 0.04});
  found.results.emplace_back().push_back({.values = {1, 2, 3}, .tallies = {}, .texts = {}});
  const std::string text = shard_text(kId, {}, found);
  write(text);
  EXPECT_TRUE(is_whole_result(path(), kId));
  for (const ShardId& other : {ShardId{kId.plan, 43}, ShardId{"fedcba9876543210", 42}}) {
    EXPECT_EQ(result_state(path(), other), ResultState::kForeign);
    EXPECT_THROW(ShardResult(path(), other), Error);
  }
  const auto expect_damage = [&](const std::string& changed) {
    expect_refused(changed);
    EXPECT_EQ(result_state(path(), kId), ResultState::kDamaged);
  };
  for (size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    expect_damage(changed);
  }
  for (size_t length = 0; length < text.size(); length += 13) expect_damage(text.substr(0, length));
  expect_damage(text + "x");
  expect_damage(text.substr(0, text.size() / 2) + text.substr(text.size() / 2 + 8));  // both ends are there
}

// Its sum is right: only who means harm writes such.
TEST_F(ShardResultTest, WhatNoShardWritesIsRefused) {
  const auto with = [](auto change) {
    ShardFacts about = facts();
    PartFindings found = findings(true);
    change(about, found);
    return shard_text(kId, about, found);
  };
  expect_refused(with([](ShardFacts& about, PartFindings&) { about.report.run.inputs.clear(); }));
  expect_refused(with([](ShardFacts& about, PartFindings&) { about.report.run.inputs.resize(1); }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { std::swap(found.frames[0], found.frames[1]); }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.frames[0].frame = -1; }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.frames.back().frame = INT64_MAX; }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.pairs.push_back(found.pairs[0]); }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.pairs_read = -1; }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.reference_frames = -1; }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.types.scored[3] = -1; }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.padding.bit_depth = 17; }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.bars[0].distorted.plainly.bottom = -1; }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.shorter = ShorterVideo{3}; }));
  expect_refused(with([](ShardFacts&, PartFindings& found) { found.formats.distorted.width = 0; }));
  expect_refused(
      with([](ShardFacts&, PartFindings& found) { found.formats.reference->chroma = Chroma{-1}; }));
  // Fewer tallies than there are.
  const std::string text = shard_text(kId, facts(), findings(true));
  const size_t end = text.find(":300,", 46);
  for (const char* const count : {":300,", ":299,", ":999999999999,"}) {
    uint64_t length = 0;
    std::memcpy(&length, text.data() + 38, sizeof length);
    std::string about = text.substr(46, length);
    const std::string frames = text.substr(46 + length, text.size() - 24 - 46 - length);
    about.replace(end - 46, 5, count);
    const std::string changed = shard_file(kId, about, frames);
    if (changed != text) expect_refused(changed);
  }
}

// Else a merge would call them missing.
TEST_F(ShardResultTest, WithoutDescriptorsNothingIsSaidOfIt) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need descriptors to look at a type";
  write(shard_text(kId, facts(), findings(false)));
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  vq::test::expect_error(ErrorKind::kResource, {path()}, [&] { is_whole_result(path(), kId); });
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_TRUE(is_whole_result(path(), kId));
}

TEST(ContentHash, IsOfTheBytesAlone) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>(i * 37);
  const uint64_t whole = content_hash(text);
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    ContentHash parts;
    parts.add(text.substr(0, cut));
    parts.add(text.substr(cut));
    EXPECT_EQ(parts.value(), whole);
    EXPECT_NE(content_hash(text.substr(0, cut)), cut == text.size() ? ~whole : whole);
  }
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    EXPECT_NE(content_hash(changed), whole);
  }
  EXPECT_NE(content_hash(std::string(1, '\0')), content_hash(std::string(2, '\0')));
  EXPECT_EQ(hash_text(0xA5), "00000000000000a5");
}

// Which shards a task of a cluster scores.

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

// What of a planned file is looked at again before its shards are scored.

class InputCheck : public FolderTest {
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
  const std::string path_ = in_folder("a.mkv");
  PlannedFile planned_;
};

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
