// The pass on the device against the stages' scalar versions.
#include "feature/ciede/ciede.h"
#include "feature/device_feature.h"
#include "shaders/ciede/shared.h"
#include "shaders/ciede_add_chunks.h"
#include "shaders/ciede_chunk_steps.h"
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
  const vulkan::Buffer terms(test_device(), vulkan::Memory::kReadback, pass.sum().terms().bytes());
  vulkan::Recorder recorder(test_device());
  reference.on_device.record(recorder);
  distorted.on_device.record(recorder);
  pass.record(recorder);
  recorder.copy(pass.sum().terms(), terms);
  reference.on_device.upload(reference.frame);
  distorted.on_device.upload(distorted.frame);
  run(recorder);
  const Canvas<float> expected = expected_of(plan, reference, distorted);
  const auto [width, height] = plan.videos.size;
  Canvas<float> found(width, height);
  double sum = 0;
  for (int i = 0; i < width * height; ++i) {
    found.view().row(i / width)[i % width] =
        pass.sum().term(terms, i / int{kBlockTerms}, i % int{kBlockTerms});
    sum += expected.view().row(i / width)[i % width];
  }
  EXPECT_TRUE(same_plane(expected.view(), std::as_const(found).view()))
      << width << "x" << height << ", " << plan.videos.bit_depth << " bits";
  EXPECT_EQ(pass.sum().sum<double>(), sum) << width << "x" << height;
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

// Adds terms up in slices of three chunks, with such sums of chunks for guesses.
double added(const std::vector<float>& terms, const std::vector<float>& chunk_sums) {
  constexpr int64_t kChunkTerms = int64_t{kChunkBlocks} * kBlockTerms;
  const auto chunks = static_cast<int64_t>(chunk_sums.size());
  const OrderedSum sum(test_context(), shaders::kCiedeChunkSteps, shaders::kCiedeAddChunks,
                       {kChunkBlocks, kBlockTerms, 3, sizeof(double)}, chunks * kChunkBlocks);
  std::vector<float> placed(terms.size());
  for (int64_t i = 0; i < chunks * kChunkTerms; ++i) {
    const int64_t block = i / kBlockTerms % kChunkBlocks, index = i % kBlockTerms;
    placed[static_cast<size_t>(i / kChunkTerms * kChunkTerms + index * kChunkBlocks + block)] =
        terms[static_cast<size_t>(i)];
  }
  vulkan::Recorder recorder(test_device());
  const vulkan::Buffer &all_terms = test_context().table(placed),
                       &all_sums = test_context().table(chunk_sums);
  for (int slice = 0; slice < sum.slices(); ++slice) {
    const int64_t first = slice * int64_t{3}, count = sum.chunks_of(slice), unit = sizeof(float);
    const vulkan::Copy copies[] = {
        {.from = &all_terms,
         .to = &sum.terms(),
         .from_offset = first * kChunkTerms * unit,
         .bytes = count * kChunkTerms * unit},
        {.from = &all_sums, .to = &sum.chunk_sums(), .from_offset = first * unit, .bytes = count * unit}};
    recorder.copy(copies);
    sum.record_steps(recorder, slice);
    sum.record_sum(recorder, slice);
  }
  sum.record_readback(recorder);
  run(recorder);
  return sum.sum<double>();
}

// Terms of all sizes, among which the sum meets halves, passes powers of 2 and stays as it is, with guesses
// that are good, bad or none.
TEST(CiedeGpuSum, IsThatOfOneTermAfterTheOther) {
  constexpr size_t kChunks = 8, kTerms = size_t{kChunkBlocks} * kBlockTerms;
  std::minstd_rand random(7);
  for (const int kind : {0, 1, 2, 3}) {
    std::vector<float> terms(kChunks * kTerms), sums(kChunks);
    double expected = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      const auto number = static_cast<float>(random() >> 7 & 0xFFFFFF);
      const int exponent = kind == 0   ? -24
                           : kind == 1 ? static_cast<int>(random() % 100) - 70
                           : kind == 2 ? static_cast<int>(random() % 2) - 50
                                       : static_cast<int>(i / 2000) * 9 - 60;
      terms[i] = i / kTerms == 5 ? 0 : std::ldexp(number, exponent);
      if (kind == 2 && i == 0) terms[i] = 8;
      sums[i / kTerms] += terms[i];
      expected += terms[i];
    }
    EXPECT_EQ(added(terms, sums), expected) << kind;
    for (float& sum : sums) sum *= 64;
    EXPECT_EQ(added(terms, sums), expected) << kind;
    EXPECT_EQ(added(terms, std::vector<float>(kChunks)), expected) << kind;
  }
}

}  // namespace
}  // namespace vq::ciede
