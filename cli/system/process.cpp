#include "cli/system/process.h"

#include <cstdlib>

#include "core/platform.h"
#include "core/text.h"
#include "engine/backend_choice.h"

namespace vq::cli {

StopToken interrupt_token() {
  return StopToken([] { return interrupt_signal() != 0; });
}

Error cannot_start(const std::string& program, int error) {
  return {error == EAGAIN || error == ENOMEM ? ErrorKind::kResource : ErrorKind::kUsage,
          words("{} cannot be started: {}", shown_path(program), errno_text(error))};
}

WorkFolder::~WorkFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_of(path_), error);
}

std::optional<std::filesystem::path> cache_folder() {
  return vq::cache_folder([](const char* variable) -> const char* { return std::getenv(variable); });
}

}  // namespace vq::cli
