#include "tests/ciede/implementations.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vq::ciede::test {
namespace {

using Sample = std::array<uint16_t, 3>;

std::vector<Lab> colours_by(const Implementation& implementation, const std::vector<Sample>& samples,
                            int bit_depth) {
  const int width = static_cast<int>(samples.size());
  Plane<uint16_t> rows(width, 3);
  for (int i = 0; i < width; ++i) {
    for (int plane = 0; plane < 3; ++plane)
      rows.row(plane)[i] = samples[static_cast<size_t>(i)][static_cast<size_t>(plane)];
  }
  LabRows out(width);
  implementation.stages.colours({rows.row(0), rows.row(1), rows.row(2), width, bit_depth}, out.out());
  std::vector<Lab> colours;
  for (int i = 0; i < width; ++i) colours.push_back(out.at(i));
  return colours;
}

void expect_near(const Lab& colour, const Lab& expected, const std::string& where) {
  EXPECT_NEAR(colour.l, expected.l, 1e-4) << where;
  EXPECT_NEAR(colour.a, expected.a, 2e-4) << where;
  EXPECT_NEAR(colour.b, expected.b, 2e-4) << where;
}

TEST(CiedeColours, OfGreysAreTheirLightness) {
  // Y = 110 / 219 is dark grey of the linear value 0.2160.
  const double grey = std::pow((110.0 / 219 + 0.055) / 1.055, 2.4);
  for (const Implementation& implementation : implementations()) {
    std::vector<Sample> greys;
    for (const uint16_t luma : {16, 235, 126, 17, 24, 26}) greys.push_back({luma, 128, 128});
    const std::vector<Lab> colours = colours_by(implementation, greys, 8);
    expect_near(colours[0], {0, 0, 0}, implementation.name);
    expect_near(colours[1], {100, 0, 0}, implementation.name);
    expect_near(colours[2], {static_cast<float>(116 * std::cbrt(grey) - 16), 0, 0}, implementation.name);
    // The straight parts of both curves.
    expect_near(colours[3], {static_cast<float>(24389.0 / 27 / 219 / 12.92), 0, 0}, implementation.name);
    // On either side of 10 / 255, where that of the linear values ends.
    expect_near(colours[4], {static_cast<float>(24389.0 / 27 * 8 / 219 / 12.92), 0, 0}, implementation.name);
    expect_near(colours[5],
                {static_cast<float>(24389.0 / 27 * std::pow((10.0 / 219 + 0.055) / 1.055, 2.4)), 0, 0},
                implementation.name);
  }
}

// R = 1.28033 * 56 / 224 and G = -0.38059 * 56 / 224 at Y = B = 0; what is negative goes on in a straight
// line.
TEST(CiedeColours, AreThoseOfRedGreenAndBlue) {
  const double red = std::pow((0.25 * 1.28033 + 0.055) / 1.055, 2.4), green = -0.25 * 0.38059 / 12.92;
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double fx = f((0.4124564390896921 * red + 0.357576077643909 * green) / 0.95047);
  const double fy = f(0.21267285140562248 * red + 0.715152155287818 * green);
  const double fz = f((0.019333895582329317 * red + 0.119192025881303 * green) / 1.08883);
  const Lab expected = {static_cast<float>(116 * fy - 16), static_cast<float>(500 * (fx - fy)),
                        static_cast<float>(200 * (fy - fz))};
  for (const Implementation& implementation : implementations()) {
    expect_near(colours_by(implementation, {{16, 128, 184}}, 8).front(), expected, implementation.name);
  }
}

TEST(CiedeColours, AreTheSameAtEveryDepth) {
  const std::vector<Sample> bytes = {
      {16, 128, 128}, {200, 90, 140}, {255, 255, 255}, {0, 0, 0}, {77, 1, 254}};
  for (const Implementation& implementation : implementations()) {
    const std::vector<Lab> expected = colours_by(implementation, bytes, 8);
    for (int bit_depth = 9; bit_depth <= 16; ++bit_depth) {
      std::vector<Sample> deeper = bytes;
      for (Sample& sample : deeper) {
        for (uint16_t& value : sample) value = static_cast<uint16_t>(value << (bit_depth - 8));
      }
      EXPECT_EQ(colours_by(implementation, deeper, bit_depth), expected)
          << implementation.name << ", " << bit_depth;
    }
  }
}

std::vector<Sample> random_samples(size_t count, int bit_depth, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<Sample> samples(count);
  for (Sample& sample : samples) {
    for (uint16_t& value : sample) value = static_cast<uint16_t>((random() >> 7) & ((1U << bit_depth) - 1));
  }
  return samples;
}

TEST(CiedeColours, EveryImplementationEqualsScalar) {
  for (const int bit_depth : {8, 10, 16}) {
    for (const size_t width : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 17U, 30000U}) {
      const std::vector<Sample> samples = random_samples(width, bit_depth, static_cast<unsigned>(width));
      vq::test::expect_same_of_all(
          implementations(), std::to_string(bit_depth) + " bits, " + std::to_string(width),
          [&](const Implementation& one) { return colours_by(one, samples, bit_depth); });
    }
  }
}

// Every luma on some chromas: all the bends of the curves.
TEST(CiedeColours, EveryImplementationEqualsScalarForEveryLuma) {
  std::vector<Sample> samples;
  for (const uint16_t chroma : {1, 100, 127, 128, 129, 200, 255}) {
    for (int y = 0; y < 256; ++y)
      samples.push_back({static_cast<uint16_t>(y), chroma, static_cast<uint16_t>(255 - chroma)});
  }
  vq::test::expect_same_of_all(implementations(), "every luma",
                               [&](const Implementation& one) { return colours_by(one, samples, 8); });
}

}  // namespace
}  // namespace vq::ciede::test
