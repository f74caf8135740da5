#include "cli/system/process.h"

#include <cstdlib>

#include "core/platform.h"
#include "engine/backend_choice.h"

namespace vq::cli {

StopToken interrupt_token() {
  return StopToken([] { return interrupt_signal() != 0; });
}

WorkFolder::~WorkFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_of(path_), error);
}

std::optional<std::filesystem::path> cache_folder() {
  return vq::cache_folder([](const char* variable) -> const char* { return std::getenv(variable); });
}

}  // namespace vq::cli
