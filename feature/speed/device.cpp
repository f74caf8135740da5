#include "feature/speed/speed.h"

#include <numeric>

#include "shaders/speed/shared.h"
#include "shaders/speed_reduce.h"

namespace vq::speed {
namespace {

// The device's results of a frame, and memory for the rest.
struct FrameWorkspace {
  FrameWorkspace(const SpeedPlan& plan, size_t inputs)
      : figures(plan.plane),
        floats(static_cast<size_t>(gpu::reduced_bytes(plan.plane)) / sizeof(float)),
        reduced(counted_size<float>(inputs * floats)) {}
  FigureWorkspace figures;
  size_t floats;  // of each input
  std::vector<float> reduced;
};

const vulkan::DevicePicture& picture_of(const DeviceFrame& frame, Picture which) {
  switch (which) {
    case Picture::kReference:
      return frame.needed_reference();
    case Picture::kReferenceBefore:
      return *frame.references_before.front();
    case Picture::kDistortedBefore:
      return *frame.distorted_before.front();
    default:
      return frame.distorted;
  }
}

// The host's part, shared by all slots.
class SharedFigures : public SharedWork<SpeedPlan> {
 public:
  SharedFigures(const Kind& which, const SpeedPlan& with, const VideoFormats& of, const Execution& execution,
                vulkan::Context& on)
      : SharedWork(with, of, execution, on),
        kind(which),
        stages_(Stages::of(execution)),
        reader_(stages_, plan),
        workspaces_([this] { return std::make_unique<FrameWorkspace>(plan, kind.inputs); }) {}

  WorkspacePool<FrameWorkspace>::Loan workspace() { return workspaces_.take(); }

  FrameResult result(FrameWorkspace& workspace) {
    return times.time(kWholeStage, [&] {
      std::vector<PlaneScore> scores;
      for (size_t i = 0; i < kind.inputs; i += 2) {
        figures(workspace, i, workspace.figures.reference);
        figures(workspace, i + 1, workspace.figures.distorted);
        scores.push_back(plane_score(plan, workspace.figures.reference, workspace.figures.distorted));
      }
      return FrameResult{.values = kind.values(plan, scores)};
    });
  }

  const Kind& kind;  // outlives this

 private:
  void figures(FrameWorkspace& workspace, size_t input, PlaneFigures& out) const {
    const float* const reduced = workspace.reduced.data() + input * workspace.floats;
    reader_.figures(gpu::reduced_plane(plan.plane, reduced), workspace.figures, out);
  }

  const Stages stages_;
  const PlaneReader reader_;
  WorkspacePool<FrameWorkspace> workspaces_;
};

class SpeedRest final : public HostFinish {
 public:
  SpeedRest(SharedFigures& shared, WorkspacePool<FrameWorkspace>::Loan workspace)
      : shared_(shared), workspace_(std::move(workspace)) {}
  FrameResult finish() override { return shared_.result(*workspace_); }

 private:
  SharedFigures& shared_;
  const WorkspacePool<FrameWorkspace>::Loan workspace_;
};

// The passes of all inputs of a slot, and where what they keep goes.
class SpeedWork : public DeviceWork {
 public:
  SpeedWork(SharedFigures& shared, const DeviceFrame& frame) : shared_(shared) {
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
    readback_ = vulkan::Buffer(shared.context.device(), vulkan::Memory::kReadback,
                               static_cast<int64_t>(shared.kind.inputs) * bytes);
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

  // The reduced plane of an input. Valid after what was recorded has run.
  PlaneView<const float> reduced(size_t input) const {
    const PlanePlan& plane = shared_.plan.plane;
    const std::byte* const at = readback_.mapped() + static_cast<int64_t>(input) * gpu::reduced_bytes(plane);
    return gpu::reduced_plane(plane, reinterpret_cast<const float*>(at));
  }

 private:
  SharedFigures& shared_;
  std::vector<gpu::ReducePass> passes_;
  std::vector<vulkan::Buffer> reduced_;
  vulkan::Buffer readback_;
};

// As the run's, for planes of the small pictures. Scaling is by a factor of its own: the run's may leave
// nothing of them.
SpeedPlan check_plan(const Kind& kind, SpeedPlan plan, const VideoFormat& small) {
  constexpr double kCheckScale = 1.5;
  const ChromaShifts shifts = kind.planes > 1 ? chroma_shifts(small.chroma) : ChromaShifts();
  plan.options.prescale = plan.plane.rows ? kCheckScale : 1;
  plan.plane = make_plane_plan(plan.options, {small.width >> shifts.x, small.height >> shifts.y});
  return plan;
}

// The start-up check: small pictures of the videos' depths are reduced on the device and on the CPU.
void check_device(const Kind& kind, const SpeedPlan& of_run, const VideoFormats& formats,
                  vulkan::Context& context) {
  const int before = kind.looks_back ? 1 : 0;
  const CheckFrames frames(
      context, formats,
      {.planes = kind.planes, .reference = true, .before = {.distorted = before, .references = before}});
  SharedFigures shared(kind, check_plan(kind, of_run, frames.formats().distorted), frames.formats(),
                       {.backend = Backend::kScalar}, context);
  SpeedWork work(shared, frames.on_device());
  frames.run(work);
  const FramePair pair = frames.on_host();
  const SpeedPlan& plan = shared.plan;
  Workspace workspace(plan.plane);
  for (size_t i = 0; i < kind.inputs; ++i) {
    const Input input = kind.input(plan.options, i);
    PlaneReader(scalar::kStages, plan)
        .reduce(source_of(scalar::kStages, plan, input, pair, workspace), workspace);
    context.require_same(same_samples<float>(work.reduced(i), std::as_const(workspace.reduced).view()),
                         "reduced planes");
  }
}

template <const Kind& which>
class KindWork final : public SpeedWork {
 public:
  struct Shared : SharedFigures {
    Shared(const SpeedPlan& with, const VideoFormats& of, const Execution& execution, vulkan::Context& on)
        : SharedFigures(which, with, of, execution, on) {}
  };
  using SpeedWork::SpeedWork;

  static void check(vulkan::Context& context, const SpeedPlan& plan, const VideoFormats& formats) {
    check_device(which, plan, formats, context);
  }
  static std::unique_ptr<FrameWorkspace> make_workspace(const SpeedPlan& plan) {
    return std::make_unique<FrameWorkspace>(plan, which.inputs);
  }
};

}  // namespace

const DeviceSupport kChromaDeviceSupport =
    describe_device<chroma_feature_info, SpeedChroma, KindWork<kChroma>, shaders::kSpeedReduce>();
const DeviceSupport kTemporalDeviceSupport =
    describe_device<temporal_feature_info, SpeedTemporal, KindWork<kTemporal>, shaders::kSpeedReduce>();

}  // namespace vq::speed

namespace vq::speed::gpu {

static_assert(kStep == kKeptStep);
// Planes are enlarged up to four times, and every device takes 65535 work groups in each direction.
static_assert(4 * kMaxSide / kKeptStep <= 65535);

static int sample_bytes(const std::optional<Operand>& operand) {
  return operand ? operand->plane.layout.sample_bytes : 0;
}

static float scale_of(int depth) { return 1.0F / static_cast<float>(1 << (depth - 8)); }

static const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const PlanePlan& plan,
                                            const ReduceInput& input) {
  HWY_DASSERT(plan.source.width <= input.plane.plane.layout.width &&
              plan.source.height <= input.plane.plane.layout.height);
  HWY_DASSERT(plan.anti_alias.filter.taps.size() <= kGroupSize);
  return context.pipeline(
      shaders::kSpeedReduce,
      {sample_bytes(input.plane), sample_bytes(input.subtracted), plan.anti_alias.filter.taps.size(),
       plan.rows ? plan.rows->taps : 0, is_normalised(plan.method)});
}

// Taps for all columns: the plan only has those of the columns that the filter looks at.
static AxisTaps column_taps(const PlanePlan& plan) {
  std::vector<int> all(static_cast<size_t>(plan.scaled.width));
  std::iota(all.begin(), all.end(), 0);
  return axis_taps(plan.method, plan.source.width, plan.scaled.width, all);
}

// As shaders/speed/shared.h has them.
static std::vector<uint32_t> table_words(const PlanePlan& plan) {
  std::vector<uint32_t> words;
  const auto add_floats = [&](const std::vector<float>& floats) {
    std::transform(floats.begin(), floats.end(), std::back_inserter(words),
                   [](float f) { return std::bit_cast<uint32_t>(f); });
  };
  add_floats(plan.anti_alias.filter.taps);
  if (!plan.rows) return words;
  for (const AxisTaps& axis : {*plan.rows, column_taps(plan)}) {
    words.insert(words.end(), axis.index.begin(), axis.index.end());
    add_floats(axis.weight);
  }
  return words;
}

// float_row, scale_row and filter_row in one shader.
ReducePass::ReducePass(vulkan::Context& context, const PlanePlan& plan, const ReduceInput& input)
    : plan_(plan),
      input_(input),
      pipeline_(pipeline_for(context, plan, input)),
      tables_(context.table(table_words(plan))) {}

void ReducePass::record(vulkan::Recorder& recorder, const vulkan::Buffer& out) const {
  HWY_DASSERT(reduced_bytes(plan_) <= out.bytes());
  const Operand &plane = input_.plane, &subtracted = input_.subtracted ? *input_.subtracted : plane;
  const int taps = static_cast<int>(plan_.anti_alias.filter.taps.size());
  const ReducePush push{.scaled_width = static_cast<uint>(plan_.scaled.width),
                        .scaled_height = static_cast<uint>(plan_.scaled.height),
                        .kept_width = static_cast<uint>(plan_.kept.width),
                        .stride = plane.plane.stride(),
                        .subtracted_stride = subtracted.plane.stride(),
                        .out_stride = static_cast<uint>(padded(plan_.kept.width)),
                        .row_stride = static_cast<uint>(padded(plan_.rows ? plan_.scaled.height : 0)),
                        .column_stride = static_cast<uint>(padded(plan_.rows ? plan_.scaled.width : 0)),
                        .scale = scale_of(plane.depth),
                        .subtracted_scale = scale_of(subtracted.depth)};
  recorder.pass(pipeline_, {&plane.plane.buffer, &subtracted.plane.buffer, &tables_, &out})
      .run(push, {.x = vulkan::groups_for(plan_.kept.width, static_cast<int>(kGroupSize) / taps),
                  .y = static_cast<uint32_t>(plan_.kept.height)});
}

int64_t reduced_bytes(const PlanePlan& plan) {
  return int64_t{padded(plan.kept.width)} * plan.kept.height * static_cast<int64_t>(sizeof(float));
}

PlaneView<const float> reduced_plane(const PlanePlan& plan, const float* data) {
  return {data, plan.kept.width, plan.kept.height, padded(plan.kept.width)};
}

}  // namespace vq::speed::gpu
