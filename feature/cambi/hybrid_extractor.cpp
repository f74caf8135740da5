#include "feature/cambi/hybrid_extractor.h"

#include <algorithm>

#include "core/worker_pool.h"
#include "feature/cambi/device_check.h"
#include "feature/cambi/device_extractor.h"
#include "feature/cambi/readback.h"

namespace vq::cambi {
namespace {

// What the slots of one extractor share. Members are in the order they need each other.
struct Shared {
  Shared(std::shared_ptr<vulkan::Device> device, const CambiOptions& with, const InputFormats& formats,
         const Execution& on)
      : options(with),
        plans(make_plans(with, formats)),
        execution(on),
        name(formats.distorted.name),
        source_name(formats.reference ? formats.reference->name : name),
        host(on),
        workspaces(plans, WorkspaceUse::kScalesOnly, on.pool->size()),
        kernels(std::move(device)) {
    gpu::check_device(kernels, plans.distorted);
    if (plans.source) gpu::check_device(kernels, *plans.source);
  }

  const CambiOptions options;
  const CambiPlans plans;
  const Execution execution;
  const std::string name, source_name;
  const HostStages host;
  WorkspacePool workspaces;
  gpu::Kernels kernels;
};

// With one thread a second frame keeps the device busy; several may all be waiting for theirs.
size_t frames_ahead(const WorkerPool& pool) {
  return pool.size() == 1 ? 1 : 3;
}

// One for each frame a thread may be finishing beside.
size_t slot_count(const WorkerPool& pool) {
  return static_cast<size_t>(pool.size()) + frames_ahead(pool);
}

int64_t samples_of(const CambiPlan& plan) {
  return int64_t{plan.input_width} * plan.input_height + int64_t{plan.width} * plan.height;
}

// A picture in flight and where its images and masks come back.
struct PictureInFlight {
  PictureInFlight(gpu::Kernels& kernels, const CambiPlan& with)
      : plan(with), picture(kernels, with), readback(kernels.device(), picture) {}

  void record(vulkan::Recorder& recorder) {
    picture.record(recorder);
    readback.record(recorder);
  }

  double score(const Frame& frame, const CambiStages& stages, Workspace& workspace,
               HeatmapPlanes& heatmaps) const {
    if (readback.has_excess()) throw_excess(frame.luma(), plan.input_depth);
    ScaleSums sums{};
    for (int k = 0; k < kScales; ++k) {
      sums[static_cast<size_t>(k)] =
          score_scale(readback.image(k), readback.mask(k), k, plan, stages, workspace, heatmaps);
    }
    return frame_score(plan, sums);
  }

  const CambiPlan& plan;
  gpu::Picture picture;
  gpu::Readback readback;
};

class HybridSlot final : public FrameSlot {
 public:
  explicit HybridSlot(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), distorted_(shared_->kernels, shared_->plans.distorted) {
    timeout_samples_ = samples_of(distorted_.plan);
    vulkan::Recorder recorder(shared_->kernels.device());
    distorted_.record(recorder);
    if (shared_->plans.source) {
      source_ = std::make_unique<PictureInFlight>(shared_->kernels, *shared_->plans.source);
      source_->record(recorder);
      timeout_samples_ += samples_of(source_->plan);
    }
    list_ = recorder.finish();
  }

  void start(const FrameJob& job) override {
    uploaded_ = distorted_.picture.upload(job.frames.distorted.luma());
    if (source_) uploaded_ += source_->picture.upload(reference_of(job).luma());
    list_.submit();
  }

  void finish(FrameJob& job) override {
    const Frame& frame = job.frames.distorted;
    try {
      list_.wait(device_timeout(timeout_samples_));
    } catch (const Error& error) {
      throw at_frame(error, shared_->name, frame.index);
    }
    if (shared_->execution.heatmaps) job.heatmaps = make_heatmap_planes(distorted_.plan);
    Borrowed workspace(shared_->workspaces);
    const double distorted = score({distorted_, shared_->name}, frame, *workspace, job.heatmaps);
    std::optional<double> source;
    if (source_) {
      HeatmapPlanes none;
      source = score({*source_, shared_->source_name}, reference_of(job), *workspace, none);
    }
    job.values = reported_scores(shared_->options, distorted, source);
    job.release_frames();
  }

  const std::vector<vulkan::StageTime>& times() const override { return list_.times(); }
  int64_t bytes_uploaded() const override { return uploaded_; }
  int64_t bytes_read() const override {
    return distorted_.readback.bytes() + (source_ ? source_->readback.bytes() : 0);
  }

 private:
  struct Video {
    const PictureInFlight& picture;
    const std::string& name;
  };

  static const Frame& reference_of(const FrameJob& job) {
    return job.frames.reference ? *job.frames.reference : job.frames.distorted;
  }

  double score(const Video& video, const Frame& frame, Workspace& workspace, HeatmapPlanes& heatmaps) const {
    try {
      return video.picture.score(frame, shared_->host.stages, workspace, heatmaps);
    } catch (const Error& error) {
      throw at_frame(error, video.name, frame.index);
    }
  }

  std::shared_ptr<Shared> shared_;
  PictureInFlight distorted_;
  std::unique_ptr<PictureInFlight> source_;
  vulkan::CommandList list_;
  int64_t timeout_samples_ = 0;
  int64_t uploaded_ = 0;
};

// As many as are wanted, or as the device can have buffers for; at least one.
std::vector<std::unique_ptr<FrameSlot>> make_slots(const std::shared_ptr<Shared>& shared, size_t wanted) {
  constexpr int64_t kSpare = 8;  // buffers that are there only while a slot is made
  const vulkan::Device& device = *shared->kernels.device();
  std::vector<std::unique_ptr<FrameSlot>> slots;
  for (int64_t needed = 0; slots.empty() || (slots.size() < wanted && device.buffers_left() >= needed);) {
    const int64_t before = device.buffers_left();
    slots.push_back(std::make_unique<HybridSlot>(shared));
    needed = before - device.buffers_left() + kSpare;
  }
  return slots;
}

int64_t picture_bytes(const CambiPlan& plan) {
  const auto plane = [](int64_t width, int64_t height, int64_t bytes) {
    return gpu::Layout{static_cast<int>(width), static_cast<int>(height), static_cast<int>(bytes)}.bytes();
  };
  const int64_t luma = plane(plan.input_width, plan.input_height, plan.input_depth == 8 ? 1 : 2);
  int64_t total = 2 * luma + plane(plan.width, plan.height, 2) + plane(plan.width, plan.height, 1);
  // Each scale on the device and read back.
  for (const ScalePlan& scale : plan.scales) {
    total += 2 * (plane(scale.width, scale.height, 2) + plane(scale.width, scale.height, 1));
  }
  return total;
}

}  // namespace

std::unique_ptr<FeatureExtractor> make_hybrid_extractor(const CambiOptions& options,
                                                        const InputFormats& formats,
                                                        const Execution& execution) {
  make_plans(options, formats);  // what is wrong with the inputs comes before what is wrong with the machine
  return make_hybrid_extractor_on(
      vulkan::Device::open({.selector = execution.device, .requirement = hybrid_requirement()}), options,
      formats, execution);
}

std::unique_ptr<FeatureExtractor> make_hybrid_extractor_on(const std::shared_ptr<vulkan::Device>& device,
                                                           const CambiOptions& options,
                                                           const InputFormats& formats,
                                                           const Execution& execution) {
  const auto shared = std::make_shared<Shared>(device, options, formats, execution);
  std::vector<std::unique_ptr<FrameSlot>> slots = make_slots(shared, slot_count(*execution.pool));
  DeviceRun run{.pool = execution.pool,
                .report = {.backend = std::string(to_string(Backend::kHybrid)),
                           .simd = shared->host.name,
                           .device = device->info().name,
                           .driver = device->info().driver},
                .video = shared->name,
                .scores_reference = options.full_ref,
                .frames_ahead = std::min(frames_ahead(*execution.pool), slots.size() - 1)};
  return make_device_extractor(std::move(run), std::move(slots));
}

vulkan::Requirement hybrid_requirement() {
  return gpu::unsupported_by_stages;
}

int64_t hybrid_extractor_bytes(const CambiPlans& plans, const Execution& execution) {
  const size_t slots = slot_count(*execution.pool);
  const int64_t frame = picture_bytes(plans.distorted) + (plans.source ? picture_bytes(*plans.source) : 0);
  return static_cast<int64_t>(slots) * frame +
         (execution.heatmaps ? heatmap_bytes(plans.distorted, slots) : 0) +
         execution.pool->size() * Workspace::bytes(plans, WorkspaceUse::kScalesOnly);
}

}  // namespace vq::cambi
