// What the hash of a picture tells apart, that it does so as if by chance, and the counting of repeats.
#include "feature/fingerprint/fingerprint.h"
#include "tests/fingerprint/collisions.h"
#include "tests/fingerprint/pictures.h"
#include "tests/support/test.h"

namespace vq::fingerprint {
namespace {

using test::DecodedPlane;
using test::hash_of;

using Picture = std::vector<DecodedPlane>;

struct Shape {
  int width, height, bit_depth, planes;
};
constexpr Shape kShapes[] = {{1, 1, 8, 1}, {3, 2, 8, 1},  {4, 4, 8, 1},  {9, 5, 8, 1},  {33, 2, 8, 3},
                             {1, 1, 9, 1}, {2, 3, 10, 1}, {7, 5, 10, 3}, {5, 3, 16, 1}, {17, 2, 12, 1}};

Picture noisy_words(const Shape& shape, unsigned seed) {
  std::minstd_rand random(seed);
  Picture picture;
  for (int i = 0; i < shape.planes; ++i) {
    picture.emplace_back(i == 0 ? shape.width : (shape.width + 1) / 2,
                         i == 0 ? shape.height : (shape.height + 1) / 2, shape.bit_depth);
    picture.back().fill(
        [&](int, int) { return static_cast<int>(random() >> 7) & ((1 << shape.bit_depth) - 1); });
  }
  return picture;
}

TEST(Fingerprint, ChangesWithEveryBit) {
  for (const Shape& shape : kShapes) {
    for (const unsigned seed : {0U, 1U, 2U}) {
      Picture picture = noisy_words(shape, seed);
      if (seed == 0) {
        for (DecodedPlane& plane : picture) plane.fill([](int, int) { return 0; });
      }
      const std::string original = hash_of(picture, shape.bit_depth);
      std::set<std::string> found = {original};
      size_t changes = 0;
      for (DecodedPlane& plane : picture) {
        for (int y = 0; y < plane.height(); ++y) {
          for (int x = 0; x < plane.width(); ++x) {
            for (int bit = 0; bit < shape.bit_depth; ++bit, ++changes) {
              const int sample = plane.at(x, y);
              plane.set(x, y, sample ^ 1 << bit);
              found.insert(hash_of(picture, shape.bit_depth));
              plane.set(x, y, sample);
            }
          }
        }
      }
      EXPECT_EQ(found.size(), changes + 1)
          << shape.width << "x" << shape.height << ", " << shape.bit_depth << " bits";
      EXPECT_EQ(hash_of(picture, shape.bit_depth), original);
    }
  }
}

// Everything that can be done to a picture by moving its samples, or by telling another size or depth of the
// same bytes.
TEST(Fingerprint, TellsMovedPaddedAndReshapedContentApart) {
  std::map<std::string, std::string> found;
  const auto add = [&](const std::string& what, const Picture& picture, int bit_depth) {
    const auto [same, is_new] = found.emplace(hash_of(picture, bit_depth), what);
    EXPECT_TRUE(is_new) << what << " is like " << same->second;
  };
  const auto made = [](int width, int height, int bit_depth, auto level) {
    DecodedPlane plane(width, height, bit_depth);
    plane.fill(level);
    return plane;
  };
  const DecodedPlane base = noisy_words({8, 8, 8, 1}, 7)[0];
  const auto sample = [&](int x, int y) { return x < 8 && y < 8 ? base.at(x, y) : 0; };
  add("itself", {base}, 8);
  for (int shift = 1; shift < 8; ++shift) {
    add("rolled right", {made(8, 8, 8, [&](int x, int y) { return base.at((x + shift) % 8, y); })}, 8);
    add("rolled down", {made(8, 8, 8, [&](int x, int y) { return base.at(x, (y + shift) % 8); })}, 8);
    add("zeros at the right", {made(8 + shift, 8, 8, sample)}, 8);
    add("zeros below", {made(8, 8 + shift, 8, sample)}, 8);
    add("cropped at the right", {made(8 - shift, 8, 8, sample)}, 8);
    add("cropped below", {made(8, 8 - shift, 8, sample)}, 8);
    add("cropped at the left", {made(8 - shift, 8, 8, [&](int x, int y) { return base.at(x + shift, y); })},
        8);
  }
  add("transposed", {made(8, 8, 8, [&](int x, int y) { return base.at(y, x); })}, 8);
  add("mirrored", {made(8, 8, 8, [&](int x, int y) { return base.at(7 - x, y); })}, 8);
  add("upside down", {made(8, 8, 8, [&](int x, int y) { return base.at(x, 7 - y); })}, 8);
  add("the bytes of 4x16", {made(4, 16, 8, [&](int x, int y) { return base.at((y * 4 + x) % 8, y / 2); })},
      8);
  add("the bytes of 16x4", {made(16, 4, 8, [&](int x, int y) { return base.at(x % 8, y * 2 + x / 8); })}, 8);
  add("the bytes in 16 bits",
      {made(4, 8, 16, [&](int x, int y) { return base.at(2 * x, y) | base.at(2 * x + 1, y) << 8; })}, 16);
  for (const int depth : {9, 10, 16}) {
    add("deeper", {made(8, 8, depth, sample)}, depth);
    add("scaled", {made(8, 8, depth, [&](int x, int y) { return base.at(x, y) << (depth - 8); })}, depth);
  }
  const DecodedPlane grey = made(4, 4, 8, [](int, int) { return 128; }),
                     other = noisy_words({4, 4, 8, 1}, 8)[0];
  add("grey", {base, grey, grey}, 8);
  add("Cb", {base, other, grey}, 8);
  add("Cr", {base, grey, other}, 8);
  add("half as wide", {base, made(2, 8, 8, [](int, int) { return 128; }), grey}, 8);
}

// Any size of nothing.
TEST(Fingerprint, TellsFlatPicturesOfEverySizeApart) {
  std::set<std::string> found;
  for (int width = 1; width <= 24; ++width) {
    for (int height = 1; height <= 24; ++height) {
      for (const int bit_depth : {8, 10})
        found.insert(hash_of({DecodedPlane(width, height, bit_depth).flat(0xA5)}, bit_depth));
    }
  }
  EXPECT_EQ(found.size(), size_t{24} * 24 * 2);
}

FrameResult result_of(const std::string& hash) {
  return {.values = {7, 7}, .texts = {hash}};
}

TEST(FingerprintRepeats, AreCountedUpToTheNextFrameThatDiffers) {
  const std::unique_ptr<FrameSequence> sequence =
      feature_info().make_sequence(OptionSet(feature_info().options));
  std::vector<double> repeated, runs;
  for (const char* const hash : {"a", "a", "a", "b", "a", "a", "c", "d"}) {
    const std::vector<FrameValues> complete = sequence->next(result_of(hash));
    ASSERT_EQ(complete.size(), 1U);
    ASSERT_EQ(complete[0].size(), 2U);
    repeated.push_back(complete[0][0]);
    runs.push_back(complete[0][1]);
  }
  EXPECT_THAT(repeated, ElementsAre(0, 1, 1, 0, 0, 1, 0, 0));
  EXPECT_THAT(runs, ElementsAre(0, 1, 2, 0, 0, 1, 0, 0));
}

TEST(FingerprintOptions, NameWhatIsLookedAt) {
  const FeatureInfo& info = feature_info();
  OptionSet set(info.options);
  EXPECT_THAT(info.metric_names(set), ElementsAre("fingerprint_repeated", "fingerprint_repeat_run"));
  EXPECT_THAT(info.text_names(set), ElementsAre("fingerprint"));
  EXPECT_EQ(info.planes(set), 1);
  set.set("planes", "all");
  EXPECT_THAT(info.metric_names(set),
              ElementsAre("fingerprint_repeated_planes_all", "fingerprint_repeat_run_planes_all"));
  EXPECT_THAT(info.text_names(set), ElementsAre("fingerprint_planes_all"));
  EXPECT_EQ(info.planes(set), 3);
  const VideoFormats grey = {.distorted = {.name = {}, .width = 8, .height = 8, .chroma = Chroma::k400},
                             .reference = {}};
  EXPECT_EQ(plan_of<Fingerprint>(set, grey).planes, 1);
}

// Avalanche and collisions, against chance. All pictures are fixed, so that a result is.

constexpr double kLimit = 5;  // standard deviations: chance exceeds it once in two million

class FingerprintCollisions : public ::testing::TestWithParam<test::Family> {};

TEST_P(FingerprintCollisions, AreAsManyAsByChance) {
  double found = 0, expected = 0;
  for (const test::CollisionCount& count : test::count_collisions(GetParam(), 500000, 32)) {
    EXPECT_LT(std::abs(count.deviation()), kLimit) << collision_text(GetParam(), count);
    found += count.found;
    expected += count.expected;
  }
  EXPECT_GT(expected, 200);
  EXPECT_LT(std::abs(found - expected), kLimit * std::sqrt(expected)) << test::to_string(GetParam());
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, FingerprintCollisions, ::testing::ValuesIn(test::kFamilies));

int bit_of(const LaneSums& hash, int bit) {
  return static_cast<int>(hash[static_cast<size_t>(bit / 32)] >> (bit % 32) & 1);
}

// Each bit of a picture turns each bit of its hash in half of all cases.
TEST(FingerprintAvalanche, OfEveryBitReachesEveryBit) {
  constexpr int kTrials = 1000, kWidth = 5, kHeight = 3, kDepth = 10, kOutputs = 128;
  const FingerprintPlan plan = {.planes = 1, .sizes = {PlaneSize{kWidth, kHeight}}, .bit_depth = kDepth};
  const auto hash = [&](const DecodedPlane& plane) {
    const LaneSums sums = scalar::plane_sums(plane.view(), 0);
    return fingerprint(plan, {&sums, 1});
  };
  std::minstd_rand random(3);
  std::vector<double> turned_by_output(kOutputs);
  double worst = 0;
  for (int input = 0; input < kWidth * kHeight * kDepth; ++input) {
    const int x = input / kDepth % kWidth, y = input / kDepth / kWidth;
    std::vector<int> turned(kOutputs);
    for (int trial = 0; trial < kTrials; ++trial) {
      DecodedPlane plane(kWidth, kHeight, kDepth);
      plane.fill([&](int, int) { return static_cast<int>(random() >> 7) & ((1 << kDepth) - 1); });
      const LaneSums before = hash(plane);
      plane.set(x, y, plane.at(x, y) ^ 1 << input % kDepth);
      const LaneSums after = hash(plane);
      for (int i = 0; i < kOutputs; ++i)
        turned[static_cast<size_t>(i)] += bit_of(before, i) ^ bit_of(after, i);
    }
    for (size_t i = 0; i < kOutputs; ++i) {
      worst = std::max(worst, std::abs(turned[i] - kTrials / 2.0) / std::sqrt(kTrials / 4.0));
      turned_by_output[i] += turned[i];
    }
  }
  EXPECT_LT(worst, 5.5);  // of 19200 pairs of bits
  const double trials = kTrials * kWidth * kHeight * kDepth;
  for (const double turned : turned_by_output)
    EXPECT_LT(std::abs(turned - trials / 2) / std::sqrt(trials / 4), kLimit);
}

}  // namespace
}  // namespace vq::fingerprint
