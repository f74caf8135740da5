// On which GPU hardware may decode.
#pragma once

#include "cli/decoding/hardware/hardware_request.h"
#include "cli/run/backend_choice.h"

namespace vq::cli {

// The request with the devices that the backend computes on, unless they are software, and with FFmpeg's
// hardware where it may be of use. What the request has of either stays. Never throws for want of a device.
HardwareRequest settle_decoder(HardwareRequest request, const BackendChoice& backend);

// For several runs, which then open each device once.
HardwareRequest shared_hardware(HardwareRequest request);

}  // namespace vq::cli
