// The stages: examples to check by hand, and every implementation against the scalar one.
#include "feature/vif/vif.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::vif {

// For messages of failed comparisons.
void PrintTo(const ScaleSums& sums, std::ostream* out) {
  *out << "num " << sums.num_log << ", den " << sums.den_log << ", flat " << sums.flat << ", variance "
       << sums.flat_variance;
}

namespace test {
namespace {

using namespace vq::test;
using Implementation = vq::test::Implementation<Stages>;

std::vector<Implementation> implementations() {
  return all_implementations(scalar::kStages, simd::stages_for);
}

// The depth of the samples of a scale, and their maximum.
int depth_of(const Scale& scale) {
  return scale.index > 0 ? 16 : scale.bit_depth;
}
int top_of(const Scale& scale) {
  return (1 << depth_of(scale)) - 1;
}
std::string text_of(const Scale& scale, PlaneSize size) {
  return "scale " + std::to_string(scale.index) + ", " + std::to_string(scale.bit_depth) + " bits, " +
         std::to_string(size.width) + "x" + std::to_string(size.height);
}

Plane<uint16_t> decimated(const Stages& stages, const SampleView& in, const Scale& scale) {
  Plane<uint16_t> out(in.width() / 2, in.height() / 2);
  Rows rows(in.width());
  stages.decimate(in, scale, out.view(), rows);
  return out;
}

void expect_decimated(const SampleView& in, const Scale& scale) {
  const Plane<uint16_t> expected = decimated({}, in, scale);
  for (const Implementation& one : implementations()) {
    const Plane<uint16_t> out = decimated(one.stages, in, scale);
    ASSERT_TRUE(same_samples(out.view(), expected.view()))
        << one.name << ", " << text_of(scale, {in.width(), in.height()});
  }
}

// A picture as it comes to stages that are narrower than a row may be without guards.
Plane<uint16_t> guarded(const DecodedPlane& plane) {
  Plane<uint16_t> wide(plane.width(), plane.height());
  widen(plane.view(), 0, wide.view());
  return wide;
}

// A dot of 65535 at (32, 2) comes out as products of taps, but for rounding: 26386^2 / 65536, and 3571 *
// 26386 / 65536 beside.
TEST(VifDecimate, ADotSpreadsAsTheTapsSay) {
  DecodedPlane plane = DecodedPlane(70, 6, 16).flat(0);
  plane.set(32, 2, 65535);
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    const Plane<uint16_t> out = decimated(implementation.stages, plane.view(), {1, 8});
    EXPECT_EQ(out.row(1)[16], 10623);
    EXPECT_EQ(out.row(1)[15], 1438);
    EXPECT_EQ(out.row(1)[17], 1438);
    EXPECT_EQ(out.row(1)[14], 0);
    EXPECT_EQ(out.row(0)[16], 2876);  // two rows up, and reflected: the dot counts twice
    EXPECT_EQ(out.row(2)[16], 1438);
  }
}

TEST(VifDecimate, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (int width = kGuardedWidth; width <= 135; ++width) {
    for (const Scale& scale : {Scale{0, 8}, {0, 9}, {0, 12}, {0, 16}, {1, 8}, {2, 10}})
      expect_decimated(noise_plane({width, 2 + width % 13}, depth_of(scale), ++seed).view(), scale);
  }
  // The tiles of a work group.
  for (const PlaneSize size : {PlaneSize{121, 18}, {128, 16}, {260, 40}}) {
    for (const Scale& scale : {Scale{0, 8}, {0, 16}, {1, 8}, {2, 10}})
      expect_decimated(noise_plane(size, depth_of(scale), ++seed).view(), scale);
  }
}

// Narrow pictures come in planes with guards; sides of 2 are reflected more than once.
TEST(VifDecimate, EveryImplementationEqualsScalarOnNarrowPictures) {
  for (int width = 2; width < kGuardedWidth; ++width) {
    for (int height = 2; height < 10; ++height) {
      for (const Scale& scale : {Scale{0, 8}, {0, 16}, {1, 8}, {2, 8}}) {
        const Plane<uint16_t> plane =
            guarded(noise_plane({width, height}, depth_of(scale), static_cast<unsigned>(width)));
        expect_decimated(sample_view<uint16_t>(plane.view()), scale);
      }
    }
  }
}

TEST(VifDecimate, HasRoomForTheLargestSamples) {
  for (const Scale& scale : {Scale{0, 8}, {0, 10}, {0, 16}, {1, 8}, {2, 10}}) {
    const int top = top_of(scale);
    DecodedPlane plane(130, 20, depth_of(scale));
    expect_decimated(plane.flat(top).view(), scale);
    expect_decimated(plane.fill([&](int x, int) { return x % 2 * top; }).view(), scale);
    expect_decimated(plane.fill([&](int, int y) { return y % 2 * top; }).view(), scale);
  }
}

TEST(VifWiden, ShiftsAndKeepsSamples) {
  const DecodedPlane bytes = DecodedPlane(3, 2, 8).fill([](int x, int y) { return 100 * y + x + 53; });
  const DecodedPlane words = DecodedPlane(3, 2, 10).fill([](int x, int y) { return 400 * y + x + 211; });
  Plane<uint16_t> out(3, 2);
  widen(bytes.view(), 4, out.view());
  EXPECT_EQ(out.row(0)[0], 53 * 16);
  EXPECT_EQ(out.row(1)[2], 155 * 16);
  widen(words.view(), 0, out.view());
  EXPECT_EQ(out.row(0)[2], 213);
  EXPECT_EQ(out.row(1)[0], 611);
}

ScaleSums sums_of(const Stages& stages, const DecodedPlane& reference, const DecodedPlane& distorted,
                  const Scale& scale, double limit = 100) {
  const Pictures pictures = {reference.view(), distorted.view()};
  Rows rows(pictures.reference.width());
  return stages.statistics(pictures, scale, limit, rows);
}

void expect_all_equal(const DecodedPlane& reference, const DecodedPlane& distorted, const Scale& scale,
                      double limit, const std::string& what) {
  expect_same_of_all(
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
  for (const Implementation& implementation : implementations())
    EXPECT_EQ(sums_of(implementation.stages, stripes, stripes, {3, 8}), expected) << implementation.name;
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

constexpr Scale kScalesTried[] = {{0, 8}, {0, 9}, {0, 10}, {0, 12}, {0, 14}, {0, 16}, {1, 8}, {2, 8}, {3, 8}};

TEST(VifStatistics, EveryImplementationEqualsScalarOnAnyWidth) {
  unsigned seed = 0;
  const auto expect_noise = [&](PlaneSize size) {
    for (const Scale& scale : kScalesTried) {
      const DecodedPlane reference = noise_plane(size, depth_of(scale), ++seed);
      expect_all_equal(reference, noise_plane(size, depth_of(scale), seed + 9), scale, 100, "noise");
    }
  };
  for (int width = kGuardedWidth; width <= 135; ++width) expect_noise({width, 1 + width % 19});
  // The tiles of a work group.
  for (const PlaneSize size : {PlaneSize{112, 9}, {113, 16}, {230, 25}}) expect_noise(size);
}

// Covariances are nearly variances, where few bits decide.
TEST(VifStatistics, EveryImplementationEqualsScalarOnPicturesThatAreNearlyTheSame) {
  for (const Scale& scale : kScalesTried) {
    const DecodedPlane reference = noise_plane({93, 61}, depth_of(scale), 11);
    DecodedPlane distorted = reference;
    distorted.set(33, 20, reference.at(33, 20) ^ 1);
    distorted.set(70, 50, reference.at(70, 50) ^ 3);
    for (const double limit : {1.0, 100.0}) expect_all_equal(reference, distorted, scale, limit, "nearly");
  }
}

// Where some samples are flat and others are not, where the distorted picture follows the reference, and
// where it exceeds it.
TEST(VifStatistics, EveryImplementationEqualsScalarOnPicturesThatFollowEachOther) {
  const PlaneSize size = {93, 61};
  for (const Scale& scale : kScalesTried) {
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
  for (const Scale& scale : kScalesTried) {
    const int depth = depth_of(scale), top = top_of(scale);
    DecodedPlane halves(125, 40, depth), checks(125, 40, depth), noise(125, 40, depth), white(125, 40, depth);
    halves.fill([&](int x, int) { return x < 60 ? 0 : top; });
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
        const Plane<uint16_t> r = guarded(noise_plane({width, height}, depth_of(scale), 3)),
                              d = guarded(noise_plane({width, height}, depth_of(scale), 4));
        const Pictures pictures = {sample_view<uint16_t>(r.view()), sample_view<uint16_t>(d.view())};
        Rows rows(width);
        expect_same_of_all(
            implementations(), text_of(scale, {width, height}),
            [&](const Implementation& one) { return one.stages.statistics(pictures, scale, 100, rows); });
      }
    }
  }
}

VideoFormats formats_of(int width, int height, int distorted_depth = 8, int reference_depth = 8) {
  return {{.name = "show.mkv", .width = width, .height = height, .bit_depth = distorted_depth},
          VideoFormat{.name = "master.mov", .width = width, .height = height, .bit_depth = reference_depth}};
}

// Samples of the shallower video are shifted left: four times its levels are the same picture.
TEST(VifDriver, BringsVideosOfDifferentDepthsTogether) {
  const PlaneSize size = {50, 40};
  const DecodedPlane bytes = noise_plane(size, 8, 0, 255, 6);
  DecodedPlane words(size.width, size.height, 10);
  words.fill([&](int x, int y) { return bytes.view().u8.row(y)[x] * 4; });
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    const auto values = [&](const DecodedPlane& reference, int reference_depth, const DecodedPlane& distorted,
                            int distorted_depth) {
      const VifPlan plan = Vif::make_plan(
          {.debug = true}, formats_of(size.width, size.height, distorted_depth, reference_depth));
      Workspace workspace(plan);
      return score_pictures(plan, {reference.view(), distorted.view()}, implementation.stages, workspace)
          .values;
    };
    const std::vector<double> expected = values(words, 10, words, 10);
    EXPECT_GT(expected[0], 0.99);
    EXPECT_EQ(values(bytes, 8, words, 10), expected);
    EXPECT_EQ(values(words, 10, bytes, 8), expected);
    EXPECT_EQ(values(bytes, 8, bytes, 8), expected);
  }
}

TEST(VifDriver, WorkMemoryIsNoMoreThanItSays) {
  for (const PlaneSize& size : {PlaneSize{1920, 1080}, {640, 360}, {16, 16}}) {
    const VifPlan plan = Vif::make_plan({}, formats_of(size.width, size.height, 8, 10));
    int64_t samples = 0;
    for (const PlaneSize& scale : plan.sizes) samples += int64_t{scale.width} * scale.height;
    const int64_t bytes = counted_bytes([&] { return std::make_unique<Workspace>(plan); });
    EXPECT_GE(bytes, 2 * 2 * samples + 48 * size.width);
    EXPECT_LT(bytes, 2 * 2 * samples * 5 / 4 + 100000);
  }
}

TEST(VifPlan, HalvesThePictureThreeTimes) {
  const VifPlan plan = Vif::make_plan({}, formats_of(31, 200));
  EXPECT_THAT(plan.sizes, ::testing::ElementsAre(PlaneSize{31, 200}, PlaneSize{15, 100}, PlaneSize{7, 50},
                                                 PlaneSize{3, 25}));
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

// Libraries are off by less than one unit of the last place.
constexpr int kMostUnits = 8;

int32_t entry(double log2) {
  return static_cast<int32_t>(std::floor(2048.0 * static_cast<double>(static_cast<float>(log2)) + 0.5));
}

// Functions of the C library, which differ in their last bits between libraries, decide nothing here.
TEST(LibraryMargin, LogarithmsOfTheTableAreFarFromWhereTheyRound) {
  for (int32_t i = LogTable::kFirst; i < LogTable::kEnd; ++i) {
    const int32_t expected = LogTable::get().at(i);
    double below = std::log2(static_cast<double>(i)), above = below;
    for (int unit = 0; unit <= kMostUnits; ++unit) {
      ASSERT_EQ(entry(below), expected) << i;
      ASSERT_EQ(entry(above), expected) << i;
      // Powers of two are exact in every library.
      if (i == LogTable::kFirst) break;
      below = std::nextafter(below, 0);
      above = std::nextafter(above, std::numeric_limits<double>::max());
    }
  }
}

}  // namespace
}  // namespace test
}  // namespace vq::vif
