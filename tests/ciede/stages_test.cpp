// CIEDE2000's stages: examples to check by hand, the published formulae, and every implementation against the
// scalar one.
#include <numbers>

#include "feature/ciede/ciede.h"
#include "tests/support/implementations.h"

namespace vq::ciede {
namespace {

using Implementation = vq::test::Implementation<Stages>;

const Implementation kScalar = {"scalar", scalar::kStages};

std::vector<Implementation> implementations() {
  return vq::test::all_implementations(scalar::kStages, simd::stages_for);
}

struct Lab {
  float l, a, b;
  bool operator==(const Lab&) const = default;
};

// Colours as rows with guards.
class LabRows {
 public:
  explicit LabRows(int width) : rows_(width, 3) {}
  explicit LabRows(const std::vector<Lab>& colours) : LabRows(static_cast<int>(colours.size())) {
    for (int i = 0; i < rows_.width(); ++i) {
      const Lab& colour = colours[static_cast<size_t>(i)];
      rows_.row(0)[i] = colour.l;
      rows_.row(1)[i] = colour.a;
      rows_.row(2)[i] = colour.b;
    }
  }
  LabRow<float> out() { return {rows_.row(0), rows_.row(1), rows_.row(2)}; }
  LabRow<const float> in() const { return {rows_.row(0), rows_.row(1), rows_.row(2)}; }
  Lab at(int i) const { return {rows_.row(0)[i], rows_.row(1)[i], rows_.row(2)[i]}; }

 private:
  Plane<float> rows_;
};

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

std::vector<Sample> random_samples(size_t count, int bit_depth, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<Sample> samples(count);
  for (Sample& sample : samples) {
    for (uint16_t& value : sample) value = static_cast<uint16_t>((random() >> 7) & ((1U << bit_depth) - 1));
  }
  return samples;
}

// Noise, and every luma on some chromas: all the bends of the curves.
TEST(CiedeColours, EveryImplementationEqualsScalar) {
  const auto compare = [](const std::vector<Sample>& samples, int bit_depth) {
    vq::test::expect_same_of_all(
        implementations(), std::to_string(bit_depth) + " bits, " + std::to_string(samples.size()),
        [&](const Implementation& one) { return colours_by(one, samples, bit_depth); });
  };
  for (const int bit_depth : {8, 10, 16}) {
    for (const size_t width : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 17U, 30000U})
      compare(random_samples(width, bit_depth, static_cast<unsigned>(width)), bit_depth);
  }
  std::vector<Sample> samples;
  for (const uint16_t chroma : {1, 100, 127, 128, 129, 200, 255}) {
    for (int y = 0; y < 256; ++y)
      samples.push_back({static_cast<uint16_t>(y), chroma, static_cast<uint16_t>(255 - chroma)});
  }
  compare(samples, 8);
}

constexpr double kPi = std::numbers::pi;

struct Weights {
  double l = 0.65, c = 1, h = 4;
};

double degrees_of(double b, double a) {
  const double angle = std::atan2(b, a) * 180 / kPi;
  return a == 0 && b == 0 ? 0 : angle < 0 ? angle + 360 : angle;
}
double cosine_of(double degrees) {
  return std::cos(degrees * kPi / 180);
}
double seventh_root_share(double chroma) {
  const double power = std::pow(chroma, 7);
  return std::sqrt(power / (power + std::pow(25.0, 7)));
}

// The formulae as published, in double and in degrees, but for the mean hue, to which half a turn is always
// added where hues are more than that apart.
double published_difference(const Lab& first, const Lab& second, const Weights& k) {
  const double stretch =
      1 + 0.5 * (1 - seventh_root_share((std::hypot(first.a, first.b) + std::hypot(second.a, second.b)) / 2));
  const double a1 = first.a * stretch, a2 = second.a * stretch;
  const double c1 = std::hypot(a1, first.b), c2 = std::hypot(a2, second.b), mean_c = (c1 + c2) / 2;
  const double h1 = degrees_of(first.b, a1), h2 = degrees_of(second.b, a2);
  double turn = h2 - h1, mean_h = (h1 + h2) / 2;
  if (std::abs(h1 - h2) > 180) {
    turn += h2 <= h1 ? 360 : -360;
    mean_h += 180;
  }
  if (c1 * c2 == 0) turn = 0;
  const double delta_h = 2 * std::sqrt(c1 * c2) * std::sin(turn / 2 * kPi / 180);
  const double t = 1 - 0.17 * cosine_of(mean_h - 30) + 0.24 * cosine_of(2 * mean_h) +
                   0.32 * cosine_of(3 * mean_h + 6) - 0.20 * cosine_of(4 * mean_h - 63);
  const double off = std::pow((double{first.l} + second.l) / 2 - 50, 2);
  const double l = (double{second.l} - first.l) / (k.l * (1 + 0.015 * off / std::sqrt(20 + off)));
  const double c = (c2 - c1) / (k.c * (1 + 0.045 * mean_c)), h = delta_h / (k.h * (1 + 0.015 * mean_c * t));
  const double rotation = -2 * seventh_root_share(mean_c) *
                          std::sin(60 * std::exp(-std::pow((mean_h - 275) / 25, 2)) * kPi / 180);
  return std::sqrt(l * l + c * c + h * h + rotation * c * h);
}

// Pairs of the table that comes with the paper.
TEST(CiedeDifferences, AreMeasuredByThePublishedFormulae) {
  struct Pair {
    Lab first, second;
    double difference;
  };
  for (const Pair& pair : {Pair{{50, 2.6772F, -79.7751F}, {50, 0, -82.7485F}, 2.0425},
                           Pair{{50, 0, 0}, {50, -1, 2}, 2.3669}, Pair{{50, 2.5F, 0}, {73, 25, -18}, 27.1492},
                           Pair{{60.2574F, -34.0099F, 36.2677F}, {60.4626F, -34.1751F, 39.4387F}, 1.2644},
                           Pair{{90.8027F, -2.0831F, 1.4410F}, {91.1528F, -1.6435F, 0.0447F}, 1.4441}}) {
    EXPECT_NEAR(published_difference(pair.first, pair.second, {1, 1, 1}), pair.difference, 5e-5);
  }
}

std::vector<float> differences_by(const Implementation& implementation, const std::vector<Lab>& first,
                                  const std::vector<Lab>& second) {
  const LabRows a(first), b(second);
  const int width = static_cast<int>(first.size());
  Plane<float> out(width, 1);
  implementation.stages.differences(a.in(), b.in(), width, out.row(0));
  return {out.row(0), out.row(0) + width};
}

// Colours all around, and pairs of them that are near or far.
std::vector<Lab> random_colours(size_t count, unsigned seed) {
  std::minstd_rand random(seed);
  const auto unit = [&] { return static_cast<float>(random()) / static_cast<float>(random.max()); };
  std::vector<Lab> colours(count);
  for (Lab& colour : colours) {
    const float chroma = 150 * unit() * unit(), hue = 6.283F * unit();
    colour = {110 * unit() - 5, chroma * std::cos(hue), chroma * std::sin(hue)};
  }
  return colours;
}
std::vector<Lab> near_to(std::vector<Lab> colours, unsigned seed) {
  std::minstd_rand random(seed);
  for (Lab& colour : colours) {
    colour.l += static_cast<float>(random() % 100) / 1000;
    colour.a -= static_cast<float>(random() % 100) / 500;
    colour.b += static_cast<float>(random() % 3);
  }
  return colours;
}

TEST(CiedeDifferences, AreThePublishedOnesWithOtherWeights) {
  const std::vector<Lab> first = random_colours(20000, 1), far = random_colours(20000, 2),
                         near = near_to(first, 3);
  for (const std::vector<Lab>& second : {far, near}) {
    const std::vector<float> found = differences_by(kScalar, first, second);
    for (size_t i = 0; i < found.size(); ++i) {
      const double expected = published_difference(first[i], second[i], {});
      ASSERT_NEAR(found[i], expected, 2e-4 + 1e-5 * expected) << "pair " << i;
    }
  }
}

TEST(CiedeDifferences, EveryImplementationEqualsScalar) {
  for (const size_t width : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 17U, 50000U}) {
    const std::vector<Lab> first = random_colours(width, 5), far = random_colours(width, 6),
                           near = near_to(first, 7);
    vq::test::expect_same_of_all(implementations(), std::to_string(width), [&](const Implementation& one) {
      return std::pair(differences_by(one, first, far), differences_by(one, first, near));
    });
  }
}

// Axes, opposite hues and colours without chroma.
TEST(CiedeDifferences, EveryImplementationEqualsScalarAtTheEdges) {
  std::vector<Lab> first, second;
  const std::vector<Lab> edges = {{50, 0, 0},          {50, 20, 0},     {50, -20, 0},    {50, 0, 20},
                                  {50, 0, -20},        {0, 20, 20},     {100, -20, -20}, {50, 1e-6F, -0.0F},
                                  {50, -0.0F, 1e-30F}, {400, 900, -900}};
  for (const Lab& one : edges) {
    for (const Lab& other : edges) {
      first.push_back(one);
      second.push_back(other);
    }
  }
  vq::test::expect_same_of_all(implementations(), "edges",
                               [&](const Implementation& one) { return differences_by(one, first, second); });
  for (const float difference : differences_by(kScalar, first, second))
    EXPECT_TRUE(std::isfinite(difference));
}

}  // namespace
}  // namespace vq::ciede
