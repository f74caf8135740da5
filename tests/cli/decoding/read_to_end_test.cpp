// What is known of a stream's length does not depend on how far ahead of the run it was read.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "cli/decoding/frame_queue.h"
#include "tests/support/bad_input.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

TEST(ReadToEnd, ALengthIsKnownOnceTheRunReadsToTheEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a.ts";
  run_ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 12 -c:v mpeg2video -q 4 -threads 1 " + path);
  SourceOptions options;
  options.path = path;
  options.threads = 1;
  FrameQueueLimits limits;
  limits.capacity = 100;
  FrameQueue queue(options, limits);
  queue.start();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.next({}));
  // Time to read the rest of it, which is of no use to a right one.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(queue.measured_length());
  int more = 0;
  while (queue.next({})) ++more;
  EXPECT_EQ(more, 9);
  ASSERT_TRUE(queue.measured_length());
  EXPECT_NEAR(queue.measured_length()->seconds, 0.48, 0.001);
}

}  // namespace
}  // namespace vq::cli::test
