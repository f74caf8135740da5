#include "feature/light/device.h"
#include "feature/device_feature.h"
#include "feature/itp/itp.h"
#include "shaders/itp_differences.h"
#include "shaders/light_to_light.h"

namespace vq::itp {
namespace {

std::vector<float> table_of(const Plan& plan) {
  std::vector<float> table;
  for (const Matrices* const matrices : {&plan.distorted_matrices, &plan.reference_matrices})
    for (const auto& row : *matrices) table.insert(table.end(), row.begin(), row.end());
  table.insert(table.end(), pq_table().begin(), pq_table().end());
  return table;
}

// The passes of a slot.
class ItpWork final : public DeviceWork {
 public:
  ItpWork(const Plan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : first_to_light_(context, frame.distorted, plan.distorted),
        second_to_light_(context, frame.needed_reference(), plan.reference),
        first_(light::gpu::make_planes(context, light::gpu::layout_of(plan.distorted.size))),
        second_(light::gpu::make_planes(context, light::gpu::layout_of(plan.distorted.size))),
        table_(context.table(table_of(plan))),
        differences_(context.pipeline(shaders::kItpDifferences)),
        counts_(context, plan.distorted.size, 2) {}

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("light");
    first_to_light_.record(recorder, first_);
    second_to_light_.record(recorder, second_);
    recorder.begin_stage("differences");
    counts_.record(recorder, differences_,
                   {&first_[0], &first_[1], &first_[2], &second_[0], &second_[1], &second_[2], &table_},
                   kDeltaE);
    recorder.begin_stage(kReadbackStage);
    counts_.record_readback(recorder);
  }

  FrameResult finish(const FramePair&) override {
    return frame_result(counts_.amounts(),
                        {.luminance = counts_.further_sum(0), .rgb = counts_.further_sum(1)});
  }

  static void check_stages(vulkan::Context& context, const Plan& plan, const VideoFormats& formats) {
    light::gpu::check_to_light(context, formats, plan.distorted, &plan.reference);
  }

 private:
  const light::gpu::ToLightPass first_to_light_, second_to_light_;
  const light::gpu::LightPlanes first_, second_;
  const vulkan::Buffer& table_;
  const vulkan::Pipeline& differences_;
  const light::gpu::AmountCounts counts_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Itp, ItpWork, shaders::kLightToLight, shaders::kItpDifferences>();

}  // namespace vq::itp
