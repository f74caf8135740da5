#include "feature/speed/speed.h"

#include <hwy/base.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "core/worker_pool.h"
#include "feature/device_feature.h"
#include "feature/stage_clock.h"
#include "shaders/speed/shared.h"
#include "shaders/speed_reduce.h"
#include "vulkan/shader.h"

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

// Shared by the work of all slots.
class Shared {
 public:
  Shared(const Kind& of, const SpeedPlan& with, const Execution& execution, vulkan::Context& in)
      : kind(of),
        plan(with),
        context(in),
        stages_(Stages::of(execution)),
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

  const Stages stages_;
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
  Shared& shared_;
  std::vector<gpu::ReducePass> passes_;
  std::vector<vulkan::Buffer> reduced_;
  vulkan::Buffer readback_;
};

// A small picture of either video, and of the frame before if that counts, in the order of Picture.
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
  const Stages stages = scalar::kStages;
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

FeatureMemory memory_of(const Kind& kind, const SpeedPlan& plan, const VideoFormats& formats,
                        const Execution& execution) {
  FeatureMemory memory = slot_memory(formats, [&](vulkan::Context& context, const DeviceFrame& frame) {
    Shared shared(kind, plan, execution, context);
    SpeedWork(shared, frame);
  });
  memory.fixed += thread_count(execution) *
                  counted_bytes([&] { return std::make_unique<FrameWorkspace>(plan, kind.inputs); });
  return memory;
}

template <typename Metric, const Kind& kind>
constexpr DeviceSupport support() {
  return {.unsupported = unsupported_by<shaders::kSpeedReduce>,
          .make = [](const OptionSet& set, const VideoFormats& formats, const Execution& execution,
                     vulkan::Context& context) -> std::unique_ptr<DeviceFeature> {
            const SpeedPlan plan = plan_of<Metric>(set, formats);
            check_device(kind, plan, formats, context);
            return std::make_unique<SharedDeviceFeature<SpeedWork, Shared>>(kind, plan, execution, context);
          },
          .memory =
              [](const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
                return memory_of(kind, plan_of<Metric>(set, formats), formats, execution);
              }};
}

Input chroma_input(const SpeedOptions&, size_t i) {
  return {.picture = i % 2 == 0 ? Picture::kReference : Picture::kDistorted, .plane = 1 + i / 2};
}
std::vector<double> values_of_chroma(const SpeedPlan& plan, std::span<const PlaneScore> scores) {
  const std::array<double, 3> values = chroma_values(scores[0], scores[1], plan.options.max_value);
  return {values.begin(), values.end()};
}

Input temporal_input(const SpeedOptions& options, size_t i) {
  if (i == 0) return {.picture = Picture::kReferenceBefore, .subtracted = Picture::kReference};
  return {.picture = Picture::kDistortedBefore,
          .subtracted = options.reference_difference ? Picture::kReference : Picture::kDistorted};
}
std::vector<double> values_of_time(const SpeedPlan&, std::span<const PlaneScore> scores) {
  return {static_cast<double>(scores[0].value)};
}

}  // namespace

const DeviceSupport kChromaDeviceSupport = support<SpeedChroma, kChroma>();
const DeviceSupport kTemporalDeviceSupport = support<SpeedTemporal, kTemporal>();

constexpr Kind kChroma = {
    .planes = kMaxPlanes, .inputs = 4, .input = chroma_input, .values = values_of_chroma};
constexpr Kind kTemporal = {
    .inputs = 2, .looks_back = true, .input = temporal_input, .values = values_of_time};

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

int depth_of(const SpeedPlan& plan, Picture which) {
  const bool is_reference = which == Picture::kReference || which == Picture::kReferenceBefore;
  return is_reference ? plan.reference_depth : plan.distorted_depth;
}

}  // namespace vq::speed

namespace vq::speed::gpu {
namespace {

static_assert(kStep == kKeptStep);
// Planes are enlarged up to four times, and every device takes 65535 work groups in each direction.
static_assert(4 * kMaxSide / kKeptStep <= 65535);

int sample_bytes(const std::optional<Operand>& operand) {
  return operand ? operand->plane.layout.sample_bytes : 0;
}

float scale_of(int depth) {
  return 1.0F / static_cast<float>(1 << (depth - 8));
}

const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const PlanePlan& plan,
                                     const ReduceInput& input) {
  HWY_DASSERT(plan.source.width <= input.plane.plane.layout.width &&
              plan.source.height <= input.plane.plane.layout.height);
  HWY_DASSERT(plan.anti_alias.filter.taps.size() <= kGroupSize);
  return context.pipeline(shaders::kSpeedReduce, {static_cast<uint32_t>(sample_bytes(input.plane)),
                                                  static_cast<uint32_t>(sample_bytes(input.subtracted)),
                                                  static_cast<uint32_t>(plan.anti_alias.filter.taps.size()),
                                                  static_cast<uint32_t>(plan.rows ? plan.rows->taps : 0),
                                                  static_cast<uint32_t>(is_normalised(plan.method))});
}

// Taps for all columns: the plan only has those of the columns that the filter looks at.
AxisTaps column_taps(const PlanePlan& plan) {
  std::vector<int> all(static_cast<size_t>(plan.scaled.width));
  std::iota(all.begin(), all.end(), 0);
  return axis_taps(plan.method, plan.source.width, plan.scaled.width, all);
}

// As shaders/speed/shared.h has them.
std::vector<uint32_t> table_words(const PlanePlan& plan) {
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

}  // namespace

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
                        .stride = static_cast<uint>(plane.plane.layout.stride_bytes()),
                        .subtracted_stride = static_cast<uint>(subtracted.plane.layout.stride_bytes()),
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
