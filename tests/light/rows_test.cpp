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

std::vector<vq::test::Implementation<Stages>> implementations() {
  return vq::test::all_implementations(scalar::kStages, simd::stages_for);
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
  const auto all = implementations();
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

// The page's formulas in double.
double transfer(double v, Curve curve) {
  const double a = std::fabs(v), sign = v < 0 ? -1 : 1;
  switch (curve) {
    case Curve::kBt1886:
      return sign * std::pow(a, 2.4);
    case Curve::kSrgb:
      return sign * (a > 0.04045 ? std::pow((a + 0.055) / 1.055, 2.4) : a / 12.92);
    case Curve::kLinear:
      return v;
    case Curve::kPq: {
      const double q = std::pow(std::clamp(v, 0.0, 1.0), 1 / 78.84375);
      return 100 * std::pow(std::max(q - 0.8359375, 0.0) / (18.8515625 - 18.6875 * q), 1 / 0.1593017578125);
    }
    case Curve::kHlg: {
      const double e = std::clamp(v, 0.0, 1.0);
      return e <= 0.5 ? e * e / 3 : (std::exp((e - 0.55991073) / 0.17883277) + 0.28466892) / 12;
    }
  }
  return 0;
}

std::array<double, 3> light_in_double(const std::array<double, 3>& ycc, const Case& one) {
  const Reading& reading = one.reading;
  const double step = std::ldexp(1.0, one.format.bit_depth - 8), most = 256 * step - 1;
  double y = reading.is_full_range ? ycc[0] / most : (ycc[0] - 16 * step) / (219 * step);
  const double span = reading.is_full_range ? most : 224 * step;
  double cb = (ycc[1] - 128 * step) / span, cr = (ycc[2] - 128 * step) / span;
  if (reading.chroma == ChromaFilter::kBilinear) {
    y = std::clamp(y, 0.0, 1.0);
    cb = std::clamp(cb, -0.5, 0.5), cr = std::clamp(cr, -0.5, 0.5);
  }
  const bool is_601 = reading.matrix == Matrix::kBt601, is_2020 = reading.matrix == Matrix::kBt2020;
  const double kr = is_601    ? 0.299
                    : is_2020 ? 0.2627
                              : 0.2126,
               kb = is_601    ? 0.114
                    : is_2020 ? 0.0593
                              : 0.0722;
  const double red = y + 2 * (1 - kr) * cr, blue = y + 2 * (1 - kb) * cb;
  const double green = (y - kr * red - kb * blue) / (1 - kr - kb);
  std::array<double, 3> rgb = {transfer(red, reading.curve), transfer(green, reading.curve),
                               transfer(blue, reading.curve)};
  if (reading.curve == Curve::kHlg) {
    const double gain = std::pow(0.2627 * rgb[0] + 0.678 * rgb[1] + 0.0593 * rgb[2], 0.2);
    for (double& each : rgb) each *= gain;
  }
  if (!reading.has_bt2020_primaries) return rgb;
  std::array<double, 3> converted = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) converted[i] += static_cast<double>(kBt2020ToBt709[i][k]) * rgb[k];
  }
  return converted;
}

// Flat pictures: interpolation changes nothing.
TEST(LightRows, FollowTheFormulas) {
  std::minstd_rand random(7);
  for (const Case& one : cases()) {
    if (one.reading.matrix == Matrix::kRgb || plane_count(one.format.chroma) == 1) continue;
    std::array<double, 3> samples = {};
    for (double& sample : samples) sample = random() >> 7 & ((1U << one.format.bit_depth) - 1);
    const Frame picture = vq::test::drawn_frame(
        one.format, [&](int plane, int, int) { return samples[static_cast<size_t>(plane)]; });
    const std::array<double, 3> expected = light_in_double(samples, one);
    const Rgb rgb = light_of(scalar::kStages, picture, one.format, one.reading);
    const double largest =
        std::max({1.0, std::fabs(expected[0]), std::fabs(expected[1]), std::fabs(expected[2])});
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(rgb[i].front(), expected[i], 1e-5 * largest) << "component " << i;
      EXPECT_NEAR(rgb[i].back(), expected[i], 1e-5 * largest) << "component " << i;
    }
  }
}

// Chroma of a row 0, 64, 0, 0 at its columns; limited range, so a sample of 240 is 0.5.
TEST(LightRows, ChromaLiesWhereItsLocationSays) {
  const auto row_of_cr = [](ChromaLocation location, ChromaFilter filter) {
    const VideoFormat format = {
        .name = "noise", .width = 8, .height = 1, .bit_depth = 8, .chroma = Chroma::k422};
    const Conversion conversion = make_conversion({.location = location, .chroma = filter}, format);
    const std::array<uint8_t, 4> samples = {128, 240, 128, 128};
    std::vector<float> scratch(64), out(64);
    scalar::spread_chroma({samples.data(), nullptr, 4},
                          {conversion.chroma, &conversion.columns, scratch.data() + kMargin}, 8, out.data());
    out.resize(8);
    for (float& each : out) each *= 2;
    return out;
  };
  EXPECT_EQ(row_of_cr(ChromaLocation::kLeft, ChromaFilter::kCubic),
            (std::vector<float>{0, 0.5625F, 1, 0.5625F, 0, -0.0625F, 0, 0}));
  EXPECT_EQ(row_of_cr(ChromaLocation::kCenter, ChromaFilter::kCubic),
            (std::vector<float>{-0.0703125F, 0.2265625F, 0.8671875F, 0.8671875F, 0.2265625F, -0.0703125F,
                                -0.0234375F, 0}));
  EXPECT_EQ(row_of_cr(ChromaLocation::kLeft, ChromaFilter::kRepeat),
            (std::vector<float>{0, 0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(row_of_cr(ChromaLocation::kLeft, ChromaFilter::kBilinear),
            (std::vector<float>{0, 0.25F, 0.75F, 0.75F, 0.25F, 0, 0, 0}));
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
