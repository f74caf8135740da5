#include "feature/cambi/device.h"

#include "core/ordered_frames.h"
#include "core/worker_pool.h"
#include "feature/cambi/device_check.h"
#include "feature/cambi/readback.h"
#include "feature/cambi/vulkan_picture.h"
#include "feature/cambi/workspace_pool.h"

namespace vq::cambi {
namespace {

// What the work of all slots shares. Members are in the order they need each other.
struct Shared {
  Shared(const CambiOptions& with, const InputFormats& formats, const Execution& on, vulkan::Context& in)
      : options(with),
        plans(make_plans(with, formats)),
        execution(on),
        name(formats.distorted.name),
        source_name(formats.reference ? formats.reference->name : name),
        host(on),
        workspaces(plans, WorkspaceUse::kScalesOnly, is_hybrid() ? on.pool->size() : 0),
        context(in) {
    check(plans.distorted);
    if (plans.source) check(*plans.source);
  }

  bool is_hybrid() const { return execution.backend == Backend::kHybrid; }

  const CambiOptions options;
  const CambiPlans plans;
  const Execution execution;
  const std::string name, source_name;
  const HostStages host;
  WorkspacePool workspaces;
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
    if (readback_.has_excess()) throw_excess(frame.luma(), plan_.input_depth);
    Borrowed workspace(shared_.workspaces);
    ScaleSums sums{};
    for (int k = 0; k < kScales; ++k) {
      sums[static_cast<size_t>(k)] = score_scale(readback_.image(k), readback_.mask(k), k, plan_, shared_.host.stages,
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
        picture_(shared.context, plan, shared.execution.heatmaps && !plan.is_source) {}

  void record(vulkan::Recorder& recorder) override { picture_.record(recorder, luma_); }

  double score(const Frame& frame, HeatmapPlanes& heatmaps) override {
    const CambiPlan& plan = picture_.plan();
    if (picture_.has_excess()) throw_excess(frame.luma(), plan.input_depth);
    for (size_t k = 0; k < heatmaps.size(); ++k) {
      shared_.host.stages.heatmap(picture_.values(static_cast<int>(k)), plan.heatmap_factor, heatmaps[k].view());
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
    distorted_ = make(shared.plans.distorted, frame.distorted);
    if (shared.plans.source) {
      source_ = make(*shared.plans.source, frame.reference != nullptr ? *frame.reference : frame.distorted);
    }
  }

  void record(vulkan::Recorder& recorder) override {
    distorted_->record(recorder);
    if (source_) source_->record(recorder);
  }

  FrameResult finish(const FramePair& frames) override {
    FrameResult result;
    if (shared_.execution.heatmaps) result.heatmaps = make_heatmap_planes(shared_.plans.distorted);
    const double distorted = score(*distorted_, shared_.name, frames.distorted, result.heatmaps);
    std::optional<double> source;
    if (source_) {
      HeatmapPlanes none;
      const Frame& reference = frames.reference ? *frames.reference : frames.distorted;
      source = score(*source_, shared_.source_name, reference, none);
    }
    result.values = reported_scores(shared_.options, distorted, source);
    return result;
  }

  int64_t bytes_read() const override { return distorted_->bytes_read() + (source_ ? source_->bytes_read() : 0); }

 private:
  std::unique_ptr<PictureWork> make(const CambiPlan& plan, const vulkan::DevicePicture& picture) const {
    if (shared_.is_hybrid()) return std::make_unique<HybridPicture>(shared_, plan, picture.plane(0));
    return std::make_unique<VulkanPicture>(shared_, plan, picture.plane(0));
  }

  static double score(PictureWork& picture, const std::string& name, const Frame& frame, HeatmapPlanes& heatmaps) {
    try {
      return picture.score(frame, heatmaps);
    } catch (const Error& error) {
      throw at_frame(error, name, frame.index);
    }
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
  std::string simd() const override { return shared_.host.name; }

 private:
  Shared shared_;
};

// What a hybrid run's picture takes on the device, and what is read back of it.
int64_t hybrid_bytes(const CambiPlan& plan) {
  const auto plane = [](int width, int height, int sample_bytes) {
    return vulkan::PlaneLayout{width, height, sample_bytes}.bytes();
  };
  int64_t total = plane(plan.width, plan.height, 2) + plane(plan.width, plan.height, 1);
  for (const ScalePlan& scale : plan.scales) {
    total += 2 * (plane(scale.width, scale.height, 2) + plane(scale.width, scale.height, 1));
  }
  return total;
}

std::string unsupported(Backend backend, const vulkan::DeviceInfo& device) {
  const std::string reason = gpu::unsupported_by_stages(device);
  return reason.empty() && backend == Backend::kVulkan ? gpu::unsupported_by_scoring(device) : reason;
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const InputFormats& formats, const Execution& execution,
                                    vulkan::Context& context) {
  return make_device_feature(to_options(set), formats, execution, context);
}

}  // namespace

std::unique_ptr<DeviceFeature> make_device_feature(const CambiOptions& options, const InputFormats& formats,
                                                   const Execution& execution, vulkan::Context& context) {
  return std::make_unique<CambiDevice>(options, formats, execution, context);
}

const DeviceSupport* device_support() {
  static constexpr DeviceSupport kSupport = {.unsupported = unsupported, .make = make};
  return &kSupport;
}

FeatureMemory device_memory(const CambiPlans& plans, const Execution& execution) {
  const bool hybrid = execution.backend == Backend::kHybrid;
  const auto picture = [&](const CambiPlan& plan) {
    return hybrid ? hybrid_bytes(plan) : gpu::ScoredPicture::bytes(plan, execution.heatmaps && !plan.is_source);
  };
  return {.fixed = hybrid ? execution.pool->size() * Workspace::bytes(plans, WorkspaceUse::kScalesOnly) : 0,
          .each_slot = picture(plans.distorted) + (plans.source ? picture(*plans.source) : 0),
          .each_result = execution.heatmaps ? heatmap_bytes(plans.distorted) : 0};
}

}  // namespace vq::cambi
