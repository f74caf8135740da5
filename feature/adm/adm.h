// ADM as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::adm {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device does all that is done for samples
// and rows, the host adds up a few hundred sums and makes scores of them.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::adm
