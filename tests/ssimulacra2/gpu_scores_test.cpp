// Scores and maps of the device against those of the scalar stages, to the last bit.
#include "feature/device_feature.h"
#include "feature/ssimulacra2/ssimulacra2.h"
#include "shaders/ssimulacra2_compare.h"
#include "shaders/ssimulacra2_halve.h"
#include "tests/light/pictures.h"
#include "tests/support/exact_shader.h"
#include "tests/support/gpu_test.h"

namespace vq::ssimulacra2 {
namespace {

using namespace vq::test;
using light::test::NoisePicture;

TEST(Ssimulacra2Gpu, NoSumOrProductOfTheShadersMayBeContracted) {
  expect_exact(shaders::kSsimulacra2Compare, 60);
  expect_exact(shaders::kSsimulacra2Halve, 4);
}

FrameResult on_device(const OptionSet& set, const VideoFormats& formats, const FramePair& pair,
                      bool heatmaps) {
  const auto feature =
      kDeviceSupport.make(set, formats, {.backend = Backend::kVulkan, .heatmaps = heatmaps}, test_context());
  vulkan::DevicePicture reference(test_device(), *formats.reference, kMaxPlanes),
      distorted(test_device(), formats.distorted, kMaxPlanes);
  const auto work = feature->make_work({distorted, &reference});
  vulkan::Recorder recorder(test_device());
  reference.record(recorder);
  distorted.record(recorder);
  work->record(recorder);
  reference.upload(*pair.reference);
  distorted.upload(pair.distorted);
  run(recorder);
  return work->finish(pair);
}

void expect_scalar(PlaneSize size, const char* form, int bit_depth, bool heatmaps) {
  const VideoFormat format = {
      .name = "noise", .width = size.width, .height = size.height, .bit_depth = bit_depth};
  const VideoFormats formats = {format, format};
  OptionSet set(feature_info().options);
  set.set("form", form);
  const NoisePicture reference(format, 1), distorted(format, 2);
  const FramePair pair{.distorted = distorted.frame(), .reference = reference.frame()};
  const FrameResult found = on_device(set, formats, pair, heatmaps);
  const auto host = make_host_feature(plan_of<Ssimulacra2>(set, formats),
                                      {.backend = Backend::kScalar, .heatmaps = heatmaps});
  const FrameResult expected = host->score(pair);
  EXPECT_EQ(found.values, expected.values) << size.width << "x" << size.height;
  ASSERT_EQ(found.heatmaps.size(), expected.heatmaps.size());
  EXPECT_EQ(found.heatmaps.empty(), !heatmaps);
  for (size_t k = 0; k < found.heatmaps.size(); ++k)
    EXPECT_TRUE(same_samples(found.heatmaps[k].view(), expected.heatmaps[k].view())) << "scale " << k;
}

TEST(Ssimulacra2GpuScores, EqualTheScalarStages) {
  for (const PlaneSize size : {PlaneSize{8, 8}, {15, 17}, {16, 16}, {33, 70}, {129, 115}, {333, 77}}) {
    expect_scalar(size, "short", 8, false);
    expect_scalar(size, "exact", 10, true);
  }
}

// More tiles than are folded at once.
TEST(Ssimulacra2GpuScores, EqualTheScalarStagesOfManyTiles) {
  expect_scalar({500, 260}, "short", 8, true);
}

}  // namespace
}  // namespace vq::ssimulacra2
