// The start-up check of a device: no score comes from one that was not seen to compute rightly.
#pragma once

#include "feature/cambi/vulkan_passes.h"

namespace vq::cambi::gpu {

// Takes a small picture through the stages that `plan` will use, on the device and on the CPU, and compares
// every sample. Throws Error{kBackend} where they differ or the device fails.
void check_device(Kernels& kernels, const CambiPlan& plan);

}  // namespace vq::cambi::gpu
