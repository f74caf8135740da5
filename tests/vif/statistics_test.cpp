#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "feature/vif/vif.h"
#include "tests/support/decoded_plane.h"
#include "tests/vif/stages_test.h"

namespace vq::vif {

namespace test {
namespace {

using namespace vq::test;

ScaleSums sums_of(const VifStages& stages, const DecodedPlane& reference, const DecodedPlane& distorted,
                  const Scale& scale, double limit = 100) {
  const Pictures pictures = {reference.view(), distorted.view()};
  Rows rows(pictures.reference.width());
  return stages.statistics(pictures, scale, limit, rows);
}

void expect_all_equal(const DecodedPlane& reference, const DecodedPlane& distorted, const Scale& scale,
                      double limit, const std::string& what) {
  vq::test::expect_same_of_all(
      implementations(),
      what + ", " + text_of(scale, {reference.width(), reference.height()}) + ", limit " +
          std::to_string(limit),
      [&](const Implementation& one) { return sums_of(one.stages, reference, distorted, scale, limit); });
}

TEST(VifStatistics, AllOfAFlatPictureIsFlat) {
  const DecodedPlane grey = DecodedPlane(40, 30, 8).flat(77);
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(sums_of(implementation.stages, grey, grey, {0, 8}), (ScaleSums{.flat = 1200}))
        << implementation.name;
  }
}

// Columns of 0 and 1024 at scale 3. The other column has 21808 of 65536 parts in each mean: the mean of
// squares, shifted, is 348928 at columns of 0, that of samples squared 116111, the variance 232817; 699648 -
// 466831 is the same at columns of 1024. log2(131072 + 232817) is 37833 units, log2(131072) is 34816.
TEST(VifStatistics, StripesHaveTheVarianceThatTheirTapsGiveThem) {
  const DecodedPlane stripes = DecodedPlane(50, 7, 16).fill([](int x, int) { return x % 2 * 1024; });
  // All is explained but for a unit that rounding takes, which no logarithm shows.
  const ScaleSums expected = {.num_log = 350 * (37833 - 34816), .den_log = 350 * (37833 - 34816)};
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(sums_of(implementation.stages, stripes, stripes, {3, 8}), expected) << implementation.name;
  }
}

// Half of them, against none: the reference is flat, and what the distorted picture has is its own.
TEST(VifStatistics, VarianceOfTheDistortedPictureCountsWhereTheReferenceIsFlat) {
  const DecodedPlane grey = DecodedPlane(50, 7, 16).flat(512);
  const DecodedPlane stripes = DecodedPlane(50, 7, 16).fill([](int x, int) { return x % 2 * 1024; });
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(sums_of(implementation.stages, grey, stripes, {3, 8}),
              (ScaleSums{.flat = 350, .flat_variance = 350 * 232817}))
        << implementation.name;
    // The other way about nothing comes through.
    EXPECT_EQ(sums_of(implementation.stages, stripes, grey, {3, 8}),
              (ScaleSums{.den_log = 350 * (37833 - 34816)}))
        << implementation.name;
  }
}

// Twice the contrast: the gain is 2, and its square four times the variance of 232817. Under a limit of 1
// that counts once.
TEST(VifStatistics, GainIsCreditedUpToTheLimit) {
  const DecodedPlane stripes = DecodedPlane(50, 7, 16).fill([](int x, int) { return x % 2 * 1024; });
  const DecodedPlane strong = DecodedPlane(50, 7, 16).fill([](int x, int) { return x % 2 * 2048; });
  const LogTable& table = LogTable::get();
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    EXPECT_EQ(sums_of(implementation.stages, stripes, strong, {3, 8}, 1).num_log, 350 * (37833 - 34816));
    EXPECT_EQ(sums_of(implementation.stages, stripes, strong, {3, 8}, 100).num_log,
              350 * (table.log2(131072 + 4 * 232817) - 34816));
  }
}

TEST(VifStatistics, EveryImplementationEqualsScalarOnAnyWidth) {
  unsigned seed = 0;
  for (int width = kGuardedWidth; width <= 135; ++width) {
    const PlaneSize size = {width, 1 + width % 19};
    for (const Scale& scale :
         {Scale{0, 8}, {0, 9}, {0, 10}, {0, 12}, {0, 14}, {0, 16}, {1, 8}, {2, 8}, {3, 8}}) {
      const DecodedPlane reference = noise_plane(size, depth_of(scale), ++seed);
      expect_all_equal(reference, noise_plane(size, depth_of(scale), seed + 9), scale, 100, "noise");
    }
  }
}

// Where some samples are flat and others are not, where the distorted picture follows the reference, and
// where it exceeds it.
TEST(VifStatistics, EveryImplementationEqualsScalarOnPicturesThatFollowEachOther) {
  const PlaneSize size = {93, 61};
  for (const Scale& scale : {Scale{0, 8}, {0, 10}, {0, 16}, {1, 8}, {2, 8}, {3, 8}}) {
    const int depth = depth_of(scale), top = top_of(scale), level = 1 << (depth - 8);
    DecodedPlane reference(size.width, size.height, depth);
    std::minstd_rand random(static_cast<unsigned>(depth));
    // Noise that grows from left to right.
    std::vector<int> samples;
    reference.fill([&](int x, int) {
      samples.push_back(top / 2 + (static_cast<int>(random() >> 12) % 21 - 10) * level * x / 93);
      return samples.back();
    });
    for (const double contrast : {0.3, 1.0, 1.7}) {
      for (const int noise : {0, 2}) {
        DecodedPlane distorted(size.width, size.height, depth);
        distorted.fill([&](int x, int y) {
          const int sample = samples[static_cast<size_t>(y * size.width + x)];
          const int own =
              noise == 0 ? 0 : static_cast<int>(random() >> 12) % (2 * noise * level + 1) - noise * level;
          return std::clamp(static_cast<int>(std::lround(top / 2 + contrast * (sample - top / 2))) + own, 0,
                            top);
        });
        for (const double limit : {1.0, 1.05, 100.0})
          expect_all_equal(reference, distorted, scale, limit, "pictures that follow");
      }
    }
  }
}

// The largest moments that there are.
TEST(VifStatistics, EveryImplementationEqualsScalarOnExtremes) {
  std::minstd_rand random(5);
  for (const Scale& scale : {Scale{0, 8}, {0, 10}, {0, 16}, {1, 8}, {2, 8}, {3, 8}}) {
    const int depth = depth_of(scale), top = top_of(scale);
    DecodedPlane halves(70, 40, depth), checks(70, 40, depth), noise(70, 40, depth), white(70, 40, depth);
    halves.fill([&](int x, int) { return x < 35 ? 0 : top; });
    checks.fill([&](int x, int y) { return (x / 8 + y / 8) % 2 * top; });
    noise.fill([&](int, int) { return (random() >> 9) % 2 == 0 ? 0 : top; });
    white.flat(top);
    for (const DecodedPlane* reference : {&halves, &checks, &noise, &white}) {
      for (const DecodedPlane* distorted : {&halves, &checks, &noise, &white}) {
        expect_all_equal(*reference, *distorted, scale, 100, "extremes");
        expect_all_equal(*reference, *distorted, scale, 1, "extremes");
      }
    }
  }
}

// Narrow pictures come in planes with guards; sides of 1 and 2 as well.
TEST(VifStatistics, EveryImplementationEqualsScalarOnNarrowPictures) {
  for (int width = 1; width < kGuardedWidth; ++width) {
    for (const int height : {1, 2, 3, 8, 17}) {
      for (const Scale& scale : {Scale{0, 8}, {0, 16}, {1, 8}, {2, 8}, {3, 8}}) {
        Plane<uint16_t> r(width, height), d(width, height);
        widen(noise_plane({width, height}, depth_of(scale), 3).view(), 0, r.view());
        widen(noise_plane({width, height}, depth_of(scale), 4).view(), 0, d.view());
        const Pictures pictures = {vq::test::sample_view<uint16_t>(r.view()),
                                   vq::test::sample_view<uint16_t>(d.view())};
        Rows rows(width);
        vq::test::expect_same_of_all(
            implementations(), text_of(scale, {width, height}),
            [&](const Implementation& one) { return one.stages.statistics(pictures, scale, 100, rows); });
      }
    }
  }
}

// Some entries come out higher than that of the exact logarithm, which its rounding to single precision
// brings to a half.
TEST(VifLogTable, RoundsLogarithmsToSinglePrecisionFirst) {
  const LogTable& table = LogTable::get();
  int higher = 0;
  for (int32_t i = LogTable::kFirst; i < LogTable::kEnd; ++i) {
    const double exact = std::log2(static_cast<double>(i));
    const auto expected = static_cast<int32_t>(std::floor(2048.0 * static_cast<float>(exact) + 0.5));
    ASSERT_EQ(table.at(i), expected) << i;
    if (expected > static_cast<int32_t>(std::floor(2048.0 * exact + 0.5))) ++higher;
  }
  EXPECT_EQ(higher, 38);
  EXPECT_EQ(table.at(32768), 30720);
  EXPECT_EQ(table.at(33108), 30751);
  EXPECT_EQ(table.at(65535), 32768);
}

TEST(VifLogTable, DropsWhatIsBelowSixteenBits) {
  const LogTable& table = LogTable::get();
  EXPECT_EQ(table.log2(131072), 17 * 2048);
  EXPECT_EQ(table.log2(131075), 17 * 2048);
  EXPECT_EQ(table.log2((uint64_t{65535} << 15) + 32767), table.at(65535) + 15 * 2048);
}

TEST(VifFilters, GoOnBeyondEdgesByReflection) {
  for (const WordFilter& filter : kFilters) {
    int sum = filter.tap(0);
    for (int k = 1; k <= filter.radius; ++k) sum += filter.tap(k) + filter.tap(-k);
    EXPECT_EQ(sum, 65536);
  }
  EXPECT_EQ(reflected(-3, 10), 3);
  EXPECT_EQ(reflected(12, 10), 6);
  EXPECT_EQ(reflected(-5, 3), 1);
  EXPECT_EQ(reflected(6, 3), 2);
  EXPECT_EQ(reflected(-8, 2), 0);
  EXPECT_EQ(reflected(7, 1), 0);
}

}  // namespace
}  // namespace test
}  // namespace vq::vif
