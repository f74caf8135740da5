// How much memory of this machine a run may take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace vq::cli {

// Three quarters of what the process may have: the least of free memory, the limits of its control groups and
// the process's own limit.
int64_t default_memory_limit();

// The least memory limit of the control groups, of version 1 or 2, that this process is in, with those that
// they lie in; INT64_MAX where there is none. `root` is put before the paths of system files.
int64_t control_group_limit(const std::string& root = "");

// The folder of the program's caches.

// $XDG_CACHE_HOME/cambi, or $HOME/.cache/cambi; nothing if neither variable is an absolute path.
std::optional<std::filesystem::path> cache_folder();

}  // namespace vq::cli
