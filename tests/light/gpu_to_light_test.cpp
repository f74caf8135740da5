// Light on the device (spread_chroma, blend_rows and to_light), as an implementation for rows_test.cpp, and
// what is made of it there.
#include "feature/light/device.h"
#include "tests/support/gate_run.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::light::gpu {
namespace {

using namespace vq::test;

using Rgb = std::array<std::vector<float>, 3>;

Rgb light_of(const Frame& frame, const VideoFormat& format, const Reading& reading) {
  const Conversion conversion = make_conversion(reading, format);
  vulkan::DevicePicture picture(test_device(), format, kMaxPlanes);
  const ToLightPass pass(test_context(), picture, conversion);
  const LightLayout layout = layout_of(conversion.size);
  const vulkan::Buffer out = recorded(layout.bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
    picture.record(recorder);
    picture.upload(frame);
    pass.record(recorder, there);
  });
  Rgb rgb;
  for (size_t i = 0; i < rgb.size(); ++i) {
    const float* const plane =
        reinterpret_cast<const float*>(out.mapped()) + static_cast<int64_t>(i) * layout.plane;
    for (int y = 0; y < layout.height; ++y)
      rgb[i].insert(rgb[i].end(), plane + int64_t{y} * layout.stride,
                    plane + int64_t{y} * layout.stride + layout.width);
  }
  return rgb;
}
[[maybe_unused]] const bool kIsAdded =
    add_implementation<Rgb (*)(const Frame&, const VideoFormat&, const Reading&)>("device", light_of);

// Scores and maps around the least sizes, and the tiles of work groups; more tiles than are folded at once.
TEST(LightGpu, MetricsEqualTheScalarStages) {
  for (const PlaneSize size :
       {PlaneSize{8, 8}, {9, 14}, {15, 17}, {16, 16}, {33, 70}, {129, 115}, {500, 260}}) {
    for (const Chroma chroma : {Chroma::k420, Chroma::k422, Chroma::k444, Chroma::k400}) {
      GateRun run{.features = {"butteraugli=asymmetry=0.8", "ssimulacra2", "ssimulacra2=form=exact", "itp",
                               "light", "siti=form=pq"},
                  .size = size,
                  .depth = 10,
                  .chroma = chroma,
                  .frames = 1,
                  .has_maps = true};
      const GateOutcome expected = outcome_of(run, {.backend = Backend::kScalar}),
                        found = outcome_of(run, {.backend = Backend::kVulkan, .device = test_device()});
      EXPECT_EQ(expected.error, "");
      EXPECT_TRUE(found == expected) << to_string(run) << ":\n" << difference(expected, found);
    }
  }
}

}  // namespace
}  // namespace vq::light::gpu
