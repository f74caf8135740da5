// On what a context runs.
#pragma once

#include <span>

#include "engine/libvmaf/environment.h"
#include "feature/feature.h"

namespace vq::libvmaf {

// What the caller's configuration says of it.
struct BackendLimits {
  uint32_t cpumask = 0;  // see feature/simd_targets.h
  bool forbids_devices = false;
};

// The backend that the environment asks for, with its devices, for these features; the CPU where it asks for
// none. Throws Error: kUsage for a word that is no backend, kBackend where one that was named cannot run.
Execution choose_backend(const Environment& environment, const BackendLimits& limits,
                         std::span<const FeatureRequest> features, const VideoFormats& formats);

// The device as CAMBI_DEVICE names it, by its UUID. Loads the drivers. Throws Error{kBackend} where there is
// none.
std::string device_with(const std::array<uint8_t, 16>& uuid);

// The first device that the environment names, opened, or as it is open already. Throws Error{kBackend}.
std::shared_ptr<vulkan::Device> open_device(const Environment& environment);

// Devices that failed are not given to the next context.
void forget_devices();

}  // namespace vq::libvmaf
