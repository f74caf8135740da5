#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/pictures/heatmap_outputs.h"
#include "core/synthetic_frame.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

bool operator==(const Colour& a, const Colour& b) {
  return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

TEST(Picture, DrawingOutsideDoesNothing) {
  RgbImage image(4, 3, {1, 2, 3});
  image.fill({-5, -5, 100, 6}, {9, 9, 9});
  image.set(4, 0, {0, 0, 0});
  EXPECT_TRUE(image.at(3, 0) == (Colour{9, 9, 9}));
  EXPECT_TRUE(image.at(0, 1) == (Colour{1, 2, 3}));
  draw_text(image, -3, -2, "W#", {{0, 0, 0}, 3});
}

double luminance(const Colour& c) { return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue; }

TEST(ColourMap, GetsBrighterAllTheWay) {
  double before = -1;
  for (double share = 0; share <= 1; share += 1.0 / 64) {
    EXPECT_GT(luminance(score_colour(share)), before) << share;
    before = luminance(score_colour(share));
  }
  EXPECT_TRUE(score_colour(1) == (Colour{0xFC, 0xFF, 0xA4}));
  EXPECT_TRUE(score_colour(40) == score_colour(1));
  EXPECT_EQ(score_cover(0), 0);
  EXPECT_LT(score_cover(40), 1);
}

const MetricInfo kMetric = {.name = "flaws",
                            .title = "Flaws",
                            .subject = "flaws",
                            .better = Better::kLower,
                            .flawless = 0,
                            .noteworthy = 5,
                            .usual_top = 24};

TEST(ScoreCurve, FillsAsScoresCome) {
  ScoreCurve curve(kMetric, 100, 10);
  RgbImage image(100, 20);
  curve.add(5.9);
  EXPECT_EQ(curve.top(), 6);
  curve.add(6);
  EXPECT_EQ(curve.top(), 12);
  for (int i = 0; i < 3; ++i) curve.add(12);
  EXPECT_EQ(curve.top(), 24);
  curve.draw(image, {0, 0, 100, 20});
  EXPECT_TRUE(image.at(30, 19) == score_colour(12 / kMetric.usual_top));
  EXPECT_FALSE(image.at(90, 19) == score_colour(12 / kMetric.usual_top));
  for (int i = 0; i < 100; ++i) curve.add(1);  // more than were announced
  curve.draw(image, {0, 0, 100, 20});
}

TEST(ScoreCurve, WithoutATotalTheNewestIsOnTheRight) {
  ScoreCurve curve(kMetric, 10, std::nullopt);
  for (int i = 0; i < 25; ++i) curve.add(i < 20 ? 1 : 3);
  RgbImage image(10, 10);
  curve.draw(image, {0, 0, 10, 10});
  EXPECT_TRUE(image.at(4, 9) == score_colour(1 / kMetric.usual_top));
  EXPECT_TRUE(image.at(5, 9) == score_colour(3 / kMetric.usual_top));
}

// A video of flat frames with two scales of heatmaps.
class WorstFramesTest : public ::testing::Test {
 protected:
  WorstFramesTest() {
    video_.metric = kMetric;
    video_.format.width = 64;
    video_.format.height = 48;
    video_.format.bit_depth = 8;
    video_.heatmaps = {{0, 64, 48, 2.0 / 65535}, {1, 32, 24, 8.0 / 65535}};
    video_.frame_rate = 25;
    maps_.emplace_back(64, 48);
    maps_.emplace_back(32, 24);
    luma_ = Plane<uint8_t>(64, 48);
    video_.draw = [this](const std::vector<FramePair>& frames) {
      std::vector<FrameResult> results(frames.size());
      for (size_t i = 0; i < frames.size(); ++i) {
        drawn_.push_back(frames[i].index);
        EXPECT_EQ(frames[i].distorted.luma().width(), video_.format.width);
        EXPECT_EQ(frames[i].distorted.repeated_planes, 0);
        for (const Plane<uint16_t>& map : maps_) results[i].heatmaps.push_back(copy_plane(map.view()));
      }
      return results;
    };
  }
  void show(FrameObserver& observer, int64_t index, double score, std::span<const double> others = {}) {
    Frame frame = luma_frame(index);
    frame.repeated_planes = kMaxPlanes;
    observer.frame({frame, score, maps_, {}, nullptr, others});
  }
  Frame luma_frame(int64_t index = 0) const {
    Frame frame;
    frame.luma().u8 = luma_.view();
    frame.index = index;
    return frame;
  }
  Snapshot snapshot(const Frame* reference = nullptr) const {
    return SnapshotMaker(video_).make({luma_frame(), 3.5, maps_, {}, reference});
  }
  std::vector<int64_t> kept(WorstFrames& pictures) {
    std::vector<int64_t> frames;
    for (const Snapshot* shot : pictures.chosen()) frames.push_back(shot->frame);
    return frames;
  }

  ObservedVideo video_;
  std::vector<Plane<uint16_t>> maps_;
  Plane<uint8_t> luma_;
  std::vector<int64_t> drawn_;
};

TEST_F(WorstFramesTest, LocalScoresAddTheScalesUp) {
  for (int y = 0; y < 48; ++y) std::fill_n(maps_[0].row(y), 64, uint16_t{65535});
  for (int y = 0; y < 24; ++y) std::fill_n(maps_[1].row(y), 16, uint16_t{32768});
  luma_.row(0)[0] = 126;
  const Snapshot shot = snapshot();
  EXPECT_EQ(shot.local.row(10)[5], 6 * kLocalScoreSteps / kMetric.usual_top);
  EXPECT_EQ(shot.local.row(10)[60], 2 * kLocalScoreSteps / kMetric.usual_top);
  EXPECT_GT(shot.local.row(10)[31], shot.local.row(10)[32]);  // in between
  const Plane<uint8_t> grey = grey_of(shot.picture);
  EXPECT_EQ(grey.row(0)[0], 128);  // (126 - 16) * 255 / 219
  EXPECT_EQ(grey.row(1)[1], 0);
}

TEST_F(WorstFramesTest, LocalScoresLieBetweenTwoRowsOfAHeatmap) {
  for (int y = 0; y < 12; ++y) std::fill_n(maps_[1].row(y), 32, uint16_t{32768});  // a score of 4
  const Snapshot shot = snapshot();
  constexpr int kScore = kLocalScoreSteps / 24;
  EXPECT_EQ(shot.local.row(22)[5], 4 * kScore);
  EXPECT_EQ(shot.local.row(23)[5], 3 * kScore);
  EXPECT_EQ(shot.local.row(24)[5], 1 * kScore);
  EXPECT_EQ(shot.local.row(25)[5], 0);
}

TEST_F(WorstFramesTest, KeepsTheWorstMoments) {
  WorstFrames pictures(video_, 2, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 250; ++i)
    show(pictures, i, i == 40 ? 9 : i == 45 ? 8 : i == 200 ? 7 : i == 120 ? 3 : 1);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(40, 200));
}

TEST_F(WorstFramesTest, NeighboursInTwoSecondsAreOneMoment) {
  WorstFrames pictures(video_, 3, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 100; ++i) show(pictures, i, i == 24 ? 9 : i == 25 ? 8 : i == 80 ? 2 : 0);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(24, 80));
}

TEST_F(WorstFramesTest, OtherMetricsFillWhatTheShownOneLeaves) {
  MetricInfo other = kMetric;
  other.better = Better::kHigher;
  other.flawless.reset();
  video_.others = {kMetric, other};
  WorstFrames pictures(video_, 3, MomentsOf::kEveryMetric), own(video_, 3, MomentsOf::kShownMetric);
  for (int64_t i = 0; i < 300; ++i) {
    const std::array<double, 2> others = {i == 50 ? 9.0 : 0.0, i == 120 ? 20.0 : i == 200 ? 25.0 : 40.0};
    show(pictures, i, i == 250 ? 1 : 0, others);
    show(own, i, i == 250 ? 1 : 0, others);
  }
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(250, 50, 120));
  EXPECT_THAT(kept(own), ::testing::ElementsAre(250));
}

TEST_F(WorstFramesTest, WhatTheRunIsJudgedByTakesTurns) {
  video_.others = {kMetric, kMetric};
  video_.judged_others = 1;
  WorstFrames pictures(video_, 4, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 400; ++i) {
    const bool is_judged = i == 50 || i == 100 || i == 150, is_shown = i == 200 || i == 250 || i == 300;
    const std::array<double, 2> others = {is_judged ? 10.0 - static_cast<double>(i) / 50 : 0.0,
                                          i == 390 ? 20.0 : 0.0};
    show(pictures, i, is_shown ? 7.0 - static_cast<double>(i) / 50 : 0, others);
  }
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(200, 50, 250, 100));
}

TEST_F(WorstFramesTest, EverySceneThatMayBeginHasItsWorstFrame) {
  video_.may_begin_scene = [](int64_t after, int64_t frame) { return after < 20 && frame >= 20; };
  WorstFrames pictures(video_, 2, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 100; ++i) show(pictures, i, i == 15 ? 9 : i == 22 ? 6 : i == 50 ? 5 : 1);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(15, 22));
}

TEST_F(WorstFramesTest, WhereNeitherSideIsWorseTheExtremesAreKept) {
  video_.metric.better = Better::kNeither;
  WorstFrames pictures(video_, 4, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 300; ++i)
    show(pictures, i, i == 50 ? 9 : i == 120 ? 2 : i == 200 ? 8 : i == 280 ? 1 : 5);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(280, 50, 120, 200));
}

TEST_F(WorstFramesTest, APageGetsThePictureAndItsColours) {
  WorstFrames pictures(video_, 1, MomentsOf::kEveryMetric);
  show(pictures, 7, 5);
  const FramePicture picture = pictures.pictures(PageQuality::kSmall).at(0);
  EXPECT_EQ(picture.frame, 7);
  EXPECT_EQ(picture.score, 5);
  EXPECT_EQ(picture.timestamp, std::nullopt);
  EXPECT_FALSE(picture.picture.bytes.empty());
  EXPECT_FALSE(picture.heat.bytes.empty());
  EXPECT_TRUE(picture.reference.bytes.empty());
}

TEST_F(WorstFramesTest, SeveralAreMadeAtATimeAndCounted) {
  WorstFrames pictures(video_, 6, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 200; ++i) show(pictures, i, i % 40 == 0 ? 5 + static_cast<double>(i) / 40 : 1);
  const std::vector<FramePicture> one = pictures.pictures(PageQuality::kSmall);
  std::vector<std::pair<size_t, size_t>> told;
  const std::vector<FramePicture> several = pictures.pictures(
      PageQuality::kSmall, 4, [&](size_t made, size_t all) { told.emplace_back(made, all); });
  ASSERT_EQ(one.size(), several.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].frame, several[i].frame);
    EXPECT_EQ(one[i].picture.bytes, several[i].picture.bytes);
  }
  ASSERT_EQ(told.size(), one.size() + 1);
  for (size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], std::pair(i, one.size()));
}

TEST_F(WorstFramesTest, HeatmapsAreDrawnOnceOfTheWorstInTheEnd) {
  WorstFrames pictures(video_, 2, MomentsOf::kEveryMetric);
  const auto show_some = [&](int64_t first) {
    for (int64_t i = first; i < first + 100; ++i)
      show(pictures, i, i % 30 == 0 ? 9 - std::fabs(static_cast<double>(i) - 120) / 30 : 1);
  };
  show_some(0);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(90, 60));
  show_some(100);
  EXPECT_EQ(pictures.pictures(PageQuality::kSmall).at(0).frame, 120);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(120, 90));
  EXPECT_THAT(drawn_, ::testing::ElementsAre(60, 90, 120));
}

TEST_F(WorstFramesTest, HeatmapsAreDrawnOfWholeFrames) {
  video_.format.width = 2400;
  luma_ = Plane<uint8_t>(2400, 48);
  WorstFrames pictures(video_, 1, MomentsOf::kEveryMetric);
  show(pictures, 7, 5);
  EXPECT_EQ(pictures.chosen().at(0)->picture.width(), 1920);
  EXPECT_THAT(drawn_, ::testing::ElementsAre(7));
}

// Samples that the host has to fetch.
struct ElsewhereMemory final : FrameMemory {
  const void* device() const override { return this; }
  const std::array<SampleView, kMaxPlanes>& planes() const override {
    ++fetched;
    if (is_lost) throw Error(ErrorKind::kBackend, "lost");
    return views;
  }
  PlaneSize luma_size() const override { return {}; }
  Frame luma_part(const LumaLines&) const override { return {}; }

  std::array<SampleView, kMaxPlanes> views;
  bool is_lost = false;
  mutable std::atomic<int> fetched = 0;
};

TEST_F(WorstFramesTest, SamplesAreFetchedOnlyOfFramesThatMayBeShown) {
  const auto memory = std::make_shared<ElsewhereMemory>();
  memory->views[0].u8 = luma_.view();
  const auto show_elsewhere = [&](WorstFrames& pictures, int64_t index, double score) {
    Frame frame;
    frame.place = memory;
    frame.index = index;
    pictures.frame({frame, score, {}, {}, nullptr, {}});
  };
  WorstFrames pictures(video_, 1, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 100; ++i) show_elsewhere(pictures, i, i == 0 ? 9 : 1);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(0));
  EXPECT_EQ(memory->fetched, 1);
  memory->is_lost = true;
  show_elsewhere(pictures, 100, 10);
  EXPECT_THROW(pictures.chosen(), Error);
  EXPECT_TRUE(pictures.chosen().empty());  // what else there is can be kept
}

TEST(ScoreAgain, SingleFramesHaveTheHeatmapsAndValuesOfTheirRun) {
  VideoFormat format;
  format.width = 400;
  format.height = 240;
  format.transfer = Transfer::kSrgb;
  format.matrix = Matrix::kBt709;
  const VideoFormats formats{format, format};
  for (const FeatureInfo* const info : features()) {
    if (info->heatmaps == nullptr) continue;
    FeatureRequest request{.info = info, .options = OptionSet(info->options), .heatmaps = true};
    resolve(request, formats);
    const FrameNeeds needs = frame_needs(std::span(&request, 1));
    std::vector<FramePair> frames;
    for (const int64_t i : {0, 1, 2, 3})
      frames.push_back(synthetic_pair(Synthetic::kSoftFilm, format, i, {kMaxPlanes, needs.reference}));
    for (int64_t i = 0; i < 4; ++i) frames[static_cast<size_t>(i)].index = i;
    const Execution execution{.threads = 2};
    const std::vector<FrameResult> run = score_again(request, formats, frames, execution),
                                   last = score_again(request, formats, {frames[1], frames[3]}, execution);
    ASSERT_EQ(last.size(), 2U) << info->name;
    for (const size_t i : {0, 1}) {
      const FrameResult& whole = run[2 * i + 1];
      EXPECT_EQ(last[i].values, whole.values) << info->name;
      ASSERT_EQ(last[i].heatmaps.size(), heatmaps_of(request, formats).size()) << info->name;
      for (size_t k = 0; k < whole.heatmaps.size(); ++k)
        EXPECT_TRUE(same_samples(last[i].heatmaps[k].view(), whole.heatmaps[k].view())) << info->name;
    }
  }
}

TEST_F(WorstFramesTest, WithoutHeatmapsThereAreNoColours) {
  video_.heatmaps.clear();
  video_.draw = {};
  maps_.clear();
  WorstFrames pictures(video_, 1, MomentsOf::kEveryMetric);
  show(pictures, 7, 5);
  EXPECT_FALSE(pictures.pictures(PageQuality::kSmall).at(0).picture.bytes.empty());
  EXPECT_TRUE(pictures.pictures(PageQuality::kSmall).at(0).heat.bytes.empty());
}

TEST_F(WorstFramesTest, TheReferenceIsKeptAtItsOwnSizeAndRange) {
  video_.reference.emplace();
  video_.reference->width = 32;
  video_.reference->height = 20;
  video_.reference->range = Range::kFull;
  Plane<uint16_t> reference(32, 20);
  reference.row(3)[4] = 512;
  Frame other;
  other.luma().u16 = reference.view();
  other.bit_depth = 10;
  const Snapshot shot = snapshot(&other);
  EXPECT_EQ(shot.reference.width(), 32);
  EXPECT_EQ(shot.reference.height(), 20);
  const Plane<uint8_t> grey = grey_of(shot.reference);
  EXPECT_EQ(grey.row(3)[4], 128);  // 130 in limited range
  EXPECT_EQ(grey.row(4)[3], 0);
  EXPECT_GT(SnapshotMaker(video_).bytes(), int64_t{2 * 64 * 48 + 32 * 20});
}

TEST_F(WorstFramesTest, ALongVideoTellsEarlyWhatItWillTake) {
  const auto reported = [&](int64_t frames) {
    const test::TemporaryFolder folder;
    std::vector<std::string> told;
    OverlayVideoSettings settings;
    settings.tell = [&](const std::string& text) { told.push_back(text); };
    video_.frames = frames;
    OverlayVideo video({folder.path() + "/v", "mark"}, video_, settings);
    for (int64_t i = 0; i < 130; ++i) show(video, i, 5);
    return told;
  };
  EXPECT_THAT(reported(12000), ::testing::ElementsAre(::testing::MatchesRegex(
                                   "the video of 12000 frames will take about [0-9]+ .*s and .*B")));
  EXPECT_THAT(reported(900), ::testing::IsEmpty());
}

TEST(Lift, IsTheSquareRoot) {
  EXPECT_EQ(lifted(0), 0);
  EXPECT_EQ(lifted(8), 45);
  EXPECT_EQ(lifted(64), 128);
  EXPECT_EQ(lifted(255), 255);
}

TEST_F(WorstFramesTest, LargeVideoIsShrunkAndStripsAreNot) {
  video_.format.width = 3840;
  video_.format.height = 2160;
  EXPECT_EQ(SnapshotMaker(video_).width(), 1920);
  EXPECT_EQ(SnapshotMaker(video_).height(), 1080);
  const int64_t with_whole_frames = WorstFrames::memory_bytes(video_, 10, MomentsOf::kShownMetric);
  video_.draw = {};
  const int64_t shrunk = WorstFrames::memory_bytes(video_, 10, MomentsOf::kShownMetric);
  EXPECT_LT(shrunk, 110 << 20);
  EXPECT_GT(with_whole_frames, shrunk + (100 << 20));
  video_.format.width = 20;
  video_.format.height = 4000;
  EXPECT_EQ(SnapshotMaker(video_).width(), 5);
  EXPECT_EQ(SnapshotMaker(video_).height(), 1080);
}

using ::testing::ElementsAre;
using ::testing::SizeIs;

HistogramInfo info(int bins, int low, int high) {
  return {.name = "y", .bins = bins, .low = low, .high = high};
}

TEST(Levels, AHistogramIsDrawnInSharesOfEqualParts) {
  std::vector<uint64_t> counts(1024);
  counts[0] = 1;
  counts[7] = 1;
  counts[8] = 1;
  counts[1023] = 5;
  const DrawnHistogram result = drawn(info(1024, 7, 1023), counts);
  ASSERT_THAT(result.shares, SizeIs(kDrawnBins));
  EXPECT_EQ(result.shares[0], 2500);
  EXPECT_EQ(result.shares[1], 1250);
  EXPECT_EQ(result.shares[127], 6250);
  EXPECT_EQ(std::accumulate(result.shares.begin(), result.shares.end(), 0), 10000);
  EXPECT_EQ(result.clipped_low, 2.0 / 8);
  EXPECT_EQ(result.clipped_high, 5.0 / 8);
}

TEST(Levels, FewBinsAreDrawnAsTheyAre) {
  EXPECT_THAT(drawn(info(3, 0, 2), std::vector<uint64_t>{1, 2, 1}).shares, ElementsAre(2500, 5000, 2500));
}

TEST(Levels, FollowThePercentilesOfEveryFrame) {
  LevelRecorder recorder({info(4, 0, 3), info(4, 0, 3)});
  recorder.add(std::vector<std::vector<uint32_t>>{{1, 98, 0, 1}, {0, 0, 7, 0}});
  recorder.add(std::vector<std::vector<uint32_t>>{{0, 50, 50, 0}, {2, 2, 0, 100}});
  const auto& [y, other] = std::tie(recorder.channels()[0], recorder.channels()[1]);
  EXPECT_THAT(y.p1, ElementsAre(0, 1));
  EXPECT_THAT(y.p50, ElementsAre(1, 1));
  EXPECT_THAT(y.p99, ElementsAre(1, 2));
  EXPECT_THAT(y.counts, ElementsAre(1, 148, 50, 1));
  EXPECT_THAT(other.p1, ElementsAre(2, 0));
  EXPECT_THAT(other.p99, ElementsAre(2, 3));
}

// What is inked of a picture with this text in the middle.
Rectangle inked(const std::string& text, int scale) {
  RgbImage image(400, 100);
  draw_text(image, 100, 40, text, {{255, 255, 255}, scale});
  int left = 400, right = 0, top = 100, bottom = 0;
  for (int y = 0; y < 100; ++y) {
    for (int x = 0; x < 400; ++x) {
      if (image.at(x, y).green < 128) continue;
      left = std::min(left, x);
      right = std::max(right, x + 1);
      top = std::min(top, y);
      bottom = std::max(bottom, y + 1);
    }
  }
  return {left, top, right - left, bottom - top};
}

TEST(Lettering, StandsWhereItIsAskedTo) {
  for (const int scale : {1, 2, 3}) {
    const Rectangle ink = inked("HE8", scale);
    EXPECT_NEAR(ink.x, 100, 2 * scale);
    EXPECT_NEAR(ink.y, 40, 1);
    EXPECT_NEAR(ink.height, text_height(scale), 1);
    EXPECT_NEAR(ink.width, text_width("HE8", scale), 3 * scale);
  }
}

TEST(Lettering, HasACharacterForEachOfUtf8) {
  for (const char* text : {"\u00e9", "\u20ac", "\U0001F600", "\u0416"}) {
    EXPECT_GT(inked(text, 2).width, 0) << text;
    EXPECT_LT(text_width(text, 2), 40) << text;
  }
  EXPECT_LT(text_width("\u00e9", 1), text_width("ee", 1));
}

TEST(Lettering, DrawsBytesThatAreNoTextAsBoxes) {
  for (const auto& [text, same] : {std::pair{"\xff", "\ufffd"},
                                   {"\xc3", "\ufffd"},
                                   {"a\xe2\x82", "a\ufffd\ufffd"},
                                   {"\xf0\x9f", "\ufffd\ufffd"},
                                   {"\x80\x80", "\ufffd\ufffd"}}) {
    RgbImage image(40, 20), expected(40, 20);
    draw_text(image, 0, 5, text, {});
    draw_text(expected, 0, 5, same, {});
    EXPECT_TRUE(std::equal(image.row(0), image.row(20), expected.row(0))) << same;
    EXPECT_EQ(text_width(text, 1), text_width(same, 1));
    EXPECT_GT(inked(text, 1).width, 0) << same;
  }
}

TEST(Lettering, LongNamesLoseTheirMiddle) {
  const std::string name = "a_very_long_name_of_an_episode.x265.crf24.mkv";
  EXPECT_EQ(fitted_text(name, 2000, 1), name);
  const std::string shorter = fitted_text(name, 120, 1);
  EXPECT_LE(text_width(shorter, 1), 120);
  EXPECT_GT(text_width(shorter, 1), 80);
  EXPECT_EQ(shorter.substr(0, 2), "a_");
  EXPECT_EQ(shorter.substr(shorter.size() - 3), "mkv");
  EXPECT_NE(shorter.find("..."), shorter.npos);
  EXPECT_EQ(fitted_text(name, 1, 1), "");
  EXPECT_EQ(fitted_text("", 10, 1), "");
  EXPECT_EQ(fitted_text("", -10, 1), "");
  EXPECT_EQ(fitted_text("a", -10, 1), "");
  EXPECT_EQ(fitted_text("\x80\x80\x80", -10, 1), "");  // no character begins
  // Characters stay whole.
  const std::string wide = fitted_text("\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac",
                                       text_width("\u20ac\u20ac\u20ac....", 1), 1);
  EXPECT_EQ((wide.size() - 3) % 3, 0U) << wide;
}

namespace fs = std::filesystem;

class PictureNamesTest : public ::testing::Test {
 protected:
  std::string base_of(const PictureOrigin& origin, const std::vector<std::string>& reserved = {}) const {
    const std::string base = picture_base(folder_.path(), reserved, origin);
    EXPECT_EQ(fs::path(base).parent_path(), folder_.path());
    return fs::path(base).filename();
  }
  void put(const std::string& name, const std::string& content) const {
    test::write_file(folder_.path() + "/" + name, content);
  }
  test::TemporaryFolder folder_;
};

TEST_F(PictureNamesTest, TellVideoMetricAndFrame) {
  EXPECT_EQ(base_of(picture_origin("dir/show.x264.mkv", "cambi")), "show.x264.cambi");
  EXPECT_EQ(base_of(picture_origin("show", "cambi_eotf_pq")), "show.cambi_eotf_pq");
  EXPECT_EQ(base_of(picture_origin("-", "cambi")), "stdin.cambi");
  EXPECT_EQ(picture_path("maps/show.cambi", 156), "maps/show.cambi.f000156.png");
  EXPECT_EQ(picture_path("show.cambi", 12345678), "show.cambi.f12345678.png");
  EXPECT_EQ(picture_path("show.cambi", 7, PictureKind::kReference), "show.cambi.f000007.reference.png");
  EXPECT_EQ(picture_path("show.cambi", 7, PictureKind::kDistorted), "show.cambi.f000007.distorted.png");
}

TEST_F(PictureNamesTest, LeaveRoomForWhatFollows) {
  const std::string long_stem(255, 'x');
  EXPECT_EQ(base_of(picture_origin(long_stem, "cambi")).size(), 200U);
  EXPECT_THAT(base_of(picture_origin(long_stem, "cambi")), ::testing::EndsWith("x.cambi"));
  EXPECT_EQ(base_of(picture_origin("a", std::string(300, 'm'))).size(), 200U);
  // Half a character is left out: each of these has three bytes.
  std::string wide;
  for (int i = 0; i < 80; ++i) wide += "\u20ac";
  EXPECT_EQ(base_of(picture_origin(wide, "cambi")).size(), 3U * 64 + 6);
}

TEST_F(PictureNamesTest, TheMarkTellsVideosOfOneNameApart) {
  fs::create_directories(folder_.path() + "/a");
  fs::create_directories(folder_.path() + "/b");
  put("a/show.mkv", "");
  put("b/show.mkv", "");
  const auto mark = [&](const std::string& video) {
    return picture_origin(folder_.path() + video, "cambi").mark;
  };
  EXPECT_NE(mark("/a/show.mkv"), mark("/b/show.mkv"));
  EXPECT_EQ(mark("/a/show.mkv"), mark("/b/../a/show.mkv"));
}

TEST_F(PictureNamesTest, APlainPictureOfAnotherVideoIsNotReplacedEither) {
  for (const char* name : {"show.cambi.f000001.reference.png", "show.cambi.f000001.distorted.partial.png"}) {
    put(name, "of another");
    EXPECT_EQ(base_of(picture_origin("show.mkv", "cambi")), "show-2.cambi") << name;
    fs::remove(folder_.path() + "/" + name);
  }
}

TEST_F(PictureNamesTest, WhatAnotherVideoLeftIsNotReplaced) {
  const PictureOrigin origin = picture_origin("show.mkv", "cambi");
  put("show.cambi.f000001.png", "head " + origin.mark + std::string(9000, ' '));
  put("show.cambi.mp4", std::string(9000, ' ') + origin.mark + " tail");
  put("show.cambi.json", "no picture");
  put("show.cambi.f1.png", "nor this");
  EXPECT_EQ(base_of(origin), "show.cambi");
  put("show.cambi.f000002.partial.png", "somebody's");
  EXPECT_EQ(base_of(origin), "show-2.cambi");
  fs::create_symlink("nowhere", folder_.path() + "/show-2.cambi.mp4");
  EXPECT_EQ(base_of(origin), "show-3.cambi");
  EXPECT_EQ(base_of(origin, {"show-3.cambi.mkv", "show-3.cambi.txt"}), "show-4.cambi");
}

}  // namespace
}  // namespace vq::cli
