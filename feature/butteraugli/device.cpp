#include "feature/butteraugli/device.h"

#include <array>
#include <optional>

#include "feature/butteraugli/butteraugli.h"
#include "feature/butteraugli/host.h"
#include "feature/device_feature.h"
#include "feature/start_up_check.h"

namespace vq::butteraugli {
namespace {

struct Setting {
  ButteraugliPlan plan;
  bool draws = false;
};

// The passes of a slot; none for pictures whose map is 0.
class ButteraugliWork final : public DeviceWork {
 public:
  ButteraugliWork(const Setting& setting, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(setting.plan), draws_(setting.draws) {
    if (plan_.scales.empty()) return;
    map_.emplace(context, plan_, draws_);
    reference_.emplace(context, frame.needed_reference(), plan_.reference);
    distorted_.emplace(context, frame.distorted, plan_.distorted);
  }

  void record(vulkan::Recorder& recorder) override {
    if (!map_) return;
    recorder.begin_stage(kLightStage);
    reference_->record(recorder, map_->reference_light());
    distorted_->record(recorder, map_->distorted_light());
    map_->record_halves(recorder);
    map_->record_bands(recorder);
    recorder.begin_stage(kReadbackStage);
    map_->record_readback(recorder);
  }

  FrameResult finish(const FramePair&) override {
    FrameResult result{.values = values_of(map_ ? figures_of(map_->tiles(), plan_.size) : Figures())};
    if (!draws_) return result;
    Plane<uint16_t>& drawn = result.heatmaps.emplace_back(plan_.size.width, plan_.size.height);
    for (int y = 0; map_ && y < plan_.size.height; ++y)
      draw_heatmap_row(map_->map().row(y), plan_.size.width, drawn.row(y));
    return result;
  }
  int64_t bytes_read() const override { return map_ ? map_->bytes_read() : 0; }

 private:
  const ButteraugliPlan& plan_;
  const bool draws_;
  std::optional<gpu::MapPasses> map_;
  std::optional<light::gpu::ToLightPass> reference_, distorted_;
};

// The start-up check: small pictures of the videos' formats are compared on the device and by the scalar
// stages. All four figures have the same bits only if the whole map has.
void check_device(const OptionSet& set, const VideoFormats& formats, vulkan::Context& context) {
  const auto picture = [&](const VideoFormat& format, uint32_t seed) {
    return std::make_unique<CheckPicture>(context, format, kMaxPlanes, seed);
  };
  const auto distorted = picture(formats.distorted, 1), reference = picture(formats.reference.value(), 2);
  const Setting setting{.plan = make_plan(set, {distorted->format(), reference->format()})};
  ButteraugliWork work(setting, context, {distorted->on_device(), &reference->on_device()});
  run_once(context, std::array{distorted.get(), reference.get()}, work);
  const FramePair frames{.distorted = distorted->frame(), .reference = reference->frame()};
  const FrameResult expected = make_host_feature(setting.plan, {.backend = Backend::kScalar})->score(frames);
  context.require_same(work.finish(frames).values == expected.values, "differences");
}

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  const std::string light = light::gpu::unsupported_by_stage(device);
  return light.empty() ? gpu::unsupported_by_stages(device) : light;
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const VideoFormats& formats,
                                    const Execution& execution, vulkan::Context& context) {
  check_device(set, formats, context);
  return make_plain_feature<ButteraugliWork>(
      Setting{.plan = make_plan(set, formats), .draws = execution.heatmaps}, context);
}

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  const ButteraugliPlan plan = make_plan(set, formats);
  return {.each_slot = gpu::MapPasses::bytes(plan, execution.heatmaps),
          .each_result = heatmap_bytes(plan.size, execution),
          .largest_buffer = light::gpu::layout_of(plan.size).bytes()};
}

}  // namespace

const DeviceSupport kDeviceSupport = {.unsupported = unsupported, .make = make, .memory = memory};

}  // namespace vq::butteraugli
