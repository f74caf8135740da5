// Pictures in memory that somebody else has: the same samples, and where they should be.
#include "cli/decoding/hardware/hardware_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/decoding/frame_reader.h"
#include "cli/decoding/open_video.h"
#include "tests/support/source_test.h"
#include "tests/support/stored_frame.h"
#include "tests/support/test_video.h"

namespace vq::cli {
namespace {

using vq::test::has_stored_stride;
using vq::test::HostStore;
using vq::test::lies_in_place;

struct Coded {
  const char* name;
  bool placed = true;       // in the store
  bool device_rows = true;  // with rows as devices want them
};

// Everything that there is a decoder for.
std::vector<std::pair<std::string, Coded>> videos() {
  std::vector<std::pair<std::string, Coded>> all;
  for (const Coded& clip :
       {Coded{"sky_640x360_8b.mp4"}, Coded{"clouds_1920x1080_10b.mp4"}, Coded{"textured_417x235_8b.mkv"},
        Coded{"colour_640x360_444_ref.mp4"}, Coded{"dusk_1280x720_8b.webm"}, Coded{"sky_480x270_9b.mkv"}}) {
    all.emplace_back(clip_path(clip.name), clip);
  }
  // What libdav1d decodes lies in memory of its own; samples of other layouts are rearranged.
  all.emplace_back(clip_path("sky_1920x1080_8b_av1.mp4"), Coded{"sky_1920x1080_8b_av1.mp4", false, false});
  for (const Coded& file :
       {Coded{"h264.mkv"}, Coded{"hevc.mkv"}, Coded{"ffv1.mkv"}, Coded{"interlaced.mp4"}, Coded{"crop.mp4"},
        Coded{"nv12.nut", false, false}, Coded{"yuv420p10be.nut", false, false}}) {
    all.emplace_back(format_path(file.name), file);
  }
  return all;
}

TEST(PictureMemory, ChangesNoSampleWhereverPicturesLie) {
  for (const auto& [path, video] : videos()) {
    for (const int threads : {1, 4}) {
      const Outcome plain = read_all(options_for(path, threads, 3));
      ASSERT_EQ(plain.code, 0) << plain.message;
      for (const int refuses : {0, 3, 1}) {
        SCOPED_TRACE(path + ", " + std::to_string(threads) + " threads, refuses " + std::to_string(refuses));
        const auto store = std::make_shared<HostStore>(refuses);
        SourceOptions options = options_for(path, threads, 3);
        options.store = store;
        EXPECT_TRUE(read_all(options) == plain);
        EXPECT_EQ(store->held(), 0);
        if (video.placed) {
          EXPECT_GE(static_cast<size_t>(store->asked), plain.indices.size());
        }
      }
    }
  }
}

TEST(PictureMemory, FramesSayWhereTheyLie) {
  for (const auto& [path, video] : videos()) {
    SCOPED_TRACE(path);
    const auto store = std::make_shared<HostStore>();
    SourceOptions options = options_for(path, 1, 3);
    options.store = store;
    const auto source = open_video(options);
    const std::optional<Frame> frame = source->read();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->place != nullptr, video.placed);
    for (int i = 0; video.placed && i < plane_count(source->info().format.chroma); ++i) {
      EXPECT_TRUE(lies_in_place(*frame, i));
      if (video.device_rows) {
        EXPECT_TRUE(has_stored_stride(*frame, i)) << "plane " << i;
      }
    }
  }
}

TEST(PictureMemory, PicturesOutliveTheDecoder) {
  const auto store = std::make_shared<HostStore>();
  SourceOptions options = options_for(format_path("h264.mkv"), 4, 3);
  options.store = store;
  auto source = open_video(options);
  std::vector<Frame> frames;
  while (std::optional<Frame> frame = source->read()) frames.push_back(std::move(*frame));
  source.reset();
  EXPECT_EQ(static_cast<size_t>(store->held()), frames.size());
  uint32_t crc = 0;
  for (const Frame& frame : frames) crc = luma_crc(frame, crc);
  EXPECT_EQ(crc, read_all(options_for(format_path("h264.mkv"), 1, 3)).crc);
  frames.clear();
  EXPECT_EQ(store->held(), 0);
}

TEST(PictureMemory, DamageIsJudgedAsEver) {
  std::vector<uint8_t> bytes = file_bytes(format_path("h264.mkv"));
  for (size_t at = bytes.size() / 2; at < bytes.size() / 2 + 40; ++at) bytes[at] ^= 0x55;
  SourceOptions options;
  options.threads = 4;
  options.allow_damage = true;
  const Outcome plain = read_bytes(bytes, options);
  const auto store = std::make_shared<HostStore>();
  options.store = store;
  EXPECT_TRUE(read_bytes(bytes, options) == plain);
  EXPECT_EQ(store->held(), 0);
}

TEST(PictureMemory, UncompressedVideoLiesThereAsWell) {
  for (const int depth : {8, 10}) {
    for (const char* chroma : {"400", "420", "444"}) {
      const test::VideoShape shape{
          .width = 37, .height = 11, .frames = 3, .bit_depth = depth, .chroma = chroma};
      const std::string text = test::y4m_video(shape);
      for (const int refuses : {0, 2, 1}) {
        SourceOptions options = options_for("input", 1, 3);
        const Outcome plain = read_bytes(text_bytes(text), options);
        const auto store = std::make_shared<HostStore>(refuses);
        options.store = store;
        EXPECT_TRUE(read_bytes(text_bytes(text), options) == plain);
        EXPECT_EQ(store->asked, shape.frames);
        EXPECT_EQ(store->held(), 0);
      }
      SourceOptions options = options_for("input", 1, 3);
      options.store = std::make_shared<HostStore>();
      const auto source = open_bytes(text_bytes(text), options);
      const std::optional<Frame> frame = source->read();
      ASSERT_TRUE(frame);
      for (int i = 0; i < plane_count(source->info().format.chroma); ++i) {
        EXPECT_TRUE(lies_in_place(*frame, i) && has_stored_stride(*frame, i)) << chroma << ", plane " << i;
      }
    }
  }
}

// It is known only once the first pictures are there, of which those after them are made.
TEST(PictureMemory, AStoreMayComeAndGo) {
  const uint32_t expected = read_all(options_for(format_path("h264.mkv"), 1, 3)).crc;
  uint32_t crc = 0;
  FrameQueue queue(options_for(format_path("h264.mkv"), 1, 3), {.capacity = 1});
  queue.start();
  const auto store = std::make_shared<HostStore>();
  bool placed = false, gone = false;
  int64_t count = 0;
  while (const std::optional<Frame> frame = queue.next({})) {
    EXPECT_EQ(frame->index, count++);
    crc = luma_crc(*frame, crc);
    if (count == 2) queue.use_store(store);
    if (frame->place != nullptr && !std::exchange(placed, true)) queue.use_store(nullptr);
    gone = placed && frame->place == nullptr;
  }
  EXPECT_TRUE(placed && gone);
  EXPECT_EQ(crc, expected);
}

}  // namespace
}  // namespace vq::cli
