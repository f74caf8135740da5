// What the hash of a picture tells apart, and the counting of repeats.
#include "feature/fingerprint/fingerprint.h"
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

FrameResult result_of(const std::string& hash) { return {.values = {7, 7}, .texts = {hash}}; }

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

}  // namespace
}  // namespace vq::fingerprint
