// Both features on whole frames of small videos, with every group of instruction sets.
#include "core/worker_pool.h"
#include "feature/simd_targets.h"
#include "feature/speed/speed.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/option_rows.h"

namespace vq::speed {
namespace {

VideoFormat video(int width, int height, Chroma chroma = Chroma::k420, int bit_depth = 8) {
  return {.name = "video", .width = width, .height = height, .bit_depth = bit_depth, .chroma = chroma};
}

// A frame of 8 bits or more, all planes with waves of `contrast` and noise of up to `noise` 8-bit levels, the
// same for one seed.
Frame drawing(const VideoFormat& format, double contrast, int noise, unsigned seed) {
  std::minstd_rand random(seed);
  const auto grain = [&] { return (static_cast<int>((random() >> 8) % 33) - 16) * noise / 16; };
  return vq::test::drawn_frame(format, [&](int, int x, int y) {
    const int level =
        128 + static_cast<int>(contrast * (std::sin(0.05 * x + 0.02 * y) + std::cos(0.03 * y))) + grain();
    return level << (format.bit_depth - 8);
  });
}

FramePair pair_of(const Frame& reference, const Frame& distorted) {
  FramePair pair;
  pair.reference = reference;
  pair.distorted = distorted;
  return pair;
}

// Of the scalar backend and, equal to these, with every group of instruction sets.
std::vector<double> values_of(const FeatureInfo& info, const OptionSet& set, const VideoFormats& formats,
                              const FramePair& pair) {
  WorkerPool pool(1);
  std::vector<double> expected;
  for (const uint32_t mask : {~0U, 0U, +kMaskAvx512Icl, +kMaskAvx512, +kMaskAvx2, +kMaskSse41, +kMaskSsse3}) {
    Execution execution;
    execution.pool = &pool;
    execution.cpumask = mask;
    const std::unique_ptr<HostFeature> feature = info.make(set, formats, execution);
    const std::vector<double> values = feature->score(pair).values;
    if (mask == ~0U) expected = values;
    EXPECT_EQ(feature->score(pair).values, expected) << host_simd(execution);
    EXPECT_EQ(values, expected) << host_simd(execution);
  }
  return expected;
}

OptionSet options(const FeatureInfo& info,
                  const std::vector<std::pair<std::string, std::string>>& values = {}) {
  return vq::test::set_of(info.options, values);
}

TEST(SpeedChromaFrame, OfEqualPicturesIsZeroAndGrowsWithTheDistortion) {
  const FeatureInfo& info = chroma_feature_info();
  const VideoFormat format = video(640, 640);
  const Frame reference = drawing(format, 30, 24, 1), near = drawing(format, 30, 20, 1),
              far = drawing(format, 30, 4, 1);
  const OptionSet set = options(info);
  EXPECT_THAT(values_of(info, set, {format, format}, pair_of(reference, reference)), ElementsAre(0, 0, 0));
  const double little = values_of(info, set, {format, format}, pair_of(reference, near))[2];
  EXPECT_GT(little, 0);
  EXPECT_GT(values_of(info, set, {format, format}, pair_of(reference, far))[2], 2 * little);
}

TEST(SpeedChromaFrame, OfFlatColourIsZeroWhateverItIsComparedWith) {
  const FeatureInfo& info = chroma_feature_info();
  const VideoFormat format = video(640, 640);
  const Frame flat = drawing(format, 0, 0, 1), reference = drawing(format, 30, 24, 1);
  EXPECT_THAT(values_of(info, options(info), {format, format}, pair_of(flat, flat)), ElementsAre(0, 0, 0));
  EXPECT_THAT(values_of(info, options(info), {format, format}, pair_of(reference, flat)),
              ElementsAre(0, 0, 0));
}

TEST(SpeedChromaFrame, ComparesTwoDepthsAsIfBothHadTheDeeper) {
  const FeatureInfo& info = chroma_feature_info();
  const VideoFormat eight = video(640, 640), ten = video(640, 640, Chroma::k420, 10);
  const Frame reference = drawing(eight, 30, 24, 1), shifted = drawing(ten, 30, 24, 1),
              distorted = drawing(eight, 30, 12, 2);
  EXPECT_THAT(values_of(info, options(info), {eight, ten}, pair_of(shifted, reference)),
              ElementsAre(0, 0, 0));
  EXPECT_EQ(values_of(info, options(info), {eight, ten}, pair_of(shifted, distorted)),
            values_of(info, options(info), {eight, eight}, pair_of(reference, distorted)));
}

TEST(SpeedTemporalFrame, ComparesTheChangesOfBothVideos) {
  const FeatureInfo& info = temporal_feature_info();
  const VideoFormat format = video(320, 320);
  const Frame first = drawing(format, 30, 24, 1), second = drawing(format, 20, 24, 2),
              softened = drawing(format, 20, 12, 3);
  FramePair pair = pair_of(second, softened);
  EXPECT_THAT(values_of(info, options(info), {format, format}, pair),
              ElementsAre(0));  // nothing comes before
  pair.references_before = {first};
  pair.distorted_before = {first};
  EXPECT_THAT(values_of(info, options(info), {format, format}, pair), ElementsAre(Gt(0.0)));
  // The distorted video's own frame is not looked at, and the one before is the reference's.
  const OptionSet to_reference = options(info, {{"speed_use_ref_diff", "true"}});
  EXPECT_THAT(values_of(info, to_reference, {format, format}, pair), ElementsAre(0));
  pair.distorted_before = {softened};
  EXPECT_THAT(values_of(info, to_reference, {format, format}, pair), ElementsAre(Gt(0.0)));
}

TEST(SpeedTemporalFrame, OfAStillPassageIsZero) {
  const FeatureInfo& info = temporal_feature_info();
  const VideoFormat format = video(320, 320, Chroma::k400);
  const Frame first = drawing(format, 30, 24, 1), other = drawing(format, 20, 24, 2);
  FramePair pair = pair_of(first, first);
  pair.references_before = {first};
  pair.distorted_before = {other};
  EXPECT_THAT(values_of(info, options(info), {format, format}, pair), ElementsAre(0));
}

}  // namespace
}  // namespace vq::speed
