// From the figures of blocks to scores.
#pragma once

#include <array>

#include "feature/speed/planes.h"

namespace vq::speed {

struct PlaneScore {
  float value = 0;
  bool is_marked = false;  // one of the planes is singular: the score, 0, says nothing
};
PlaneScore plane_score(const SpeedPlan& plan, const PlaneFigures& reference, const PlaneFigures& distorted);

// What is reported of U and V, in the order of chroma_metric_names(): each, and their mean, or the one that is not marked.
std::array<double, 3> chroma_values(const PlaneScore& u, const PlaneScore& v, double max_value);

}  // namespace vq::speed
