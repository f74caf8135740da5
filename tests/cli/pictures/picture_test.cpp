#include "cli/pictures/picture.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "cli/pictures/frame_pictures.h"
#include "cli/pictures/lettering.h"
#include "cli/pictures/overlay.h"
#include "cli/pictures/overlay_video.h"
#include "cli/pictures/score_curve.h"
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

double luminance(const Colour& c) {
  return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue;
}

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
class FramePicturesTest : public ::testing::Test {
 protected:
  FramePicturesTest() {
    video_.metric = kMetric;
    video_.format.width = 64;
    video_.format.height = 48;
    video_.format.bit_depth = 8;
    video_.heatmaps = {{0, 64, 48, 2.0 / 65535}, {1, 32, 24, 8.0 / 65535}};
    video_.frame_rate = 25;
    maps_.emplace_back(64, 48);
    maps_.emplace_back(32, 24);
    luma_ = Plane<uint8_t>(64, 48);
  }
  void show(FrameObserver& observer, int64_t index, double score) {
    Frame frame;
    frame.luma().u8 = luma_.view();
    frame.index = index;
    observer.frame({frame, score, maps_});
  }
  std::vector<int64_t> kept(const FramePictures& pictures) {
    std::vector<int64_t> frames;
    for (const Snapshot* shot : pictures.chosen()) frames.push_back(shot->frame);
    return frames;
  }

  ObservedVideo video_;
  std::vector<Plane<uint16_t>> maps_;
  Plane<uint8_t> luma_;
};

TEST_F(FramePicturesTest, LocalScoresAddTheScalesUp) {
  for (int y = 0; y < 48; ++y) std::fill_n(maps_[0].row(y), 64, uint16_t{65535});
  for (int y = 0; y < 24; ++y) std::fill_n(maps_[1].row(y), 16, uint16_t{32768});
  luma_.row(0)[0] = 126;
  Frame frame;
  frame.luma().u8 = luma_.view();
  const Snapshot shot = SnapshotMaker(video_).make({frame, 3.5, maps_});
  EXPECT_EQ(shot.local.row(10)[5], 6 * kLocalScoreSteps / kMetric.usual_top);
  EXPECT_EQ(shot.local.row(10)[60], 2 * kLocalScoreSteps / kMetric.usual_top);
  EXPECT_GT(shot.local.row(10)[31], shot.local.row(10)[32]);  // in between
  const Plane<uint8_t> grey = grey_of(shot.picture);
  EXPECT_EQ(grey.row(0)[0], 128);  // (126 - 16) * 255 / 219
  EXPECT_EQ(grey.row(1)[1], 0);
}

TEST_F(FramePicturesTest, LocalScoresLieBetweenTwoRowsOfAHeatmap) {
  for (int y = 0; y < 12; ++y) std::fill_n(maps_[1].row(y), 32, uint16_t{32768});  // a score of 4
  Frame frame;
  frame.luma().u8 = luma_.view();
  const Snapshot shot = SnapshotMaker(video_).make({frame, 3.5, maps_});
  constexpr int kScore = kLocalScoreSteps / 24;
  EXPECT_EQ(shot.local.row(22)[5], 4 * kScore);
  EXPECT_EQ(shot.local.row(23)[5], 3 * kScore);
  EXPECT_EQ(shot.local.row(24)[5], 1 * kScore);
  EXPECT_EQ(shot.local.row(25)[5], 0);
}

TEST_F(FramePicturesTest, KeepsTheWorstMoments) {
  FramePictures pictures(video_, 2, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 250; ++i)
    show(pictures, i, i == 40 ? 9 : i == 45 ? 8 : i == 200 ? 7 : i == 120 ? 3 : 1);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(40, 200));
}

TEST_F(FramePicturesTest, NeighboursInTwoSecondsAreOneMoment) {
  FramePictures pictures(video_, 3, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 100; ++i) show(pictures, i, i == 24 ? 9 : i == 25 ? 8 : i == 80 ? 2 : 0);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(24, 80));
}

TEST_F(FramePicturesTest, FramesWithoutBandingAreNeverKept) {
  FramePictures pictures(video_, 3, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 100; ++i) show(pictures, i, 0);
  EXPECT_TRUE(pictures.chosen().empty());
}

TEST_F(FramePicturesTest, OtherMetricsFillWhatTheShownOneLeaves) {
  MetricInfo other = kMetric;
  other.better = Better::kHigher;
  other.flawless.reset();
  video_.others = {kMetric, other};
  const auto show_all = [&](FrameObserver& observer, int64_t index, double score,
                            std::array<double, 2> others) {
    Frame frame;
    frame.luma().u8 = luma_.view();
    frame.index = index;
    observer.frame({frame, score, maps_, {}, nullptr, others});
  };
  FramePictures pictures(video_, 3, MomentsOf::kEveryMetric), own(video_, 3, MomentsOf::kShownMetric);
  for (int64_t i = 0; i < 300; ++i) {
    const std::array<double, 2> others = {i == 50 ? 9.0 : 0.0, i == 120 ? 20.0 : i == 200 ? 25.0 : 40.0};
    show_all(pictures, i, i == 250 ? 1 : 0, others);
    show_all(own, i, i == 250 ? 1 : 0, others);
  }
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(250, 50, 120));
  EXPECT_THAT(kept(own), ::testing::ElementsAre(250));
}

TEST_F(FramePicturesTest, WhatTheRunIsJudgedByTakesTurns) {
  video_.others = {kMetric, kMetric};
  video_.judged_others = 1;
  FramePictures pictures(video_, 4, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 400; ++i) {
    const std::array<double, 2> others = {i == 50    ? 9.0
                                          : i == 100 ? 8.0
                                          : i == 150 ? 7.0
                                                     : 0.0,
                                          i == 390 ? 20.0 : 0.0};
    Frame frame;
    frame.luma().u8 = luma_.view();
    frame.index = i;
    pictures.frame({frame,
                    i == 200   ? 3.0
                    : i == 250 ? 2.0
                    : i == 300 ? 1.0
                               : 0.0,
                    maps_,
                    {},
                    nullptr,
                    others});
  }
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(200, 50, 250, 100));
}

TEST_F(FramePicturesTest, EverySceneThatMayBeginHasItsWorstFrame) {
  video_.may_begin_scene = [](int64_t after, int64_t frame) { return after < 20 && frame >= 20; };
  FramePictures pictures(video_, 2, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 100; ++i) show(pictures, i, i == 15 ? 9 : i == 22 ? 6 : i == 50 ? 5 : 1);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(15, 22));
}

TEST_F(FramePicturesTest, WhereNeitherSideIsWorseTheExtremesAreKept) {
  video_.metric.better = Better::kNeither;
  FramePictures pictures(video_, 4, MomentsOf::kEveryMetric);
  for (int64_t i = 0; i < 300; ++i)
    show(pictures, i, i == 50 ? 9 : i == 120 ? 2 : i == 200 ? 8 : i == 280 ? 1 : 5);
  EXPECT_THAT(kept(pictures), ::testing::ElementsAre(280, 50, 120, 200));
}

TEST_F(FramePicturesTest, APageGetsThePictureAndItsColours) {
  FramePictures pictures(video_, 1, MomentsOf::kEveryMetric);
  show(pictures, 7, 5);
  const FramePicture picture = pictures.pictures(PageQuality::kSmall).at(0);
  EXPECT_EQ(picture.frame, 7);
  EXPECT_EQ(picture.score, 5);
  EXPECT_EQ(picture.timestamp, std::nullopt);
  EXPECT_FALSE(picture.picture.bytes.empty());
  EXPECT_FALSE(picture.heat.bytes.empty());
  EXPECT_TRUE(picture.reference.bytes.empty());
}

TEST_F(FramePicturesTest, SeveralAreMadeAtATimeAndCounted) {
  FramePictures pictures(video_, 6, MomentsOf::kEveryMetric);
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

TEST_F(FramePicturesTest, WithoutHeatmapsThereAreNoColours) {
  video_.heatmaps.clear();
  maps_.clear();
  FramePictures pictures(video_, 1, MomentsOf::kEveryMetric);
  show(pictures, 7, 5);
  EXPECT_FALSE(pictures.pictures(PageQuality::kSmall).at(0).picture.bytes.empty());
  EXPECT_TRUE(pictures.pictures(PageQuality::kSmall).at(0).heat.bytes.empty());
}

TEST_F(FramePicturesTest, TheReferenceIsKeptAtItsOwnSizeAndRange) {
  video_.reference.emplace();
  video_.reference->width = 32;
  video_.reference->height = 20;
  video_.reference->range = Range::kFull;
  Plane<uint16_t> reference(32, 20);
  reference.row(3)[4] = 512;
  Frame frame, other;
  frame.luma().u8 = luma_.view();
  other.luma().u16 = reference.view();
  other.bit_depth = 10;
  const Snapshot shot = SnapshotMaker(video_).make({frame, 3.5, maps_, {}, &other});
  EXPECT_EQ(shot.reference.width(), 32);
  EXPECT_EQ(shot.reference.height(), 20);
  const Plane<uint8_t> grey = grey_of(shot.reference);
  EXPECT_EQ(grey.row(3)[4], 128);  // 130 in limited range
  EXPECT_EQ(grey.row(4)[3], 0);
  EXPECT_GT(SnapshotMaker(video_).bytes(), int64_t{2 * 64 * 48 + 32 * 20});
}

TEST_F(FramePicturesTest, ALongVideoTellsEarlyWhatItWillTake) {
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

TEST_F(FramePicturesTest, LargeVideoIsShrunkAndStripsAreNot) {
  video_.format.width = 3840;
  video_.format.height = 2160;
  EXPECT_EQ(SnapshotMaker(video_).width(), 1920);
  EXPECT_EQ(SnapshotMaker(video_).height(), 1080);
  EXPECT_LT(FramePictures::memory_bytes(video_, 10, MomentsOf::kShownMetric), 110 << 20);
  video_.format.width = 20;
  video_.format.height = 4000;
  EXPECT_EQ(SnapshotMaker(video_).width(), 5);
  EXPECT_EQ(SnapshotMaker(video_).height(), 1080);
}

}  // namespace
}  // namespace vq::cli
