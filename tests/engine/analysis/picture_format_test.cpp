// Whether samples lie against others as full range against limited.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/analysis/picture_format.h"

namespace vq {
namespace {

using Finding = RangeFinder::Finding;

// Frames of a picture that goes from `least` to `most` levels, and what a function makes of it.
Finding finding_of(double least, double most, const std::function<double(double)>& made) {
  RangeFinder finder;
  for (int frame = 0; frame < 4; ++frame) {
    Signature reference, distorted;
    for (int i = 0; i < kSignatureCells; ++i) {
      const double level =
          least + (most - least) * ((i * 29 + frame * 7) % kSignatureCells) / (kSignatureCells - 1);
      const auto cell = static_cast<size_t>(i);
      reference.levels[cell] = static_cast<uint16_t>(std::lround(16 * level));
      distorted.levels[cell] = static_cast<uint16_t>(std::lround(16 * std::max(0.0, made(level))));
    }
    finder.add(reference, distorted);
  }
  return finder.finding();
}

double widened(double level) {
  return (level - 16) * 255 / 219;
}
double narrowed(double level) {
  return 16 + level * 219 / 255;
}

TEST(RangeFinder, TellsFullFromLimited) {
  EXPECT_EQ(finding_of(16, 235, widened), Finding::kDistortedIsFuller);
  EXPECT_EQ(finding_of(40, 120, widened), Finding::kDistortedIsFuller);
  EXPECT_EQ(finding_of(0, 255, narrowed), Finding::kReferenceIsFuller);
  // A little noise, as coding makes it.
  EXPECT_EQ(finding_of(20, 200, [](double level) { return widened(level) + std::sin(level * 31); }),
            Finding::kDistortedIsFuller);
}

TEST(RangeFinder, LeavesOtherPicturesAlone) {
  EXPECT_EQ(finding_of(16, 235, [](double level) { return level; }), Finding::kAlike);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return level + 4; }), Finding::kAlike);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return 125 + (level - 125) * 1.05; }), Finding::kAlike);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return 125 + (level - 125) * 0.9; }), Finding::kAlike);
  // Too little is seen of either.
  EXPECT_EQ(finding_of(100, 120, widened), Finding::kAlike);
  EXPECT_EQ(RangeFinder().finding(), Finding::kAlike);
}

// More contrast around the middle, as people grade it, and a gamma.
TEST(RangeFinder, TellsContrastAndBrightnessThatWereChanged) {
  const auto contrast = [](double factor) {
    return [factor](double level) { return 128 + (level - 128) * factor; };
  };
  EXPECT_EQ(finding_of(16, 235, contrast(1.08)), Finding::kMoreContrast);
  // Close to full range, but black and white are not where that puts them.
  EXPECT_EQ(finding_of(30, 220, contrast(1.164)), Finding::kMoreContrast);
  EXPECT_EQ(finding_of(16, 235, contrast(0.8)), Finding::kLessContrast);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return level + 7; }), Finding::kBrighter);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return 235 * std::pow(level / 235, 1.3); }),
            Finding::kDarker);
}

}  // namespace

}  // namespace vq
