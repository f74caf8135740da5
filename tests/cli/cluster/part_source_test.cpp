// Streams are indexed by their packets, and parts of them give the pictures of the whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cli/decoding/open_video.h"
#include "cli/decoding/parallel/part_source.h"
#include "cli/decoding/parallel/stream_index.h"
#include "tests/support/bad_input.h"
#include "tests/support/expect_error.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

class PartsOfStream : public testing::TestWithParam<PartStream> {
 protected:
  std::string encoded() const {
    const std::string path = folder_.path() + "/" + GetParam().name;
    test::run_ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25,noise=alls=6:allf=t:all_seed=7 -frames:v " +
                     std::to_string(kFrames) + " -pix_fmt yuv420p " + std::string(GetParam().options) + " " +
                     path);
    return path;
  }
  test::TemporaryFolder folder_;
};

// The pictures [first, end) of the whole, read as a part.
void expect_part(const std::string& path, const StreamIndex& index, const Outcome& whole, int64_t first,
                 int64_t end) {
  SCOPED_TRACE(std::to_string(first) + " to " + std::to_string(end));
  SourceOptions options = options_for(path);
  if (!index.is_planar) options.part = index.part(first, end);
  const std::unique_ptr<VideoSource> source = options.part ? open_part(options) : open_video(options);
  EXPECT_EQ(source->info().pixel_format, whole.info.pixel_format);
  EXPECT_EQ(source->info().decoder, whole.info.decoder);
  EXPECT_EQ(source->skip(first), first);
  for (int64_t i = first; i < end; ++i) {
    const std::optional<Frame> frame = source->read();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->index, i);
    EXPECT_EQ(frame->timestamp, whole.timestamps[static_cast<size_t>(i)]);
    EXPECT_EQ(luma_crc(*frame), whole.crcs[static_cast<size_t>(i)]) << "frame " << i;
  }
  if (!index.is_planar) {
    EXPECT_FALSE(source->read());
  }
  EXPECT_THAT(source->take_warnings(), IsEmpty());
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
    expect_part(path, index, whole, first, end);
  }
}

TEST_P(PartsOfStream, EveryStartIsADecodersStart) {
  const std::string path = encoded();
  const StreamIndex index = index_stream(options_for(path));
  if (!GetParam().is_cut || index.is_planar) return;
  EXPECT_GE(index.starts.size(), 4U);
  const Outcome whole = read_all(options_for(path));
  for (size_t i = 0; i < std::min<size_t>(index.starts.size(), 6); ++i) {
    const int64_t first = index.starts[i].picture;
    EXPECT_EQ(index.part(first, first + 1).picture, first);
    expect_part(path, index, whole, first, std::min<int64_t>(first + 5, kFrames));
  }
}

TEST_P(PartsOfStream, TheLengthIsThatOfOneWhoReadsAll) {
  const std::string path = encoded();
  const StreamIndex index = index_stream(options_for(path));
  if (!index.whole.empty() || index.is_planar) return;
  const auto source = open_video(options_for(path));
  while (source->read()) {
  }
  ASSERT_TRUE(source->measured_length());
  ASSERT_TRUE(index.measured);
  EXPECT_EQ(index.measured->bytes, source->measured_length()->bytes);
  EXPECT_DOUBLE_EQ(index.measured->seconds, source->measured_length()->seconds);
}

INSTANTIATE_TEST_SUITE_P(Streams, PartsOfStream, testing::ValuesIn(kPartStreams), [](const auto& instance) {
  std::string name = instance.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

class PartOfInput : public testing::Test {
 protected:
  std::string made(const std::string& name, const std::string& options) const {
    const std::string path = folder_.path() + "/" + name;
    test::run_ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25 -frames:v 90 -pix_fmt yuv420p " + options + " " +
                     path);
    return path;
  }
  test::TemporaryFolder folder_;
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
  options.part = index.part(30, 62);
  const auto source = open_part(options);
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

// A plan of another file than the one that is there.
TEST_F(PartOfInput, PicturesElsewhereThanThePartSaysAreAnError) {
  const std::string path = made("other.mkv", "-c:v libx264 -g 30 -bf 3 -threads 1");
  SourceOptions options = options_for(path);
  options.part = StreamPart{.picture = 30, .time = 1234, .seek = 1200, .end = 60, .end_time = 2400};
  const auto source = open_part(options);
  source->skip(30);
  vq::test::expect_error(ErrorKind::kIncomplete, {path}, [&] { source->read(); });
}

TEST_F(PartOfInput, TheLengthIsToldByThePartThatEndsTheStream) {
  const std::string path = made("length.mkv", "-c:v libx264 -g 30 -bf 3 -threads 1");
  const StreamIndex index = index_stream(options_for(path));
  for (const int64_t end : {62, 90}) {
    SourceOptions options = options_for(path);
    options.part = index.part(30, end);
    options.measured = StreamLength{1000, 3.6};
    const auto source = open_part(options);
    source->skip(30);
    while (source->read()) {
    }
    EXPECT_EQ(source->measured_length().has_value(), end == 90);
  }
}

}  // namespace
}  // namespace vq::cli
