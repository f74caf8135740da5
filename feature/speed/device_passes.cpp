#include "feature/speed/device.h"

#include <hwy/base.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "core/frame.h"
#include "shaders/speed/shared.h"
// Made by the build from shaders/.
#include "shaders/speed_reduce.h"
#include "vulkan/limits.h"

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

// Of all columns: those of the plan are only of the columns that the filter looks at.
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

std::string unsupported_by_stage(const vulkan::DeviceInfo& device) {
  return unsupported_reason(device, {shaders::kSpeedReduce});
}

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

int64_t table_bytes(const PlanePlan& plan) {
  constexpr int64_t kWordBytes = sizeof(uint32_t);
  const auto taps = static_cast<int64_t>(plan.anti_alias.filter.taps.size());
  if (!plan.rows) return kWordBytes * taps;
  return kWordBytes *
         (taps + 2 * plan.rows->taps * (int64_t{padded(plan.scaled.width)} + padded(plan.scaled.height)));
}

}  // namespace vq::speed::gpu
