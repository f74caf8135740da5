#include "feature/light/device.h"
#include "feature/device_feature.h"
#include "feature/light_level/light_level.h"
#include "shaders/light_level_levels.h"
#include "shaders/light_to_light.h"

namespace vq::light_level {
namespace {

// The passes of a slot.
class LightLevelWork final : public DeviceWork {
 public:
  LightLevelWork(const Plan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan),
        to_light_(context, frame.distorted, plan.conversion),
        light_(light::gpu::make_planes(context, light::gpu::layout_of(plan.conversion.size))),
        levels_(context.pipeline(shaders::kLightLevelLevels)),
        counts_(context, plan.conversion.size) {}

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("light");
    to_light_.record(recorder, light_);
    recorder.begin_stage("levels");
    counts_.record(recorder, levels_, {&light_[0], &light_[1], &light_[2]}, plan_.factor);
    recorder.begin_stage(kReadbackStage);
    counts_.record_readback(recorder);
  }

  FrameResult finish(const FramePair&) override { return frame_result(counts_.amounts()); }

  static void check_stages(vulkan::Context& context, const Plan& plan, const VideoFormats& formats) {
    light::gpu::check_to_light(context, formats, plan.conversion);
  }

 private:
  const Plan& plan_;
  const light::gpu::ToLightPass to_light_;
  const light::gpu::LightPlanes light_;
  const vulkan::Pipeline& levels_;
  const light::gpu::AmountCounts counts_;
};

}  // namespace

const DeviceSupport kDeviceSupport = describe_device<feature_info, LightLevel, LightLevelWork,
                                                     shaders::kLightToLight, shaders::kLightLevelLevels>();

}  // namespace vq::light_level
