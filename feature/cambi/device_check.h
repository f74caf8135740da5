// The start-up check of a device: no score comes from one that was not seen to compute rightly.
#pragma once

#include "feature/cambi/vulkan_passes.h"

namespace vq::cambi::gpu {

// Takes a small picture through the per-pixel stages that `plan` will use, on the device and on the CPU, and compares every
// sample. Throws Error{kBackend} where they differ or the device fails.
void check_stages(vulkan::Context& context, const CambiPlan& plan);

// The same for c-values and pooling: a small picture goes through all stages with the plan's window and contrasts, and the
// sums are compared.
void check_scoring(vulkan::Context& context, const CambiPlan& plan);

}  // namespace vq::cambi::gpu
