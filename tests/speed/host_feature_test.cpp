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

// Of the scalar backend and, equal to these, with every group of instruction sets.
std::vector<double> values_of(const FeatureInfo& info, const VideoFormats& formats, const FramePair& pair,
                              const std::vector<std::pair<std::string, std::string>>& options = {}) {
  WorkerPool pool(1);
  const OptionSet set = vq::test::set_of(info.options, options);
  std::vector<double> expected;
  for (const uint32_t mask : {~0U, 0U, +kMaskAvx512Icl, +kMaskAvx512, +kMaskAvx2, +kMaskSse41, +kMaskSsse3}) {
    const Execution execution = {.pool = &pool, .cpumask = mask};
    const std::unique_ptr<HostFeature> feature = info.make(set, formats, execution);
    const std::vector<double> values = feature->score(pair).values;
    if (mask == ~0U) expected = values;
    EXPECT_EQ(feature->score(pair).values, expected) << host_simd(execution);
    EXPECT_EQ(values, expected) << host_simd(execution);
  }
  return expected;
}

struct Picture {
  VideoFormat format;
  Frame frame;
};
Picture colours(double contrast, int noise, unsigned seed, int bit_depth = 8) {
  const VideoFormat format = video(640, 640, Chroma::k420, bit_depth);
  return {format, drawing(format, contrast, noise, seed)};
}
std::vector<double> chroma_of(const Picture& reference, const Picture& distorted) {
  return values_of(chroma_feature_info(), {distorted.format, reference.format},
                   {.distorted = distorted.frame, .reference = reference.frame});
}

TEST(SpeedChromaFrame, OfEqualPicturesIsZeroAndGrowsWithTheDistortion) {
  const Picture reference = colours(30, 24, 1);
  EXPECT_THAT(chroma_of(reference, reference), ElementsAre(0, 0, 0));
  const double little = chroma_of(reference, colours(30, 20, 1))[2];
  EXPECT_GT(little, 0);
  EXPECT_GT(chroma_of(reference, colours(30, 4, 1))[2], 2 * little);
}

TEST(SpeedChromaFrame, OfFlatColourIsZeroWhateverItIsComparedWith) {
  const Picture flat = colours(0, 0, 1);
  EXPECT_THAT(chroma_of(flat, flat), ElementsAre(0, 0, 0));
  EXPECT_THAT(chroma_of(colours(30, 24, 1), flat), ElementsAre(0, 0, 0));
}

TEST(SpeedChromaFrame, ComparesTwoDepthsAsIfBothHadTheDeeper) {
  const Picture reference = colours(30, 24, 1), deeper = colours(30, 24, 1, 10),
                distorted = colours(30, 12, 2);
  EXPECT_THAT(chroma_of(deeper, reference), ElementsAre(0, 0, 0));
  EXPECT_EQ(chroma_of(deeper, distorted), chroma_of(reference, distorted));
}

TEST(SpeedTemporalFrame, ComparesTheChangesOfBothVideos) {
  const FeatureInfo& info = temporal_feature_info();
  const VideoFormat format = video(320, 320);
  const Frame first = drawing(format, 30, 24, 1), second = drawing(format, 20, 24, 2),
              softened = drawing(format, 20, 12, 3);
  FramePair pair = {.distorted = softened, .reference = second};
  EXPECT_THAT(values_of(info, {format, format}, pair), ElementsAre(0));  // nothing comes before
  pair.references_before = {first};
  pair.distorted_before = {first};
  EXPECT_THAT(values_of(info, {format, format}, pair), ElementsAre(Gt(0.0)));
  // The distorted video's own frame is not looked at, and the one before is the reference's.
  const std::vector<std::pair<std::string, std::string>> to_reference = {{"speed_use_ref_diff", "true"}};
  EXPECT_THAT(values_of(info, {format, format}, pair, to_reference), ElementsAre(0));
  pair.distorted_before = {softened};
  EXPECT_THAT(values_of(info, {format, format}, pair, to_reference), ElementsAre(Gt(0.0)));
}

TEST(SpeedTemporalFrame, OfAStillPassageIsZero) {
  const VideoFormat format = video(320, 320, Chroma::k400);
  const Frame first = drawing(format, 30, 24, 1), other = drawing(format, 20, 24, 2);
  FramePair pair = {.distorted = first, .reference = first};
  pair.references_before = {first};
  pair.distorted_before = {other};
  EXPECT_THAT(values_of(temporal_feature_info(), {format, format}, pair), ElementsAre(0));
}

}  // namespace
}  // namespace vq::speed
