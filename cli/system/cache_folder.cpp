#include "cli/system/cache_folder.h"

#include <cstdlib>

namespace vq::cli {

std::optional<std::filesystem::path> cache_folder() {
  const auto absolute = [](const char* variable) -> std::optional<std::filesystem::path> {
    const char* const value = std::getenv(variable);
    if (value == nullptr || value[0] != '/') return std::nullopt;
    return std::filesystem::path(value);
  };
  if (const auto cache = absolute("XDG_CACHE_HOME")) return *cache / "cambi";
  if (const auto home = absolute("HOME")) return *home / ".cache" / "cambi";
  return std::nullopt;
}

}  // namespace vq::cli
