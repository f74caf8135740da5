// Light on the device against the scalar stages, to the last bit.
#include <cstring>

#include "feature/light/device.h"
#include "feature/light/light.h"
#include "shaders/light_to_light.h"
#include "tests/light/pictures.h"
#include "tests/support/exact_shader.h"
#include "tests/support/gpu_test.h"

namespace vq::light::gpu {
namespace {

using namespace vq::test;
using light::test::Case;
using light::test::NoisePicture;

TEST(LightGpu, NoSumOrProductOfTheShaderMayBeContracted) {
  expect_exact(shaders::kLightToLight, 40);
}

void expect_scalar(const Case& one, unsigned seed) {
  const NoisePicture picture(one.format, seed);
  const Conversion conversion = make_conversion(one.reading, one.format);
  vulkan::DevicePicture on_device(test_device(), one.format, kMaxPlanes);
  const ToLightPass pass(test_context(), on_device, conversion);
  const LightLayout layout = layout_of(conversion.size);
  const vulkan::Buffer out = recorded(layout.bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
    on_device.record(recorder);
    on_device.upload(picture.frame());
    pass.record(recorder, there);
  });
  LightRows rows(scalar::kStages, conversion);
  rows.start(picture.frame());
  Plane<float> row(layout.width, 3);
  const auto* const found = reinterpret_cast<const float*>(out.mapped());
  for (int y = 0; y < layout.height; ++y) {
    rows.row(y, {row.row(0), row.row(1), row.row(2)});
    for (int plane = 0; plane < 3; ++plane) {
      for (int x = 0; x < layout.width; ++x) {
        const float there = found[plane * layout.plane + int64_t{y} * layout.stride + x];
        ASSERT_EQ(std::memcmp(&there, row.row(plane) + x, sizeof(float)), 0)
            << there << ", not " << row.row(plane)[x] << " at " << x << ", " << y << " of plane " << plane
            << ", case " << seed;
      }
    }
  }
}

// Some of the cases, as each takes a pipeline of its own: of every curve, depth and sampling.
TEST(LightGpuToLight, HasTheBitsOfTheScalarStages) {
  const std::vector<Case> all = light::test::cases();
  for (size_t i = 0; i < all.size(); i += 7) expect_scalar(all[i], static_cast<unsigned>(i));
}

}  // namespace
}  // namespace vq::light::gpu
