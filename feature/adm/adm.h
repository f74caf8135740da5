// ADM as the registry lists it.
#pragma once

#include <array>
#include <vector>

#include "core/plane.h"
#include "feature/adm/plan.h"
#include "feature/feature.h"

namespace vq::adm {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device does all that is done for samples
// and rows, the host adds up a few hundred sums and makes scores of them.
extern const DeviceSupport kDeviceSupport;

// The order of ADM's stages over a frame. Rows of all scales are made as soon as there are enough of the next
// finer one, so that no scale is ever in memory as a whole.

// The rows of one scale that are in use. Throws std::bad_alloc.
class ScaleRows {
 public:
  explicit ScaleRows(const ScalePlan& plan);

  enum Video { kReference, kDistorted };
  enum Part { kRestored, kAdded };

  // Row `i` of band a of the next finer scale; the last four are kept. Not of the finest.
  int32_t* input(Video video, int i) { return inputs_.row(video * kInputs + i % kInputs); }
  // The last row of detail.
  PerBand<int32_t*> detail(Video video);
  // Row `i` of a part; the last three are kept.
  PartRow part(Part part, int i);
  // For one use at a time.
  FilteredRows<int16_t> filtered_fine() { return {filtered_fine_.row(0), filtered_fine_.row(1)}; }
  FilteredRows<int32_t> filtered_coarse() { return {filtered_coarse_.row(0), filtered_coarse_.row(1)}; }

 private:
  static constexpr int kInputs = 4, kParts = 3, kPartRows = static_cast<int>(kBands) + 2;

  Plane<int32_t> inputs_, details_, parts_;
  Plane<int16_t> filtered_fine_;
  Plane<int32_t> filtered_coarse_;
};

// Scratch memory for one frame at a time.
struct Workspace {
  explicit Workspace(const AdmPlan& plan);

  std::vector<ScaleRows> scales;
};

// Sums over a frame. Needs: pictures and a workspace that fit the plan.
FrameSums sum_frame(const Samples& reference, const Samples& distorted, const AdmPlan& plan,
                    const AdmStages& stages, Workspace& workspace);

}  // namespace vq::adm
