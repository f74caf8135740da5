#include "cli/text/message_text.h"

#include <system_error>

namespace vq::cli {

std::string counted(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace vq::cli
