// VIF as the registry lists it.
#pragma once

#include "feature/feature.h"
#include "feature/vif/plan.h"

namespace vq::vif {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are the same: the device computes the pictures of all
// scales and sums of information per work group, which the host adds.
extern const DeviceSupport kDeviceSupport;

// VIF of a pair of pictures: the order of the stages.

// One implementation of all stages.
struct VifStages {
  Decimate decimate = scalar::decimate;
  Statistics statistics = scalar::statistics;
};

// The pictures of one video's scales. The finest is empty if it is the decoded one.
using Pyramid = std::array<Plane<uint16_t>, kScales>;

// Scratch memory for one pair of pictures at a time.
struct Workspace {
  explicit Workspace(const VifPlan& plan);
  // Its maximum size.
  static int64_t bytes(const VifPlan& plan);

  Rows rows;
  Pyramid reference, distorted;
};

// Luma planes in, values in the order of Vif::names() out. Needs: planes of the plan's size and of depths
// as it says.
FrameResult score_pictures(const VifPlan& plan, Pictures pictures, const VifStages& stages,
                           Workspace& workspace);

}  // namespace vq::vif
