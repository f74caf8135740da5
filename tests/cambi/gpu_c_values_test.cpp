// c-values and pooling on the device against their scalar versions, bit for bit, all scales at once.
#include "core/error.h"
#include "feature/cambi/device.h"
#include "tests/cambi/stage_test.h"
#include "tests/support/gpu_test.h"

namespace vq::cambi::test {
namespace {

struct GpuCase {
  Size size;
  int window = 9;
  int log_contrast = 2;
  double topk = 0.6;
};

// Five images that know nothing of each other, and the mask that all of them share.
struct Scene {
  CambiPlan plan;
  std::vector<Canvas<uint16_t>> images;
  std::vector<Canvas<uint8_t>> masks;  // the first is the whole one
};

Scene make_scene(const GpuCase& on, Pattern pattern, unsigned seed) {
  Scene scene{make_test_plan(on.size, on.window, on.log_contrast), {}, {}};
  Size size = on.size;
  for (size_t k = 0; k < kScales; ++k) {
    if (k > 0) size = {(size.width + 1) / 2, (size.height + 1) / 2};
    const int64_t samples = int64_t{size.width} * size.height;
    const auto count = static_cast<int64_t>(on.topk * static_cast<double>(samples));
    scene.plan.scales[k] = {size.width, size.height, std::clamp<int64_t>(count, 1, samples), 1};
    scene.images.push_back(make_image(pattern, size, kMaxLevel, seed + static_cast<unsigned>(k)));
    if (k == 0) {
      scene.masks.push_back(make_mask(size, seed / 3));
    } else {
      Canvas<uint8_t> half(size.width, size.height);
      scalar::decimate_mask(scene.masks.back().view(), half.view());
      scene.masks.push_back(std::move(half));
    }
  }
  return scene;
}

// Whether the device gives the scene the scalar values and sums.
::testing::AssertionResult agrees(const Scene& scene, const gpu::CValueTiles& tiles) {
  vulkan::Context& context = test_context();
  std::vector<vulkan::DevicePlane> images;
  for (const Canvas<uint16_t>& image : scene.images)
    images.push_back(to_device<uint16_t>(image.view(), context.device()));
  const vulkan::DevicePlane mask = to_device<uint8_t>(scene.masks[0].view(), context.device());
  gpu::Scoring scoring(context, scene.plan, tiles);
  gpu::ScoringInput input{{}, &mask};
  for (size_t k = 0; k < kScales; ++k) input.images[k] = &images[k];
  vulkan::Recorder recorder(context.device());
  scoring.record(recorder, input, true);
  run(recorder);

  const std::array<ExactSum, kScales> sums = scoring.sums();
  for (size_t k = 0; k < kScales; ++k) {
    const ScalePlan& scale = scene.plan.scales[k];
    Scratch scratch(scale.width, scene.plan.num_contrasts);
    CValuePlane expected(scale.width, scale.height);
    scalar::c_values(scene.images[k].view(), scene.masks[k].view(), scene.plan, scratch, expected);
    const auto same = same_plane<float>(expected.values(), scoring.values(static_cast<int>(k)));
    if (!same) return ::testing::AssertionFailure() << "scale " << k << ": " << same.message();
    if (sorted_sum(expected.values(), scale.topk_count) != sums[k])
      return ::testing::AssertionFailure() << "scale " << k << ": another sum";
  }
  return ::testing::AssertionSuccess();
}

gpu::CValueTiles default_tiles(const CambiPlan& plan) {
  return gpu::choose_tiles(plan, test_device()->info());
}

std::vector<GpuCase> all_cases() {
  std::vector<GpuCase> cases;
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    // Each pair of window and contrasts is a pipeline of its own, which software devices are slow to compile.
    const std::pair<int, int> shaders[] = {{1, 2},  {3, 0},  {9, 2},   {33, 1},
                                           {65, 5}, {67, 3}, {127, 2}, {255, 4}};
    const auto [window, log_contrast] = shaders[++seed % std::size(shaders)];
    cases.push_back({size, window, log_contrast, std::vector<double>{0.6, 0.01, 0.3, 1}[seed % 4]});
  }
  cases.insert(cases.end(), {{{260, 131}, 65, 2, 0.1}, {{129, 70}, 67, 3, 0.4}, {{640, 20}, 33, 1, 0.6}});
  return cases;
}

TEST(CambiGpuCValues, EqualScalarWithTheirSums) {
  unsigned seed = 0;
  for (const GpuCase& on : all_cases()) {
    for (const Pattern pattern : all_patterns()) {
      const Scene scene = make_scene(on, pattern, ++seed);
      ASSERT_TRUE(agrees(scene, default_tiles(scene.plan)))
          << to_string(pattern) << ", window " << on.window << ", contrasts " << scene.plan.num_contrasts
          << ", topk " << on.topk << ", seed " << seed;
    }
  }
}

void expect_the_same_with_any_tiles(Size size) {
  const gpu::CValueTiles all[] = {
      {256, 2, 4, true}, {256, 2, 4, false}, {256, 2, 2, true}, {128, 1, 4, true}, {128, 1, 2, false},
      {64, 1, 4, true},  {32, 1, 4, true},   {16, 1, 2, true},  {64, 1, 2, true},  {32, 1, 2, false},
      {256, 4, 2, true}, {128, 2, 1, true},  {256, 2, 8, false}};
  unsigned seed = 0;
  int window = 33;
  for (gpu::CValueTiles tiles : all) {
    // Each pair of tiles and window is a pipeline of its own, which software devices are slow to compile.
    window = window == 65 ? 33 : 65;
    for (const Pattern pattern : {Pattern::kSteps, Pattern::kRamp, Pattern::kFlatWithDots}) {
      tiles.slice_parts = 1U << ++seed % 3;
      const Scene scene = make_scene({size, window, 2, 0.2}, pattern, seed);
      const vulkan::ShaderNeeds needs = gpu::kCValuesShader.needs(tiles.constants(scene.plan));
      if (!unsupported_reason(test_device()->info(), needs).empty()) continue;
      ASSERT_TRUE(agrees(scene, tiles))
          << to_string(pattern) << ", " << tiles.threads << " threads, " << tiles.row_words << " words, "
          << tiles.rows_each << " rows, " << tiles.slice_parts << " parts, seed " << seed;
    }
  }
}

TEST(CambiGpuCValues, AreTheSameWithAnyTiles) { expect_the_same_with_any_tiles({86, 76}); }

// Has the label every_size: `./check` leaves it out, `./check --all` runs it.
TEST(CambiGpuCValuesOfEverySize, AreTheSameWithAnyTiles) { expect_the_same_with_any_tiles({170, 150}); }

// Bands from the highest level down, whatever the number of invocations that go through the levels.
TEST(CambiGpuCValues, CountEveryLevelWithFewInvocations) {
  for (const gpu::CValueTiles& tiles :
       {gpu::CValueTiles{16, 1, 2, true}, {32, 1, 4, true}, {64, 1, 4, true}}) {
    for (const int highest : {kMaxLevel, kMaxLevel / 2}) {
      Scene scene = make_scene({{170, 150}, 21, 2, 0.2}, Pattern::kSteps, 1);
      for (Contrast& contrast : scene.plan.contrasts) contrast = {contrast.weight, 0, kMaxLevel};
      for (Canvas<uint16_t>& image : scene.images) {
        image = drawn<uint16_t>(image.view().width, image.view().height,
                                [=](int x, int y) { return highest - (x / 7 + y / 9) % 40; });
      }
      ASSERT_TRUE(agrees(scene, tiles)) << tiles.threads << " threads, from " << highest;
    }
  }
}

TEST(CambiGpuCValues, FitIntoLittleSharedMemory) {
  vulkan::DeviceInfo device = test_device()->info();
  device.max_invocations = 256;
  for (const int kibibytes : {16, 32}) {
    device.shared_memory_bytes = kibibytes * 1024;
    EXPECT_EQ(gpu::unsupported_by_scoring(device), "");
    // 131 is that of 8K.
    for (const int window : {1, 33, 65, 131, 255}) {
      if (kibibytes == 16 && window > 131) continue;
      const CambiPlan plan = make_test_plan({300, 200}, window, 5);
      const gpu::CValueTiles tiles = gpu::choose_tiles(plan, device);
      const vulkan::ShaderNeeds needs = gpu::kCValuesShader.needs(tiles.constants(plan));
      EXPECT_LE(needs.shared_bytes, device.shared_memory_bytes) << window;
      EXPECT_EQ(needs.invocations(), tiles.threads);
      EXPECT_EQ(tiles.threads % (8 * tiles.row_words), 0U);
    }
  }
}

TEST(CambiGpuCValues, GoThroughSharedMemoryInAsFewPartsAsItAllows) {
  vulkan::DeviceInfo device = test_device()->info();
  const CambiPlan plan = make_test_plan({300, 200}, 21, 2);
  const std::pair<int64_t, uint> choices[] = {{48 * 1024, 1}, {18464, 1}, {18463, 2}, {16384, 2}, {9000, 4}};
  for (const auto& [bytes, parts] : choices) {
    device.shared_memory_bytes = bytes;
    EXPECT_EQ(gpu::choose_tiles(plan, device).slice_parts, parts) << bytes;
  }
}

}  // namespace
}  // namespace vq::cambi::test
