// Which frames are taken, and what is said where these are not like the others.
#include "engine/sampling.h"
#include "engine/evaluator.h"
#include "feature/extractor.h"
#include "tests/support/test.h"

namespace vq {
namespace {

std::vector<int64_t> taken(const Sampling& sampling, int64_t frames) {
  std::vector<int64_t> positions;
  for (int64_t position = 0; position < frames; ++position) {
    if (sampling.takes(position)) positions.push_back(position);
  }
  return positions;
}

TEST(Sampling, TakesTheFirstOfEachGroupUnlessItIsSpread) {
  EXPECT_THAT(taken({.every = 4}, 17), ElementsAre(0, 4, 8, 12, 16));
  EXPECT_THAT(taken({.every = 1}, 3), ElementsAre(0, 1, 2));
  // These are part of what reports mean: a later release takes the same.
  EXPECT_THAT(taken({.every = 2, .is_spread = true}, 20), ElementsAre(0, 2, 4, 7, 9, 10, 12, 15, 17, 18));
  EXPECT_THAT(taken({.every = 5, .is_spread = true}, 50), ElementsAre(0, 6, 12, 18, 24, 25, 32, 38, 44, 45));
}

TEST(Sampling, ASpreadSampleIsInStepWithNothing) {
  for (int64_t every = 2; every <= 12; ++every) {
    const Sampling sampling{.every = every, .is_spread = true};
    const int64_t groups = 2000;
    const std::vector<int64_t> positions = taken(sampling, groups * every);
    ASSERT_EQ(positions.size(), static_cast<size_t>(groups)) << every;
    for (int64_t i = 0; i < groups; ++i) EXPECT_EQ(positions[static_cast<size_t>(i)] / every, i) << every;
    for (int64_t period = 2; period <= 16; ++period) {
      std::vector<int64_t> at(static_cast<size_t>(period));
      for (const int64_t position : positions) ++at[static_cast<size_t>(position % period)];
      const double fair = static_cast<double>(groups) / static_cast<double>(period);
      for (const int64_t count : at)
        EXPECT_NEAR(static_cast<double>(count), fair, 0.2 * fair) << every << ", " << period;
    }
  }
}

TEST(Sampling, CountsWhatItTakes) {
  for (const bool is_spread : {false, true}) {
    for (int64_t every = 1; every <= 9; ++every) {
      const Sampling sampling{.every = every, .is_spread = is_spread};
      const std::vector<int64_t> positions = taken(sampling, 200);
      for (int64_t frames = 0; frames <= 200; ++frames) {
        EXPECT_EQ(sampling.count_of(frames), static_cast<int64_t>(taken(sampling, frames).size()))
            << every << ", " << frames;
      }
      for (size_t i = 1; i < positions.size(); ++i)
        EXPECT_LE(positions[i] - positions[i - 1], sampling.longest_step()) << every;
    }
  }
  constexpr int64_t kMost = int64_t{1} << 40;
  EXPECT_EQ((Sampling{.every = kMost, .is_spread = true}.count_of(kMost)), 1);
}

// Frames of these types in a row, over and over.
std::string remark_on(const std::string& types, int64_t frames, const Sampling& sampling) {
  SampledTypes counted;
  for (int64_t i = 0; i < frames; ++i) {
    const char letter = types[static_cast<size_t>(i) % types.size()];
    const PictureType type = letter == 'I'   ? PictureType::kIntra
                             : letter == 'P' ? PictureType::kPredicted
                             : letter == 'B' ? PictureType::kBidirectional
                                             : PictureType::kUnknown;
    counted.look(type, sampling.takes(i));
  }
  SampledTypes sum;
  sum.add(counted.state());
  EXPECT_EQ(sum.state(), counted.state());
  const std::optional<Diagnostic> remark = sum.remark("a.mp4", sampling);
  if (!remark) return {};
  EXPECT_EQ(remark->advice, Advice::kSubsample);
  EXPECT_EQ(remark->subjects, sampling.is_spread ? std::vector<std::string>()
                                                 : std::vector{std::to_string(sampling.every) + ":spread"});
  return remark->text;
}

TEST(SampledTypes, TellWhereTheScoredFramesAreNotLikeTheOthers) {
  EXPECT_EQ(remark_on("PBBB", 96, {.every = 4}),
            "a.mp4: 100 % of the scored frames are P-frames, but only 25 % of all frames are, so statistics "
            "may differ from those "
            "of all frames.");
  EXPECT_THAT(remark_on("BBBP", 320, {.every = 8}),
              HasSubstr("100 % of the scored frames are B-frames, but only 75 %"));
  EXPECT_THAT(remark_on("IP", 96, {.every = 2}), HasSubstr("are I-frames"));
  EXPECT_THAT(remark_on("IPPPPPPPPPPPPPPPPPPP", 20, {.every = 20}),
              HasSubstr("100 % of the scored frames are I-frames, but only 5 %"));
  EXPECT_THAT(remark_on("PBBB", 96, {.every = 4, .is_spread = true}), "");
  EXPECT_EQ(remark_on("PBBB", 96, {.every = 5}), "");
  EXPECT_EQ(remark_on("PPPP", 96, {.every = 4}), "");
  EXPECT_EQ(remark_on("????", 96, {.every = 4}), "");
  EXPECT_EQ(remark_on("PB", 8, {.every = 4}), "");  // which may be chance
  EXPECT_EQ(remark_on("P", 0, {.every = 4}), "");
}

// What a run may take follows from what is decoded, what that is fitted to, and how many frames wait.

constexpr int kThreads = 2;

DecodedVideo memory_video(int width, int height) {
  DecodedVideo video;
  video.is_planar = true;  // nothing but what is queued
  video.format.width = width;
  video.format.height = height;
  video.format.bit_depth = 8;
  video.format.chroma = Chroma::k420;
  return video;
}

FeatureRequest memory_request(const char* feature) {
  const FeatureInfo& info = find_feature(feature);
  return {.info = &info, .options = OptionSet(info.options)};
}

class RunMemory : public ::testing::Test {
 protected:
  int64_t bytes(const VideoReading& reading, const char* feature) {
    const VideoFormats formats{.distorted = small_.format, .reference = small_.format};
    return run_bytes(reading, {memory_request(feature)}, formats, {.backend = Backend::kCpu, .pool = &pool_});
  }

  WorkerPool pool_{kThreads};
  const DecodedVideo small_ = memory_video(640, 360), large_ = memory_video(1280, 720);
};

TEST_F(RunMemory, OfAFittedVideoBothFormsCount) {
  const auto of = [&](const ReadVideo& video) {
    return bytes({.videos = {video}, .threads = kThreads}, "psnr");
  };
  const int64_t none = bytes({.videos = {}, .threads = kThreads}, "psnr");
  const int64_t small = of({.decoded = small_, .fitted = {}}) - none,
                large = of({.decoded = large_, .fitted = {}}) - none;
  EXPECT_GT(small, 640 * 360);
  EXPECT_GT(large, 3 * small);
  EXPECT_EQ(of({.decoded = large_, .fitted = small_}) - none, large + small);
}

TEST_F(RunMemory, EachVideoCounts) {
  const int64_t none = bytes({.videos = {}, .threads = kThreads}, "psnr");
  const int64_t one = bytes({.videos = {{.decoded = small_, .fitted = {}}}, .threads = kThreads}, "psnr");
  const int64_t two = bytes(
      {.videos = {{.decoded = small_, .fitted = {}}, {.decoded = small_, .fitted = {}}}, .threads = kThreads},
      "psnr");
  EXPECT_EQ(two - none, 2 * (one - none));
}

// They wait until the frames that need them are scored; of what is not queued for another reason there is as
// much.
TEST_F(RunMemory, FramesBeforeOthersCount) {
  const FeatureRequest motion[] = {memory_request("motion")}, psnr[] = {memory_request("psnr")};
  const Execution execution{.backend = Backend::kCpu, .pool = &pool_};
  const auto frames_of = [&](const char* feature) {
    const int64_t none = bytes({.videos = {}, .threads = kThreads}, feature);
    const int64_t all =
        bytes({.videos = {{.decoded = small_, .fitted = {}}}, .threads = kThreads}, feature) - none;
    return all /
           decoding_bytes(small_, {frame_needs(std::vector{memory_request(feature)}).planes, 1, kThreads});
  };
  const int64_t before = frame_needs(motion).before.references;
  ASSERT_GT(before, 0);
  EXPECT_EQ(frames_of("motion") - static_cast<int64_t>(frames_in_flight(motion, execution)),
            frames_of("psnr") - static_cast<int64_t>(frames_in_flight(psnr, execution)) + before);
}

// Frames of one video that show at a time what another does.

// A picture that moves: neighbours are alike, and differ by far more than coding makes of one.
Signature picture(double position, double level = 2000) {
  Signature signature;
  for (size_t k = 0; k < kSignatureCells; ++k) {
    signature.levels[k] = static_cast<uint16_t>(
        std::lround(level + 800 * std::sin(0.7 * static_cast<double>(k) + 0.1 * position)));
  }
  return signature;
}

Pattern shown(double position) { return pattern_of(picture(position)); }

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

using FrameNumbers = std::vector<int64_t>;

TEST(NearestFrames, HalfAndTwiceTheRate) {
  Film film(at_rate(24, 8));
  NearestFrames halved = film.frames();
  EXPECT_EQ(numbers(halved, at_rate(12, 4)), (FrameNumbers{0, 2, 4, 6}));
  EXPECT_EQ(halved.unused(), 3);
  EXPECT_EQ(halved.repeated(), 0);
  Film slow(at_rate(25, 3));
  NearestFrames doubled = slow.frames();
  // In the middle the earlier one; the last frame is shown for two of the other video.
  EXPECT_EQ(numbers(doubled, at_rate(50, 7)), (FrameNumbers{0, 0, 1, 1, 2, 2, -1}));
  EXPECT_EQ(doubled.repeated(), 3);
  EXPECT_EQ(doubled.unused(), 0);
}

// Clocks of milliseconds round one of two equal distances up, and the other down.
TEST(NearestFrames, RoundedTimesAreTies) {
  Film film({0, 0.042, 0.083, 0.125});
  NearestFrames frames = film.frames();
  EXPECT_EQ(numbers(frames, {0, 0.021, 0.042, 0.0627, 0.083, 0.1043}), (FrameNumbers{0, 0, 1, 1, 2, 2}));
}

TEST(NearestFrames, GapsAreFilledFromBothSides) {
  Film film({0, 0.1, 1.1, 1.2});
  NearestFrames frames = film.frames();
  EXPECT_EQ(numbers(frames, {0.3, 0.55, 0.7, 1.1, 1.16, 1.25, 1.4}), (FrameNumbers{1, 1, 2, 2, 3, 3, -1}));
}

TEST(NearestFrames, EndsWhereTheVideoEnds) {
  Film none({});
  NearestFrames nothing = none.frames(0.04);
  EXPECT_EQ(nothing.at(0).frame, nullptr);
  EXPECT_FALSE(nothing.goes_on_at(0));
  Film one({0});
  NearestFrames still = one.frames(0.04);
  EXPECT_EQ(numbers(still, {0, 0.02, 0.04}), (FrameNumbers{0, 0, -1}));
  Film longer(at_rate(10, 5));
  NearestFrames frames = longer.frames();
  EXPECT_EQ(numbers(frames, {0, 0.1}), (FrameNumbers{0, 1}));
  EXPECT_TRUE(frames.goes_on_at(0.2));
  Film same(at_rate(10, 2));
  NearestFrames ended = same.frames();
  EXPECT_EQ(numbers(ended, {0, 0.1}), (FrameNumbers{0, 1}));
  EXPECT_FALSE(ended.goes_on_at(0.2));
}

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
  EXPECT_EQ(found, (FrameNumbers{0, 0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19}));
  EXPECT_FALSE(frames.goes_on_at(0.88));
}

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
