#include <array>

#include "feature/device_feature.h"
#include "feature/light/device.h"
#include "feature/light_level/light_level.h"
// Made by the build from shaders/.
#include "shaders/light_level_levels.h"
#include "shaders/light_to_light.h"
#include "vulkan/shader.h"

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

  // The start-up check: a small picture of the video's format, on the device and on the CPU.
  static void check(vulkan::Context& context, const Plan& of_run, const VideoFormats& formats) {
    CheckPicture picture(context, formats.distorted, kMaxPlanes, 1);
    Plan plan = of_run;
    plan.conversion = light::make_conversion(of_run.conversion.reading, picture.format());
    LightLevelWork work(plan, context, {picture.on_device()});
    run_once(context, std::array{&picture}, work);
    const FramePair pair{.distorted = picture.frame(), .reference = {}};
    const FrameResult expected = make_host_feature(plan, {.backend = Backend::kScalar})->score(pair),
                      found = work.finish(pair);
    context.require_same(found.values == expected.values && found.tallies == expected.tallies,
                         "light levels");
  }

 private:
  const Plan& plan_;
  const light::gpu::ToLightPass to_light_;
  const light::gpu::LightPlanes light_;
  const vulkan::Pipeline& levels_;
  const light::gpu::AmountCounts counts_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<LightLevel, LightLevelWork, shaders::kLightToLight, shaders::kLightLevelLevels>();

}  // namespace vq::light_level
