// The stages: every implementation against the scalar one.
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
int depth_of(const Scale& scale) { return scale.index > 0 ? 16 : scale.bit_depth; }
int top_of(const Scale& scale) { return (1 << depth_of(scale)) - 1; }
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

// A million samples whose variances are spread over all that there are, so that hardly any of the 32768
// mantissas is left out: implementations compute logarithms in ways of their own.
TEST(VifStatistics, EveryImplementationHasTheLogarithmsOfTheTable) {
  std::minstd_rand random(7);
  const auto noise = [&](double strength) {
    return strength * (static_cast<double>(random()) / 2147483647 - 0.5);
  };
  DecodedPlane reference(1250, 800, 16), distorted(1250, 800, 16);
  std::vector<double> levels;
  reference.fill([&](int x, int) {
    levels.push_back(32768 + noise(600 * std::exp2(6.7 * x / 1250)));
    return static_cast<int>(levels.back());
  });
  distorted.fill([&](int x, int y) {
    const double level = levels[static_cast<size_t>(y * 1250 + x)];
    return static_cast<int>(std::clamp(level + noise(300 * std::exp2(6.7 * y / 800)), 0.0, 65535.0));
  });
  for (const int scale : {0, 3}) expect_all_equal(reference, distorted, {scale, 16}, 100, "logarithms");
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
