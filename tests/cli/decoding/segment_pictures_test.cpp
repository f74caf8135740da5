// Several decoders that share a stream give what one gives.
#include <libavcodec/version.h>

#include "cli/decoding/open_video.h"
#include "tests/support/bad_input.h"
#include "tests/support/hardware_double.h"
#include "tests/support/source_test.h"
#include "tests/support/threads_at_rest.h"

namespace vq::cli {
namespace {

struct Plan {
  int decoders, threads;
  int64_t ahead_bytes;
};

// One picture at a time but for the decoder whose turn it is; a few; all.
constexpr int64_t kOnePicture = 1, kFewPictures = 4 * 128 * 96 * 2, kAll = int64_t{1} << 30;
constexpr Plan kPlans[] = {
    {2, 1, kAll}, {2, 2, kFewPictures}, {3, 1, kOnePicture}, {3, 7, kAll}, {16, 1, kFewPictures}};

SourceOptions shared_by(const Plan& plan, bool allow_damage = false) {
  SourceOptions options = options_for("input", plan.threads, 3);
  options.decoders = plan.decoders;
  options.ahead_bytes = plan.ahead_bytes;
  options.allow_damage = allow_damage;
  return options;
}

Outcome with_one(const std::vector<uint8_t>& bytes, bool allow_damage = false) {
  return read_bytes(bytes, shared_by({1, 1, SourceOptions().ahead_bytes}, allow_damage));
}

Outcome with_several(const std::vector<uint8_t>& bytes, const Plan& plan, bool allow_damage = false) {
  return read_bytes(bytes, shared_by(plan, allow_damage));
}

enum class Sharing { kShared, kOne };

struct StreamCase {
  const char* name;  // of the file
  Sharing sharing;
  const char* options;  // of the encoder and the muxer
};

constexpr const char* kX264 = "-c:v libx264 -g 30 -bf 3 -threads 1";
constexpr const char* kX265 =
    "-c:v libx265 -x265-params keyint=30:bframes=4:log-level=none:pools=1:frame-threads=1";
constexpr const char* kX265Closed =
    "-c:v libx265 -x265-params keyint=30:open-gop=0:log-level=none:pools=1:frame-threads=1";
constexpr const char* kHidden =
    "-c:v libvpx-vp9 -g 30 -auto-alt-ref 1 -lag-in-frames 16 -cpu-used 8 -threads 1";

const StreamCase kStreams[] = {
    {"closed.mkv", Sharing::kShared, kX264},
    {"pyramid.mp4", Sharing::kShared, "-c:v libx264 -g 30 -bf 8 -b-pyramid normal -refs 6 -threads 1"},
    {"closed.ts", Sharing::kShared, kX264},
    {"fragments.mp4", Sharing::kShared,
     "-c:v libx264 -g 30 -bf 3 -threads 1 -movflags +frag_keyframe+empty_moov"},
    {"closed.flv", Sharing::kShared, kX264},
    {"uneven.mkv", Sharing::kShared,
     "-vf 'settb=1/1000,setpts=N*40+mod(N\\,3)*13' -fps_mode passthrough -enc_time_base 1:1000 -c:v libx264 "
     "-g 30 -bf 3 -threads 1"},
    {"deep_444.mkv", Sharing::kShared, "-pix_fmt yuv444p10le -c:v libx264 -g 30 -bf 3 -threads 1"},
    {"key_frames.mkv", Sharing::kShared, "-c:v libx264 -g 1 -threads 1"},
    // Without times, without key frames to begin at.
    {"no_times.avi", Sharing::kOne, "-c:v libx264 -g 30 -bf 0 -threads 1"},
    {"no_times.h264", Sharing::kOne, kX264},
    {"recovery_points.mkv", Sharing::kOne, "-c:v libx264 -g 30 -bf 3 -x264-params open-gop=1 -threads 1"},
    {"refresh.mkv", Sharing::kOne, "-c:v libx264 -g 30 -x264-params intra-refresh=1 -threads 1"},
    {"open.mkv", Sharing::kShared, kX265},
    {"open.mp4", Sharing::kShared, kX265},
    {"open.ts", Sharing::kShared, kX265},
    {"closed_hevc.mkv", Sharing::kShared, kX265Closed},
    {"deep_hevc.mp4", Sharing::kShared,
     "-pix_fmt yuv420p10le -c:v libx265 -x265-params "
     "keyint=30:bframes=4:log-level=none:pools=1:frame-threads=1"},
    {"radl.mkv", Sharing::kShared,
     "-c:v libx265 -x265-params "
     "keyint=30:bframes=4:open-gop=0:radl=2:log-level=none:pools=1:frame-threads=1"},
    {"no_times.hevc", Sharing::kOne, kX265Closed},
    {"hidden.webm", Sharing::kShared, kHidden},
    {"realtime.webm", Sharing::kShared, "-c:v libvpx-vp9 -g 30 -deadline realtime -cpu-used 8 -threads 1"},
    {"aom.mkv", Sharing::kShared, "-c:v libaom-av1 -g 30 -cpu-used 8 -row-mt 0 -threads 1"},
    {"aom.mp4", Sharing::kShared, "-c:v libaom-av1 -g 30 -cpu-used 8 -usage realtime -threads 1"},
    {"each.mkv", Sharing::kShared, "-c:v ffv1 -level 3 -g 1 -slicecrc 1"},
    {"groups.mkv", Sharing::kShared, "-c:v ffv1 -level 3 -g 10 -slicecrc 1"},
    {"unchecked.nut", Sharing::kOne, "-c:v ffv1 -level 1 -g 10"},
    {"unchecked.mkv", Sharing::kOne, "-c:v ffv1 -level 3 -g 10 -slicecrc 0"},
    {"pictures.avi", Sharing::kShared, "-c:v mjpeg -q:v 3"},
    {"huffman.mov", Sharing::kShared, "-c:v mjpeg -q:v 3 -huffman optimal"},
    {"lossless.avi", Sharing::kShared, "-c:v utvideo"},
    {"prores.mov", Sharing::kShared, "-c:v prores"},
    {"mpeg2.ts", Sharing::kOne, "-c:v mpeg2video -g 12 -bf 2"},
    {"mpeg4.avi", Sharing::kOne, "-c:v mpeg4 -g 12 -bf 2"},
    {"vp8.webm", Sharing::kOne, "-c:v libvpx -g 30 -auto-alt-ref 1 -lag-in-frames 16 -cpu-used 8 -threads 1"},
};

std::vector<uint8_t> encoded_segments(const StreamCase& stream, const std::string& folder) {
  const std::string path = folder + "/" + stream.name;
  test::run_ffmpeg(
      "-f lavfi -i testsrc2=s=128x96:r=25,noise=alls=6:allf=t:all_seed=7 -frames:v 130 -pix_fmt yuv420p " +
      std::string(stream.options) + " " + path);
  return file_bytes(path);
}

class SharedStream : public testing::TestWithParam<StreamCase>, protected test::Folder {};

TEST_P(SharedStream, GivesWhatOneDecoderGives) {
  const std::vector<uint8_t> bytes = encoded_segments(GetParam(), folder_.path());
  const Outcome one = with_one(bytes);
  ASSERT_EQ(one.message, "");
  ASSERT_GT(one.crcs.size(), 50U);
  for (const Plan& plan : kPlans) {
    SCOPED_TRACE(std::to_string(plan.decoders) + " decoders, " + std::to_string(plan.threads) + " threads, " +
                 std::to_string(plan.ahead_bytes) + " bytes ahead");
    const Outcome several = with_several(bytes, plan);
    EXPECT_TRUE(several == one) << several.message;
    EXPECT_EQ(several.decoders, GetParam().sharing == Sharing::kShared ? plan.decoders : 1);
  }
}

// Each packet is whole, so that what is wrong is seen by the decoders alone; or the container is damaged as
// well.
TEST_P(SharedStream, GivesTheSameVerdictOnDamage) {
  if (std::string_view(GetParam().name).starts_with("unchecked") && LIBAVCODEC_VERSION_MAJOR >= 61)
    GTEST_SKIP() << "FFmpeg 7 leaves in damaged pictures what was in their memory: each run has others";
  const std::vector<uint8_t> bytes = encoded_segments(GetParam(), folder_.path());
  std::mt19937 random(5);
  for (int i = 0; i < 4; ++i) {
    std::vector<uint8_t> damaged = bytes;
    for (int flips = 0; flips < 1 + 3 * i; ++flips) {
      uint8_t& byte = damaged[damaged.size() / 4 + random() % (damaged.size() * 3 / 4)];
      byte = static_cast<uint8_t>(byte ^ (1u << random() % 8));
    }
    if (i == 3) damaged.resize(damaged.size() / 5 * 4 + random() % 500);
    for (const bool allow_damage : {false, true}) {
      const Outcome one = with_one(damaged, allow_damage);
      const Plan& plan = kPlans[random() % std::size(kPlans)];
      const Outcome several = with_several(damaged, plan, allow_damage);
      EXPECT_TRUE(several == one) << "damage " << i << ": " << one.message << " | " << several.message;
    }
  }
}

std::string name_of(const testing::TestParamInfo<StreamCase>& instance) {
  std::string name = instance.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Streams, SharedStream, testing::ValuesIn(kStreams), name_of);

// Sessions of hardware instead of decoders in software.
class SharedSessions : public SharedStream {
 protected:
  Outcome with_sessions(const std::shared_ptr<HardwareDouble>& api) {
    SourceOptions options = shared_by({3, 1, SourceOptions().ahead_bytes});
    options.hardware.api = api;
    options.hardware.devices.resize(2);
    return read_bytes(bytes_, options);
  }
  const std::vector<uint8_t> bytes_ = encoded_segments(GetParam(), folder_.path());
};

TEST_P(SharedSessions, GiveWhatOneDecoderGives) {
  const Outcome one = with_one(bytes_);
  for (const int keeps_from : {-1, 0, 7}) {
    const auto api = std::make_shared<HardwareDouble>(HardwarePlan{.keeps_from = keeps_from});
    const Outcome sessions = with_sessions(api);
    EXPECT_TRUE(sessions == one) << sessions.message;
    EXPECT_EQ(sessions.decoders, 3);
    EXPECT_EQ(api->sessions(), 3);
  }
}

TEST_P(SharedSessions, GoOnInSoftwareWhereHardwareFails) {
  const Outcome one = with_one(bytes_);
  for (const int fails_at : {0, 1, 40, 100}) {
    const Outcome sessions =
        with_sessions(std::make_shared<HardwareDouble>(HardwarePlan{.fails_at = fails_at}));
    EXPECT_EQ(sessions.message, "");
    EXPECT_EQ(sessions.crcs, one.crcs);
    EXPECT_EQ(sessions.indices, one.indices);
    EXPECT_EQ(sessions.timestamps, one.timestamps);
  }
}

TEST_P(SharedSessions, AreLeftToSoftwareWhereHardwareRefuses) {
  const auto api = std::make_shared<HardwareDouble>(HardwarePlan{.refuses_to_open = "no room"});
  const Outcome sessions = with_sessions(api);
  EXPECT_EQ(sessions.message, "");
  EXPECT_EQ(sessions.crcs, with_one(bytes_).crcs);
  EXPECT_EQ(sessions.decoders, 3) << "of software";
}

TEST_P(SharedSessions, GoAheadOnADeviceOnlyOnceItIsKnown) {
  constexpr int kSessions = 3;
  const Outcome one = with_one(bytes_);
  const auto api = std::make_shared<HardwareDouble>(HardwarePlan{.keeps_from = 0});
  SourceOptions options = shared_by({kSessions, 1, kAll});
  options.device_ahead_bytes = kAll;
  options.hardware.api = api;
  options.hardware.devices.resize(1);
  std::promise<DeferredSharedPictures::Devices> devices;
  options.hardware.pictures = std::make_shared<DeferredSharedPictures>(devices.get_future().share());
  const auto source = open_bytes(bytes_, options);
  std::vector<uint32_t> crcs;
  const auto read = [&] {
    const auto frame = source->read();
    if (frame) crcs.push_back(planes_crc(on_host(*frame)));
    return frame.has_value();
  };
  ASSERT_TRUE(read());
  vq::test::wait_until_others_sleep();
  constexpr int kUnderWay = 3;  // copies of each session
  EXPECT_LE(api->pictures(), 1 + (2 + kUnderWay) * kSessions);
  devices.set_value({});
  while (read()) continue;
  EXPECT_EQ(crcs, one.crcs);
  EXPECT_LE(api->sessions(), kSessions)
      << "one was made anew";  // fewer where the others were done before it had begun
}

constexpr StreamCase kOnHardware[] = {{"closed.mkv", Sharing::kShared, kX264},
                                      {"open.ts", Sharing::kShared, kX265},
                                      {"hidden.webm", Sharing::kShared, kHidden}};
INSTANTIATE_TEST_SUITE_P(Streams, SharedSessions, testing::ValuesIn(kOnHardware), name_of);

// Large enough to be shared out without being asked for, and quick to make.
TEST(SharedHardware, VideosOfARunShareTheSessionsOfADevice) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/grey.mkv";
  test::run_ffmpeg(
      "-f lavfi -i color=gray:s=1296x720:r=25 -frames:v 240 -c:v libx264 -preset ultrafast -g 24 -keyint_min "
      "24 " +
      path);
  for (const auto& [videos, sessions] : {std::pair{1, 8}, {2, 4}}) {
    SourceOptions options = options_for(path, 1);
    options.videos = videos;
    options.ahead_bytes = kAll;
    options.hardware.api = std::make_shared<HardwareDouble>();
    options.hardware.devices.resize(1);
    EXPECT_EQ(open_video(options)->report().decoder_count, sessions) << videos;
  }
}

class SharedInput : public test::FolderTest {
 protected:
  std::vector<uint8_t> made(const std::string& name, const std::string& options) const {
    return encoded_segments({name.c_str(), Sharing::kShared, options.c_str()}, folder_.path());
  }
  void expect_one(const std::vector<uint8_t>& bytes) const {
    const Outcome one = with_one(bytes);
    for (const Plan& plan : kPlans) {
      const Outcome several = with_several(bytes, plan);
      EXPECT_TRUE(several == one) << several.message;
      EXPECT_EQ(several.decoders, 1);
    }
  }
};

TEST_F(SharedInput, WhatAnEditListLeavesOutGoesToOneDecoder) {
  made("whole.mp4", kX264);
  const std::string path = in_folder("from_the_middle.mp4");
  test::run_ffmpeg("-ss 1.7 -i " + folder_.path() + "/whole.mp4 -c copy " + path);
  expect_one(file_bytes(path));
  const Outcome one = with_one(file_bytes(format_path("edit_list.mp4")));
  EXPECT_TRUE(with_several(file_bytes(format_path("edit_list.mp4")), kPlans[0]) == one);
}

// The second half was encoded otherwise, and says so within the stream.
TEST_F(SharedInput, ParameterSetsThatChangeGoToOneDecoder) {
  const auto first = made("first.ts", kX264);
  const auto second = made("second.ts", "-c:v libx264 -g 30 -bf 0 -refs 1 -x264-params cabac=0 -threads 1");
  std::vector<uint8_t> both = first;
  both.insert(both.end(), second.begin(), second.end());
  expect_one(both);
}

TEST_F(SharedInput, FilmGrainGoesToOneDecoder) {
  const std::vector<uint8_t> grain = file_bytes(format_path("grain_av1.mp4"));
  EXPECT_TRUE(with_several(grain, kPlans[0]) == with_one(grain));
}

TEST_F(SharedInput, OneThatIsLeftEarlyStops) {
  const std::vector<uint8_t> bytes = made("left.mkv", kX264);
  for (const size_t frames : {0, 1, 29, 31, 77}) {
    for (const Plan& plan : kPlans) {
      const auto source = open_bytes(bytes, shared_by(plan));
      for (size_t i = 0; i < frames; ++i) ASSERT_TRUE(source->read());
    }
  }
}

TEST_F(SharedInput, LessMemoryGivesTheSame) {
  const std::vector<uint8_t> bytes = made("less.mkv", kX264);
  const Outcome one = with_one(bytes);
  const auto source = open_bytes(bytes, shared_by({3, 3, SourceOptions().ahead_bytes}));
  source->limit_ahead(1);
  EXPECT_EQ(rest_of(*source), one.crcs);
  EXPECT_EQ(source->report().decoder_count, 3);
}

TEST_F(SharedInput, ReadingThatFailsGivesWhatCameBefore) {
  const std::vector<uint8_t> bytes = made("failing.mkv", "-c:v libx264 -g 30 -bf 3 -b:v 4M -threads 1");
  const auto read = [&](int decoders) {
    SourceOptions options = options_for("input", 1);
    options.decoders = decoders;
    return read_all(options, std::make_unique<FailingSource>(std::make_unique<MemorySource>(bytes, true), 9));
  };
  const Outcome one = read(1), several = read(2);
  EXPECT_EQ(one.code, 6);
  EXPECT_EQ(several.message, one.message);
  EXPECT_EQ(several.crcs, one.crcs);
}

TEST_F(SharedInput, SmallVideosAndSingleThreadsHaveOneDecoderUnlessAskedFor) {
  const std::vector<uint8_t> bytes = made("small.mkv", "-c:v libx264 -g 30 -threads 1");
  const Outcome small = with_several(bytes, {0, 8, kAll});
  EXPECT_EQ(small.decoders, 1);
  const std::string path = in_folder("large.mkv");
  test::run_ffmpeg(
      "-f lavfi -i testsrc2=s=1920x1080:r=25 -frames:v 60 -pix_fmt yuv420p -c:v libvpx-vp9 -g 25 -deadline "
      "realtime -cpu-used 8 " +
      path);
  const std::vector<uint8_t> large = file_bytes(path);
  EXPECT_EQ(with_several(large, {0, 1, kAll}).decoders, 1);
  EXPECT_EQ(with_several(large, {0, 2, kAll}).decoders, 1);
  EXPECT_EQ(with_several(large, {0, 4, 10 << 20}).decoders, 1) << "no memory for a segment";
  const Outcome shared = with_several(large, {0, 4, kAll});
  EXPECT_EQ(shared.decoders, 2);
  EXPECT_TRUE(shared == with_one(large));
}

}  // namespace
}  // namespace vq::cli
