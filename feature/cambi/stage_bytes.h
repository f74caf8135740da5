// What the stages of a frame must move at least.
#pragma once

#include <vector>

#include "feature/cambi/plan.h"

namespace vq::cambi {

// See FeatureInfo::stage_bytes. Of the whole frame: with a source the stages of both pictures together.
std::vector<StageBytes> stage_bytes(const CambiPlans& plans, Backend backend);

}  // namespace vq::cambi
