// Frames of one video that show at a time what another does.
#include "engine/nearest_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace vq {
namespace {

// A picture that moves: neighbours are alike, and differ by far more than coding makes of one.
Signature picture(double position, double level = 2000) {
  Signature signature;
  for (size_t k = 0; k < kSignatureCells; ++k) {
    signature.levels[k] = static_cast<uint16_t>(
        std::lround(level + 800 * std::sin(0.7 * static_cast<double>(k) + 0.1 * position)));
  }
  return signature;
}

Pattern shown(double position) {
  return pattern_of(picture(position));
}

// Frames at these times; numbers count from 0. They show nothing, or pictures of these positions.
class Film {
 public:
  explicit Film(std::vector<double> times, std::vector<double> positions = {})
      : times_(std::move(times)), positions_(std::move(positions)) {}

  NearestFrames frames(double frame_seconds = 0) {
    return NearestFrames(
        [this]() -> std::optional<NearestFrames::TimedFrame> {
          if (next_ == times_.size()) return std::nullopt;
          NearestFrames::TimedFrame timed{.frame = {}, .time = times_[next_]};
          if (!positions_.empty()) timed.pattern = shown(positions_[next_]);
          timed.frame.index = static_cast<int64_t>(next_++);
          return timed;
        },
        frame_seconds);
  }
  int64_t frames_read() const { return static_cast<int64_t>(next_); }

 private:
  const std::vector<double> times_, positions_;
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
    const Frame* const frame = frames.at(time).frame;
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
  EXPECT_EQ(nothing.at(0).frame, nullptr);
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
      const Frame* const found = frames.at(time).frame;
      if (time > video.back()) break;
      ASSERT_NE(found, nullptr) << "seed " << seed << ", time " << time;
      double least = 1e9;
      for (const double own : video) least = std::min(least, std::fabs(own - time));
      const double distance = std::fabs(video[static_cast<size_t>(found->index)] - time);
      EXPECT_NEAR(distance, least, kClockTie) << "seed " << seed << ", time " << time;
    }
  }
}

std::vector<double> counted_up(int count) {
  std::vector<double> positions;
  for (int i = 0; i < count; ++i) positions.push_back(i);
  return positions;
}

// Expects that each frame is compared with the one it shows; `pictures` ascend.
void expect_found(double rate, double own_rate, const std::vector<int64_t>& pictures,
                  const std::string& what) {
  constexpr int kFrames = 100;
  Film film(at_rate(rate, kFrames), counted_up(kFrames));
  NearestFrames frames = film.frames(1 / rate);
  for (size_t i = 0; i < pictures.size(); ++i) {
    const double time = static_cast<double>(i) / own_rate;
    const NearestFrames::Match match = frames.at(time, 1 / own_rate, shown(static_cast<double>(pictures[i])));
    ASSERT_NE(match.frame, nullptr) << what << ", frame " << i;
    ASSERT_EQ(match.frame->index, pictures[i]) << what << ", frame " << i;
    EXPECT_TRUE(match.is_alike) << what << ", frame " << i;
    EXPECT_LE(film.frames_read() - match.frame->index, NearestFrames::kHeld) << what;
  }
}

// Converted rates, however the program that converts them rounds, and whether it is early or late.
TEST(NearestFrames, CadencesAreFollowed) {
  const std::vector<std::pair<double, double>> rates = {{24, 30}, {25, 30}, {30, 24},   {30, 25}, {24, 60},
                                                        {24, 24}, {50, 25}, {25, 12.5}, {60, 24}};
  for (const auto& [rate, own] : rates) {
    const double frames = std::max(1.0, rate / own);
    for (const double late : {-frames, -0.5, 0.0, 0.5, 0.99, frames}) {
      std::vector<int64_t> pictures;
      for (int i = 0; i < static_cast<int>(90 * own / rate); ++i)
        pictures.push_back(std::max<int64_t>(0, std::llround(std::floor(i * rate / own - late + 1e-9))));
      expect_found(
          rate, own, pictures,
          std::to_string(rate) + " as " + std::to_string(own) + ", " + std::to_string(late) + " frames late");
    }
  }
}

TEST(NearestFrames, DropsAndRepeatsAreFollowed) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> pictures = {0};
    for (int64_t i = 1; i < 90; ++i) {
      const int64_t step = random() % 5 == 0 ? 2 * static_cast<int64_t>(random() % 2) : 1;
      const int64_t next = pictures.back() + step;
      pictures.push_back(next < i - 2 || next > i + 2 ? pictures.back() + 1 : next);
    }
    expect_found(25, 25, pictures, "seed " + std::to_string(seed));
  }
}

// What coding makes of a picture that stands still or hardly moves is no reason to leave the nearest.
TEST(NearestFrames, StillPicturesKeepTheirTimes) {
  std::mt19937 random(1);
  for (const double speed : {0.0, 0.02}) {
    std::vector<double> positions = counted_up(80);
    for (double& position : positions) position *= speed;
    Film film(at_rate(25, 80), positions);
    NearestFrames frames = film.frames(0.04);
    for (size_t i = 0; i < positions.size(); ++i) {
      Signature coded = picture(positions[i], 2100);
      for (uint16_t& level : coded.levels) level = static_cast<uint16_t>(level + random() % 13);
      const NearestFrames::Match match = frames.at(static_cast<double>(i) * 0.04, 0.04, pattern_of(coded));
      ASSERT_NE(match.frame, nullptr);
      EXPECT_EQ(match.frame->index, static_cast<int64_t>(i)) << speed;
      EXPECT_EQ(match.from_nearest, 0);
      EXPECT_TRUE(match.is_alike);
    }
  }
}

TEST(NearestFrames, FramesThatFitNoneAreTold) {
  Film film(at_rate(25, 40), counted_up(40));
  NearestFrames frames = film.frames(0.04);
  const auto is_alike = [&](int frame, double position) {
    return frames.at(frame * 0.04, 0.04, shown(position)).is_alike;
  };
  EXPECT_TRUE(is_alike(3, 3));
  EXPECT_FALSE(is_alike(4, 35));                                              // of another moment
  EXPECT_FALSE(is_alike(10, 10.5));                                           // blended of two
  EXPECT_TRUE(is_alike(11, 11.05));                                           // as coding makes it
  EXPECT_TRUE(frames.at(12 * 0.04, 0.04, pattern_of(Signature())).is_alike);  // black
}

// Two frames late at half the rate: the last are compared when the other video's time is over.
TEST(NearestFrames, LateVideosEndWithTheirLastFrame) {
  Film film(at_rate(25, 20), counted_up(20));
  NearestFrames frames = film.frames(0.04);
  std::vector<int64_t> found;
  for (int i = 0;; ++i) {
    const NearestFrames::Match match = frames.at(i * 0.08, 0.08, shown(std::max(0, 2 * i - 3)));
    if (match.frame == nullptr) break;
    found.push_back(match.frame->index);
  }
  EXPECT_EQ(found, (Numbers{0, 0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19}));
  EXPECT_FALSE(frames.goes_on_at(0.88));
}

// Whatever is shown, frames are compared in order.
TEST(NearestFrames, NeverGoBack) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    Film film(at_rate(25, 60), counted_up(60));
    NearestFrames frames = film.frames(0.04);
    int64_t last = 0, repeated = 0, unused = 0;
    for (int i = 0; i < 50; ++i) {
      const Frame* const frame = frames.at(i * 0.04, 0.04, shown(random() % 60)).frame;
      ASSERT_NE(frame, nullptr);
      ASSERT_GE(frame->index, last) << "seed " << seed;
      if (i > 0 && frame->index == last) ++repeated;
      unused += std::max<int64_t>(0, frame->index - last - 1);
      last = frame->index;
    }
    EXPECT_EQ(frames.repeated(), repeated);
    EXPECT_GE(frames.unused(), unused);
  }
}

}  // namespace
}  // namespace vq
