#include "feature/speed/speed.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/workspace_pool.h"
#include "feature/device_feature.h"
#include "feature/simd_targets.h"
#include "feature/speed/device.h"
#include "feature/speed/device_inputs.h"
#include "feature/stage_clock.h"
#include "feature/start_up_check.h"

namespace vq::speed {
namespace {

// What the device has left of a frame, and memory for the rest.
struct FrameWorkspace {
  FrameWorkspace(const SpeedPlan& plan, size_t inputs)
      : figures(plan.plane),
        floats(static_cast<size_t>(gpu::reduced_bytes(plan.plane)) / sizeof(float)),
        reduced(inputs * floats) {}
  FigureWorkspace figures;
  size_t floats;  // of each input
  std::vector<float> reduced;
};

// What the work of all slots shares.
class Shared {
 public:
  Shared(const Kind& of, const SpeedPlan& with, const Execution& execution, vulkan::Context& in)
      : kind(of),
        plan(with),
        context(in),
        stages_(stages_for(execution)),
        reader_(stages_, plan),
        workspaces_([this] { return std::make_unique<FrameWorkspace>(plan, kind.inputs); }),
        times_(execution.time_stages) {}

  WorkspacePool<FrameWorkspace>::Loan workspace() { return workspaces_.take(); }

  FrameResult result(FrameWorkspace& workspace) {
    return times_.time(kWholeStage, [&] {
      std::vector<PlaneScore> scores;
      for (size_t i = 0; i < kind.inputs; i += 2) {
        figures(workspace, i, workspace.figures.reference);
        figures(workspace, i + 1, workspace.figures.distorted);
        scores.push_back(plane_score(plan, workspace.figures.reference, workspace.figures.distorted));
      }
      return FrameResult{.values = kind.values(plan, scores)};
    });
  }

  std::vector<StageTotal> stage_times() const { return times_.totals(); }

  const Kind& kind;  // outlives this
  const SpeedPlan plan;
  vulkan::Context& context;

 private:
  void figures(FrameWorkspace& workspace, size_t input, PlaneFigures& out) const {
    const float* const reduced = workspace.reduced.data() + input * workspace.floats;
    reader_.figures(gpu::reduced_plane(plan.plane, reduced), workspace.figures, out);
  }

  const SpeedStages stages_;
  const PlaneReader reader_;
  WorkspacePool<FrameWorkspace> workspaces_;
  StageTimes times_;
};

class SpeedRest final : public HostFinish {
 public:
  SpeedRest(Shared& shared, WorkspacePool<FrameWorkspace>::Loan workspace)
      : shared_(shared), workspace_(std::move(workspace)) {}
  FrameResult finish() override { return shared_.result(*workspace_); }

 private:
  Shared& shared_;
  const WorkspacePool<FrameWorkspace>::Loan workspace_;
};

// The passes of all inputs of a slot, and where what they keep goes.
class SpeedWork final : public DeviceWork {
 public:
  SpeedWork(Shared& shared, const DeviceFrame& frame) : shared_(shared) {
    const SpeedPlan& plan = shared.plan;
    const int64_t bytes = gpu::reduced_bytes(plan.plane);
    for (size_t i = 0; i < shared.kind.inputs; ++i) {
      const Input input = shared.kind.input(plan.options, i);
      const auto operand = [&](Picture picture) {
        return gpu::Operand{picture_of(frame, picture).plane(static_cast<int>(input.plane)),
                            depth_of(plan, picture)};
      };
      gpu::ReduceInput planes{.plane = operand(input.picture)};
      if (input.subtracted) planes.subtracted.emplace(operand(*input.subtracted));
      passes_.emplace_back(shared.context, plan.plane, planes);
      reduced_.emplace_back(shared.context.device(), vulkan::Memory::kDevice, bytes);
    }
    readback_ = vulkan::Buffer(shared.context.device(), vulkan::Memory::kReadback, bytes_read());
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("reduce");
    for (size_t i = 0; i < passes_.size(); ++i) passes_[i].record(recorder, reduced_[i]);
    recorder.begin_stage("readback");
    std::vector<vulkan::Copy> copies;
    for (const vulkan::Buffer& each : reduced_) {
      const int64_t before = static_cast<int64_t>(copies.size()) * each.bytes();
      copies.push_back({.from = &each, .to = &readback_, .to_offset = before, .bytes = each.bytes()});
    }
    recorder.copy(copies);
  }

  std::unique_ptr<HostFinish> take(const FramePair& frames) override {
    if (shared_.kind.looks_back && (frames.references_before.empty() || frames.distorted_before.empty()))
      return nullptr;
    auto workspace = shared_.workspace();
    std::memcpy(workspace->reduced.data(), readback_.mapped(), static_cast<size_t>(readback_.bytes()));
    return std::make_unique<SpeedRest>(shared_, std::move(workspace));
  }
  FrameResult finish(const FramePair& frames) override {
    const std::unique_ptr<HostFinish> rest = take(frames);
    return rest ? rest->finish() : FrameResult{.values = {0}};
  }
  int64_t bytes_read() const override {
    return static_cast<int64_t>(shared_.kind.inputs) * gpu::reduced_bytes(shared_.plan.plane);
  }

  // Of an input. Valid after what was recorded has run.
  PlaneView<const float> reduced(size_t input) const {
    const PlanePlan& plane = shared_.plan.plane;
    const std::byte* const at = readback_.mapped() + static_cast<int64_t>(input) * gpu::reduced_bytes(plane);
    return gpu::reduced_plane(plane, reinterpret_cast<const float*>(at));
  }

 private:
  Shared& shared_;
  std::vector<gpu::ReducePass> passes_;
  std::vector<vulkan::Buffer> reduced_;
  vulkan::Buffer readback_;
};

// A small picture of either video, and of the frame before where that counts, in the order of Picture.
std::vector<std::unique_ptr<CheckPicture>> check_pictures(const Kind& kind, const VideoFormats& formats,
                                                          const vulkan::Context& context) {
  std::vector<std::unique_ptr<CheckPicture>> pictures;
  for (int before = 0; before <= static_cast<int>(kind.looks_back); ++before) {
    for (const VideoFormat* format : {&*formats.reference, &formats.distorted}) {
      const auto seed = static_cast<uint32_t>(pictures.size() + 1);
      pictures.push_back(std::make_unique<CheckPicture>(context, *format, kind.planes, seed));
    }
  }
  return pictures;
}

DeviceFrame frame_of(const std::vector<std::unique_ptr<CheckPicture>>& pictures) {
  DeviceFrame frame{.distorted = pictures[1]->on_device(), .reference = &pictures[0]->on_device()};
  if (pictures.size() == 2) return frame;
  frame.references_before = {&pictures[2]->on_device()};
  frame.distorted_before = {&pictures[3]->on_device()};
  return frame;
}

// As the run's, for planes of the small pictures. Scaling is by a factor of its own: the run's may leave
// nothing of them.
SpeedPlan check_plan(const Kind& kind, SpeedPlan plan, const VideoFormat& small) {
  constexpr double kCheckScale = 1.5;
  const ChromaShifts shifts = kind.planes > 1 ? chroma_shifts(small.chroma) : ChromaShifts();
  plan.options.prescale = plan.plane.rows ? kCheckScale : 1;
  plan.plane = make_plane_plan(plan.options, {small.width >> shifts.x, small.height >> shifts.y});
  return plan;
}

// The kept samples of an input, by the scalar stages.
Plane<float> expected_of(const SpeedPlan& plan, const Input& input,
                         const std::vector<std::unique_ptr<CheckPicture>>& pictures) {
  const auto floats = [&](Picture which, int y, float* out) {
    const Frame& frame = pictures[static_cast<size_t>(which)]->frame();
    scalar::float_row(frame.planes[input.plane], y, plan.plane.source.width, depth_of(plan, which), out);
  };
  Workspace workspace(plan.plane);
  const auto source = [&](int y, float* out) {
    floats(input.picture, y, out);
    if (!input.subtracted) return;
    float* const subtracted = workspace.after.row(0);
    floats(*input.subtracted, y, subtracted);
    for (int x = 0; x < plan.plane.source.width; ++x) out[x] -= subtracted[x];
  };
  const SpeedStages stages = scalar_stages();
  PlaneReader(stages, plan).reduce(source, workspace);
  return std::move(workspace.reduced);
}

// The start-up check: small pictures of the videos' depths are reduced on the device and on the CPU.
void check_device(const Kind& kind, const SpeedPlan& of_run, const VideoFormats& formats,
                  vulkan::Context& context) {
  const std::vector<std::unique_ptr<CheckPicture>> pictures = check_pictures(kind, formats, context);
  Shared shared(kind, check_plan(kind, of_run, pictures.front()->format()), {.backend = Backend::kScalar},
                context);
  SpeedWork work(shared, frame_of(pictures));
  std::vector<CheckPicture*> all;
  for (const auto& picture : pictures) all.push_back(picture.get());
  run_once(context, all, work);
  for (size_t i = 0; i < kind.inputs; ++i) {
    const Plane<float> expected = expected_of(shared.plan, kind.input(shared.plan.options, i), pictures);
    context.require_same(same_samples<float>(work.reduced(i), expected.view()), "reduced planes");
  }
}

class SpeedDevice final : public DeviceFeature {
 public:
  SpeedDevice(const Kind& kind, const SpeedPlan& plan, const Execution& execution, vulkan::Context& context)
      : shared_(kind, plan, execution, context), simd_(host_simd(execution)) {}

  std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) override {
    return std::make_unique<SpeedWork>(shared_, frame);
  }
  std::string simd() const override { return simd_; }
  std::vector<StageTotal> host_stage_times() const override { return shared_.stage_times(); }

 private:
  Shared shared_;
  const std::string simd_;
};

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stage(device);
}

std::unique_ptr<DeviceFeature> make(const Kind& kind, const SpeedPlan& plan, const VideoFormats& formats,
                                    const Execution& execution, vulkan::Context& context) {
  check_device(kind, plan, formats, context);
  return std::make_unique<SpeedDevice>(kind, plan, execution, context);
}

std::unique_ptr<DeviceFeature> make_chroma(const OptionSet& set, const VideoFormats& formats,
                                           const Execution& execution, vulkan::Context& context) {
  return make(kChroma, make_chroma_plan(to_chroma_options(set), formats), formats, execution, context);
}
std::unique_ptr<DeviceFeature> make_temporal(const OptionSet& set, const VideoFormats& formats,
                                             const Execution& execution, vulkan::Context& context) {
  return make(kTemporal, make_temporal_plan(to_temporal_options(set), formats), formats, execution, context);
}

// What inputs leave, on the device and read back; and for each thread once more, with what it needs for the
// rest. Tables are on the device and, to be found again, on the host.
FeatureMemory memory_of(const Kind& kind, const SpeedPlan& plan, const Execution& execution) {
  constexpr int64_t kOfBuffers = 4096;
  const int64_t threads = thread_count(execution);
  const int64_t reduced = static_cast<int64_t>(kind.inputs) * gpu::reduced_bytes(plan.plane);
  return {.fixed = 2 * gpu::table_bytes(plan.plane) +
                   threads * (FigureWorkspace::bytes(plan.plane) + reduced + kOfBuffers),
          .each_slot = 2 * reduced + kOfBuffers};
}

FeatureMemory chroma_memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return memory_of(kChroma, make_chroma_plan(to_chroma_options(set), formats), execution);
}
FeatureMemory temporal_memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return memory_of(kTemporal, make_temporal_plan(to_temporal_options(set), formats), execution);
}

}  // namespace

const DeviceSupport kChromaDeviceSupport = {
    .unsupported = unsupported, .make = make_chroma, .memory = chroma_memory};
const DeviceSupport kTemporalDeviceSupport = {
    .unsupported = unsupported, .make = make_temporal, .memory = temporal_memory};

}  // namespace vq::speed
