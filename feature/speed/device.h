// The reduction of planes as a pass on a Vulkan device: float_row, scale_row and filter_row with the
// anti-alias filter of feature/speed/speed.h. The shader is shaders/speed/reduce.comp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plane.h"
#include "feature/device_feature.h"
#include "feature/speed/speed.h"
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

}  // namespace vq::speed::gpu

namespace vq::speed {

// Inputs of the two SpEED-QA features on a device, and their results.

enum class Picture { kReference, kDistorted, kReferenceBefore, kDistortedBefore };

// A plane that is reduced, or its difference from that of another picture.
struct Input {
  Picture picture = Picture::kReference;
  size_t plane = 0;
  std::optional<Picture> subtracted = {};
};

// One of the two features: its inputs in pairs, the reference's first, and its values from the scores of
// these pairs.
struct Kind {
  int planes = 1;  // number of planes that it reads, per picture
  size_t inputs = 2;
  bool looks_back = false;  // reads the previous frame; without one its value is 0
  Input (*input)(const SpeedOptions& options, size_t i) = nullptr;
  std::vector<double> (*values)(const SpeedPlan& plan, std::span<const PlaneScore> scores) = nullptr;
};
extern const Kind kChroma, kTemporal;

// Needs: the frames before are there for a kind that looks back.
const vulkan::DevicePicture& picture_of(const DeviceFrame& frame, Picture which);
int depth_of(const SpeedPlan& plan, Picture which);

}  // namespace vq::speed
