// Fitting on the device, as an implementation for scaling_test.cpp, and beside the host's.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/fitting/fitted_samples.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::fitting::test {
namespace {

using vq::test::test_context;
using vq::test::test_device;

std::vector<Samples> made_on_device(const Frame& frame, const VideoFormat& format, const Fitting& fitting,
                                    int count) {
  vulkan::DevicePicture picture(test_device(), format, source_planes(format, fitting, count));
  const FittedPicture fitted(test_context(), picture, format, fitting, count);
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
std::vector<Samples> fitted_on_device(const Frame& frame, const VideoFormat& format, const Fitting& fitting) {
  return made_on_device(frame, format, fitting, kMaxPlanes);
}
[[maybe_unused]] const bool kIsAdded = vq::test::add_implementation<Fit>("vulkan", fitted_on_device);

TEST(FittingGpu, MakesTheHostsSamples) {
  const ChromaForm coarse{.chroma = Chroma::k420, .location = ChromaLocation::kTopLeft};
  const YcbcrForm limited{.matrix = Matrix::kBt2020, .chroma = Chroma::k420};
  const Fitting fittings[] = {
      {.least_bits = 10},
      {.limits_range = true},
      {.least_bits = 10, .limits_range = true},
      {.chroma = coarse},
      {.chroma = ChromaForm{.chroma = Chroma::k422}},
      {.size = {50, 21}, .limits_range = true, .chroma = coarse},
      {.size = {20, 60}, .least_bits = 12, .kernel = ScaleKernel::kLanczos},
      {.matrix = Matrix::kBt601},
      {.size = {50, 21}, .least_bits = 10, .matrix = Matrix::kBt2020, .chroma = coarse},
      {.limits_range = true, .matrix = Matrix::kSmpte240},
      {.ycbcr = YcbcrForm()},
      {.ycbcr = limited},
      {.size = {50, 21}, .least_bits = 10, .limits_range = true, .ycbcr = limited}};
  unsigned seed = 0;
  for (const Fitting& fitting : fittings) {
    for (const auto& [bits, chroma, matrix, location] :
         {std::tuple(8, Chroma::k444, Matrix::kBt709, ChromaLocation::kLeft),
          {10, Chroma::k444, Matrix::kBt709, ChromaLocation::kLeft},
          {8, Chroma::k420, Matrix::kBt709, ChromaLocation::kLeft},
          {12, Chroma::k420, Matrix::kFcc, ChromaLocation::kCenter},
          {10, Chroma::k420, Matrix::kBt709, ChromaLocation::kBottomLeft},
          {16, Chroma::k422, Matrix::kBt709, ChromaLocation::kTopLeft},
          {8, Chroma::k410, Matrix::kBt709, ChromaLocation::kCenter},
          {8, Chroma::k400, Matrix::kBt709, ChromaLocation::kLeft},
          {8, Chroma::k444, Matrix::kRgb, ChromaLocation::kLeft},
          {16, Chroma::k444, Matrix::kRgb, ChromaLocation::kLeft}}) {
      const VideoFormat format = {.name = "noise",
                                  .width = 33,
                                  .height = 19,
                                  .bit_depth = bits,
                                  .chroma = chroma,
                                  .range = Range::kFull,
                                  .matrix = matrix,
                                  .chroma_location = location};
      if (!changes(fitting, format)) continue;
      if (plane_count(chroma) == 1 && fitted_format(format, fitting).matrix != matrix) continue;
      std::minstd_rand random(++seed);
      // Now and then a sample is above the largest of its depth, but where that is scaled.
      const bool has_excess = fitting.size == PlaneSize();
      const Frame frame = vq::test::drawn_frame(format, [&](int, int, int) {
        const bool is_excess = has_excess && random() % 64 == 0;
        const unsigned bits_kept = is_excess ? 16 : static_cast<unsigned>(format.bit_depth);
        return random() >> 7 & ((1U << bits_kept) - 1);
      });
      EXPECT_EQ(fitted_on_device(frame, format, fitting), fitted_by(frame, format, fitting, {}))
          << "case " << seed;
      EXPECT_EQ(made_on_device(frame, format, fitting, 1).at(0), fitted_by(frame, format, fitting, {}).at(0))
          << "case " << seed;
      FittedPicture::check(test_context(), format, fitting, kMaxPlanes);
    }
  }
}

}  // namespace
}  // namespace vq::fitting::test
