// Frames found again are those that were read.
#include "cli/decoding/open_video.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/run_program.h"
#include "tests/support/source_test.h"
#include "tests/support/test_video.h"

namespace vq::cli {
namespace {

struct Known {
  int64_t index;
  std::optional<double> timestamp;
  uint32_t crc;
};

std::vector<Known> frames_of(const SourceOptions& options) {
  const auto video = open_video(options);
  std::vector<Known> known;
  while (const auto frame = video->read())
    known.push_back({frame->index, frame->timestamp, luma_crc(*frame)});
  return known;
}

// Every frame by itself, and every third one after the other.
void expect_found(const SourceOptions& options) {
  const std::vector<Known> known = frames_of(options);
  ASSERT_FALSE(known.empty());
  FrameFinder walker(options);
  for (size_t i = 0; i < known.size(); ++i) {
    FrameFinder finder(options);
    for (FrameFinder* const one : {&finder, &walker}) {
      if (one == &walker && i % 3 != 0) continue;
      const auto frame = one->find(known[i].index, known[i].timestamp);
      ASSERT_TRUE(frame) << options.path << " " << i;
      EXPECT_EQ(frame->index, known[i].index);
      EXPECT_EQ(luma_crc(*frame), known[i].crc) << options.path << " " << i;
    }
  }
}

TEST(FrameFinder, FindsEveryFrameOfContainers) {
  for (const char* const name :
       {"sky_640x360_8b.mp4", "sky_640x360_10b.mkv", "dusk_1280x720_8b.webm", "sky_1920x1080_8b_av1.mp4",
        "dusk_960x540_10b_hlg.mp4", "static_640x360_8b.mp4", "textured_417x235_8b.mkv"}) {
    expect_found(options_for(clip_path(name), 1));
  }
}

TEST(FrameFinder, FindsFramesOfY4mAndRawVideo) {
  const test::TemporaryFolder folder;
  const std::string y4m = test::y4m_video({.width = 32, .height = 16, .frames = 7});
  test::write_file(folder.path() + "/a.y4m", y4m);
  expect_found(options_for(folder.path() + "/a.y4m", 1));
  std::string bytes;
  for (int i = 0; i < 5; ++i) bytes += std::string(384, static_cast<char>('a' + i));
  test::write_file(folder.path() + "/a.yuv", bytes);
  SourceOptions raw = options_for(folder.path() + "/a.yuv", 1);
  raw.raw = RawFormat{.width = 16, .height = 16};
  expect_found(raw);
}

TEST(FrameFinder, TheTimeDecidesWhereItIsKnown) {
  const SourceOptions options = options_for(clip_path("sky_640x360_8b.mp4"), 1);
  const std::vector<Known> known = frames_of(options);
  // As of a run that skipped three frames: it counts from there.
  FrameFinder finder(options);
  const auto frame = finder.find(4, known[7].timestamp);
  ASSERT_TRUE(frame);
  EXPECT_EQ(luma_crc(*frame), known[7].crc);
  EXPECT_EQ(frame->index, 4);
}

TEST(FrameFinder, WhatIsNotThereIsNotFound) {
  const SourceOptions options = options_for(clip_path("sky_640x360_8b.mp4"), 1);
  FrameFinder finder(options);
  EXPECT_FALSE(finder.find(100, 4.0));
  EXPECT_FALSE(finder.find(100, std::nullopt));
  const double frame = *frames_of(options)[1].timestamp;
  EXPECT_FALSE(FrameFinder(options).find(3, frame * 3.5 - frame));  // between two frames
}

}  // namespace
}  // namespace vq::cli
