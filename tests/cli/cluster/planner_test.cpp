// Titles as they are planned from their videos.
#include "cli/cluster/plan.h"
#include "cli/cluster/shard_run.h"
#include "cli/decoding/decoded_stream.h"
#include "cli/decoding/open_video.h"
#include "cli/run/run_cuts.h"
#include "tests/support/bad_input.h"
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

// Where titles are cut: shards have every frame of the run once, and enough before it.

// A picture every 40 ms, and a start every `group` pictures.
StreamIndex stream(int64_t pictures, int64_t group) {
  StreamIndex index;
  index.pictures = pictures;
  index.tick_seconds = 0.001;
  index.info.rate.num = 25;
  index.info.rate.den = 1;
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
void expect_covers(const PlannedTitle& cut, int64_t first, int64_t end, const StreamIndex& index,
                   int64_t skip) {
  ASSERT_EQ(cut.whole, "");
  ASSERT_FALSE(cut.shards.empty());
  EXPECT_EQ(cut.run_first, first);
  EXPECT_EQ(cut.frames, end - first);
  int64_t next = first;
  for (size_t i = 0; i < cut.shards.size(); ++i) {
    const RunPart& shard = cut.shards[i];
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

ShardLength frame_times(int64_t count) { return {.frames = count, .seconds = {}, .shards = {}}; }

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
  for (const RunPart& shard : cut_title(options(), index, nullptr, frame_times(100)).shards) {
    const int64_t end = shard.end < 0 ? 1000 : shard.end;
    EXPECT_NEAR(static_cast<double>(end - shard.first), 100, 10);
  }
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
  const PlannedTitle cut = cut_title(pair, distorted, &reference, frame_times(100));
  expect_covers(cut, 0, 880, distorted, 0);
  for (const RunPart& shard : cut.shards) {
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
  const PlannedTitle cut = cut_title(pair, distorted, &reference, frame_times(100));
  EXPECT_EQ(cut.shards.size(), 10U);
  expect_covers(cut, 0, 1000, distorted, 0);
  for (const RunPart& shard : cut.shards) {
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
    const PlannedTitle cut = cut_title(pair, distorted, &reference, frame_times(100));
    expect_covers(cut, 0, 970, distorted, skipped);
    for (const RunPart& shard : cut.shards) {
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
  const PlannedTitle cut = cut_title(options(), index, nullptr, frame_times(100));
  EXPECT_EQ(cut.whole, index.whole);
  ASSERT_EQ(cut.shards.size(), 1U);
  EXPECT_EQ(cut.shards[0], RunPart());
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
  const PlannedTitle cut = cut_title(options(), index, nullptr, frame_times(30));
  ASSERT_EQ(cut.shards.size(), 4U);
  EXPECT_EQ(cut.shards[1].first, 25);
  EXPECT_FALSE(cut.shards[1].distorted);
}

// Streams are indexed by their packets, and parts of them give the pictures of the whole.

constexpr int kFrames = 130;

struct PartStream {
  const char* name;     // of the file
  const char* options;  // of the encoder and the muxer
  bool is_cut;          // else decoding can begin nowhere but at the start
};

const PartStream kPartStreams[] = {
    {"closed.mkv", "-c:v libx264 -g 30 -bf 3 -threads 1", true},
    {"pyramid.mp4", "-c:v libx264 -g 30 -bf 8 -b-pyramid normal -refs 6 -threads 1", true},
    {"fragments.mp4", "-c:v libx264 -g 30 -bf 3 -threads 1 -movflags +frag_keyframe+empty_moov", true},
    {"uneven.mkv",
     "-vf 'settb=1/1000,setpts=N*40+mod(N\\,3)*13' -fps_mode passthrough -enc_time_base 1:1000 -c:v libx264 "
     "-g 30 -bf 3 -threads 1",
     true},
    {"each.mp4", "-c:v libx264 -g 1 -threads 1", true},
    {"open.mkv", "-c:v libx265 -x265-params keyint=30:bframes=4:log-level=none:pools=1:frame-threads=1",
     true},
    {"open.mp4", "-c:v libx265 -x265-params keyint=30:bframes=4:log-level=none:pools=1:frame-threads=1",
     true},
    {"radl.mkv",
     "-c:v libx265 -x265-params keyint=30:bframes=4:open-gop=0:radl=2:log-level=none:pools=1:frame-threads=1",
     true},
    {"hidden.webm", "-c:v libvpx-vp9 -g 30 -auto-alt-ref 1 -lag-in-frames 16 -cpu-used 8 -threads 1", true},
    {"aom.mkv", "-c:v libaom-av1 -g 30 -cpu-used 8 -row-mt 0 -threads 1", true},
    {"prores.mov", "-c:v prores", true},
    {"raw.y4m", "", true},
    {"recovery_points.mkv", "-c:v libx264 -g 30 -bf 3 -x264-params open-gop=1 -threads 1", false},
    {"refresh.mkv", "-c:v libx264 -g 30 -x264-params intra-refresh=1 -threads 1", false},
    {"closed.ts", "-c:v libx264 -g 30 -bf 3 -threads 1", false},
    {"no_times.h264", "-c:v libx264 -g 30 -bf 3 -threads 1", false},
    {"mpeg2.mkv", "-c:v mpeg2video -g 12 -bf 2", false},
};

SourceOptions options_for(const std::string& path) {
  SourceOptions options;
  options.path = path;
  options.threads = 2;
  return options;
}

class PartsOfStream : public testing::TestWithParam<PartStream>, protected test::Folder {
 protected:
  std::string encoded() const {
    const std::string path = folder_.path() + "/" + GetParam().name;
    test::run_ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25,noise=alls=6:allf=t:all_seed=7 -frames:v " +
                     std::to_string(kFrames) + " -pix_fmt yuv420p " + std::string(GetParam().options) + " " +
                     path);
    return path;
  }
};

// The pictures of the whole, read as parts one after another. There are no parts of planar video.
void expect_parts(const std::string& path, const std::vector<FrameSpan>& spans,
                  const std::vector<StreamPart>& parts, const Outcome& whole, int decoders = 0) {
  SCOPED_TRACE(words("{} to {}, {} decoders", spans.front().first, spans.back().end, decoders));
  SourceOptions options = options_for(path);
  options.decoders = decoders;
  options.parts = parts;
  const std::unique_ptr<VideoSource> source = open_video(options);
  EXPECT_EQ(source->info().pixel_format, whole.info.pixel_format);
  EXPECT_EQ(source->info().decoder, whole.info.decoder);
  int64_t at = 0;
  for (const auto& [first, end] : spans) {
    if (at > 0) source->go_on();
    EXPECT_EQ(source->skip(first - at), first - at);
    for (at = first; at < end; ++at) {
      const std::optional<Frame> frame = source->read();
      ASSERT_TRUE(frame);
      EXPECT_EQ(frame->index, at);
      EXPECT_EQ(frame->timestamp, whole.timestamps[static_cast<size_t>(at)]);
      EXPECT_EQ(luma_crc(*frame), whole.crcs[static_cast<size_t>(at)]) << "frame " << at;
    }
  }
  if (!parts.empty()) {
    EXPECT_FALSE(source->read());
  }
  EXPECT_THAT(source->report().warnings, IsEmpty());
}

TEST_P(PartsOfStream, HaveThePicturesOfTheWhole) {
  const std::string path = encoded();
  const Outcome whole = read_all(options_for(path));
  ASSERT_EQ(whole.message, "");
  const StreamIndex index = index_stream(options_for(path));
  const bool is_cut = index.whole.empty() && (index.is_planar || index.starts.size() > 1);
  EXPECT_EQ(is_cut, GetParam().is_cut) << index.whole;
  if (!index.whole.empty()) return;
  ASSERT_EQ(index.pictures, kFrames);
  for (int64_t i = 0; i < kFrames; ++i)
    EXPECT_EQ(index.timestamp(i), whole.timestamps[static_cast<size_t>(i)]);
  for (const auto& [first, end] :
       {std::pair(0, 1), {0, 31}, {29, 33}, {30, 62}, {47, 61}, {60, 130}, {100, 101}, {129, 130}}) {
    if (index.is_planar) {
      expect_parts(path, {{first, end}}, {}, whole);
      continue;
    }
    expect_parts(path, {{first, end}}, {index.part(first, end)}, whole);
    expect_parts(path, {{first, end}}, {index.part_from(first, end)}, whole);
  }
  if (index.is_planar) return;
  const std::vector<FrameSpan> spans = {{5, 9}, {33, 61}, {66, 67}, {97, kFrames}};
  std::vector<StreamPart> parts;
  for (const auto& [first, end] : spans) parts.push_back(index.part_from(first, end));
  for (const int decoders : {1, 3}) expect_parts(path, spans, parts, whole, decoders);
  ASSERT_TRUE(index.measured && whole.length);
  EXPECT_EQ(index.measured->bytes, whole.length->bytes);
  EXPECT_DOUBLE_EQ(index.measured->seconds, whole.length->seconds);
}

INSTANTIATE_TEST_SUITE_P(Streams, PartsOfStream, testing::ValuesIn(kPartStreams), [](const auto& instance) {
  std::string name = instance.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
});

class PartOfInput : public test::FolderTest {
 protected:
  std::string made(const std::string& name, const std::string& options) const {
    const std::string path = in_folder(name);
    test::run_ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25 -frames:v 90 -pix_fmt yuv420p " + options + " " +
                     path);
    return path;
  }
};

TEST_F(PartOfInput, AStreamThatWasCutIsNotTakenApart) {
  const std::string path = made("cut.mkv", "-c:v libx264 -g 30 -bf 3 -threads 1");
  std::vector<uint8_t> bytes = file_bytes(path);
  bytes.resize(bytes.size() * 3 / 4);
  test::write_file(path, std::string(bytes.begin(), bytes.end()));
  EXPECT_NE(index_stream(options_for(path)).whole, "");
  EXPECT_NE(index_stream(options_for(format_path("edit_list.mp4"))).whole, "");
  EXPECT_THAT(index_stream(options_for(format_path("grain_av1.mp4"))).whole, HasSubstr("film grain"));
}

TEST_F(PartOfInput, PicturesWithoutChecksumsAreNoStarts) {
  EXPECT_THAT(index_stream(options_for(made("plain.mkv", "-c:v ffv1 -level 1"))).whole,
              HasSubstr("no checksums"));
  EXPECT_EQ(index_stream(options_for(made("checked.mkv", "-c:v ffv1 -level 3 -slicecrc 1 -g 30"))).whole, "");
}

TEST_F(PartOfInput, WhatNothingNeedsIsNotDecoded) {
  const std::string path = made("pyramid.mp4", "-c:v libx264 -g 30 -bf 3 -b_strategy 0 -threads 1");
  const SourceOptions options = options_for(path);
  const StreamIndex index = index_stream(options);
  const std::vector<StreamPart> parts = {index.part_from(51, 57), index.part_from(80, 82)};
  EXPECT_EQ(parts[0].picture, 30);
  EXPECT_GE(parts[0].left_out, 8);
  for (const int decoders : {1, 3}) {
    SCOPED_TRACE(decoders);
    ByteReader reader(open_byte_source(path, options.stop));
    FfmpegDemuxer demuxer(reader, options);
    const auto pictures =
        part_pictures(demuxer, options, parts, {.decoders = decoders, .threads = 2, .pictures = 40});
    std::vector<int64_t> before, wanted;
    while (const std::optional<Picture> picture = pictures->next()) {
      const bool is_wanted = picture->index < 60 ? picture->index >= 51 : picture->index >= 80;
      (is_wanted ? wanted : before).push_back(picture->index);
    }
    EXPECT_FALSE(pictures->is_suspect());
    EXPECT_EQ(std::ssize(before), 21 - parts[0].left_out + 20 - parts[1].left_out);
    EXPECT_THAT(wanted, ElementsAre(51, 52, 53, 54, 55, 56, 80, 81));
  }
}

// What the decoder complains of is judged by one who reads all of the video, and before it nothing is lost.
TEST_F(PartOfInput, DamageWithinAPartIsToldAsInTheWhole) {
  const std::string path = made("damaged.mkv", "-c:v libx264 -g 30 -bf 3 -crf 1 -threads 1");
  const StreamIndex index = index_stream(options_for(path));
  ASSERT_EQ(index.whole, "");
  std::vector<uint8_t> bytes = file_bytes(path);
  for (size_t i = 0; i < 400; ++i) bytes[bytes.size() / 2 + i] ^= 0x55;
  test::write_file(path, std::string(bytes.begin(), bytes.end()));
  const Outcome whole = read_all(options_for(path));
  ASSERT_THAT(whole.message, HasSubstr("damaged"));
  SourceOptions options = options_for(path);
  options.parts = {index.part(30, 62)};
  const auto source = open_video(options);
  source->skip(30);
  std::string message;
  try {
    while (source->read()) {
    }
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, whole.message);
}

TEST_F(PartOfInput, PicturesElsewhereThanThePartSaysAreAnError) {
  const std::string path = made("other.mkv", "-c:v libx264 -g 30 -bf 3 -threads 1");
  SourceOptions options = options_for(path);
  options.parts = {{.picture = 30, .time = 1234, .seek = 1200, .end = 60, .end_time = 2400}};
  const auto source = open_video(options);
  source->skip(30);
  vq::test::expect_error(ErrorKind::kIncomplete, {path}, [&] { source->read(); });
}

TEST_F(PartOfInput, TheLengthIsToldByThePartThatEndsTheStream) {
  const std::string path = made("length.mkv", "-c:v libx264 -g 30 -bf 3 -threads 1");
  const StreamIndex index = index_stream(options_for(path));
  for (const int64_t end : {62, 90}) {
    SourceOptions options = options_for(path);
    options.parts = {index.part(30, end)};
    options.measured = StreamLength{1000, 3.6};
    const auto source = open_video(options);
    source->skip(30);
    while (source->read()) {
    }
    EXPECT_EQ(source->report().length.has_value(), end == 90);
  }
}

}  // namespace

}  // namespace vq::cli
