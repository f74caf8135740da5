#include "feature/speed/device_inputs.h"

#include <array>

namespace vq::speed {
namespace {

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
