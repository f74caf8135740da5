// On which GPU hardware may decode.
#pragma once

#include "cli/decoding/hardware/hardware_wish.h"
#include "cli/run/backend_choice.h"

namespace vq::cli {

// The wish with the devices that the backend computes on, unless they are software, and with FFmpeg's hardware where it may be of
// use. What the wish has of either stays. Never throws for want of a device.
HardwareWish settle_decoder(HardwareWish wish, const BackendChoice& backend);

// For several runs, which then open each device once.
HardwareWish shared_hardware(HardwareWish wish);

}  // namespace vq::cli
