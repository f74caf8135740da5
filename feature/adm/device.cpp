#include "feature/adm/adm.h"

#include <array>

#include "feature/adm/device.h"
#include "feature/adm/host.h"
#include "feature/device_feature.h"
#include "feature/luma_range.h"
#include "feature/start_up_check.h"

namespace vq::adm {
namespace {

// What is the same for all slots.
struct AdmSetting {
  AdmPlan plan;
  VideoFormats formats;
};

// The passes of a slot, and what they work on.
class AdmWork final : public DeviceWork {
 public:
  AdmWork(const AdmSetting& setting, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(setting.plan),
        formats_(setting.formats),
        fine_wavelet_(
            context, plan_,
            operand(frame.needed_reference(), plan_.videos.reference_shift, formats_.reference.value()),
            operand(frame.distorted, plan_.videos.distorted_shift, formats_.distorted)),
        add_rows_(context, plan_) {
    const auto make = [&](int64_t bytes) {
      return vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    };
    for (int scale = 0; scale < kScales; ++scale) {
      const auto i = static_cast<size_t>(scale);
      if (scale > 0) coarse_wavelets_.emplace_back(context, plan_, scale);
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
      refuse_luma(
          {{frames.distorted, formats_.distorted}, {frames.reference.value(), formats_.reference.value()}});
    }
    return {.values = frame_scores(plan_, sums())};
  }
  int64_t bytes_read() const override { return readback_.bytes(); }

  // Valid after what was recorded has run.
  FrameSums sums() const { return add_rows_.sums(readback_.mapped()); }

 private:
  static gpu::Operand operand(const vulkan::DevicePicture& picture, int shift, const VideoFormat& video) {
    return {picture.plane(0), shift, video.bit_depth};
  }

  const AdmPlan& plan_;
  const VideoFormats& formats_;
  const gpu::FineWaveletPass fine_wavelet_;
  std::vector<gpu::CoarseWaveletPass> coarse_wavelets_;
  std::vector<gpu::CubesPass> cubes_;
  const gpu::AddRowsPass add_rows_;
  std::array<vulkan::Buffer, kScales> bands_, details_, sums_;
  vulkan::Buffer flags_, results_, readback_;
};

bool are_same(const FrameSums& a, const FrameSums& b) {
  for (size_t i = 0; i < kScales; ++i) {
    if (a[i].reference != b[i].reference || a[i].restored != b[i].restored || a[i].added != b[i].added)
      return false;
  }
  return true;
}

// The start-up check: small pictures of the videos' depths are compared on the device and on the CPU, with
// the run's options.
void check_device(vulkan::Context& context, const AdmOptions& options, const VideoFormats& formats) {
  CheckPicture distorted(context, formats.distorted, 1, 1),
      reference(context, formats.reference.value(), 1, 2);
  const VideoFormats small = {distorted.format(), reference.format()};
  const AdmSetting setting = {make_plan(options, small), small};
  const AdmPlan& plan = setting.plan;
  AdmWork work(setting, context, {.distorted = distorted.on_device(), .reference = &reference.on_device()});
  run_once(context, std::array{&distorted, &reference}, work);
  Workspace workspace(plan);
  const FrameSums expected =
      sum_frame({reference.frame().luma(), plan.videos.reference_shift},
                {distorted.frame().luma(), plan.videos.distorted_shift}, plan, scalar_stages(), workspace);
  context.require_same(are_same(work.sums(), expected), "sums");
}

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stages(device);
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const VideoFormats& formats, const Execution&,
                                    vulkan::Context& context) {
  const AdmOptions options = to_options(set);
  check_device(context, options, formats);
  return make_plain_feature<AdmWork>(AdmSetting{make_plan(options, formats), formats}, context);
}

// What a scale's buffers hold.
struct ScaleBytes {
  int64_t band = 0, detail = 0, sums = 0;
};
ScaleBytes scale_bytes(const AdmPlan& plan, int scale) {
  const ScalePlan& one = plan.scales[static_cast<size_t>(scale)];
  const bool is_summed = gpu::is_summed(plan, scale);
  return {.band = scale + 1 < kScales ? gpu::band_bytes(one) : 0,
          .detail = gpu::detail_bytes(one, is_summed),
          .sums = gpu::sum_bytes(one, is_summed)};
}

// Results are a few hundred sums.
FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution&) {
  const AdmPlan plan = make_plan(to_options(set), formats);
  int64_t bytes = gpu::flag_bytes(plan) + (1 << 16), largest = 0;
  for (int scale = 0; scale < kScales; ++scale) {
    const ScaleBytes one = scale_bytes(plan, scale);
    bytes += one.band + one.detail + one.sums;
    largest = std::max({largest, one.band, one.detail, one.sums});
  }
  return {.each_slot = bytes, .largest_buffer = largest};
}

std::vector<StageBytes> stage_bytes(const OptionSet& set, const VideoFormats& formats) {
  const AdmPlan plan = make_plan(to_options(set), formats);
  int64_t wavelet = frame_bytes(formats.distorted, 1) + frame_bytes(formats.reference.value(), 1), cubes = 0,
          rows = 0;
  for (int scale = 0; scale < kScales; ++scale) {
    const ScaleBytes one = scale_bytes(plan, scale);
    wavelet += 2 * one.band + one.detail;
    cubes += one.detail + one.sums;
    rows += one.sums;
  }
  return {{"wavelet", wavelet}, {"cubes", cubes}, {"rows", rows}};
}

}  // namespace

const DeviceSupport kDeviceSupport = {
    .unsupported = unsupported, .make = make, .memory = memory, .stage_bytes = stage_bytes};

}  // namespace vq::adm
