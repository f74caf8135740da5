// The folder of the program's caches.
#pragma once

#include <filesystem>
#include <optional>

namespace vq::cli {

// $XDG_CACHE_HOME/cambi, or $HOME/.cache/cambi; nothing if neither variable is an absolute path.
std::optional<std::filesystem::path> cache_folder();

}  // namespace vq::cli
