#include "cli/decoding/parallel/decoder_plan.h"

#include <gtest/gtest.h>

namespace vq::cli {
namespace {

constexpr int64_t kHd = 1920 * 1080, kUhd = 3840 * 2160;

TEST(SessionsOfUse, GrowWithTheLengthOfTheVideo) {
  EXPECT_EQ(sessions_of_use(24, kHd, 1), 1);
  EXPECT_EQ(sessions_of_use(240, kHd, 2), 2);
  EXPECT_EQ(sessions_of_use(240, kUhd, 2), 4);
  EXPECT_EQ(sessions_of_use(3840, kHd, 2), 4);
  EXPECT_EQ(sessions_of_use(3840, kHd, 1), 8);
}

// As many for each as the circuits of the device are for all.
TEST(SessionsOfUse, AreSharedByAllVideos) {
  EXPECT_EQ(sessions_of_use(100000, kUhd, 4), 2);
  EXPECT_EQ(sessions_of_use(100000, kUhd, 8), 1);
  EXPECT_EQ(sessions_of_use(100000, kUhd, 100), 1);
}

TEST(SessionsOfUse, AreTheMostWhereTheLengthIsUnknown) {
  EXPECT_EQ(sessions_of_use(std::nullopt, kHd, 1), 8);
  EXPECT_EQ(sessions_of_use(std::nullopt, kHd, 2), 4);
}

}  // namespace
}  // namespace vq::cli
