// What comparing two videos needs, and what becomes of the sums of squared errors.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "feature/feature.h"
#include "feature/psnr/score.h"

namespace vq::psnr {

struct PsnrPlan {
  PsnrOptions options;
  int planes = 1;                          // that are compared
  std::array<PlaneSize, kMaxPlanes> sizes;  // of them
  int bit_depth = 8;                       // of the deeper video
  // By how much samples are shifted left to that depth.
  int distorted_shift = 0, reference_shift = 0;
};

// Throws Error: kUsage without a reference, kMismatch for videos of other sizes or, where chroma is compared, of other
// sampling.
PsnrPlan make_plan(const PsnrOptions& options, const InputFormats& formats);

// Values and, for aggregates(), tallies of a frame. Needs: as many planes as are compared.
FrameResult frame_result(const PsnrPlan& plan, std::span<const PlaneError> planes);

// See FeatureInfo::aggregates.
std::vector<std::pair<std::string, double>> aggregates(const PsnrPlan& plan, std::span<const double> totals);

}  // namespace vq::psnr
