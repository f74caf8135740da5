// The pass on the device against the stages' scalar versions.
#include "feature/ciede/ciede.h"
#include "feature/device_feature.h"
#include "tests/support/gpu_test.h"

namespace vq::ciede {
namespace {

using namespace vq::test;

// A picture on the host and on the device, by `level(plane, x, y)`.
struct Picture {
  template <typename Level>
  Picture(const VideoFormat& of, Level level)
      : format(of), frame(drawn_frame(of, level)), on_device(test_device(), of, kMaxPlanes) {}
  VideoFormat format;
  Frame frame;
  vulkan::DevicePicture on_device;
};

VideoFormat format_of(PlaneSize size, int depth, Chroma chroma) {
  return {.name = "clip", .width = size.width, .height = size.height, .bit_depth = depth, .chroma = chroma};
}

Canvas<float> expected_of(const CiedePlan& plan, const Picture& reference, const Picture& distorted) {
  const auto [width, height] = plan.videos.size;
  Canvas<float> out(width, height);
  Plane<float> first(width, 3), second(width, 3);
  SpreadRows rows(width);
  const auto colours = [&](const Picture& picture, const Spread& spread, int y, Plane<float>& lab) {
    rows.fill(picture.frame, spread, y);
    scalar::colours(rows.row(plan.videos.bit_depth), {lab.row(0), lab.row(1), lab.row(2)});
    return LabRow<const float>{lab.row(0), lab.row(1), lab.row(2)};
  };
  for (int y = 0; y < height; ++y) {
    scalar::differences(colours(reference, plan.reference, y, first),
                        colours(distorted, plan.distorted, y, second), width, out.view().row(y));
  }
  return out;
}

void expect_scalar(Picture& reference, Picture& distorted) {
  ASSERT_TRUE(test_device()->info().has_doubles);
  const CiedePlan plan = Ciede::make_plan({}, {distorted.format, reference.format});
  const DifferencesPass pass(test_context(), plan, reference.on_device, distorted.on_device);
  vulkan::Recorder recorder(test_device());
  reference.on_device.record(recorder);
  distorted.on_device.record(recorder);
  pass.record(recorder);
  pass.record_readback(recorder);
  reference.on_device.upload(reference.frame);
  distorted.on_device.upload(distorted.frame);
  run(recorder);
  const Canvas<float> expected = expected_of(plan, reference, distorted);
  EXPECT_TRUE(same_plane(expected.view(), pass.differences()))
      << plan.videos.size.width << "x" << plan.videos.size.height << ", " << plan.videos.bit_depth << " bits";
}

Picture noise(const VideoFormat& format, unsigned seed) {
  std::minstd_rand random(seed);
  return Picture(format, [&](int, int, int) { return random() >> 5 & ((1U << format.bit_depth) - 1); });
}

TEST(CiedeGpuDifferences, EqualScalar) {
  unsigned seed = 0;
  for (const Chroma chroma : {Chroma::k420, Chroma::k422, Chroma::k444}) {
    for (const auto& [first, second] : {std::pair{8, 8}, {10, 10}, {8, 12}, {16, 9}}) {
      Picture reference = noise(format_of({131, 47}, first, chroma), ++seed);
      Picture distorted = noise(format_of({131, 47}, second, chroma), ++seed);
      expect_scalar(reference, distorted);
    }
  }
}

TEST(CiedeGpuDifferences, EqualScalarOfPicturesSampledInDifferentWays) {
  Picture reference = noise(format_of({65, 33}, 8, Chroma::k444), 3),
          distorted = noise(format_of({65, 33}, 8, Chroma::k420), 4);
  expect_scalar(reference, distorted);
  Picture quarter = noise(format_of({65, 33}, 8, Chroma::k411), 5),
          half = noise(format_of({65, 33}, 8, Chroma::k440), 6);
  expect_scalar(quarter, half);
}

// Where hues and differences are 0, and where hues go past a turn.
TEST(CiedeGpuDifferences, EqualScalarOfSmallDifferences) {
  const VideoFormat format = format_of({200, 120}, 8, Chroma::k444);
  const auto level = [](int plane, int x, int y) {
    return plane == 0 ? 16 + (x + y) % 220 : plane == 1 ? 100 + x % 57 : 100 + y % 57;
  };
  Picture reference(format, level), same(format, level);
  Picture near(format,
               [&](int plane, int x, int y) { return level(plane, x, y) + (x * 7 + y * 3 + plane) % 3 - 1; });
  Picture grey(format, [&](int plane, int x, int y) { return plane == 0 ? level(plane, x, y) : 128; });
  expect_scalar(reference, same);
  expect_scalar(reference, near);
  expect_scalar(grey, near);
  expect_scalar(grey, reference);
}

}  // namespace
}  // namespace vq::ciede
