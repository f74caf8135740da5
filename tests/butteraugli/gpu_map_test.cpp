// The map on a device against the scalar stages, to the last bit.
#include <cstring>

#include "feature/butteraugli/device.h"
#include "feature/butteraugli/difference_map.h"
#include "feature/light/light.h"
#include "shaders/butteraugli_blur_activity.h"
#include "shaders/butteraugli_compare.h"
#include "shaders/butteraugli_filter_rows.h"
#include "shaders/butteraugli_halve.h"
#include "shaders/butteraugli_opsin.h"
#include "shaders/butteraugli_split_high.h"
#include "shaders/butteraugli_split_low.h"
#include "shaders/butteraugli_split_middle.h"
#include "tests/light/pictures.h"
#include "tests/support/exact_shader.h"
#include "tests/support/gpu_test.h"

namespace vq::butteraugli::gpu {
namespace {

using namespace vq::test;
using light::test::NoisePicture;

TEST(ButteraugliGpu, NoSumOrProductOfAShaderMayBeContracted) {
  expect_exact(shaders::kButteraugliHalve, 7);
  expect_exact(shaders::kButteraugliFilterRows, 5);
  expect_exact(shaders::kButteraugliBlurActivity, 8);
  expect_exact(shaders::kButteraugliOpsin, 40);
  expect_exact(shaders::kButteraugliSplitLow, 15);
  expect_exact(shaders::kButteraugliSplitMiddle, 20);
  expect_exact(shaders::kButteraugliSplitHigh, 30);
  expect_exact(shaders::kButteraugliCompare, 150);
}

// What a device finds, and the scalar stages.
struct Found {
  std::vector<float> map;
  std::vector<TileSums> tiles;
};

Found on_host(const ButteraugliPlan& plan, const Frame& reference, const Frame& distorted) {
  const auto source_of = [](light::LightRows& rows) {
    return [&rows](int y, const Rows3<float>& out) { rows.row(y, {out[0], out[1], out[2]}); };
  };
  std::vector<light::LightRows> rows;
  rows.reserve(4);
  for (int i = 0; i < 4; ++i) {
    rows.emplace_back(light::scalar::kStages, i < 2 ? plan.reference : plan.distorted);
    rows.back().start(i < 2 ? reference : distorted);
  }
  const Stages stages = scalar::stages();
  ScaledBands bands(plan.scales, stages, plan.intensity);
  DifferenceMap map({plan.scales, plan.weights, stages, plan.intensity}, bands);
  bands.start({source_of(rows[0]), source_of(rows[1])});
  map.start({source_of(rows[2]), source_of(rows[3])});
  const auto width = static_cast<size_t>(plan.size.width), height = static_cast<size_t>(plan.size.height);
  Found found{.map = std::vector<float>(width * height), .tiles = {}};
  for (size_t y = 0; y < height; ++y)
    std::copy_n(map.row(static_cast<int>(y)), width, found.map.data() + y * width);
  const auto across = static_cast<size_t>(tiles_across(plan.size.width));
  for (size_t y = 0; y < height; y += kTile) {
    std::vector<const float*> tile_rows;
    for (size_t k = y; k < std::min(y + kTile, height); ++k)
      tile_rows.push_back(found.map.data() + k * width);
    found.tiles.resize(found.tiles.size() + across);
    sum_tiles(tile_rows, plan.size.width, std::span(found.tiles).last(across));
  }
  return found;
}

Found on_device(const ButteraugliPlan& plan, const NoisePicture& reference, const NoisePicture& distorted) {
  vulkan::DevicePicture a(test_device(), reference.format(), kMaxPlanes);
  vulkan::DevicePicture b(test_device(), distorted.format(), kMaxPlanes);
  const MapPasses map(test_context(), plan, true);
  const light::gpu::ToLightPass light_a(test_context(), a, plan.reference);
  const light::gpu::ToLightPass light_b(test_context(), b, plan.distorted);
  vulkan::Recorder recorder(test_device());
  a.record(recorder);
  b.record(recorder);
  a.upload(reference.frame());
  b.upload(distorted.frame());
  light_a.record(recorder, map.reference_light());
  light_b.record(recorder, map.distorted_light());
  map.record_halves(recorder);
  map.record_bands(recorder);
  map.record_readback(recorder);
  run(recorder);
  Found found{.map = {}, .tiles = map.tiles()};
  for (int y = 0; y < plan.size.height; ++y) {
    const float* const row = map.map().row(y);
    found.map.insert(found.map.end(), row, row + plan.size.width);
  }
  return found;
}

void expect_same_bits(PlaneSize size, Chroma chroma, double asymmetry) {
  const VideoFormat format{
      .name = "noise", .width = size.width, .height = size.height, .bit_depth = 10, .chroma = chroma};
  const NoisePicture reference(format, 1), distorted(format, 2);
  ButteraugliOptions options;
  options.asymmetry = asymmetry;
  const ButteraugliPlan plan = Butteraugli::make_plan(options, {format, format});
  const Found expected = on_host(plan, reference.frame(), distorted.frame());
  const Found found = on_device(plan, reference, distorted);
  for (size_t i = 0; i < expected.map.size(); ++i) {
    ASSERT_EQ(std::memcmp(&found.map[i], &expected.map[i], sizeof(float)), 0)
        << found.map[i] << ", not " << expected.map[i] << " at " << i % static_cast<size_t>(size.width)
        << ", " << i / static_cast<size_t>(size.width) << " of " << size.width << "x" << size.height;
  }
  ASSERT_EQ(found.tiles.size(), expected.tiles.size());
  EXPECT_EQ(std::memcmp(found.tiles.data(), expected.tiles.data(), found.tiles.size() * sizeof(TileSums)), 0);
}

TEST(ButteraugliGpuMap, HasTheBitsOfTheScalarStages) {
  expect_same_bits({8, 8}, Chroma::k444, 1);
  expect_same_bits({9, 14}, Chroma::k422, 0.8);
  expect_same_bits({15, 31}, Chroma::k420, 1);
  expect_same_bits({33, 17}, Chroma::k400, 1.3);
  expect_same_bits({301, 67}, Chroma::k420, 1);
}

}  // namespace
}  // namespace vq::butteraugli::gpu
