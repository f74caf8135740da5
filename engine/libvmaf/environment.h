// What the environment asks for, since no caller of the interface knows this library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace vq::libvmaf {

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

}  // namespace vq::libvmaf
