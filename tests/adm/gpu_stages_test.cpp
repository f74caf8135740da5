// The passes on the device against the scalar stages.
#include <gmock/gmock.h>

#include "feature/adm/device.h"
#include "feature/adm/plan.h"
#include "tests/adm/detail.h"
#include "tests/support/gpu_test.h"

namespace vq::adm::gpu {
namespace {

using namespace vq::test;
using test::DetailKind;
using test::SyntheticDetail;

vulkan::Buffer device_buffer(int64_t bytes) {
  return vulkan::Buffer(test_device(), vulkan::Memory::kDevice, bytes);
}

std::vector<int32_t> read_back(const vulkan::Buffer& buffer) {
  const vulkan::Buffer readback(test_device(), vulkan::Memory::kReadback, buffer.bytes());
  vulkan::Recorder recorder(test_device());
  recorder.copy(buffer, readback);
  run(recorder);
  std::vector<int32_t> words(static_cast<size_t>(buffer.bytes()) / sizeof(int32_t));
  std::memcpy(words.data(), readback.mapped(), words.size() * sizeof(int32_t));
  return words;
}

// What the device has of a coefficient: at the finest scale both videos share a word.
int32_t coefficient(int32_t word, const ScalePlan& plan, bool is_distorted) {
  if (!plan.is_finest) return word;
  return static_cast<int16_t>(is_distorted ? word >> 16 : word);
}

VideoFormats formats_of(PlaneSize size, int reference_depth, int distorted_depth) {
  const auto format = [&](int depth) {
    return VideoFormat{.name = "video", .width = size.width, .height = size.height, .bit_depth = depth};
  };
  return {format(distorted_depth), format(reference_depth)};
}

struct WaveletBuffers {
  explicit WaveletBuffers(const AdmPlan& plan) : flags(device_buffer(flag_bytes(plan))) {
    for (size_t i = 0; i < kScales; ++i) {
      bands[i] = device_buffer(band_bytes(plan.scales[i]));
      details[i] = device_buffer(detail_bytes(plan.scales[i], is_summed(plan, static_cast<int>(i))));
    }
  }
  std::array<vulkan::Buffer, kScales> bands, details;
  vulkan::Buffer flags;
};

void expect_scale(const ScalePlan& plan, const test::Bands& expected, bool is_distorted,
                  const WaveletBuffers& buffers, size_t scale) {
  if (scale + 1 < kScales) {
    const std::vector<int32_t> band = read_back(buffers.bands[scale]);
    const int64_t first = is_distorted && !plan.is_finest ? int64_t{plan.width} * plan.height : 0;
    for (int y = 0; y < plan.height; ++y) {
      for (int x = 0; x < plan.width; ++x) {
        const int32_t word = band[static_cast<size_t>(first + int64_t{y} * plan.width + x)];
        ASSERT_EQ(coefficient(word, plan, is_distorted), expected.a.row(y)[x])
            << "band a at " << x << ", " << y;
      }
    }
  }
  const std::vector<int32_t> detail = read_back(buffers.details[scale]);
  for (size_t band = 0; band < kBands; ++band) {
    for (int y = plan.masking_rows.first; y < plan.masking_rows.end; ++y) {
      for (int x = plan.masking_columns.first; x < plan.masking_columns.end; ++x) {
        const int64_t at =
            detail_word(plan, {.is_distorted = is_distorted, .band = band, .row = y, .column = x});
        ASSERT_EQ(coefficient(detail[static_cast<size_t>(at)], plan, is_distorted),
                  expected.detail[band].row(y)[x])
            << "band " << band << " at " << x << ", " << y;
      }
    }
  }
}

// Pictures of all samples that there are at their depths, and of these alone.
template <typename R, typename D>
void compare_wavelets(PlaneSize size, int reference_depth, int distorted_depth,
                      const AdmOptions& options = {}) {
  const AdmPlan plan = make_plan(options, formats_of(size, reference_depth, distorted_depth));
  std::minstd_rand random(static_cast<unsigned>(size.width + size.height));
  const auto noise = [&](int depth) {
    return [&random, depth](int x, int y) {
      const auto top = (1U << depth) - 1;
      return y % 16 < 8 ? static_cast<unsigned>(random() >> 7) & top : (x + y / 3) % 2 * top;
    };
  };
  const TestPlane<R> reference(size.width, size.height, 1, noise(reference_depth));
  const TestPlane<D> distorted(size.width, size.height, 2, noise(distorted_depth));
  const Operand reference_operand = {reference.on_device, plan.videos.reference_shift, reference_depth};
  const Operand distorted_operand = {distorted.on_device, plan.videos.distorted_shift, distorted_depth};
  const WaveletBuffers buffers(plan);
  vulkan::Recorder recorder(test_device());
  FineWaveletPass(test_context(), plan, reference_operand, distorted_operand)
      .record(recorder, buffers.bands[0], buffers.details[0], buffers.flags);
  for (int scale = 1; scale < kScales; ++scale) {
    const auto i = static_cast<size_t>(scale);
    CoarseWaveletPass(test_context(), plan, scale)
        .record(recorder, buffers.bands[i - 1], buffers.bands[i], buffers.details[i]);
  }
  run(recorder);
  for (const bool is_distorted : {false, true}) {
    test::Bands bands =
        is_distorted ? test::fine_bands({distorted.view(), plan.videos.distorted_shift}, plan.scales[0])
                     : test::fine_bands({reference.view(), plan.videos.reference_shift}, plan.scales[0]);
    for (size_t scale = 0; scale < kScales; ++scale) {
      SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height) + ", scale " +
                   std::to_string(scale) + (is_distorted ? ", distorted" : ", reference"));
      if (scale > 0) bands = test::coarse_bands(bands.a, plan.scales[scale]);
      if (is_summed(plan, static_cast<int>(scale)))
        expect_scale(plan.scales[scale], bands, is_distorted, buffers, scale);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_THAT(read_back(buffers.flags), ::testing::Each(0));
}

TEST(AdmGpuWavelet, EqualsScalarAtSizesAroundItsTiles) {
  for (const PlaneSize size : {PlaneSize{33, 33},
                               {34, 35},
                               {119, 47},
                               {120, 48},
                               {121, 49},
                               {122, 63},
                               {123, 64},
                               {241, 66},
                               {260, 129},
                               {333, 77}}) {
    compare_wavelets<uint8_t, uint8_t>(size, 8, 8);
    if (HasFatalFailure()) return;
  }
}

TEST(AdmGpuWavelet, EqualsScalarAtEveryDepth) {
  for (int depth = 9; depth <= 16; ++depth) compare_wavelets<uint16_t, uint16_t>({131, 70}, depth, depth);
  compare_wavelets<uint8_t, uint16_t>({130, 71}, 8, 10);
  compare_wavelets<uint16_t, uint8_t>({129, 72}, 12, 8);
  compare_wavelets<uint16_t, uint16_t>({128, 73}, 10, 16);
  compare_wavelets<uint8_t, uint16_t>({127, 74}, 8, 16);
}

TEST(AdmGpuWavelet, MakesNoDetailOfAScaleThatDoesNotCount) {
  compare_wavelets<uint8_t, uint8_t>({133, 91}, 8, 8, {.skip_scale0 = true});
}

// Which of the videos has a sample beyond its depth at (x, y): 1 the reference, 2 the distorted one.
uint32_t found_beyond(PlaneSize size, int x, int y, bool is_distorted, int depth) {
  const AdmPlan plan = make_plan({}, formats_of(size, depth, depth));
  const auto flat = [](int, int) { return 200; };
  const auto marked = [&](int column, int row) { return column == x && row == y ? 1 << depth : 200; };
  const TestPlane<uint16_t> good(size.width, size.height, 1, flat), bad(size.width, size.height, 2, marked);
  const WaveletBuffers buffers(plan);
  vulkan::Recorder recorder(test_device());
  FineWaveletPass(test_context(), plan, {is_distorted ? good.on_device : bad.on_device, 0, depth},
                  {is_distorted ? bad.on_device : good.on_device, 0, depth})
      .record(recorder, buffers.bands[0], buffers.details[0], buffers.flags);
  run(recorder);
  int32_t found = 0;
  for (const int32_t flag : read_back(buffers.flags)) found |= flag;
  return static_cast<uint32_t>(found);
}

// And none behind a row, where there is noise.
TEST(AdmGpuWavelet, FindsSamplesBeyondTheirDepth) {
  for (const PlaneSize size : {PlaneSize{120, 48}, {121, 47}, {122, 49}, {123, 33}}) {
    EXPECT_EQ(found_beyond(size, -1, -1, false, 10), 0U);
    for (const auto& [x, y] :
         {std::pair{0, 0}, {size.width - 1, size.height - 1}, {60, 17}, {size.width - 1, 3}}) {
      EXPECT_EQ(found_beyond(size, x, y, false, 10), 1U) << x << ", " << y;
      EXPECT_EQ(found_beyond(size, x, y, true, 12), 2U) << x << ", " << y;
    }
  }
}

// Detail of all scales, and the sums that follow from it on the device.
FrameSums sums_on_device(const AdmPlan& plan, std::vector<SyntheticDetail>& details) {
  std::array<vulkan::Buffer, kScales> sums;
  std::vector<vulkan::Buffer> kept;
  vulkan::Recorder recorder(test_device());
  for (size_t i = 0; i < kScales; ++i) {
    const ScalePlan& scale = plan.scales[i];
    sums[i] = device_buffer(sum_bytes(scale, true));
    vulkan::Buffer upload(test_device(), vulkan::Memory::kUpload, detail_bytes(scale, true));
    auto* const words = reinterpret_cast<uint32_t*>(upload.mapped());
    details[i].for_each([&](bool is_distorted, size_t band, int y, int x, int32_t value) {
      const int64_t at =
          detail_word(scale, {.is_distorted = is_distorted, .band = band, .row = y, .column = x});
      const uint32_t half = static_cast<uint32_t>(value) & 0xFFFF;
      words[at] =
          !scale.is_finest ? static_cast<uint32_t>(value) : words[at] | (is_distorted ? half << 16 : half);
    });
    const vulkan::Buffer detail = device_buffer(upload.bytes());
    recorder.copy(upload, detail);
    CubesPass(test_context(), plan, static_cast<int>(i)).record(recorder, detail, sums[i]);
    kept.push_back(std::move(upload));
  }
  const AddRowsPass add_rows(test_context(), plan);
  const vulkan::Buffer flags = device_buffer(flag_bytes(plan)),
                       results = device_buffer(add_rows.result_bytes());
  const vulkan::Buffer readback(test_device(), vulkan::Memory::kReadback, results.bytes());
  recorder.fill(flags, 0);
  add_rows.record(recorder, sums, flags, results);
  recorder.copy(results, readback);
  run(recorder);
  EXPECT_FALSE(add_rows.has_samples_beyond(readback.mapped()));
  return add_rows.sums(readback.mapped());
}

void compare_sums(PlaneSize size, const AdmOptions& options, DetailKind kind, unsigned seed) {
  const AdmPlan plan = make_plan(options, formats_of(size, 8, 8));
  std::vector<SyntheticDetail> details;
  for (size_t i = 0; i < kScales; ++i)
    details.emplace_back(plan.scales[i], kind, test::kMost[i], seed + static_cast<unsigned>(i));
  const FrameSums sums = sums_on_device(plan, details);
  for (size_t i = 0; i < kScales; ++i) {
    const ScaleSums expected = details[i].scalar_sums(plan.scales[i], options.skip_aim);
    SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height) + ", scale " +
                 std::to_string(i) + ", limit " + std::to_string(options.gain_limit) + ", kind " +
                 std::to_string(static_cast<int>(kind)));
    ASSERT_EQ(sums[i].reference, expected.reference);
    ASSERT_EQ(sums[i].restored, expected.restored);
    ASSERT_EQ(sums[i].added, expected.added);
  }
}

// Bands so small that masking reaches their borders, strips of several lengths, and more rows than a work
// group has.
TEST(AdmGpuCubes, EqualScalarAtEverySize) {
  for (const PlaneSize size :
       {PlaneSize{33, 33}, {47, 34}, {60, 300}, {400, 51}, {333, 340}, {3000, 70}, {3000, 1600}}) {
    compare_sums(size, {}, DetailKind::kNoise, 1);
    if (HasFatalFailure()) return;
  }
}

TEST(AdmGpuCubes, EqualScalarUnderEveryOption) {
  const AdmOptions choices[] = {
      {.gain_limit = 1},
      {.gain_limit = 1.2, .view_distance = 5},
      {.gain_limit = 33.3, .skip_aim = true},
      {.gain_limit = 99.99999999999999, .csf_mode = CsfMode::kOtherBlend},
      {.gain_limit = 1.0000000000000002, .csf_mode = CsfMode::kBlend},
      {.csf_mode = CsfMode::kBarten, .csf_scale = 0.01, .csf_diagonal_scale = 0.007},
      {.csf_mode = CsfMode::kBarten}};
  for (const AdmOptions& options : choices) {
    for (const DetailKind kind : {DetailKind::kNoise, DetailKind::kLargest}) {
      compare_sums({150, 110}, options, kind, 7);
      if (HasFatalFailure()) return;
    }
  }
}

// Vectors as near to one degree as there are, on either side: floats alone would get many of them wrong.
TEST(AdmGpuCubes, TellAlignedVectorsAsTheReferenceDoes) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    compare_sums({150, 110}, {}, DetailKind::kOneDegree, seed);
    compare_sums({150, 110}, {.gain_limit = 1.7}, DetailKind::kOneDegree, seed);
  }
}

// Products with limits that are no integers are rounded to doubles: the third of these makes integers of some
// that are none.
TEST(AdmGpuCubes, LimitStrongerDetailAsTheReferenceDoes) {
  for (const double limit :
       {1.0, 1.2, 99.99999999999999, 1.0000000000000002, 33.3, 63.999999999999993, 100.0}) {
    compare_sums({150, 110}, {.gain_limit = limit}, DetailKind::kStronger, 5);
  }
}

// Of the quotient of one and what is 2^17 times as large, a word would have nothing but zeros.
TEST(AdmGpuCubes, LimitRatiosOfAnySize) {
  for (unsigned seed = 0; seed < 4; ++seed) compare_sums({600, 400}, {}, DetailKind::kPowersOfTwo, seed);
}

TEST(AdmGpuCubes, EqualScalarForEqualPicturesAndForNone) {
  compare_sums({150, 110}, {}, DetailKind::kEqual, 3);
  compare_sums({150, 110}, {.gain_limit = 1}, DetailKind::kEqual, 4);
  compare_sums({150, 110}, {}, DetailKind::kNone, 3);
}

}  // namespace
}  // namespace vq::adm::gpu
