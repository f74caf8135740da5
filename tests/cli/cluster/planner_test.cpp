// Titles as they are planned from their videos.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "cli/cluster/planner.h"
#include "cli/cluster/shard_run.h"
#include "core/error.h"
#include "feature/feature.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

RunOptions pair(const std::string& distorted, const std::string& reference) {
  RunOptions options;
  options.distorted = clip_path(distorted);
  options.reference = clip_path(reference);
  const FeatureInfo& psnr = find_feature("psnr");
  options.features.push_back({&psnr, OptionSet(psnr.options)});
  return options;
}

// That of the last title is kept, as titles of a folder often have the same.
TEST(PlannerTest, EveryTitleHasItsOwnReference) {
  Planner planner({});
  for (const char* const reference :
       {"textured_480x270_12b.mkv", "textured_480x270_12b.mkv", "textured_480x270_16b.mkv"}) {
    const PlannedTitle title = planner.plan("one", pair("bright_480x270_8b.mkv", reference));
    EXPECT_EQ(title.name, "one");
    ASSERT_TRUE(title.reference);
    EXPECT_EQ(title.reference->file, look_at_file(clip_path(reference)));
    EXPECT_EQ(title.distorted.file, look_at_file(clip_path("bright_480x270_8b.mkv")));
    EXPECT_EQ(title.width, 480);
    EXPECT_EQ(title.height, 270);
    EXPECT_GT(title.memory_bytes, 480 * 270 * 2);
  }
}

}  // namespace

// Where titles are cut: shards have every frame of the run once, and enough before it.

namespace {

using testing::HasSubstr;

// A picture every 40 ms, and a start every `group` pictures.
StreamIndex stream(int64_t pictures, int64_t group) {
  StreamIndex index;
  index.pictures = pictures;
  index.tick_seconds = 0.001;
  index.info.frame_rate_num = 25;
  index.info.frame_rate_den = 1;
  for (int64_t i = 0; i < pictures; ++i) {
    index.times.push_back(40 * i);
    if (i % group == 0) index.starts.push_back({i, 40 * i, 40 * i - 80});
  }
  return index;
}

RunOptions options() {
  RunOptions options;
  options.distorted = "a.mkv";
  options.features.push_back({&default_feature(), OptionSet(default_feature().options)});
  return options;
}

// All frames once, in order, and each shard's pictures where they can be had.
void expect_covers(const TitleCut& cut, int64_t first, int64_t end, const StreamIndex& index, int64_t skip) {
  ASSERT_EQ(cut.whole, "");
  ASSERT_FALSE(cut.shards.empty());
  EXPECT_EQ(cut.run_first, first);
  EXPECT_EQ(cut.frames, end - first);
  int64_t next = first;
  for (size_t i = 0; i < cut.shards.size(); ++i) {
    const PlannedShard& shard = cut.shards[i];
    SCOPED_TRACE("shard " + std::to_string(i));
    const bool is_last = i + 1 == cut.shards.size();
    EXPECT_EQ(shard.first, next);
    next = shard.end >= 0 ? shard.end : end;
    EXPECT_GT(next, shard.first);
    if (!is_last) {
      EXPECT_GE(shard.end, 0);
    }
    EXPECT_EQ(shard.lead, i == 0 ? 0 : 1);
    ASSERT_TRUE(shard.distorted);
    EXPECT_LE(shard.distorted->picture, shard.first - shard.lead + skip);
    EXPECT_GE(shard.distorted->end, next + skip);
    EXPECT_EQ(shard.distorted->time, index.times[static_cast<size_t>(shard.distorted->picture)]);
    if (i > 0) {
      EXPECT_EQ(shard.distorted->picture, shard.first - shard.lead + skip)
          << "nothing is decoded for nothing";
    }
  }
  EXPECT_EQ(next, end);
}

ShardLength frame_times(int64_t count) {
  return {.frames = count, .seconds = {}, .shards = {}};
}

TEST(Cutting, ShardsHaveEveryFrameOnce) {
  for (const int64_t group : {1, 7, 25, 250}) {
    const StreamIndex index = stream(1000, group);
    for (const int64_t length : {1, 10, 99, 100, 101, 999, 1000, 5000}) {
      SCOPED_TRACE(std::to_string(length) + " frames, groups of " + std::to_string(group));
      expect_covers(cut_title(options(), index, nullptr, frame_times(length)), 0, 1000, index, 0);
    }
  }
}

TEST(Cutting, ShardsAreAsLongAsAskedFor) {
  const StreamIndex index = stream(1000, 10);
  EXPECT_EQ(cut_title(options(), index, nullptr, frame_times(100)).shards.size(), 10U);
  EXPECT_EQ(cut_title(options(), index, nullptr, {.frames = {}, .seconds = 8.0, .shards = {}}).shards.size(),
            5U)
      << "of 200 frames each";
  EXPECT_EQ(cut_title(options(), index, nullptr, {.frames = {}, .seconds = {}, .shards = 4}).shards.size(),
            4U);
  EXPECT_EQ(cut_title(options(), index, nullptr, {.frames = {}, .seconds = {}, .shards = 1}).shards.size(),
            1U);
  EXPECT_EQ(cut_title(options(), index, nullptr, {}).shards.size(), 1U) << "kDefaultShardFrames is more";
  for (const PlannedShard& shard : cut_title(options(), index, nullptr, frame_times(100)).shards) {
    const int64_t end = shard.end < 0 ? 1000 : shard.end;
    EXPECT_NEAR(static_cast<double>(end - shard.first), 100, 10);
  }
}

TEST(Cutting, LongGroupsMakeLongShards) {
  const StreamIndex index = stream(1000, 300);
  const TitleCut cut = cut_title(options(), index, nullptr, frame_times(50));
  EXPECT_EQ(cut.shards.size(), 4U);
  expect_covers(cut, 0, 1000, index, 0);
}

TEST(Cutting, ARangeIsCutAsTheRunWouldReadIt) {
  const StreamIndex index = stream(1000, 25);
  RunOptions some = options();
  some.skip_distorted = 30;
  some.start = VideoPosition(int64_t{100});
  some.end = VideoPosition(int64_t{700});
  expect_covers(cut_title(some, index, nullptr, frame_times(100)), 100, 700, index, 30);
  EXPECT_EQ(cut_title(some, index, nullptr, frame_times(100)).shards.back().end, 700);
  some.frame_count = 250;
  expect_covers(cut_title(some, index, nullptr, frame_times(100)), 100, 350, index, 30);
  some = options();
  some.start = VideoPosition(4.0);
  some.end = VideoPosition(8.0);
  expect_covers(cut_title(some, index, nullptr, frame_times(40)), 100, 200, index, 0);
  some = options();
  some.skip_distorted = 995;
  expect_covers(cut_title(some, index, nullptr, frame_times(2)), 0, 5, index, 995);
}

TEST(Cutting, AnOpenEndIsReadToTheEnd) {
  const StreamIndex index = stream(1000, 25);
  EXPECT_EQ(cut_title(options(), index, nullptr, frame_times(100)).shards.back().end, -1);
  RunOptions some = options();
  some.frame_count = 1000;
  EXPECT_EQ(cut_title(some, index, nullptr, frame_times(100)).shards.back().end, 1000)
      << "a run reads no further";
  some = options();
  some.end = VideoPosition(int64_t{5000});
  EXPECT_EQ(cut_title(some, index, nullptr, frame_times(100)).shards.back().end, -1);
}

TEST(Cutting, APairIsAsLongAsItsShorterVideo) {
  const StreamIndex distorted = stream(1000, 25), reference = stream(900, 40);
  RunOptions pair = options();
  pair.reference = "b.mkv";
  pair.skip_reference = 20;
  const TitleCut cut = cut_title(pair, distorted, &reference, frame_times(100));
  expect_covers(cut, 0, 880, distorted, 0);
  for (const PlannedShard& shard : cut.shards) {
    ASSERT_TRUE(shard.reference);
    EXPECT_LE(shard.reference->picture, shard.first - shard.lead + 20);
    EXPECT_LT(shard.first - shard.lead + 20 - shard.reference->picture, 40);
  }
}

// Cuts are where both videos can be entered, even if shards then differ a little in length.
TEST(Cutting, OfPlacesForACutThatIsTakenWhereTheReferenceStartsToo) {
  const StreamIndex distorted = stream(1000, 10), reference = stream(1000, 40);
  RunOptions pair = options();
  pair.reference = "b.mkv";
  const TitleCut cut = cut_title(pair, distorted, &reference, frame_times(100));
  EXPECT_EQ(cut.shards.size(), 10U);
  expect_covers(cut, 0, 1000, distorted, 0);
  for (const PlannedShard& shard : cut.shards) {
    ASSERT_TRUE(shard.reference);
    EXPECT_EQ(shard.reference->picture, shard.first - shard.lead)
        << "nothing of the reference is decoded for nothing";
  }
}

TEST(Cutting, OfAnAlignedPairEachVideoIsReadFromItsOwnFrameOn) {
  const StreamIndex distorted = stream(1000, 25), reference = stream(1000, 25);
  for (const int64_t shift : {-30, 30}) {
    SCOPED_TRACE(shift);
    RunOptions pair = options();
    pair.reference = "b.mkv";
    pair.align.emplace().shift = shift;
    const int64_t skipped = std::max<int64_t>(shift, 0), of_reference = std::max<int64_t>(-shift, 0);
    const TitleCut cut = cut_title(pair, distorted, &reference, frame_times(100));
    expect_covers(cut, 0, 970, distorted, skipped);
    for (const PlannedShard& shard : cut.shards) {
      const int64_t from = shard.first - shard.lead + of_reference;
      ASSERT_TRUE(shard.reference);
      EXPECT_EQ(shard.reference->picture, from / 25 * 25);
    }
  }
}

// Every fifth frame is scored, and whether it repeats is told of the scored one before.
TEST(Cutting, TheLeadReachesTheFrameThatWasScoredBefore) {
  RunOptions some = options();
  EXPECT_EQ(lead_of(some), 1);
  some.sampling.every = 5;
  EXPECT_EQ(lead_of(some), 5);
  some.sampling.is_spread = true;
  EXPECT_EQ(lead_of(some), 9);
}

TEST(Cutting, SomeTitlesAreNotCut) {
  StreamIndex index = stream(1000, 25);
  RunOptions some = options();
  some.allow_damage = true;
  EXPECT_THAT(cut_title(some, index, nullptr, frame_times(100)).whole, HasSubstr("--allow-damage"));
  some = options();
  some.reference = "b.mkv";
  some.align.emplace().finds = true;
  EXPECT_THAT(cut_title(some, index, &index, frame_times(100)).whole, HasSubstr("--align"));
  index.whole = "its container has no index";
  const TitleCut cut = cut_title(options(), index, nullptr, frame_times(100));
  EXPECT_EQ(cut.whole, index.whole);
  ASSERT_EQ(cut.shards.size(), 1U);
  EXPECT_EQ(cut.shards[0], PlannedShard());
}

TEST(Cutting, ARunWithoutFramesIsAnError) {
  RunOptions some = options();
  some.start = VideoPosition(int64_t{2000});
  EXPECT_THROW(cut_title(some, stream(1000, 25), nullptr, frame_times(100)), Error);
}

TEST(Cutting, PlanarVideoIsCutAnywhere) {
  StreamIndex index;
  index.is_planar = true;
  index.pictures = 100;
  const TitleCut cut = cut_title(options(), index, nullptr, frame_times(30));
  ASSERT_EQ(cut.shards.size(), 4U);
  EXPECT_EQ(cut.shards[1].first, 25);
  EXPECT_FALSE(cut.shards[1].distorted);
}

}  // namespace

}  // namespace vq::cli
