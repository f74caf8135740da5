// The sums of detail on the device against the scalar stages fine_decouple, coarse_decouple, fine_weigh,
// coarse_weigh, reference_cubes and masked_cubes. The gate has the wavelets.

#include "tests/adm/rows.h"
#include "tests/support/gpu_test.h"

namespace vq::adm::gpu {
namespace {

using namespace vq::test;
using test::kPartRows;
using test::part_of;
using test::Rows;

// Detail of all rows of a scale.
using Bands = std::array<Plane<int32_t>, kBands>;
Bands bands_of(const ScalePlan& plan) {
  const auto band = [&] { return Plane<int32_t>(plan.width + kRowSlack, plan.height); };
  return {band(), band(), band()};
}

enum class DetailKind { kNoise, kLargest, kOneDegree, kStronger, kPowersOfTwo, kEqual, kNone };

// Of both videos, at the places that masking looks at.
class SyntheticDetail {
 public:
  SyntheticDetail(const ScalePlan& plan, DetailKind kind, int64_t most, unsigned seed)
      : plan_(plan), kind_(kind), most_(most), random_(seed + 1), planes_{bands_of(plan), bands_of(plan)} {
    for (int y = plan.masking_rows.first; y < plan.masking_rows.end; ++y) {
      for (int x = plan.masking_columns.first; x < plan.masking_columns.end; ++x) make(y, x);
    }
  }

  // visit(is_distorted, band, row, column, coefficient)
  template <typename Visit>
  void for_each(const Visit& visit) {
    for (const bool is_distorted : {false, true}) {
      for (size_t band = 0; band < kBands; ++band) {
        for (int y = plan_.masking_rows.first; y < plan_.masking_rows.end; ++y) {
          for (int x = plan_.masking_columns.first; x < plan_.masking_columns.end; ++x)
            visit(is_distorted, band, y, x, at(is_distorted, band, y, x));
        }
      }
    }
  }

  // By the scalar stages.
  ScaleSums scalar_sums(const ScalePlan& plan, bool skip_aim) {
    Rows<int32_t> parts(plan.width, 2 * kPartRows * plan.height);
    const auto part = [&](int i, int y) { return part_of(parts, (2 * y + i) * kPartRows); };
    ScaleSums sums;
    for (int y = plan.masking_rows.first; y < plan.masking_rows.end; ++y) {
      const PartRow restored = part(0, y), added = part(1, y);
      scalar::decouple(row(false, y), row(true, y), plan, restored, added);
      for (const PartRow& one : {restored, added})
        (plan.is_finest ? scalar::fine_weigh : scalar::coarse_weigh)(plan, one);
    }
    const auto masked = [&](int signal, int masker, int y) {
      const PartRow of = part(signal, y);
      return scalar::masked_cubes({of.signal[0], of.signal[1], of.signal[2]},
                                  {.above = part(masker, mirrored(y - 1, plan.height)).side,
                                   .here = part(masker, y).side,
                                   .below = part(masker, mirrored(y + 1, plan.height)).side,
                                   .centre = part(masker, y).centre},
                                  plan);
    };
    for (int y = plan.rows.first; y < plan.rows.end; ++y) {
      add_reference_row(plan, scalar::reference_cubes(row(false, y), plan), sums.reference);
      add_masked_row(plan, masked(0, 1, y), sums.restored);
      if (!skip_aim) add_masked_row(plan, masked(1, 0, y), sums.added);
    }
    return sums;
  }

 private:
  int32_t& at(bool is_distorted, size_t band, int y, int x) {
    return planes_[is_distorted ? 1 : 0][band].row(y)[x];
  }
  DetailRow row(bool is_distorted, int y) {
    auto& bands = planes_[is_distorted ? 1 : 0];
    return {bands[0].row(y), bands[1].row(y), bands[2].row(y)};
  }

  int32_t noise() {
    const int64_t limit = random_() % 3 == 0 ? most_ : most_ >> (random_() % 20);
    const int64_t wide = (static_cast<int64_t>(random_()) << 20) ^ static_cast<int64_t>(random_());
    return static_cast<int32_t>(wide % (2 * limit + 1) - limit);
  }

  void make(int y, int x) {
    PerBand<int32_t> reference, distorted;
    for (size_t i = 0; i < kBands; ++i) {
      reference[i] = kind_ == DetailKind::kNone ? 0 : noise();
      // Often much like the reference's.
      distorted[i] =
          random_() % 2 == 0
              ? noise()
              : static_cast<int32_t>(reference[i] / 8 * (static_cast<int>(random_() % 15) - 6) / 8 * 8);
      if (kind_ == DetailKind::kLargest) {
        reference[i] = static_cast<int32_t>(random_() % 2 == 0 ? most_ : -most_);
        distorted[i] = static_cast<int32_t>(random_() % 4 == 0   ? -most_
                                            : random_() % 4 == 0 ? most_ / 2
                                                                 : most_);
      }
      if (kind_ == DetailKind::kEqual) distorted[i] = reference[i];
    }
    if (kind_ == DetailKind::kOneDegree) set_one_degree(reference, distorted);
    if (kind_ == DetailKind::kStronger) set_stronger(reference, distorted);
    if (kind_ == DetailKind::kPowersOfTwo) set_powers(reference, distorted);
    for (size_t i = 0; i < kBands; ++i) {
      at(false, i, y, x) = reference[i];
      at(true, i, y, x) = distorted[i];
    }
  }

  // Up to 120 times as strong as the reference's, in its direction.
  void set_stronger(PerBand<int32_t>& reference, PerBand<int32_t>& distorted) {
    const auto factor = static_cast<int32_t>(random_() % 121);
    for (size_t i = 0; i < kBands; ++i) {
      reference[i] /= 128;
      distorted[i] = reference[i] * factor;
    }
  }

  void set_powers(PerBand<int32_t>& reference, PerBand<int32_t>& distorted) {
    const int count = std::bit_width(static_cast<uint64_t>(most_));
    for (size_t i = 0; i < kBands; ++i) {
      for (int32_t* const one : {&reference[i], &distorted[i]}) {
        *one = (random_() % 2 == 0 ? 1 : -1) *
               static_cast<int32_t>(1U << random_() % static_cast<unsigned>(count));
      }
    }
  }

  // One of the two vectors between which is_aligned() changes, where there are such.
  void set_one_degree(const PerBand<int32_t>& reference, PerBand<int32_t>& distorted) {
    const double share = static_cast<double>(random_() % 1000) / 1001;
    distorted[0] = static_cast<int32_t>(reference[0] * share);
    const auto aligned = [&](int64_t v) {
      return is_aligned(reference, {distorted[0], static_cast<int32_t>(v), 0});
    };
    auto inside = static_cast<int64_t>(reference[1] * share);
    int64_t outside = random_() % 2 == 0 ? most_ : -most_;
    if (!aligned(inside) || aligned(outside)) return;
    while (std::abs(outside - inside) > 1) {
      const int64_t middle = (inside + outside) / 2;
      (aligned(middle) ? inside : outside) = middle;
    }
    distorted[1] = static_cast<int32_t>(random_() % 2 == 0 ? inside : outside);
  }

  const ScalePlan& plan_;
  const DetailKind kind_;
  const int64_t most_;
  std::minstd_rand random_;
  std::array<Bands, 2> planes_;
};

vulkan::Buffer device_buffer(int64_t bytes) {
  return vulkan::Buffer(test_device(), vulkan::Memory::kDevice, bytes);
}

VideoFormats formats_of(PlaneSize size, int reference_depth, int distorted_depth) {
  const auto format = [&](int depth) {
    return VideoFormat{.name = "video", .width = size.width, .height = size.height, .bit_depth = depth};
  };
  return {format(distorted_depth), format(reference_depth)};
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
