#include "feature/histogram/histogram.h"
#include "tests/histogram/counted.h"
#include "tests/support/decoded_plane.h"

namespace vq::histogram {
namespace {

using test::Counted;
using test::Implementation;
using test::implementations;
using vq::test::DecodedPlane;
using vq::test::plane_of;

enum class Content { kNoise, kRuns, kFlat };

// A plane of values up to `top`.
DecodedPlane made_plane(PlaneSize size, int depth, Content content, int top, unsigned seed) {
  std::minstd_rand random(seed);
  int value = top;
  return DecodedPlane(size.width, size.height, depth, static_cast<int>(seed % 5)).fill([&](int, int) {
    const bool changes = content == Content::kNoise || (content == Content::kRuns && random() % 7 == 0);
    if (changes) value = static_cast<int>(random() % static_cast<unsigned>(top + 1));
    return value;
  });
}

BinRule rule_of(int depth, bool as_8_bits) {
  return as_8_bits ? BinRule{256, static_cast<uint32_t>(depth - 8)} : BinRule{1U << depth, 0};
}

// The bins of a channel that hold anything, with their counts.
using Occurring = std::map<size_t, uint32_t>;
Occurring occurring(const Counted& counted, size_t channel) {
  Occurring found;
  for (size_t bin = 0; bin < counted.bins(channel).size(); ++bin)
    if (counted.bins(channel)[bin] > 0) found[bin] = counted.bins(channel)[bin];
  return found;
}

// Four code values of 10 bits share a bin of 8; samples that 10 bits do not have are counted in the last.
TEST(HistogramCount, SharesBinsAndTakesSamplesBeyondTheRangeForTheLast) {
  const auto plane = plane_of({{64, 67, 68, 63, 1023, 1024, 65535, 64, 64}}, 16);
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    Counted shared({256, 2}), own({1024, 0});
    implementation.stages.count_plane(plane.view(), {256, 2}, shared.channels[0]);
    implementation.stages.count_plane(plane.view(), {1024, 0}, own.channels[0]);
    EXPECT_EQ(occurring(shared, 0), (Occurring{{15, 1}, {16, 4}, {17, 1}, {255, 3}}));
    EXPECT_EQ(occurring(own, 0), (Occurring{{63, 1}, {64, 3}, {67, 1}, {68, 1}, {1023, 3}}));
    for (const Counted* counts : {&shared, &own}) {
      EXPECT_EQ(counts->channels[0].min, 63U);
      EXPECT_EQ(counts->channels[0].max, 65535U);
    }
  }
}

// Around the tiles of a device's work group.
std::vector<PlaneSize> device_sizes() {
  if (vq::test::added_implementations<Stages>().empty()) return {};
  return {{9, 65}, {130, 63}, {256, 64}, {257, 129}, {523, 131}};
}

void compare_planes(int depth, const BinRule& rule) {
  std::vector<PlaneSize> sizes = device_sizes();
  for (int width = 1; width <= 1100; width += width < 130 ? 1 : 97) sizes.push_back({width, 1 + width % 3});
  for (const Content content : {Content::kNoise, Content::kFlat, Content::kRuns}) {
    for (const auto& [width, height] : sizes) {
      const DecodedPlane plane =
          made_plane({width, height}, depth, content, (1 << depth) - 1, static_cast<unsigned>(width));
      Counted expected(rule);
      scalar::count_plane(plane.view(), rule, expected.channels[0]);
      ASSERT_EQ(expected.total(), static_cast<uint64_t>(width) * static_cast<uint64_t>(height));
      for (const Implementation& implementation : implementations()) {
        Counted counts(rule);
        implementation.stages.count_plane(plane.view(), rule, counts.channels[0]);
        ASSERT_TRUE(counts.same(expected))
            << implementation.name + ", " + std::to_string(depth) + " bits, width " + std::to_string(width);
      }
    }
  }
}

TEST(HistogramCount, EveryImplementationEqualsScalarAtEveryDepth) {
  compare_planes(8, {256, 0});
  for (int depth = 9; depth <= 16; ++depth) {
    for (const bool as_8_bits : {false, true}) compare_planes(depth, rule_of(depth, as_8_bits));
  }
}

TEST(HistogramCount, OfBandsAddsUpToThatOfThePlane) {
  const DecodedPlane plane = made_plane({77, 20}, 10, Content::kNoise, 1023, 6);
  const BinRule rule = {1024, 0};
  Counted whole(rule);
  scalar::count_plane(plane.view(), rule, whole.channels[0]);
  for (const Implementation& implementation : implementations()) {
    Counted bands(rule);
    for (const auto& [first, end] : {std::pair{0, 7}, {7, 8}, {8, 20}}) {
      SampleView band = plane.view();
      band.u16.data += first * band.u16.stride;
      band.u16.height = end - first;
      implementation.stages.count_plane(band, rule, bands.channels[0]);
    }
    EXPECT_TRUE(bands.same(whole)) << implementation.name;
  }
}

constexpr Matrix kMatrices[] = {Matrix::kBt601, Matrix::kBt709, Matrix::kFcc, Matrix::kSmpte240,
                                Matrix::kBt2020};
constexpr Range kRanges[] = {Range::kLimited, Range::kFull};

void compare_rgb(int depth, Chroma chroma, const RgbRule& rule) {
  const int top = depth == 8 ? 255 : 65535;  // also samples that the depth does not have
  std::vector<PlaneSize> sizes = device_sizes();
  for (const int width : {1, 2, 3, 15, 16, 17, 31, 33, 64, 67, 130, 511, 513, 1030})
    sizes.push_back({width, 5});
  for (const PlaneSize luma : sizes) {
    const int width = luma.width;
    const PlaneSize small = plane_size(luma, chroma, 1);
    const DecodedPlane y =
        made_plane(luma, depth, Content::kNoise, width % 2 == 0 ? top : (1 << depth) - 1, 1);
    const DecodedPlane cb =
        made_plane(small, depth, width % 3 == 0 ? Content::kRuns : Content::kNoise, top, 2);
    const DecodedPlane cr = made_plane(small, depth, Content::kNoise, top, 3);
    const YcbcrPlanes planes = {y.view(), cb.view(), cr.view()};
    Counted expected(rule.bins, kMaxChannels);
    scalar::count_rgb(planes, rule, expected.channels);
    ASSERT_EQ(expected.total(), static_cast<uint64_t>(width) * static_cast<uint64_t>(luma.height));
    for (const Implementation& implementation : implementations()) {
      Counted bins(rule.bins, kMaxChannels);
      implementation.stages.count_rgb(planes, rule, bins.channels);
      ASSERT_TRUE(bins.same(expected)) << implementation.name + ", " + std::to_string(depth) + " bits, " +
                                              std::string(to_string(chroma)) + ", width " +
                                              std::to_string(width);
    }
  }
}

TEST(HistogramCount, RgbOfEveryImplementationEqualsScalar) {
  for (const Chroma chroma :
       {Chroma::k410, Chroma::k411, Chroma::k420, Chroma::k422, Chroma::k440, Chroma::k444}) {
    const ChromaShifts shifts = chroma_shifts(chroma);
    for (int depth = 8; depth <= 16; ++depth) {
      const Matrix matrix = kMatrices[static_cast<size_t>(depth) % std::size(kMatrices)];
      const RgbRule rule = {rgb_constants(matrix, kRanges[depth % 2], depth), shifts,
                            rule_of(depth, depth % 3 == 0)};
      compare_rgb(depth, chroma, rule);
      if (HasFatalFailure()) return;
    }
  }
}

// The sums of R, G and B are linear in the samples, so that they are largest and smallest at corners.
TEST(HistogramCount, NoSumLeaves32BitsWhateverTheSamplesAre) {
  for (int depth = 8; depth <= 16; ++depth) {
    const int64_t top = depth == 8 ? 255 : 65535;
    for (const Matrix matrix : kMatrices) {
      for (const Range range : kRanges) {
        const RgbConstants k = rgb_constants(matrix, range, depth);
        for (int corner = 0; corner < 8; ++corner) {
          const int64_t luma = k.luma_scale * ((corner & 1 ? top : 0) - k.luma_offset);
          const int64_t cb = (corner & 2 ? top : 0) - k.chroma_offset,
                        cr = (corner & 4 ? top : 0) - k.chroma_offset;
          const int64_t rounding = 1 << (kFractionBits - 1);
          for (const int64_t sum :
               {luma, k.cr_to_r * cr, k.cb_to_g * cb, k.cr_to_g * cr, k.cb_to_b * cb, luma + k.cb_to_g * cb,
                luma + k.cr_to_r * cr + rounding, luma + k.cb_to_g * cb + k.cr_to_g * cr + rounding,
                luma + k.cb_to_b * cb + rounding}) {
            ASSERT_LE(sum, INT32_MAX) << depth << " bits, corner " << corner;
            ASSERT_GE(sum, INT32_MIN) << depth << " bits, corner " << corner;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace vq::histogram
