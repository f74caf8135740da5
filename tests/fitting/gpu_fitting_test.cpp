// Fitting on the device, as an implementation for scaling_test.cpp, and beside the host's.
#include <gtest/gtest.h>

#include <random>

#include "feature/fitting/device.h"
#include "tests/fitting/fitted_samples.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::fitting::test {
namespace {

using vq::test::test_context;
using vq::test::test_device;

std::vector<Samples> fitted_on_device(const Frame& frame, const VideoFormat& format, const Fitting& fitting) {
  vulkan::DevicePicture picture(test_device(), format, kMaxPlanes);
  const FittedPicture fitted(test_context(), picture, format, fitting);
  vulkan::Recorder recorder(test_device());
  picture.record(recorder);
  fitted.record(recorder);
  std::vector<vulkan::Buffer> read;
  for (int i = 0; i < fitted.picture().count(); ++i) {
    const vulkan::Buffer& made = fitted.picture().plane(i).buffer;
    read.emplace_back(test_device(), vulkan::Memory::kReadback, made.bytes());
    recorder.copy(made, read.back());
  }
  vulkan::CommandList list = recorder.finish();
  picture.upload(frame);
  list.submit();
  list.wait(std::chrono::seconds(60));
  std::vector<Samples> planes;
  for (int i = 0; i < fitted.picture().count(); ++i) {
    const vulkan::PlaneLayout& layout = fitted.picture().plane(i).layout;
    const std::byte* const data = read[static_cast<size_t>(i)].mapped();
    const auto view = [&]<typename T>(const T* first) {
      return PlaneView<const T>{first, layout.width, layout.height,
                                static_cast<ptrdiff_t>(layout.stride_bytes() / layout.sample_bytes)};
    };
    planes.push_back(layout.sample_bytes == 1 ? samples_of(view(reinterpret_cast<const uint8_t*>(data)))
                                              : samples_of(view(reinterpret_cast<const uint16_t*>(data))));
  }
  return planes;
}
[[maybe_unused]] const bool kIsAdded = vq::test::add_implementation<Fit>("vulkan", fitted_on_device);

TEST(FittingGpu, MakesTheHostsSamples) {
  const ChromaForm coarse{.chroma = Chroma::k420, .location = ChromaLocation::kTopLeft};
  const Fitting fittings[] = {{.least_bits = 10},
                              {.limits_range = true},
                              {.least_bits = 10, .limits_range = true},
                              {.chroma = coarse},
                              {.chroma = ChromaForm{.chroma = Chroma::k422}},
                              {.size = {50, 21}, .limits_range = true, .chroma = coarse},
                              {.size = {20, 60}, .least_bits = 12, .kernel = ScaleKernel::kLanczos}};
  unsigned seed = 0;
  for (const Fitting& fitting : fittings) {
    for (const auto& [bits, chroma] : {std::pair(8, Chroma::k444),
                                       {10, Chroma::k444},
                                       {8, Chroma::k420},
                                       {16, Chroma::k422},
                                       {8, Chroma::k400}}) {
      const VideoFormat format = {.name = "noise",
                                  .width = 33,
                                  .height = 19,
                                  .bit_depth = bits,
                                  .chroma = chroma,
                                  .range = Range::kFull};
      if (!changes(fitting, format)) continue;
      std::minstd_rand random(++seed);
      const Frame frame = vq::test::drawn_frame(
          format, [&](int, int, int) { return random() >> 7 & ((1U << format.bit_depth) - 1); });
      EXPECT_EQ(fitted_on_device(frame, format, fitting), fitted_by(frame, format, fitting, {}))
          << "case " << seed;
      FittedPicture::check(test_context(), format, fitting, kMaxPlanes);
    }
  }
}

}  // namespace
}  // namespace vq::fitting::test
