// On what a context runs, and what the environment asks for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "feature/feature.h"

namespace vq::libvmaf {

// What the environment asks for, since no caller of the interface knows this library.

// Nothing is asked for where a variable is not set or empty, and in a process that has another user's rights.
struct Environment {
  std::string backend;                     // CAMBI_BACKEND; empty: none
  std::string device;                      // CAMBI_DEVICE, as vulkan::choose_devices() takes it
  std::optional<int> threads;              // CAMBI_THREADS; 0: one for each processor
  int64_t queue_bytes = int64_t{1} << 30;  // CAMBI_QUEUE_MB
  // For compiled pipelines, as the program's: below XDG_CACHE_HOME, or else below HOME. None: they are kept
  // nowhere.
  std::optional<std::filesystem::path> cache_folder;
};

// Says of a number that is none that it counts for nothing.
Environment read_environment();

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
