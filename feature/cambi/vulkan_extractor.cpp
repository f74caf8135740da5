#include "feature/cambi/vulkan_extractor.h"

#include "core/error.h"
#include "core/worker_pool.h"
#include "feature/cambi/device_check.h"
#include "feature/cambi/device_extractor.h"
#include "feature/cambi/vulkan_picture.h"

namespace vq::cambi {
namespace {

// One frame being copied by the host, one that the device works on, and two that keep it from running dry.
constexpr size_t kFramesInFlight = 4;

// What the slots of one extractor share. Members are in the order they need each other.
struct Shared {
  Shared(std::shared_ptr<vulkan::Device> device, const CambiOptions& with, const InputFormats& formats,
         const Execution& on)
      : options(with),
        plans(make_plans(with, formats)),
        heatmaps(on.heatmaps),
        name(formats.distorted.name),
        source_name(formats.reference ? formats.reference->name : name),
        host(on),
        kernels(std::move(device)) {
    check(plans.distorted);
    if (plans.source) check(*plans.source);
  }

  void check(const CambiPlan& plan) {
    gpu::check_device(kernels, plan);
    gpu::check_scoring(kernels, plan);
  }

  const CambiOptions options;
  const CambiPlans plans;
  const bool heatmaps;
  const std::string name, source_name;
  const HostStages host;  // for heatmaps
  gpu::Kernels kernels;
};

int64_t samples_of(const CambiPlan& plan) {
  return int64_t{plan.input_width} * plan.input_height + int64_t{plan.width} * plan.height;
}

class GpuSlot final : public FrameSlot {
 public:
  explicit GpuSlot(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)),
        distorted_(shared_->kernels, shared_->plans.distorted, shared_->heatmaps) {
    timeout_samples_ = samples_of(distorted_.plan());
    vulkan::Recorder recorder(shared_->kernels.device());
    distorted_.record(recorder);
    if (shared_->plans.source) {
      source_ = std::make_unique<gpu::ScoredPicture>(shared_->kernels, *shared_->plans.source);
      source_->record(recorder);
      timeout_samples_ += samples_of(source_->plan());
    }
    list_ = recorder.finish();
  }

  void start(const FrameJob& job) override {
    uploaded_ = distorted_.upload(job.frames.distorted.luma());
    if (source_) uploaded_ += source_->upload(reference_of(job).luma());
    list_.submit();
  }

  void finish(FrameJob& job) override {
    const Frame& frame = job.frames.distorted;
    try {
      list_.wait(device_timeout(timeout_samples_));
    } catch (const Error& error) {
      throw at_frame(error, shared_->name, frame.index);
    }
    const double distorted = score(distorted_, shared_->name, frame);
    std::optional<double> source;
    if (source_) source = score(*source_, shared_->source_name, reference_of(job));
    if (shared_->heatmaps) draw_heatmaps(job);
    job.values = reported_scores(shared_->options, distorted, source);
    job.release_frames();
  }

  const std::vector<vulkan::StageTime>& times() const override { return list_.times(); }
  int64_t bytes_uploaded() const override { return uploaded_; }
  int64_t bytes_read() const override {
    return distorted_.bytes_read() + (source_ ? source_->bytes_read() : 0);
  }

 private:
  static const Frame& reference_of(const FrameJob& job) {
    return job.frames.reference ? *job.frames.reference : job.frames.distorted;
  }

  static double score(const gpu::ScoredPicture& picture, const std::string& name, const Frame& frame) {
    if (!picture.has_excess()) return frame_score(picture.plan(), picture.sums());
    try {
      throw_excess(frame.luma(), picture.plan().input_depth);
    } catch (const Error& error) {
      throw at_frame(error, name, frame.index);
    }
  }

  void draw_heatmaps(FrameJob& job) const {
    const CambiPlan& plan = distorted_.plan();
    job.heatmaps = make_heatmap_planes(plan);
    for (int k = 0; k < kScales; ++k) {
      shared_->host.stages.heatmap(distorted_.values(k), plan.heatmap_factor,
                                   job.heatmaps[static_cast<size_t>(k)].view());
    }
  }

  std::shared_ptr<Shared> shared_;
  gpu::ScoredPicture distorted_;
  std::unique_ptr<gpu::ScoredPicture> source_;
  vulkan::CommandList list_;
  int64_t timeout_samples_ = 0;
  int64_t uploaded_ = 0;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_vulkan_extractor(const CambiOptions& options,
                                                        const InputFormats& formats,
                                                        const Execution& execution) {
  make_plans(options, formats);  // what is wrong with the inputs comes before what is wrong with the machine
  return make_vulkan_extractor_on(
      vulkan::Device::open({.selector = execution.device, .requirement = vulkan_requirement()}), options,
      formats, execution);
}

std::unique_ptr<FeatureExtractor> make_vulkan_extractor_on(const std::shared_ptr<vulkan::Device>& device,
                                                           const CambiOptions& options,
                                                           const InputFormats& formats,
                                                           const Execution& execution) {
  const auto shared = std::make_shared<Shared>(device, options, formats, execution);
  std::vector<std::unique_ptr<FrameSlot>> slots;
  for (size_t i = 0; i < kFramesInFlight; ++i) slots.push_back(std::make_unique<GpuSlot>(shared));
  DeviceRun run{.pool = execution.pool,
                .report = {.backend = std::string(to_string(Backend::kVulkan)),
                           .simd = shared->host.name,
                           .device = device->info().name,
                           .driver = device->info().driver},
                .video = shared->name,
                .scores_reference = options.full_ref,
                .frames_ahead = kFramesInFlight - 1};
  return make_device_extractor(std::move(run), std::move(slots));
}

vulkan::Requirement vulkan_requirement() {
  return [](const vulkan::DeviceInfo& device) {
    const std::string reason = gpu::unsupported_by_stages(device);
    return reason.empty() ? gpu::unsupported_by_scoring(device) : reason;
  };
}

int64_t vulkan_extractor_bytes(const CambiPlans& plans, const Execution& execution) {
  int64_t frame = gpu::ScoredPicture::bytes(plans.distorted, execution.heatmaps);
  if (plans.source) frame += gpu::ScoredPicture::bytes(*plans.source, false);
  return static_cast<int64_t>(kFramesInFlight) * frame +
         (execution.heatmaps ? heatmap_bytes(plans.distorted, kFramesInFlight) : 0);
}

}  // namespace vq::cambi
