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
  int threads = 1;  // on the CPU
};

// The backend that the environment asks for, with its devices, for these features; the CPU where it asks for
// none. "auto" takes a real device if the program measured here that it is faster, or did not measure and the
// pictures are not small, nor was the context before this one short. Throws Error: kUsage for a word that is
// no backend, kBackend where one that was named cannot run.
Execution choose_backend(const Environment& environment, const BackendLimits& limits,
                             std::span<const FeatureRequest> features, const VideoFormats& formats);

// The device as CAMBI_DEVICE names it, by its UUID. Loads the drivers. Throws Error{kBackend} where there is
// none.
std::string device_with(const std::array<uint8_t, 16>& uuid);

// A context that read frames is closed.
void note_context(uint64_t frames);

}  // namespace vq::libvmaf
