#include "feature/cambi/feature.h"

#include <optional>

#include "core/frame_place.h"
#include "core/worker_pool.h"
#include "feature/cambi/device_check.h"
#include "feature/cambi/host.h"
#include "feature/cambi/readback.h"
#include "feature/cambi/vulkan_picture.h"
#include "feature/device_feature.h"

namespace vq::cambi {
namespace {

// What the work of all slots shares.
struct Shared {
  Shared(const CambiOptions& options, const InputFormats& formats, const Execution& execution, vulkan::Context& in)
      : run(options, formats, execution),
        context(in) {
    if (is_hybrid()) workspaces.emplace(run, WorkspaceUse::kScalesOnly);
    check(run.plans.distorted);
    if (run.plans.source) check(*run.plans.source);
  }

  bool is_hybrid() const { return run.execution.backend == Backend::kHybrid; }

  const CambiRun run;
  std::optional<WorkspacePool> workspaces;  // of a hybrid run
  vulkan::Context& context;

 private:
  void check(const CambiPlan& plan) const {
    gpu::check_stages(context, plan);
    if (!is_hybrid()) gpu::check_scoring(context, plan);
  }
};

// One video's picture in a slot.
class PictureWork {
 public:
  virtual ~PictureWork() = default;
  virtual void record(vulkan::Recorder& recorder) = 0;
  // What the host does once the device is done; fills `heatmaps` unless that is empty. Throws Error{kMismatch} for a sample
  // that exceeds its depth's maximum.
  virtual double score(const Frame& frame, HeatmapPlanes& heatmaps) = 0;
  virtual int64_t bytes_read() const = 0;
};

// Images and masks of all scales come back.
class HybridPicture final : public PictureWork {
 public:
  HybridPicture(Shared& shared, const CambiPlan& plan, const vulkan::DevicePlane& luma)
      : shared_(shared),
        plan_(plan),
        luma_(luma),
        picture_(shared.context, plan),
        readback_(shared.context.device(), picture_) {}

  void record(vulkan::Recorder& recorder) override {
    picture_.record(recorder, luma_);
    readback_.record(recorder);
  }

  double score(const Frame& frame, HeatmapPlanes& heatmaps) override {
    if (readback_.has_excess()) throw_excess(on_host(frame).luma(), plan_.input_depth);
    Borrowed workspace(*shared_.workspaces);
    ScaleSums sums{};
    for (int k = 0; k < kScales; ++k) {
      sums[static_cast<size_t>(k)] = score_scale(readback_.image(k), readback_.mask(k), k, plan_, shared_.run.host.stages,
                                                 *workspace, heatmaps);
    }
    return frame_score(plan_, sums);
  }

  int64_t bytes_read() const override { return readback_.bytes(); }

 private:
  Shared& shared_;
  const CambiPlan& plan_;
  const vulkan::DevicePlane& luma_;
  gpu::Picture picture_;
  gpu::Readback readback_;
};

// Five sums come back, and c-values where they are to be drawn.
class VulkanPicture final : public PictureWork {
 public:
  VulkanPicture(Shared& shared, const CambiPlan& plan, const vulkan::DevicePlane& luma)
      : shared_(shared),
        luma_(luma),
        picture_(shared.context, plan, shared.run.execution.heatmaps && !plan.is_source) {}

  void record(vulkan::Recorder& recorder) override { picture_.record(recorder, luma_); }

  double score(const Frame& frame, HeatmapPlanes& heatmaps) override {
    const CambiPlan& plan = picture_.plan();
    if (picture_.has_excess()) throw_excess(on_host(frame).luma(), plan.input_depth);
    for (size_t k = 0; k < heatmaps.size(); ++k) {
      shared_.run.host.stages.heatmap(picture_.values(static_cast<int>(k)), plan.heatmap_factor, heatmaps[k].view());
    }
    return frame_score(plan, picture_.sums());
  }

  int64_t bytes_read() const override { return picture_.bytes_read(); }

 private:
  const Shared& shared_;
  const vulkan::DevicePlane& luma_;
  gpu::ScoredPicture picture_;
};

class CambiWork final : public DeviceWork {
 public:
  CambiWork(Shared& shared, const DeviceFrame& frame) : shared_(shared) {
    distorted_ = make(shared.run.plans.distorted, frame.distorted);
    if (shared.run.plans.source) {
      source_ = make(*shared.run.plans.source, frame.reference != nullptr ? *frame.reference : frame.distorted);
    }
  }

  void record(vulkan::Recorder& recorder) override {
    distorted_->record(recorder);
    if (source_) source_->record(recorder);
  }

  FrameResult finish(const FramePair& frames) override {
    return score_frame(shared_.run, frames, [&](const Frame& frame, bool is_source, HeatmapPlanes& heatmaps) {
      return (is_source ? *source_ : *distorted_).score(frame, heatmaps);
    });
  }

  int64_t bytes_read() const override { return distorted_->bytes_read() + (source_ ? source_->bytes_read() : 0); }

 private:
  std::unique_ptr<PictureWork> make(const CambiPlan& plan, const vulkan::DevicePicture& picture) const {
    if (shared_.is_hybrid()) return std::make_unique<HybridPicture>(shared_, plan, picture.plane(0));
    return std::make_unique<VulkanPicture>(shared_, plan, picture.plane(0));
  }

  Shared& shared_;
  std::unique_ptr<PictureWork> distorted_, source_;
};

class CambiDevice final : public DeviceFeature {
 public:
  CambiDevice(const CambiOptions& options, const InputFormats& formats, const Execution& execution,
              vulkan::Context& context)
      : shared_(options, formats, execution, context) {}

  std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) override {
    return std::make_unique<CambiWork>(shared_, frame);
  }
  std::string simd() const override { return shared_.run.host.name; }
  std::vector<StageTotal> host_stage_times() const override {
    return shared_.workspaces ? shared_.workspaces->stage_times() : std::vector<StageTotal>();
  }

 private:
  Shared shared_;
};

std::string unsupported(Backend backend, const vulkan::DeviceInfo& device) {
  const std::string reason = gpu::unsupported_by_stages(device);
  return reason.empty() && backend == Backend::kVulkan ? gpu::unsupported_by_scoring(device) : reason;
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const InputFormats& formats, const Execution& execution,
                                    vulkan::Context& context) {
  return make_device_feature(to_options(set), formats, execution, context);
}

FeatureMemory memory(const OptionSet& set, const InputFormats& formats, const Execution& execution) {
  const CambiPlans plans = make_plans(to_options(set), formats);
  const bool hybrid = execution.backend == Backend::kHybrid;
  const auto picture = [&](const CambiPlan& plan) {
    return hybrid ? gpu::Picture::bytes(plan) + gpu::Readback::bytes(plan)
                  : gpu::ScoredPicture::bytes(plan, execution.heatmaps && !plan.is_source);
  };
  return {.fixed = hybrid ? thread_count(execution) * Workspace::bytes(plans, WorkspaceUse::kScalesOnly) : 0,
          .each_slot = picture(plans.distorted) + (plans.source ? picture(*plans.source) : 0),
          .each_result = execution.heatmaps ? heatmap_bytes(plans.distorted) : 0};
}

}  // namespace

const DeviceSupport kDeviceSupport = {.unsupported = unsupported, .make = make, .memory = memory};

std::unique_ptr<DeviceFeature> make_device_feature(const CambiOptions& options, const InputFormats& formats,
                                                   const Execution& execution, vulkan::Context& context) {
  return std::make_unique<CambiDevice>(options, formats, execution, context);
}

}  // namespace vq::cambi
