// CAMBI's stages on a device, which stand beside those of the CPU in tests of stages; and what they do on
// devices alone.
#include "feature/cambi/device.h"
#include "tests/cambi/stage_test.h"
#include "tests/support/gpu_test.h"

namespace vq::cambi::test {
namespace {

template <typename T>
void copy(PlaneView<const T> from, PlaneView<T> to) {
  for (int y = 0; y < to.height; ++y) std::copy_n(from.row(y), to.width, to.row(y));
}

// Sets `out` to what record(passes, there) makes on the device, in place of noise.
template <typename T, typename Record>
void make_on_device(PlaneView<T> out, const Record& record) {
  const vulkan::DevicePlane there =
      noise_on_device({out.width, out.height, static_cast<int>(sizeof(T))}, test_device());
  vulkan::Recorder recorder(test_device());
  gpu::Passes passes(recorder, test_context());
  record(passes, there);
  run(recorder);
  const Canvas<T> made = from_device<T>(there, test_device());
  copy<T>(made.view(), out);
}

// With zeros behind its rows, as an upload leaves it.
vulkan::DevicePicture luma_to_device(const SampleView& luma) {
  const VideoFormat format = {
      .name = "", .width = luma.width(), .height = luma.height(), .bit_depth = luma.is_u8() ? 8 : 16};
  vulkan::DevicePicture picture(test_device(), format, 1);
  Frame frame;
  frame.luma() = luma;
  picture.upload(frame);
  vulkan::Recorder recorder(test_device());
  picture.record(recorder);
  run(recorder);
  return picture;
}

bool preprocess(const SampleView& luma, const CambiPlan& plan, Image image) {
  const vulkan::DevicePicture in = luma_to_device(luma);
  const gpu::PreprocessBuffers buffers(test_context(), plan);
  make_on_device(image, [&](gpu::Passes& passes, const vulkan::DevicePlane& out) {
    passes.preprocess(in.plane(0), plan, buffers, out);
  });
  vulkan::Buffer excess(test_device(), vulkan::Memory::kReadback, 4);
  vulkan::Recorder recorder(test_device());
  recorder.copy(buffers.excess, excess);
  run(recorder);
  return *excess.mapped() == std::byte{0};
}

void spatial_mask(ImageIn image, int threshold, Scratch&, Mask mask) {
  const vulkan::DevicePlane in = to_device<uint16_t>(image, test_device());
  make_on_device(
      mask, [&](gpu::Passes& passes, const vulkan::DevicePlane& out) { passes.mask(in, threshold, out); });
}

void filter(ImageIn image, bool halve, Image out) {
  const vulkan::DevicePlane in = to_device<uint16_t>(image, test_device());
  make_on_device(out, [&](gpu::Passes& passes, const vulkan::DevicePlane& there) {
    passes.mode_filter(in, halve, there);
  });
}
void mode_filter(Image image, Scratch&) { filter(image, false, image); }

void decimate(MaskIn mask, int times, Mask out) {
  const vulkan::DevicePlane in = to_device<uint8_t>(mask, test_device());
  make_on_device(out, [&](gpu::Passes& passes, const vulkan::DevicePlane& there) {
    passes.decimate_mask(in, times, there);
  });
}
void decimate_mask(MaskIn in, Mask out) { decimate(in, 1, out); }

Stages device_stages() {
  Stages stages = scalar::kStages;
  stages.preprocess = preprocess;
  stages.spatial_mask = spatial_mask;
  stages.mode_filter = mode_filter;
  stages.decimate_mask = decimate_mask;
  return stages;
}
[[maybe_unused]] const bool kIsAdded = add_implementation("device", device_stages());

TEST(CambiGpuModeFilter, HalvesAsItFilters) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    for (const Pattern pattern : all_patterns()) {
      const Canvas<uint16_t> image = make_image(pattern, size, kMaxLevel, ++seed);
      Canvas<uint16_t> expected((size.width + 1) / 2, (size.height + 1) / 2), actual(expected.view());
      Scratch scratch(size.width, 4);
      scalar::decimate_image(image.view(), expected.view());
      scalar::mode_filter(expected.view(), scratch);
      filter(image.view(), true, actual.view());
      ASSERT_TRUE(same_plane<uint16_t>(expected.view(), actual.view()))
          << to_string(pattern) << ", seed " << seed;
    }
  }
}

TEST(CambiGpuDecimate, EqualsScalarSeveralTimes) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    const Canvas<uint8_t> mask = make_mask(size, ++seed);
    Canvas<uint8_t> expected(mask.view());
    for (int times = 1; times <= kScales; ++times) {
      Canvas<uint8_t> half((expected.view().width + 1) / 2, (expected.view().height + 1) / 2);
      scalar::decimate_mask(std::as_const(expected).view(), half.view());
      expected = std::move(half);
      Canvas<uint8_t> actual(expected.view());
      decimate(mask.view(), times, actual.view());
      ASSERT_TRUE(same_plane<uint8_t>(expected.view(), actual.view())) << times << " times, seed " << seed;
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
