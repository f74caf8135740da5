// The fingerprint's flag on the command line.
#pragma once

#include <span>

#include "feature/feature.h"

namespace vq::fingerprint {

std::span<const FeatureFlag> flags();

}  // namespace vq::fingerprint
