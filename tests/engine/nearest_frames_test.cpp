// Frames of one video nearest in time to those of another.
#include "engine/nearest_frames.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace vq {
namespace {

// Frames at these times; numbers count from 0.
class Film {
 public:
  explicit Film(std::vector<double> times) : times_(std::move(times)) {}

  NearestFrames frames(double frame_seconds = 0) {
    return NearestFrames(
        [this]() -> std::optional<NearestFrames::TimedFrame> {
          if (next_ == times_.size()) return std::nullopt;
          NearestFrames::TimedFrame timed{.frame = {}, .time = times_[next_]};
          timed.frame.index = static_cast<int64_t>(next_++);
          return timed;
        },
        frame_seconds);
  }

 private:
  const std::vector<double> times_;
  size_t next_ = 0;
};

std::vector<double> at_rate(double rate, int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(i / rate);
  return times;
}

// -1 where there is none.
std::vector<int64_t> numbers(NearestFrames& frames, const std::vector<double>& times) {
  std::vector<int64_t> found;
  for (const double time : times) {
    const Frame* const frame = frames.at(time);
    found.push_back(frame != nullptr ? frame->index : -1);
  }
  return found;
}

using Numbers = std::vector<int64_t>;

TEST(NearestFrames, HalfAndTwiceTheRate) {
  Film film(at_rate(24, 8));
  NearestFrames halved = film.frames();
  EXPECT_EQ(numbers(halved, at_rate(12, 4)), (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(halved.unused(), 3);
  EXPECT_EQ(halved.repeated(), 0);
  Film slow(at_rate(25, 3));
  NearestFrames doubled = slow.frames();
  // In the middle the earlier one; the last frame is shown for two of the other video.
  EXPECT_EQ(numbers(doubled, at_rate(50, 7)), (Numbers{0, 0, 1, 1, 2, 2, -1}));
  EXPECT_EQ(doubled.repeated(), 3);
  EXPECT_EQ(doubled.unused(), 0);
}

// Clocks of milliseconds round one of two equal distances up, and the other down.
TEST(NearestFrames, RoundedTimesAreTies) {
  Film film({0, 0.042, 0.083, 0.125});
  NearestFrames frames = film.frames();
  EXPECT_EQ(numbers(frames, {0, 0.021, 0.042, 0.0627, 0.083, 0.1043}), (Numbers{0, 0, 1, 1, 2, 2}));
}

TEST(NearestFrames, GapsAreFilledFromBothSides) {
  Film film({0, 0.1, 1.1, 1.2});
  NearestFrames frames = film.frames();
  EXPECT_EQ(numbers(frames, {0.3, 0.55, 0.7, 1.1, 1.16, 1.25, 1.4}), (Numbers{1, 1, 2, 2, 3, 3, -1}));
}

TEST(NearestFrames, EndsWhereTheVideoEnds) {
  Film none({});
  NearestFrames nothing = none.frames(0.04);
  EXPECT_EQ(nothing.at(0), nullptr);
  EXPECT_FALSE(nothing.goes_on_at(0));
  Film one({0});
  NearestFrames still = one.frames(0.04);
  EXPECT_EQ(numbers(still, {0, 0.02, 0.04}), (Numbers{0, 0, -1}));
  Film longer(at_rate(10, 5));
  NearestFrames frames = longer.frames();
  EXPECT_EQ(numbers(frames, {0, 0.1}), (Numbers{0, 1}));
  EXPECT_TRUE(frames.goes_on_at(0.2));
  Film same(at_rate(10, 2));
  NearestFrames ended = same.frames();
  EXPECT_EQ(numbers(ended, {0, 0.1}), (Numbers{0, 1}));
  EXPECT_FALSE(ended.goes_on_at(0.2));
}

// Against a search of all frames.
TEST(NearestFrames, AreNearestForAnyTimes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto ascending = [&](int count, int most) {
      std::vector<double> times = {0};
      while (static_cast<int>(times.size()) < count)
        times.push_back(times.back() +
                        0.01 * static_cast<double>(1 + random() % static_cast<unsigned>(most)));
      return times;
    };
    const std::vector<double> video = ascending(20, 9), wanted = ascending(30, 7);
    Film film(video);
    NearestFrames frames = film.frames();
    for (const double time : wanted) {
      const Frame* const found = frames.at(time);
      if (time > video.back()) break;
      ASSERT_NE(found, nullptr) << "seed " << seed << ", time " << time;
      double least = 1e9;
      for (const double own : video) least = std::min(least, std::fabs(own - time));
      const double distance = std::fabs(video[static_cast<size_t>(found->index)] - time);
      EXPECT_NEAR(distance, least, kClockTie) << "seed " << seed << ", time " << time;
    }
  }
}

}  // namespace
}  // namespace vq
