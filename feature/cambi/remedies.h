// What can be done about banding.
#pragma once

#include <vector>

#include "feature/feature.h"

namespace vq::cambi {

// The source first, where much of it bands or nobody looked, for no encoder mends that.
std::vector<Remedy> remedies(const ScoredVideo& video);

}  // namespace vq::cambi
