// Allocations that fail count for the decoders that are at work then, and for no others.
#include "cli/decoding/ffmpeg_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "cli/decoding/open_video.h"
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

// As one of FFmpeg's: the program itself may have that in it.
void fail_once() {
  void* memory = nullptr;
  const volatile size_t most = SIZE_MAX / 4;
  ASSERT_NE(posix_memalign(&memory, 64, most), 0);
}

int64_t frames_of(VideoSource& source) {
  int64_t count = 0;
  while (source.read()) ++count;
  return count;
}

class AllocationWatchTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers have allocators of their own";
    options_.path = folder_.path() + "/a.mp4";
    run_ffmpeg(
        "-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 60 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -g "
        "10 -threads 1 " +
        options_.path);
    options_.decoders = GetParam();
    options_.threads = GetParam();
  }
  TemporaryFolder folder_;
  SourceOptions options_;
};

TEST_P(AllocationWatchTest, OneFailureDoesNotFailLaterDecoders) {
  const int64_t frames = frames_of(*open_video(options_));
  ASSERT_GT(frames, 0);
  const AllocationWatch before;
  fail_once();
  EXPECT_TRUE(before.has_failed());
  EXPECT_FALSE(AllocationWatch().has_failed());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(frames_of(*open_video(options_)), frames);
}

TEST_P(AllocationWatchTest, AFailureEndsTheDecoderThatIsAtWork) {
  const std::unique_ptr<VideoSource> source = open_video(options_);
  fail_once();
  EXPECT_THROW(frames_of(*source), std::bad_alloc);
}

INSTANTIATE_TEST_SUITE_P(Decoders, AllocationWatchTest, testing::Values(1, 3));

}  // namespace
}  // namespace vq::cli::test
