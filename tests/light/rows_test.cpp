// Rows of light, which spread_chroma, blend_rows and to_light make: every implementation against the scalar
// one, and that against formulas.
#include "feature/light/light.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::light::test {
namespace {

Frame noise(const VideoFormat& format, unsigned seed) {
  std::minstd_rand random(seed);
  return vq::test::drawn_frame(format,
                               [&](int, int, int) { return random() >> 7 & ((1U << format.bit_depth) - 1); });
}

struct Case {
  VideoFormat format = {};
  Reading reading = {};
};

// Every curve, sampling, location, depth and matrix in some combination, and sizes around those of vectors.
std::vector<Case> cases() {
  constexpr std::array kLocations = {ChromaLocation::kLeft,       ChromaLocation::kCenter,
                                     ChromaLocation::kTopLeft,    ChromaLocation::kTop,
                                     ChromaLocation::kBottomLeft, ChromaLocation::kBottom};
  constexpr std::array kChromas = {Chroma::k420, Chroma::k422, Chroma::k444, Chroma::k440,
                                   Chroma::k411, Chroma::k410, Chroma::k400};
  constexpr std::array kMatrices = {Matrix::kBt709, Matrix::kBt601, Matrix::kBt2020};
  constexpr std::array kCurves = {Curve::kBt1886, Curve::kSrgb, Curve::kLinear, Curve::kPq, Curve::kHlg};
  constexpr std::array kDepths = {8, 10, 12, 16};
  std::vector<Case> all;
  size_t i = 0;
  const auto add = [&](PlaneSize size, Chroma chroma, Matrix matrix) {
    all.push_back({{.name = "noise",
                    .width = size.width,
                    .height = size.height,
                    .bit_depth = kDepths[i % kDepths.size()],
                    .chroma = chroma},
                   {.matrix = matrix,
                    .curve = kCurves[i % kCurves.size()],
                    .has_bt2020_primaries = i % 3 == 0,
                    .is_full_range = i % 2 == 0,
                    .location = kLocations[i % kLocations.size()],
                    .chroma = i % 11 == 10  ? ChromaFilter::kRepeat
                              : i % 11 == 5 ? ChromaFilter::kBilinear
                                            : ChromaFilter::kCubic}});
    ++i;
  };
  for (const Chroma chroma : kChromas) {
    for (const int width : {1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 63, 65, 130})
      add({width, width % 5 + 1}, chroma, kMatrices[i % kMatrices.size()]);
  }
  for (size_t k = 0; k < kCurves.size(); ++k) add({37, 5}, Chroma::k444, Matrix::kRgb);
  return all;
}

using Rgb = std::array<std::vector<float>, 3>;
// What a device makes of a picture at once.
using OfPicture = Rgb (*)(const Frame&, const VideoFormat&, const Reading&);

Rgb light_of(const Stages& stages, const Frame& picture, const VideoFormat& format, const Reading& reading) {
  const Conversion conversion = make_conversion(reading, format);
  const auto [width, height] = conversion.size;
  LightRows rows(stages, conversion);
  std::array<Plane<float>, 3> planes = {Plane<float>(width, height), Plane<float>(width, height),
                                        Plane<float>(width, height)};
  fill_light(rows, picture, {planes[0].view(), planes[1].view(), planes[2].view()});
  Rgb rgb;
  for (size_t i = 0; i < 3; ++i) {
    for (int y = 0; y < height; ++y) rgb[i].insert(rgb[i].end(), planes[i].row(y), planes[i].row(y) + width);
  }
  return rgb;
}

bool has_same_bits(const Rgb& a, const Rgb& b) {
  for (size_t i = 0; i < 3; ++i) {
    if (a[i].size() != b[i].size() || std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) != 0)
      return false;
  }
  return true;
}

TEST(LightRows, EveryImplementationHasTheSameBits) {
  const auto all = vq::test::all_implementations(scalar::kStages, simd::stages_for);
  unsigned seed = 0;
  for (const Case& one : cases()) {
    const Frame picture = noise(one.format, ++seed);
    const Rgb expected = light_of(scalar::kStages, picture, one.format, one.reading);
    for (const auto& implementation : all) {
      EXPECT_TRUE(has_same_bits(light_of(implementation.stages, picture, one.format, one.reading), expected))
          << implementation.name << ", case " << seed;
    }
    // Each case takes a pipeline of its own; some have every curve, depth and sampling.
    if (seed % 7 != 1) continue;
    for (const auto& device : vq::test::added_implementations<OfPicture>()) {
      EXPECT_TRUE(has_same_bits(device(picture, one.format, one.reading), expected))
          << device.name << ", case " << seed;
    }
  }
}

TEST(LightRows, ReadRowsInAnyOrder) {
  const VideoFormat format = {
      .name = "noise", .width = 33, .height = 21, .bit_depth = 10, .chroma = Chroma::k420};
  const Frame picture = noise(format, 3);
  const Conversion conversion = make_conversion({}, format);
  const Rgb expected = light_of(scalar::kStages, picture, format, {});
  LightRows rows(scalar::kStages, conversion);
  rows.start(picture);
  Plane<float> row(33, 3);
  for (int i = 0; i < 21; ++i) {
    const int y = i * 8 % 21;
    rows.row(y, {row.row(0), row.row(1), row.row(2)});
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(std::memcmp(row.row(k), expected[static_cast<size_t>(k)].data() + y * 33, 33 * sizeof(float)),
                0)
          << y;
    }
  }
}

}  // namespace
}  // namespace vq::light::test
