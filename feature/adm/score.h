// From sums over a frame to what ADM reports.
//
// Rounding: figures equal libvmaf's plain C code to the last digit. Sums are exact integers; from there on the order of
// operations and whether each is of floats or doubles are the reference's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "feature/adm/plan.h"

namespace vq::adm {

// Of one scale, over the part that counts; each row rounded before it is added. All wrap at 64 bits.
struct ScaleSums {
  PerBand<uint64_t> reference = {};  // its detail
  PerBand<int64_t> restored = {};    // what the distorted video has of it, masked by what it adds
  PerBand<int64_t> added = {};       // the other way round; not used with skip_aim
};
using FrameSums = std::array<ScaleSums, kScales>;

// One row more.
void add_reference_row(const ScalePlan& plan, const PerBand<uint64_t>& row, PerBand<uint64_t>& sums);
void add_masked_row(const ScalePlan& plan, const PerBand<int64_t>& row, PerBand<int64_t>& sums);

// For metric_names(). Sums of the finest scale are not used with skip_scale0.
std::vector<double> frame_scores(const AdmPlan& plan, const FrameSums& sums);

}  // namespace vq::adm
