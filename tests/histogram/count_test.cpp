#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "feature/histogram/stages.h"
#include "feature/simd_targets.h"

namespace vq::histogram {
namespace {

struct Implementation {
  std::string name;
  CountPlane count_plane;
  CountRgb count_rgb;
};

// All that this machine can run.
std::vector<Implementation> implementations() {
  std::vector<Implementation> found = {{"scalar", scalar::count_plane, scalar::count_rgb}};
  for (const SimdTarget& target : allowed_simd_targets(0)) {
    found.push_back({target.name, simd::count_plane_for(target.id), simd::count_rgb_for(target.id)});
  }
  return found;
}

enum class Content { kNoise, kFlat, kRuns };

// A plane as decoders hand it out, at an odd offset. Memory ends with the last sample, so that sanitizers see
// who reads on; between rows lies noise.
template <typename T>
class DecodedPlane {
 public:
  DecodedPlane(PlaneSize size, int padding, unsigned seed)
      : size_(size), stride_(size.width + padding), random_(seed) {
    samples_.resize(static_cast<size_t>(stride_) * static_cast<size_t>(size.height - 1) +
                    static_cast<size_t>(size.width) + 1);
    for (T& sample : samples_) sample = static_cast<T>(random_() >> 7);
  }

  T& at(int x, int y) { return samples_[static_cast<size_t>(y * stride_ + x + 1)]; }
  // Values up to `top`.
  void fill(Content content, int top) {
    int value = top;
    for (int y = 0; y < size_.height; ++y) {
      for (int x = 0; x < size_.width; ++x) {
        const bool changes = content == Content::kNoise || (content == Content::kRuns && random_() % 7 == 0);
        if (changes) value = static_cast<int>(random_() % static_cast<unsigned>(top + 1));
        at(x, y) = static_cast<T>(value);
      }
    }
  }
  SampleView view() const {
    SampleView view;
    const PlaneView<const T> plane{samples_.data() + 1, size_.width, size_.height, stride_};
    if constexpr (sizeof(T) == 1) {
      view.u8 = plane;
    } else {
      view.u16 = plane;
    }
    return view;
  }

 private:
  PlaneSize size_;
  int stride_;
  std::minstd_rand random_;
  std::vector<T> samples_;
};

template <typename T>
DecodedPlane<T> plane_of(const std::vector<std::vector<int>>& rows) {
  DecodedPlane<T> plane({static_cast<int>(rows[0].size()), static_cast<int>(rows.size())}, 3, 1);
  for (size_t y = 0; y < rows.size(); ++y) {
    for (size_t x = 0; x < rows[y].size(); ++x)
      plane.at(static_cast<int>(x), static_cast<int>(y)) = static_cast<T>(rows[y][x]);
  }
  return plane;
}

// The counts of one channel, with canaries around its bins.
class Counts {
 public:
  explicit Counts(const BinRule& rule) : words_(rule.bins + 2, kCanary), bins_(rule.bins) {
    std::fill(words_.begin() + 1, words_.end() - 1, 0U);
    counts.bins = words_.data() + 1;
  }
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;

  ChannelCounts counts;
  uint32_t operator[](size_t bin) const { return words_[bin + 1]; }
  uint64_t total() const {
    uint64_t sum = 0;
    for (size_t bin = 0; bin < bins_; ++bin) sum += (*this)[bin];
    return sum;
  }
  void expect_same(const Counts& other, const std::string& where) const {
    EXPECT_EQ(counts.min, other.counts.min) << where;
    EXPECT_EQ(counts.max, other.counts.max) << where;
    ASSERT_EQ(words_.front(), kCanary) << where;
    ASSERT_EQ(words_.back(), kCanary) << where;
    for (size_t bin = 0; bin < bins_; ++bin) ASSERT_EQ((*this)[bin], other[bin]) << where << ", bin " << bin;
  }

 private:
  static constexpr uint32_t kCanary = 0xA5A5A5A5;
  std::vector<uint32_t> words_;
  size_t bins_;
};

// Of all channels that R, G and B have.
struct RgbBins {
  explicit RgbBins(const BinRule& rule) : r(rule), g(rule), b(rule), l(rule) {}
  Counts r, g, b, l;
  void count(CountRgb stage, const YcbcrPlanes& planes, const RgbRule& rule) {
    RgbCounts all = {r.counts, g.counts, b.counts, l.counts};
    stage(planes, rule, all);
    r.counts = all[0];
    g.counts = all[1];
    b.counts = all[2];
    l.counts = all[3];
  }
  void expect_same(const RgbBins& other, const std::string& where) const {
    r.expect_same(other.r, where + ", r");
    g.expect_same(other.g, where + ", g");
    b.expect_same(other.b, where + ", b");
    l.expect_same(other.l, where + ", l");
  }
};

BinRule rule_of(int depth, bool as_8_bits) {
  return as_8_bits ? BinRule{256, static_cast<uint32_t>(depth - 8)} : BinRule{1U << depth, 0};
}

TEST(HistogramCount, CountsEachValueAndAddsToWhatThereIs) {
  const auto plane = plane_of<uint8_t>({{7, 7, 0}, {200, 7, 201}});
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    Counts counts({256, 0});
    for (const uint32_t times : {1U, 2U}) {
      implementation.count_plane(plane.view(), {256, 0}, counts.counts);
      EXPECT_EQ(counts[7], 3 * times);
      EXPECT_EQ(counts[0], times);
      EXPECT_EQ(counts[200], times);
      EXPECT_EQ(counts[201], times);
      EXPECT_EQ(counts.total(), 6 * times);
      EXPECT_EQ(counts.counts.min, 0U);
      EXPECT_EQ(counts.counts.max, 201U);
    }
  }
}

// Four code values of 10 bits share a bin of 8; samples that 10 bits do not have are counted in the last.
TEST(HistogramCount, SharesBinsAndTakesSamplesBeyondTheRangeForTheLast) {
  const auto plane = plane_of<uint16_t>({{64, 67, 68, 63, 1023, 1024, 65535, 64, 64}});
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    Counts shared({256, 2}), own({1024, 0});
    implementation.count_plane(plane.view(), {256, 2}, shared.counts);
    implementation.count_plane(plane.view(), {1024, 0}, own.counts);
    EXPECT_EQ(shared[15], 1U);
    EXPECT_EQ(shared[16], 4U);
    EXPECT_EQ(shared[17], 1U);
    EXPECT_EQ(shared[255], 3U);
    EXPECT_EQ(own[64], 3U);
    EXPECT_EQ(own[1023], 3U);
    for (const Counts* counts : {&shared, &own}) {
      EXPECT_EQ(counts->total(), 9U);
      EXPECT_EQ(counts->counts.min, 63U);
      EXPECT_EQ(counts->counts.max, 65535U);
    }
  }
}

template <typename T>
void compare_planes(int depth, const BinRule& rule) {
  const int top = (1 << depth) - 1;
  const auto all = implementations();
  for (const Content content : {Content::kNoise, Content::kFlat, Content::kRuns}) {
    for (int width = 1; width <= 1100; width += width < 130 ? 1 : 97) {
      DecodedPlane<T> plane({width, 1 + width % 3}, width % 5, static_cast<unsigned>(width));
      plane.fill(content, top);
      Counts expected(rule);
      scalar::count_plane(plane.view(), rule, expected.counts);
      ASSERT_EQ(expected.total(), static_cast<uint64_t>(width) * static_cast<uint64_t>(1 + width % 3));
      for (const Implementation& implementation : all) {
        Counts counts(rule);
        implementation.count_plane(plane.view(), rule, counts.counts);
        counts.expect_same(expected, implementation.name + ", " + std::to_string(depth) + " bits, width " +
                                         std::to_string(width));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(HistogramCount, EveryImplementationEqualsScalarAtEveryDepth) {
  compare_planes<uint8_t>(8, {256, 0});
  for (int depth = 9; depth <= 16; ++depth) {
    for (const bool as_8_bits : {false, true}) compare_planes<uint16_t>(depth, rule_of(depth, as_8_bits));
  }
}

TEST(HistogramCount, OfBandsAddsUpToThatOfThePlane) {
  DecodedPlane<uint16_t> plane({77, 20}, 1, 5);
  plane.fill(Content::kNoise, 1023);
  const BinRule rule = {1024, 0};
  Counts whole(rule);
  scalar::count_plane(plane.view(), rule, whole.counts);
  for (const Implementation& implementation : implementations()) {
    Counts bands(rule);
    for (const auto& [first, end] : {std::pair{0, 7}, {7, 8}, {8, 20}}) {
      SampleView band = plane.view();
      band.u16.data += first * band.u16.stride;
      band.u16.height = end - first;
      implementation.count_plane(band, rule, bands.counts);
    }
    bands.expect_same(whole, implementation.name);
  }
}

// By hand: BT.601, limited range: Y 81, Cb 90, Cr 240 is red; 16, 128, 128 black, 235, 128, 128 white.
TEST(HistogramCount, RedBlackAndWhiteAreWhatTheyStandFor) {
  const auto luma = plane_of<uint8_t>({{81, 81, 16, 235}, {81, 81, 16, 235}});
  const auto cb = plane_of<uint8_t>({{90, 128}}), cr = plane_of<uint8_t>({{240, 128}});
  const RgbRule rule = {rgb_constants(Matrix::kBt601, Range::kLimited, 8), {1, 1}, {256, 0}};
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    RgbBins bins(rule.bins);
    bins.count(implementation.count_rgb, {luma.view(), cb.view(), cr.view()}, rule);
    EXPECT_EQ(bins.r[254], 4U);  // as near as 8 bits are
    EXPECT_EQ(bins.r[0], 2U);
    EXPECT_EQ(bins.r[255], 2U);
    EXPECT_EQ(bins.g[0], 6U);
    EXPECT_EQ(bins.g[255], 2U);
    EXPECT_EQ(bins.b[0], 6U);
    EXPECT_EQ(bins.b[255], 2U);
    EXPECT_EQ(bins.l[254 * 2126 / 10000], 4U);
    EXPECT_EQ(bins.l[0], 2U);
    EXPECT_EQ(bins.l[255], 2U);
    EXPECT_EQ(bins.l.counts.max, 255U);
  }
}

constexpr Matrix kMatrices[] = {Matrix::kBt601, Matrix::kBt709, Matrix::kFcc, Matrix::kSmpte240,
                                Matrix::kBt2020};
constexpr Range kRanges[] = {Range::kLimited, Range::kFull};

// Every luma of the depth with neutral chroma.
TEST(HistogramCount, GreyHasOneValueInAllChannels) {
  for (int depth = 8; depth <= 16; ++depth) {
    const int side = 1 << (depth - 8);
    DecodedPlane<uint16_t> luma({256, side}, 0, 1), chroma({256, side}, 0, 1);
    chroma.fill(Content::kFlat, 1 << (depth - 1));
    for (int i = 0; i < 256 * side; ++i) luma.at(i % 256, i / 256) = static_cast<uint16_t>(i);
    for (const Matrix matrix : kMatrices) {
      for (const Range range : kRanges) {
        const RgbRule rule = {rgb_constants(matrix, range, depth), {0, 0}, rule_of(depth, false)};
        for (const Implementation& implementation : implementations()) {
          RgbBins bins(rule.bins);
          bins.count(implementation.count_rgb, {luma.view(), chroma.view(), chroma.view()}, rule);
          const std::string where = implementation.name + ", " + std::to_string(depth) + " bits";
          bins.g.expect_same(bins.r, where);
          bins.b.expect_same(bins.r, where);
          bins.l.expect_same(bins.r, where);
          if (range == Range::kLimited) continue;
          // Full range keeps its values.
          for (size_t value = 0; value < rule.bins.bins; ++value)
            ASSERT_EQ(bins.r[value], 1U) << where << ": " << value;
        }
      }
    }
  }
}

template <typename T>
void compare_rgb(int depth, Chroma chroma, const RgbRule& rule) {
  const int top = sizeof(T) == 1 ? 255 : 65535;  // also samples that the depth does not have
  const auto all = implementations();
  for (const int width : {1, 2, 3, 15, 16, 17, 31, 33, 64, 67, 130, 511, 513, 1030}) {
    const PlaneSize luma = {width, 5}, small = plane_size(luma, chroma, 1);
    DecodedPlane<T> y(luma, width % 5, 1), cb(small, 1, 2), cr(small, 2, 3);
    y.fill(Content::kNoise, width % 2 == 0 ? top : (1 << depth) - 1);
    cb.fill(width % 3 == 0 ? Content::kRuns : Content::kNoise, top);
    cr.fill(Content::kNoise, top);
    const YcbcrPlanes planes = {y.view(), cb.view(), cr.view()};
    RgbBins expected(rule.bins);
    expected.count(scalar::count_rgb, planes, rule);
    ASSERT_EQ(expected.l.total(), static_cast<uint64_t>(width) * 5);
    for (const Implementation& implementation : all) {
      RgbBins bins(rule.bins);
      bins.count(implementation.count_rgb, planes, rule);
      bins.expect_same(expected, implementation.name + ", " + std::to_string(depth) + " bits, " +
                                     std::string(to_string(chroma)) + ", width " + std::to_string(width));
      if (::testing::Test::HasFatalFailure()) return;
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
      depth == 8 ? compare_rgb<uint8_t>(depth, chroma, rule) : compare_rgb<uint16_t>(depth, chroma, rule);
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

// Luminance of every sum that R, G and B can have near a step, against the division.
TEST(HistogramCount, LuminanceIsRoundedDownAtEverySum) {
  const RgbRule rule = {rgb_constants(Matrix::kBt709, Range::kFull, 16), {0, 0}, {65536, 0}};
  DecodedPlane<uint16_t> luma({512, 128}, 0, 1), cb({512, 128}, 0, 2), cr({512, 128}, 0, 3);
  for (DecodedPlane<uint16_t>* plane : {&luma, &cb, &cr}) plane->fill(Content::kNoise, 65535);
  const YcbcrPlanes planes = {luma.view(), cb.view(), cr.view()};
  RgbBins expected(rule.bins);
  expected.count(scalar::count_rgb, planes, rule);
  for (const Implementation& implementation : implementations()) {
    RgbBins bins(rule.bins);
    bins.count(implementation.count_rgb, planes, rule);
    bins.expect_same(expected, implementation.name);
  }
}

}  // namespace
}  // namespace vq::histogram
