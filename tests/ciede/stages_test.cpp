// CIEDE2000's stages: every implementation against the scalar one, whose figures golden cases compare.
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

// Chroma need not be sampled in one way; pictures of libvmaf's library, whose chroma is rounded down, are
// taken as that does.
TEST(CiedePlan, SpreadsEachVideoAsItIs) {
  for (const bool rounds_down : {false, true}) {
    VideoFormat encode{.name = "show.mkv", .width = 7, .height = 4, .bit_depth = 8, .chroma = Chroma::k420};
    VideoFormat master{
        .name = "master.mov", .width = 7, .height = 4, .bit_depth = 10, .chroma = Chroma::k422};
    encode.rounds_chroma_down = master.rounds_chroma_down = rounds_down;
    const CiedePlan plan = Ciede::make_plan({}, {encode, master});
    EXPECT_EQ(plan.videos.bit_depth, 10);
    EXPECT_EQ(plan.distorted.shift, 2);
    EXPECT_EQ(plan.distorted.chroma.x, 1);
    EXPECT_EQ(plan.distorted.chroma.y, 1);
    EXPECT_EQ(plan.reference.shift, 0);
    EXPECT_EQ(plan.reference.chroma.x, rounds_down ? 0 : 1);
    EXPECT_EQ(plan.reference.chroma.y, rounds_down ? 1 : 0);
  }
}

}  // namespace
}  // namespace vq::ciede
