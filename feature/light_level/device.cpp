#include <array>

#include "feature/device_feature.h"
#include "feature/light/device.h"
#include "feature/light_level/light_level.h"
#include "shaders/light/amounts.h"
#include "shaders/light_level/shared.h"
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
        layout_(light::gpu::layout_of(plan.conversion.size)),
        light_(light::gpu::make_planes(context, layout_)),
        levels_(context.pipeline(shaders::kLightLevelLevels)),
        counts_(context, plan.conversion.size, light::gpu::kAmountWords) {}

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("light");
    to_light_.record(recorder, light_);
    recorder.begin_stage("levels");
    counts_.record_clearing(recorder);
    const LevelsPush push{.width = static_cast<uint>(layout_.width),
                          .height = static_cast<uint>(layout_.height),
                          .stride = static_cast<uint>(layout_.stride),
                          .factor = plan_.factor};
    recorder.pass(levels_, {&light_[0], &light_[1], &light_[2], &counts_.counts()})
        .run(push, counts_.groups());
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
  const light::gpu::LightLayout layout_;
  const light::gpu::LightPlanes light_;
  const vulkan::Pipeline& levels_;
  const light::gpu::AmountCounts counts_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<LightLevel, LightLevelWork, shaders::kLightToLight, shaders::kLightLevelLevels>();

}  // namespace vq::light_level
