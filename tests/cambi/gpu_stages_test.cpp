// Every stage on the device against its scalar version, byte for byte.
#include "feature/cambi/device.h"
#include "tests/cambi/stage_test.h"
#include "tests/support/gpu_test.h"

namespace vq::cambi::test {
namespace {

std::vector<Size> gpu_sizes() {
  std::vector<Size> sizes = stage_sizes();
  // Around the tiles of a work group, and thin strips.
  for (const int width : {255, 256, 258, 263, 511, 520}) sizes.push_back({width, 1 + width % 70});
  sizes.insert(sizes.end(), {{4000, 3}, {3, 900}, {640, 360}});
  return sizes;
}

// What record(passes, out) makes on the device, in place of noise.
template <typename T, typename Record>
Canvas<T> made_on_device(Size size, const Record& record) {
  const vulkan::DevicePlane out =
      noise_on_device({size.width, size.height, static_cast<int>(sizeof(T))}, test_device());
  vulkan::Recorder recorder(test_device());
  gpu::Passes passes(recorder, test_context());
  record(passes, out);
  run(recorder);
  return from_device<T>(out, test_device());
}

TEST(CambiGpuMask, EqualsScalarDerivativeAndMask) {
  unsigned seed = 0;
  for (const Size size : gpu_sizes()) {
    for (const Pattern pattern : all_patterns()) {
      const Canvas<uint16_t> image = make_image(pattern, size, kMaxLevel, ++seed);
      Canvas<uint8_t> flat(size.width, size.height), expected(size.width, size.height);
      Scratch scratch(size.width, 4);
      scalar::derivative(image.view(), flat.view());
      const int threshold = std::vector<int>{0, 5, 11, 24, 31, 48, 49, -1}[seed % 8];
      scalar::mask(flat.view(), threshold, scratch, expected.view());

      const vulkan::DevicePlane in = to_device<uint16_t>(image.view(), test_device());
      const auto actual = made_on_device<uint8_t>(
          size,
          [&](gpu::Passes& passes, const vulkan::DevicePlane& out) { passes.mask(in, threshold, out); });
      ASSERT_TRUE(same_plane<uint8_t>(expected.view(), actual.view()))
          << to_string(pattern) << ", threshold " << threshold << ", seed " << seed;
    }
  }
}

TEST(CambiGpuModeFilter, EqualsScalar) {
  unsigned seed = 0;
  for (const Size size : gpu_sizes()) {
    for (const Pattern pattern : all_patterns()) {
      const Canvas<uint16_t> image = make_image(pattern, size, kMaxLevel, ++seed);
      const vulkan::DevicePlane in = to_device<uint16_t>(image.view(), test_device());
      for (const bool halve : {false, true}) {
        const Size to = halve ? Size{(size.width + 1) / 2, (size.height + 1) / 2} : size;
        Canvas<uint16_t> expected(to.width, to.height);
        Scratch scratch(size.width, 4);
        if (halve) {
          scalar::decimate_image(image.view(), expected.view());
        } else {
          expected = Canvas<uint16_t>(image.view());
        }
        scalar::mode_filter(expected.view(), scratch);

        const auto actual = made_on_device<uint16_t>(
            to,
            [&](gpu::Passes& passes, const vulkan::DevicePlane& out) { passes.mode_filter(in, halve, out); });
        ASSERT_TRUE(same_plane<uint16_t>(expected.view(), actual.view()))
            << to_string(pattern) << (halve ? ", halved" : "") << ", seed " << seed;
      }
    }
  }
}

TEST(CambiGpuDecimate, EqualsScalarSeveralTimes) {
  unsigned seed = 0;
  for (const Size size : gpu_sizes()) {
    const Canvas<uint8_t> mask = make_mask(size, ++seed);
    const vulkan::DevicePlane in = to_device<uint8_t>(mask.view(), test_device());
    Canvas<uint8_t> expected(mask.view());
    for (int times = 1; times <= kScales; ++times) {
      const PlaneView<const uint8_t> before = expected.view();
      Canvas<uint8_t> half((before.width + 1) / 2, (before.height + 1) / 2);
      scalar::decimate_mask(before, half.view());
      expected = std::move(half);

      const PlaneView<const uint8_t> want = expected.view();
      const auto actual = made_on_device<uint8_t>(
          {want.width, want.height},
          [&](gpu::Passes& passes, const vulkan::DevicePlane& out) { passes.decimate_mask(in, times, out); });
      ASSERT_TRUE(same_plane<uint8_t>(want, actual.view())) << times << " times, seed " << seed;
    }
  }
}

// The luma on the device with zeros behind its rows, as an upload leaves it.
vulkan::DevicePicture luma_to_device(const SampleView& luma, const std::shared_ptr<vulkan::Device>& device) {
  const VideoFormat format = {
      .name = "", .width = luma.width(), .height = luma.height(), .bit_depth = luma.is_u8() ? 8 : 16};
  vulkan::DevicePicture picture(device, format, 1);
  Frame frame;
  frame.luma() = luma;
  picture.upload(frame);
  vulkan::Recorder recorder(device);
  picture.record(recorder);
  run(recorder);
  return picture;
}

// Returns whether no sample exceeds its depth's maximum, as the stage on the CPU does.
bool gpu_preprocess(const SampleView& luma, const CambiPlan& plan, Canvas<uint16_t>& image) {
  vulkan::Context& context = test_context();
  const vulkan::DevicePicture in = luma_to_device(luma, context.device());
  const vulkan::DevicePlane out = noise_on_device({plan.width, plan.height, 2}, context.device());
  const gpu::PreprocessBuffers buffers(context, plan);
  vulkan::Buffer excess(context.device(), vulkan::Memory::kReadback, 4);
  vulkan::Recorder recorder(context.device());
  gpu::Passes(recorder, context).preprocess(in.plane(0), plan, buffers, out);
  recorder.copy(buffers.excess, excess);
  run(recorder);
  image = from_device<uint16_t>(out, context.device());
  return *excess.mapped() == std::byte{0};
}

template <typename T>
void compare_preprocess(int depth) {
  unsigned seed = static_cast<unsigned>(depth);
  for (const Size input : gpu_sizes()) {
    const Size encodes[] = {input, {std::max(1, input.width * 2 / 3), std::max(1, input.height * 3 / 4)}};
    for (const Size encode : encodes) {
      for (const int encode_depth : {8, 10}) {
        ++seed;
        const Canvas<uint16_t> samples = make_image(all_patterns()[seed % 8], input, (1 << depth) - 1, seed);
        Canvas<T> luma(input.width, input.height, seed);
        for (int y = 0; y < input.height; ++y) {
          std::copy_n(samples.view().row(y), input.width, luma.view().row(y));
        }
        const SampleView view = sample_view<T>(luma.view());
        const CambiPlan plan = preprocess_plan(input, encode, depth, encode_depth);
        Canvas<uint16_t> expected(encode.width, encode.height), actual(encode.width, encode.height);
        ASSERT_TRUE(scalar::preprocess(view, plan, expected.view()));
        ASSERT_TRUE(gpu_preprocess(view, plan, actual)) << "depth " << depth << ", seed " << seed;
        ASSERT_TRUE(same_plane<uint16_t>(expected.view(), actual.view()))
            << "depth " << depth << ", encoded at " << encode_depth << ", from " << input.width << "x"
            << input.height << ", seed " << seed;
      }
    }
  }
}

TEST(CambiGpuPreprocess, EqualsScalar) {
  compare_preprocess<uint8_t>(8);
  for (const int depth : {9, 10, 11, 12, 14, 16}) compare_preprocess<uint16_t>(depth);
}

TEST(CambiGpuPreprocess, FindsSamplesAboveTheDepth) {
  for (const Size encode : {Size{70, 3}, Size{5, 2}}) {
    for (const int x : {0, 1, 40, 69}) {
      Canvas<uint16_t> luma(70, 3);
      for (int y = 0; y < 3; ++y) std::fill_n(luma.view().row(y), 70, uint16_t{1023});
      const CambiPlan plan = preprocess_plan({70, 3}, encode, 10, 10);
      Canvas<uint16_t> image(encode.width, encode.height);
      const SampleView view = sample_view<uint16_t>(luma.view());
      EXPECT_TRUE(gpu_preprocess(view, plan, image)) << x;
      luma.view().row(2)[x] = 1024;
      EXPECT_FALSE(gpu_preprocess(view, plan, image)) << x;
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
