// Inputs of the two SpEED-QA features on a device, and their results.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "feature/device_feature.h"
#include "feature/speed/plan.h"
#include "feature/speed/planes.h"

namespace vq::speed {

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
