#include "engine/analysis/pair_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace vq {
namespace {

using Cuts = std::vector<int64_t>;
using Video = std::vector<Signature>;

constexpr double kBlack = 256, kWhite = 3760;

uint16_t level(double value) {
  return static_cast<uint16_t>(std::clamp(value + 0.5, 0.0, 65535.0));
}

// A picture of its own for every seed.
Signature picture(unsigned seed) {
  std::mt19937 random(seed);
  Signature signature;
  for (uint16_t& one : signature.levels) one = static_cast<uint16_t>(400 + random() % 2000);
  return signature;
}

// `share` of the second in place of the first.
Signature mixed(const Signature& a, const Signature& b, double share) {
  Signature signature;
  for (size_t i = 0; i < signature.levels.size(); ++i)
    signature.levels[i] = level(a.levels[i] * (1 - share) + b.levels[i] * share);
  return signature;
}
Signature mixed(const Signature& a, double flat, double share) {
  Signature other;
  other.levels.fill(level(flat));
  return mixed(a, other, share);
}

// A scene in which a little moves: towards another picture, a hundredth with each frame.
Video scene(unsigned seed, int frames) {
  Video video;
  for (int i = 0; i < frames; ++i) video.push_back(mixed(picture(seed), picture(seed + 1000), i / 100.0));
  return video;
}

Video joined(const std::vector<Video>& parts) {
  Video all;
  for (const Video& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Cuts cuts_of(const Video& video, int64_t first = 0) {
  SceneCutFinder finder;
  for (const Signature& signature : video) finder.add(first++, signature);
  return finder.cuts();
}

TEST(SceneCuts, AreWhereScenesMeet) {
  EXPECT_EQ(cuts_of(joined({scene(1, 40), scene(2, 12), scene(3, 40)})), (Cuts{40, 52}));
  EXPECT_EQ(cuts_of(joined({scene(1, 40), scene(2, 40)}), 1000), (Cuts{1040}));
  EXPECT_EQ(cuts_of(scene(1, 100)), Cuts());
}

TEST(SceneCuts, MayFollowEachOtherClosely) {
  EXPECT_EQ(cuts_of(joined({scene(1, 20), scene(2, 3), scene(3, 2), scene(4, 20)})), (Cuts{20, 23, 25}));
  EXPECT_EQ(cuts_of(joined({scene(1, 20), scene(2, 1), scene(3, 20)})), Cuts());  // a frame is no scene
}

TEST(SceneCuts, AreFoundNearBothEnds) {
  EXPECT_EQ(cuts_of(joined({scene(1, 1), scene(2, 30)})), (Cuts{1}));
  EXPECT_EQ(cuts_of(joined({scene(1, 30), scene(2, 1)})), (Cuts{30}));
  EXPECT_EQ(cuts_of({picture(1), picture(2)}), (Cuts{1}));
  EXPECT_EQ(cuts_of({picture(1)}), Cuts());
  EXPECT_EQ(cuts_of({}), Cuts());
}

// However far along the run is, what was found stays found.
TEST(SceneCuts, CanBeAskedForOnTheWay) {
  const Video video = joined({scene(1, 40), scene(2, 40), scene(3, 40)});
  SceneCutFinder finder;
  for (size_t i = 0; i < video.size(); ++i) {
    finder.add(static_cast<int64_t>(i), video[i]);
    const Cuts expected = i < 40 ? Cuts() : i < 80 ? Cuts{40} : Cuts{40, 80};
    EXPECT_EQ(finder.cuts(), expected) << i;
  }
}

// A flash may be one as well, as long as nobody knows that the picture comes back.
TEST(SceneCuts, MayBeKnownBeforeWhatFollows) {
  Video video = joined({scene(1, 40), scene(2, 40), scene(3, 40)});
  video[100] = picture(9);
  SceneCutFinder finder;
  Cuts possible;
  for (size_t i = 0; i < video.size(); ++i) {
    finder.add(static_cast<int64_t>(i), video[i]);
    if (finder.may_be_cut()) possible.push_back(static_cast<int64_t>(i));
  }
  EXPECT_EQ(possible, (Cuts{40, 80, 100}));
  EXPECT_EQ(finder.cuts(), (Cuts{40, 80}));
}

TEST(SceneCuts, DoNotDependOnBrightnessOrContrast) {
  Video dark;
  for (const Signature& one : joined({scene(1, 30), scene(2, 30)})) dark.push_back(mixed(one, kBlack, 0.9));
  EXPECT_EQ(cuts_of(dark), (Cuts{30}));
  Video lights = scene(1, 60);
  for (size_t i = 30; i < lights.size(); ++i)
    lights[i] = mixed(lights[i], kBlack, 0.7);  // somebody turns them off
  EXPECT_EQ(cuts_of(lights), Cuts());
}

// That it has the same edges does not make it the same picture.
TEST(SceneCuts, MayLeadToTheNegative) {
  Video video = scene(1, 60);
  for (size_t i = 30; i < video.size(); ++i) {
    for (uint16_t& one : video[i].levels) one = static_cast<uint16_t>(3000 - one);
  }
  EXPECT_EQ(cuts_of(video), (Cuts{30}));
}

TEST(SceneCuts, AreNotFlashes) {
  for (const int frames : {1, 2, 5}) {
    Video video = scene(1, 60);
    for (int i = 0; i < frames; ++i) video[static_cast<size_t>(30 + i)] = mixed(picture(9), kWhite, 0.9);
    EXPECT_EQ(cuts_of(video), Cuts()) << frames;
  }
}

TEST(SceneCuts, AreNotFadesAndDissolves) {
  for (const int frames : {6, 24}) {
    Video fade(20, mixed(picture(1), kBlack, 1)), dissolve = scene(1, 20);
    for (int i = 1; i <= frames; ++i) {
      const double share = static_cast<double>(i) / (frames + 1);
      fade.push_back(mixed(picture(1), kBlack, 1 - share));
      dissolve.push_back(mixed(picture(1), picture(2), share));
    }
    EXPECT_EQ(cuts_of(joined({fade, scene(1, 20)})), Cuts()) << frames;
    EXPECT_EQ(cuts_of(joined({dissolve, scene(2, 20)})), Cuts()) << frames;
    std::reverse(fade.begin(), fade.end());
    EXPECT_EQ(cuts_of(joined({scene(1, 20), fade})), Cuts()) << frames;
  }
}

// Of which each frame has little in common with the one before.
TEST(SceneCuts, AreNotFastMovement) {
  Video pan, held;
  for (unsigned i = 0; i < 60; ++i) {
    pan.push_back(mixed(picture(i), picture(i + 1), 0.5));
    held.push_back(mixed(picture(1), picture(2 + i / 4), 0.35));  // drawn anew every four frames
  }
  EXPECT_EQ(cuts_of(pan), Cuts());
  EXPECT_EQ(cuts_of(held), Cuts());
}

// Grain is all that is seen of them.
TEST(SceneCuts, AreNotNoise) {
  std::mt19937 random(5);
  Video video;
  for (int i = 0; i < 200; ++i) {
    Signature signature;
    for (uint16_t& one : signature.levels) one = static_cast<uint16_t>(260 + random() % 9);
    video.push_back(signature);
  }
  EXPECT_EQ(cuts_of(video), Cuts());
  // Black, and black again after a key frame that rounds in another way.
  Video black(60, mixed(picture(1), kBlack, 1));
  for (size_t i = 30; i < black.size(); ++i) black[i].levels[20] += 3;
  EXPECT_EQ(cuts_of(black), Cuts());
}

}  // namespace
}  // namespace vq
