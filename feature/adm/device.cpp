#include "feature/adm/adm.h"

#include "feature/device_feature.h"
#include "shaders/adm/shared.h"
#include "shaders/adm_add_rows.h"
#include "shaders/adm_coarse_cubes.h"
#include "shaders/adm_coarse_wavelet.h"
#include "shaders/adm_fine_cubes.h"
#include "shaders/adm_fine_wavelet.h"

namespace vq::adm::gpu {
namespace {

static_assert(kKinds == 3 * kBands && kScalesAdded == kScales);

constexpr uint as_uint(int number) { return static_cast<uint>(number); }

// Strips are as short as it takes for so many work groups: each looks at two columns more than its own, but
// devices want to be busy.
constexpr int kWantedGroups = 1400, kShortestStrip = 8, kLongestStrip = 32;

int row_groups(const ScalePlan& plan) {
  return static_cast<int>(vulkan::groups_for(plan.rows.size(), kStripRows));
}
int strip_columns(const ScalePlan& plan) {
  return std::clamp(plan.columns.size() * row_groups(plan) / kWantedGroups, kShortestStrip, kLongestStrip);
}
uint strip_count(const ScalePlan& plan) {
  return vulkan::groups_for(plan.columns.size(), strip_columns(plan));
}

DetailArea area_of(const ScalePlan& plan) {
  const int rows = plan.masking_rows.end - plan.masking_rows.first / int{kRowAlignment} * int{kRowAlignment};
  return {.first_row = as_uint(plan.masking_rows.first),
          .end_row = as_uint(plan.masking_rows.end),
          .first_column = as_uint(plan.masking_columns.first),
          .end_column = as_uint(plan.masking_columns.end),
          .pitch = vulkan::groups_for(rows, kRowAlignment) * kRowAlignment};
}

int64_t band_words(const DetailArea& area) {
  return int64_t{area.end_column - area.first_column} * area.pitch;
}

vulkan::Groups fine_groups(const ScalePlan& plan) {
  return vulkan::groups_for({plan.width, plan.height}, kFineColumns, kFineRows);
}

// The limit as CubesPush has it.
struct Gain {
  uint gain = 1, high = 0, shift = 0;
};
bool is_whole(double gain_limit) { return gain_limit == std::floor(gain_limit); }
Gain gain_of(double gain_limit) {
  if (is_whole(gain_limit)) return {.gain = static_cast<uint>(gain_limit)};
  constexpr int kMantissa = 53;
  int exponent = 0;
  const auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(gain_limit, &exponent), kMantissa));
  return {.gain = static_cast<uint>(mantissa),
          .high = static_cast<uint>(mantissa >> 32),
          .shift = as_uint(kMantissa - exponent)};
}

RowSums rows_of(const ScalePlan& plan, bool is_summed) {
  return {.rows = is_summed ? as_uint(plan.rows.size()) : 0,
          .strips = strip_count(plan),
          .reference_shift = as_uint(plan.reference.row),
          .masked_shift = as_uint(plan.masked[0].row),
          .first = 0};
}

uint blocks_of(const RowSums& rows) { return vulkan::groups_for(rows.rows, kRowsAdded); }

AddRowsPush push_of(const AdmPlan& plan) {
  AddRowsPush push{};
  uint first = 0;
  for (int scale = 0; scale < kScales; ++scale) {
    RowSums& rows = push.scales[scale];
    rows = rows_of(plan.scales[static_cast<size_t>(scale)], is_summed(plan, scale));
    rows.first = first;
    first += kKinds * blocks_of(rows);
  }
  push.flags = static_cast<uint>(flag_bytes(plan) / static_cast<int64_t>(sizeof(uint)));
  push.flags_at = first;
  return push;
}

uvec2 result_at(const std::byte* results, uint at) {
  uvec2 result{};
  std::memcpy(&result, results + int64_t{at} * static_cast<int64_t>(sizeof(result)), sizeof(result));
  return result;
}

}  // namespace

bool is_summed(const AdmPlan& plan, int scale) { return scale > 0 || !plan.options.skip_scale0; }

int64_t band_bytes(const ScalePlan& plan) {
  return int64_t{plan.width} * plan.height * (plan.is_finest ? 1 : 2) * static_cast<int64_t>(sizeof(uint));
}

int64_t detail_bytes(const ScalePlan& plan, bool is_summed) {
  const int64_t words =
      is_summed ? band_words(area_of(plan)) * static_cast<int64_t>(kBands) * (plan.is_finest ? 1 : 2) : 1;
  return words * static_cast<int64_t>(sizeof(uint));
}

int64_t sum_bytes(const ScalePlan& plan, bool is_summed) {
  const int64_t sums = is_summed ? int64_t{kKinds} * strip_count(plan) * plan.rows.size() : 1;
  return sums * static_cast<int64_t>(sizeof(uvec2));
}

int64_t flag_bytes(const AdmPlan& plan) {
  const vulkan::Groups groups = fine_groups(plan.scales[0]);
  return int64_t{groups.x} * groups.y * static_cast<int64_t>(sizeof(uint));
}

int64_t detail_word(const ScalePlan& plan, const DetailPlace& place) {
  HWY_DASSERT(plan.masking_rows.contains(place.row) && plan.masking_columns.contains(place.column));
  const DetailArea area = area_of(plan);
  const int64_t band =
      static_cast<int64_t>(place.band + (place.is_distorted && !plan.is_finest ? kBands : 0));
  const int first_row = plan.masking_rows.first / int{kRowAlignment} * int{kRowAlignment};
  return band * band_words(area) + int64_t{place.column - plan.masking_columns.first} * area.pitch +
         place.row - first_row;
}

// fine_decouple and fine_weigh, or coarse_decouple and coarse_weigh, then reference_cubes and masked_cubes.
CubesPass::CubesPass(vulkan::Context& context, const AdmPlan& plan, int scale)
    : plan_(plan.scales[static_cast<size_t>(scale)]),
      pipeline_(context.pipeline(scale == 0 ? shaders::kAdmFineCubes : shaders::kAdmCoarseCubes,
                                 {is_whole(plan.options.gain_limit), plan.options.skip_aim ? 0U : 1U})) {}

void CubesPass::record(vulkan::Recorder& recorder, const vulkan::Buffer& detail,
                       const vulkan::Buffer& sums) const {
  const Gain gain = gain_of(plan_.gain_limit);
  const CubesPush push{.width = as_uint(plan_.width),
                       .height = as_uint(plan_.height),
                       .first_row = as_uint(plan_.rows.first),
                       .end_row = as_uint(plan_.rows.end),
                       .first_column = as_uint(plan_.columns.first),
                       .end_column = as_uint(plan_.columns.end),
                       .area = area_of(plan_),
                       .strip = as_uint(strip_columns(plan_)),
                       .straight_factor = plan_.factors[0],
                       .diagonal_factor = plan_.factors[2],
                       .reference_square = as_uint(plan_.reference.square),
                       .reference_cube = as_uint(plan_.reference.cube),
                       .square_straight = as_uint(plan_.masked[0].square),
                       .square_diagonal = as_uint(plan_.masked[2].square),
                       .cube_straight = as_uint(plan_.masked[0].cube),
                       .cube_diagonal = as_uint(plan_.masked[2].cube),
                       .gain = gain.gain,
                       .gain_high = gain.high,
                       .gain_shift = gain.shift};
  recorder.pass(pipeline_, {&detail, &sums}).run(push, {strip_count(plan_), as_uint(row_groups(plan_))});
}

AddRowsPass::AddRowsPass(vulkan::Context& context, const AdmPlan& plan)
    : plan_(plan), pipeline_(context.pipeline(shaders::kAdmAddRows)) {}

int64_t AddRowsPass::result_bytes() const {
  return (int64_t{push_of(plan_).flags_at} + 1) * static_cast<int64_t>(sizeof(uvec2));
}

void AddRowsPass::record(vulkan::Recorder& recorder, const std::array<vulkan::Buffer, kScales>& sums,
                         const vulkan::Buffer& flags, const vulkan::Buffer& results) const {
  const AddRowsPush push = push_of(plan_);
  uint blocks = 1;
  for (const RowSums& rows : push.scales) blocks = std::max(blocks, blocks_of(rows));
  const uint kinds = plan_.options.skip_aim ? kKinds - kBands : kKinds;
  recorder.pass(pipeline_, {&sums[0], &sums[1], &sums[2], &sums[3], &flags, &results})
      .run(push, {blocks, kinds, kScales + 1});
}

FrameSums AddRowsPass::sums(const std::byte* results) const {
  const AddRowsPush push = push_of(plan_);
  const size_t kinds = plan_.options.skip_aim ? kKinds - kBands : kKinds;
  FrameSums sums = {};
  for (size_t scale = 0; scale < kScales; ++scale) {
    const uint first = push.scales[scale].first, blocks = blocks_of(push.scales[scale]);
    std::array<uint64_t, kKinds> all = {};
    for (size_t kind = 0; kind < kinds; ++kind) {
      for (uint i = 0; i < blocks; ++i) {
        const uvec2 words = result_at(results, first + static_cast<uint>(kind) * blocks + i);
        all[kind] += uint64_t{words.y} << 32 | words.x;
      }
    }
    for (size_t i = 0; i < kBands; ++i) {
      sums[scale].reference[i] = all[i];
      sums[scale].restored[i] = static_cast<int64_t>(all[kBands + i]);
      sums[scale].added[i] = static_cast<int64_t>(all[2 * kBands + i]);
    }
  }
  return sums;
}

bool AddRowsPass::has_samples_beyond(const std::byte* results) const {
  return result_at(results, push_of(plan_).flags_at).x != 0;
}

namespace {

const vulkan::Pipeline& fine_wavelet(vulkan::Context& context, const AdmPlan& plan, const Operand& reference,
                                     const Operand& distorted) {
  const auto bytes = [](const Operand& operand) { return as_uint(operand.plane.layout.sample_bytes); };
  // Samples of one byte have no bits beyond their depth.
  const auto depth = [](const Operand& operand) {
    return operand.plane.layout.sample_bytes == 1 ? 16 : as_uint(operand.bit_depth);
  };
  return context.pipeline(shaders::kAdmFineWavelet,
                          {bytes(reference), bytes(distorted), reference.shift, distorted.shift,
                           plan.scales[0].wavelet.vertical, depth(reference), depth(distorted)});
}

// The finest scale's bands of both videos.
class FineWaveletPass {
 public:
  FineWaveletPass(vulkan::Context& context, const AdmPlan& plan, const Operand& reference,
                  const Operand& distorted)
      : plan_(plan),
        reference_(reference.plane),
        distorted_(distorted.plane),
        pipeline_(fine_wavelet(context, plan, reference, distorted)) {}

  void record(vulkan::Recorder& recorder, const vulkan::Buffer& band, const vulkan::Buffer& detail,
              const vulkan::Buffer& flags) const {
    const ScalePlan& plan = plan_.scales[0];
    const FineWaveletPush push{.stride_reference = reference_.stride(),
                               .stride_distorted = distorted_.stride(),
                               .width = as_uint(plan.input_width),
                               .height = as_uint(plan.input_height),
                               .band_width = as_uint(plan.width),
                               .band_height = as_uint(plan.height),
                               .area = is_summed(plan_, 0) ? area_of(plan) : DetailArea{}};
    recorder.pass(pipeline_, {&reference_.buffer, &distorted_.buffer, &band, &detail, &flags})
        .run(push, fine_groups(plan));
  }

 private:
  const AdmPlan& plan_;
  const vulkan::DevicePlane &reference_, &distorted_;
  const vulkan::Pipeline& pipeline_;
};

// A coarser scale's bands of both videos, from band a of the next finer one.
class CoarseWaveletPass {
 public:
  CoarseWaveletPass(vulkan::Context& context, const ScalePlan& plan, int scale)
      : plan_(plan),
        pipeline_(context.pipeline(
            shaders::kAdmCoarseWavelet,
            {scale == 1, plan.wavelet.vertical, plan.wavelet.horizontal, scale + 1 < kScales})) {}

  // `band` is left alone at the last scale.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& input, const vulkan::Buffer& band,
              const vulkan::Buffer& detail) const {
    const CoarseWaveletPush push{.width = as_uint(plan_.input_width),
                                 .height = as_uint(plan_.input_height),
                                 .band_width = as_uint(plan_.width),
                                 .band_height = as_uint(plan_.height),
                                 .area = area_of(plan_)};
    recorder.pass(pipeline_, {&input, &band, &detail})
        .run(push, {vulkan::groups_for(plan_.width, kCoarseColumns),
                    vulkan::groups_for(plan_.height, kCoarseRows), 2});
  }

 private:
  const ScalePlan& plan_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace
}  // namespace vq::adm::gpu

namespace vq::adm {
namespace {

bool are_same(const FrameSums& a, const FrameSums& b) {
  for (size_t i = 0; i < kScales; ++i) {
    if (a[i].reference != b[i].reference || a[i].restored != b[i].restored || a[i].added != b[i].added)
      return false;
  }
  return true;
}

// The passes of a slot, and what they work on.
class AdmWork final : public DeviceWork {
 public:
  AdmWork(const AdmPlan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan),
        fine_wavelet_(
            context, plan_,
            operand(frame.needed_reference(), plan_.videos.reference_shift, plan_.formats.reference.value()),
            operand(frame.distorted, plan_.videos.distorted_shift, plan_.formats.distorted)),
        add_rows_(context, plan_) {
    const auto make = [&](int64_t bytes) {
      return vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    };
    for (int scale = 0; scale < kScales; ++scale) {
      const auto i = static_cast<size_t>(scale);
      if (scale > 0) coarse_wavelets_.emplace_back(context, plan_.scales[i], scale);
      cubes_.emplace_back(context, plan_, scale);
      const bool is_summed = gpu::is_summed(plan_, scale);
      if (scale + 1 < kScales) bands_[i] = make(gpu::band_bytes(plan_.scales[i]));
      details_[i] = make(gpu::detail_bytes(plan_.scales[i], is_summed));
      sums_[i] = make(gpu::sum_bytes(plan_.scales[i], is_summed));
    }
    flags_ = make(gpu::flag_bytes(plan_));
    results_ = make(add_rows_.result_bytes());
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, add_rows_.result_bytes());
  }

  // The scales' sums need no more than their own detail, so that they are made side by side.
  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("wavelet");
    fine_wavelet_.record(recorder, bands_[0], details_[0], flags_);
    for (size_t i = 1; i < kScales; ++i) {
      const vulkan::Buffer& band = i + 1 < kScales ? bands_[i] : details_[i];
      coarse_wavelets_[i - 1].record(recorder, bands_[i - 1], band, details_[i]);
    }
    recorder.begin_stage("cubes");
    for (size_t i = 0; i < kScales; ++i) {
      if (gpu::is_summed(plan_, static_cast<int>(i))) cubes_[i].record(recorder, details_[i], sums_[i]);
    }
    recorder.begin_stage("rows");
    add_rows_.record(recorder, sums_, flags_, results_);
    recorder.begin_stage("readback");
    recorder.copy(results_, readback_);
  }

  FrameResult finish(const FramePair& frames) override {
    if (add_rows_.has_samples_beyond(readback_.mapped())) {
      refuse_luma({{frames.distorted, plan_.formats.distorted},
                   {frames.reference.value(), plan_.formats.reference.value()}});
    }
    return {.values = frame_scores(plan_, sums())};
  }

  // The start-up check: small pictures of the videos' depths are compared on the device and on the CPU, with
  // the run's options.
  static void check(vulkan::Context& context, const AdmPlan& of_run, const VideoFormats& formats) {
    const CheckFrames frames(context, formats, {.reference = true});
    const AdmPlan plan = make_plan(of_run.options, frames.formats());
    AdmWork work(plan, context, frames.on_device());
    frames.run(work);
    Workspace workspace(plan);
    const FrameSums expected = sum_frame({frames.reference().frame().luma(), plan.videos.reference_shift},
                                         {frames.distorted().frame().luma(), plan.videos.distorted_shift},
                                         plan, scalar::kStages, workspace);
    context.require_same(are_same(work.sums(), expected), "sums");
  }

 private:
  FrameSums sums() const { return add_rows_.sums(readback_.mapped()); }

  static Operand operand(const vulkan::DevicePicture& picture, int shift, const VideoFormat& video) {
    return {picture.plane(0), shift, video.bit_depth};
  }

  const AdmPlan& plan_;
  const gpu::FineWaveletPass fine_wavelet_;
  std::vector<gpu::CoarseWaveletPass> coarse_wavelets_;
  std::vector<gpu::CubesPass> cubes_;
  const gpu::AddRowsPass add_rows_;
  std::array<vulkan::Buffer, kScales> bands_, details_, sums_;
  vulkan::Buffer flags_, results_, readback_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Adm, AdmWork, shaders::kAdmFineWavelet, shaders::kAdmCoarseWavelet,
                    shaders::kAdmFineCubes, shaders::kAdmCoarseCubes, shaders::kAdmAddRows>();

}  // namespace vq::adm
