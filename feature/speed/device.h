// The reduction of planes as a pass on a Vulkan device: float_row, scale_row and filter_row with the
// anti-alias filter of feature/speed/stages.h. The shader is shaders/speed/reduce.comp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/plane.h"
#include "feature/speed/plan.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::speed::gpu {

// Why a device cannot run the shader; empty if it can.
std::string unsupported_by_stage(const vulkan::DeviceInfo& device);

// A plane, and how deep its samples are.
struct Operand {
  const vulkan::DevicePlane& plane;
  int depth = 8;
};
// The plane to reduce, or, if there is another, its difference from that one.
struct ReduceInput {
  Operand plane;
  std::optional<Operand> subtracted = {};
};

// Reduces a plane as often as there are frames.
class ReducePass {
 public:
  // Planes, plan and context outlive this; planes are at least as large as the plan's source. Throws
  // Error{kBackend}.
  ReducePass(vulkan::Context& context, const PlanePlan& plan, const ReduceInput& input);

  // Writes reduced_bytes(plan) to `out`.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& out) const;

 private:
  const PlanePlan& plan_;
  const ReduceInput input_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Buffer& tables_;
};

// What a pass leaves: the kept samples, in rows of padded(plan.kept.width) floats.
int64_t reduced_bytes(const PlanePlan& plan);
PlaneView<const float> reduced_plane(const PlanePlan& plan, const float* data);

// Bytes of the tables that all passes of one plan share.
int64_t table_bytes(const PlanePlan& plan);

}  // namespace vq::speed::gpu
