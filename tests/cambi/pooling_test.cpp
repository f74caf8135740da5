#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

constexpr uint64_t kOne = uint64_t{1} << kSumFractionBits;

void add_rows(const Stages& stages, CValuesIn values, Pooling& pooling) {
  for (int y = 0; y < values.height; ++y) stages.pool({values.row(y), values.width, 1, 0}, pooling);
}

// After start() and sample. `passes` receives how often the values had to be streamed.
ExactSum pool_started(const Stages& stages, CValuesIn values, Pooling& pooling, int& passes) {
  passes = 0;
  do {
    add_rows(stages, values, pooling);
    ++passes;
  } while (!pooling.finish() && passes < 9);
  return pooling.sum();
}

ExactSum pool_with(const Stages& stages, CValuesIn values, int64_t count, Pooling& pooling, int& passes) {
  pooling.start(0, count);
  return pool_started(stages, values, pooling, passes);
}

ExactSum pooled(const std::vector<std::vector<float>>& rows, int64_t count) {
  Pooling pooling(1 << 16);
  int passes = 0;
  return pool_with(scalar::kStages, canvas_of<float>(rows).view(), count, pooling, passes);
}

TEST(CambiPooling, LosesNoBitOfASmallValueBesideALargeOne) {
  const float small = 0.5F + std::ldexp(1.0F, -24), large = 262143.98F;
  EXPECT_TRUE(pooled({{small, large}}, 2) ==
              static_cast<ExactSum>(std::ldexp(static_cast<double>(large), 24)) + kOne / 2 + 1);
}

TEST(CambiPooling, EveryImplementationEqualsASortedSum) {
  unsigned seed = 0;
  std::map<std::string, Pooling> poolings;
  for (const Size size : stage_sizes()) {
    std::minstd_rand random(++seed);
    const Canvas<float> values = drawn<float>(size.width, size.height, [&](int, int) {
      const unsigned r = static_cast<unsigned>(random());
      return r % 3 == 0 ? 0.0F : r % 3 == 1 ? 7.25F : 0.5F + static_cast<float>(r % 100000) / 7;
    });
    const int64_t samples = int64_t{size.width} * size.height;
    for (const int64_t count : {int64_t{1}, samples / 3 + 1, samples * 3 / 5 + 1, samples}) {
      if (count > samples) continue;
      const ExactSum expected = sorted_sum(values.view(), count);
      for (const Implementation& implementation : cpu_implementations()) {
        // What the pooling remembers of a picture before, of this one or of another, changes nothing.
        for (const bool remembers : {false, true, true}) {
          if (!remembers) poolings.insert_or_assign(implementation.name, Pooling(1 << 16));
          int passes = 0;
          const ExactSum sum = pool_with(implementation.stages, values.view(), count,
                                         poolings.at(implementation.name), passes);
          ASSERT_TRUE(sum == expected)
              << implementation.name << ", " << size.width << "x" << size.height << ", count " << count;
          ASSERT_LE(passes, 3) << implementation.name;
        }
      }
    }
  }
}

TEST(CambiPooling, TakesOnePassWhereAPictureResemblesTheOneBefore) {
  constexpr int kFrames = 30;
  std::vector<std::pair<Canvas<float>, ExactSum>> pictures;
  for (int i = 0; i < kFrames; ++i) {
    // Every picture's values are 0.2% larger than those of the one before.
    Canvas<float> values =
        drawn<float>(200, 90, [&](int x, int y) { return (100 + (x + y) / 8.0) * std::pow(1.002, i); });
    const ExactSum expected = sorted_sum(values.view(), 9000);
    pictures.emplace_back(std::move(values), expected);
  }
  for (const Implementation& implementation : cpu_implementations()) {
    Pooling pooling(1 << 16);
    int passes = 0;
    for (int i = 0; i < kFrames; ++i) {
      const auto& [values, expected] = pictures[static_cast<size_t>(i)];
      EXPECT_TRUE(pool_with(implementation.stages, values.view(), 9000, pooling, passes) == expected);
      EXPECT_EQ(passes, i == 0 ? 2 : 1) << implementation.name << ", picture " << i;
    }
    const Canvas<float> others = drawn<float>(200, 90, [](int x, int y) { return 400 + (x + y) / 2.0; });
    EXPECT_TRUE(pool_with(implementation.stages, others.view(), 9000, pooling, passes) ==
                sorted_sum(others.view(), 9000));
    EXPECT_EQ(passes, 3) << implementation.name << ": the bounds were wrong";
  }
}

TEST(CambiPooling, RemembersEachSlotForItself) {
  const Canvas<float> one = drawn<float>(200, 90, [](int x, int y) { return 100 + (x + y) / 8.0; });
  const Canvas<float> other = drawn<float>(200, 90, [](int x, int y) { return 900 + (x + y) / 8.0; });
  Pooling pooling(1 << 16);
  int passes = 0;
  for (const int turn : {0, 1, 2}) {
    for (const int slot : {0, Pooling::kSlots - 1}) {
      pooling.start(slot, 9000);
      const CValuesIn values = (slot == 0 ? one : other).view();
      EXPECT_TRUE(pool_started(scalar::kStages, values, pooling, passes) == sorted_sum(values, 9000));
      EXPECT_EQ(passes, turn == 0 ? 2 : 1) << "slot " << slot;
    }
  }
}

TEST(CambiPooling, ASampleSparesAPass) {
  const Canvas<float> values = drawn<float>(256, 90, [](int x, int y) { return 100 + y + x / 100.0; });
  const Canvas<float> misleading = drawn<float>(64, 90, [](int, int) { return 3000; });
  for (const Implementation& implementation : cpu_implementations()) {
    for (const bool misleads : {false, true}) {
      Pooling pooling(1 << 16);
      pooling.start(0, 9000);
      ASSERT_TRUE(pooling.wants_sample());
      pooling.begin_sample(0.25);
      const CValuesIn sample =
          misleads ? misleading.view() : CValuesIn{values.view().data + 96, 64, 90, values.view().stride};
      add_rows(implementation.stages, sample, pooling);
      pooling.end_sample();
      int passes = 0;
      EXPECT_TRUE(pool_started(implementation.stages, values.view(), pooling, passes) ==
                  sorted_sum(values.view(), 9000));
      EXPECT_EQ(passes, misleads ? 3 : 1) << implementation.name;
      EXPECT_FALSE(pooling.wants_sample());
    }
  }
}

// More equal values than there is room to keep: below, at and above the K-th largest.
TEST(CambiPooling, TakesAnyNumberOfEquals) {
  constexpr int kWidth = 400, kHeight = 90;
  const Canvas<float> values = drawn<float>(kWidth, kHeight, [](int x, int y) {
    return y < 30 ? 50 : y < 60 ? 50.25 : 51 + x / 1000.0;
  });
  std::vector<std::pair<int64_t, ExactSum>> expected;
  for (const int64_t count : {30 * kWidth - 1, 30 * kWidth, 30 * kWidth + 1, 45 * kWidth, 60 * kWidth - 1,
                              60 * kWidth, 60 * kWidth + 1, 90 * kWidth - 1, 90 * kWidth})
    expected.emplace_back(count, sorted_sum(values.view(), count));
  for (const Implementation& implementation : cpu_implementations()) {
    Pooling pooling(kWidth * kHeight);
    for (const auto& [count, sum] : expected) {
      for (const int turn : {0, 1, 2}) {
        int passes = 0;
        EXPECT_TRUE(pool_with(implementation.stages, values.view(), count, pooling, passes) == sum)
            << implementation.name << ", count " << count << ", turn " << turn;
      }
    }
    int passes = 0;
    for (const int most : {3, 3, 1}) {
      pool_with(implementation.stages, values.view(), 45 * kWidth, pooling, passes);
      EXPECT_LE(passes, most) << implementation.name;
    }
  }
}

// Fades from a few values greater than zero to more than K of them and back.
TEST(CambiPooling, FollowsWhatIsGreaterThanZero) {
  std::map<std::string, Pooling> poolings;
  for (int i = 0; i < 80; ++i) {
    const int filled = 80 + 60 * (i < 40 ? i : 80 - i) / 40;
    const Canvas<float> values =
        drawn<float>(200, 90, [&](int x, int y) { return x < filled ? 1 + (7 * x + y) % 93 / 3.0 : 0; });
    const ExactSum expected = sorted_sum(values.view(), 10800);
    for (const Implementation& implementation : cpu_implementations()) {
      Pooling& pooling = poolings.try_emplace(implementation.name, 1 << 16).first->second;
      int passes = 0;
      EXPECT_TRUE(pool_with(implementation.stages, values.view(), 10800, pooling, passes) == expected)
          << implementation.name << ", picture " << i;
    }
  }
}

TEST(CambiHeatmap, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    std::minstd_rand random(++seed);
    const auto values = drawn<float>(size.width, size.height,
                                     [&](int, int) { return static_cast<float>(random() % 65536) / 8; });
    expect_same_planes<uint16_t>(size, "seed " + std::to_string(seed),
                                 [&](const Stages& stages, PlaneView<uint16_t> out) {
                                   stages.heatmap(values.view(), 65535.0 / 4225, out);
                                 });
  }
}

TEST(CambiHeatmap, AWindowOfOneSampleGivesABlackHeatmap) {
  const VideoFormats small = {.distorted = {.name = "", .width = 256, .height = 33, .bit_depth = 10},
                              .reference = {}};
  CambiOptions options;
  options.window_size = 15;
  const CambiPlan plan = make_plans(options, small).distorted;
  ASSERT_EQ(plan.window, 1);
  const auto values = canvas_of<float>({{0, 0, 0}});
  Canvas<uint16_t> samples(3, 1);
  scalar::heatmap(values.view(), plan.heatmap_factor, samples.view());
  EXPECT_EQ(rows_of<uint16_t>(samples.view()), (std::vector<std::vector<uint16_t>>{{0, 0, 0}}));
}

struct Case {
  Size size;
  Pattern pattern;
  int window, log_contrast;
  unsigned seed;
};

void expect_equal_to_scalar(const Case& c) {
  const Canvas<uint16_t> image = make_image(c.pattern, c.size, kMaxLevel, c.seed);
  const Canvas<uint8_t> mask = make_mask(c.size, c.seed / 3);
  const CambiPlan plan = make_test_plan(c.size, c.window, c.log_contrast);
  Scratch scratch(c.size.width, plan.num_contrasts);
  CValuePlane expected(c.size.width, c.size.height);
  scalar::c_values(image.view(), mask.view(), plan, scratch, expected);
  for (const Implementation& implementation : cpu_implementations()) {
    CValuePlane actual(c.size.width, c.size.height);
    implementation.stages.c_values(image.view(), mask.view(), plan, scratch, actual);
    ASSERT_TRUE(same_plane<float>(expected.values(), actual.values()))
        << implementation.name << ", " << to_string(c.pattern) << ", window " << c.window << ", contrasts "
        << plan.num_contrasts << ", seed " << c.seed;
    ASSERT_TRUE(actual.every_sample_came_once()) << implementation.name;
  }
}

TEST(CambiCValues, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    for (const Pattern pattern : all_patterns()) {
      ++seed;
      const int window = std::vector<int>{1, 3, 9, 21, 65, 127, 255}[seed % 7];
      expect_equal_to_scalar({size, pattern, window, static_cast<int>(seed % 6), seed});
    }
  }
}

TEST(CambiCValues, StripsMeetWithoutASeam) {
  unsigned seed = 1000;
  for (const int width : {kStripColumns, kStripColumns + 1, 2 * kStripColumns - 63, 2 * kStripColumns + 65}) {
    for (const Pattern pattern : {Pattern::kTwoLevels, Pattern::kSteps, Pattern::kRamp,
                                  Pattern::kFlatWithDots, Pattern::kNoiseOf100Levels}) {
      for (const int window : {5, 65, 255}) {
        ++seed;
        expect_equal_to_scalar({{width, 19}, pattern, window, static_cast<int>(seed % 3), seed});
      }
    }
  }
}

// As a device that goes wrong may leave them: nothing is read or written beyond the tables.
TEST(CambiCValues, SamplesThatAreNoLevelsCountAsNotMasked) {
  constexpr Size kSize{150, 90};
  const CambiPlan plan = make_test_plan(kSize, 21, 2);
  Scratch scratch(kSize.width, plan.num_contrasts);
  // The last has levels enough for the plain way.
  for (const Pattern pattern : {Pattern::kTwoLevels, Pattern::kRamp, Pattern::kNoise}) {
    const Canvas<uint16_t> good = make_image(pattern, kSize, kMaxLevel, 5);
    Canvas<uint16_t> image = make_image(pattern, kSize, kMaxLevel, 5);
    const Canvas<uint8_t> mask = make_mask(kSize, 3);
    Canvas<uint8_t> smaller = make_mask(kSize, 3);
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = y % 7; x < kSize.width; x += 7) {
        image.view().row(y)[x] = static_cast<uint16_t>(y % 2 == 0 ? kMaxLevel + 1 + x : 65535 - x);
        smaller.view().row(y)[x] = 0;
      }
    }
    for (const Implementation& implementation : cpu_implementations()) {
      CValuePlane expected(kSize.width, kSize.height), actual(kSize.width, kSize.height);
      scalar::c_values(good.view(), smaller.view(), plan, scratch, expected);
      implementation.stages.c_values(image.view(), mask.view(), plan, scratch, actual);
      EXPECT_TRUE(same_plane<float>(expected.values(), actual.values()))
          << implementation.name << ", " << to_string(pattern);
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
