#include "cli/text/message_text.h"

#include <system_error>

#include "core/text.h"

namespace vq::cli {
namespace {

// Long enough for the paths people have, short enough for a line of a log.
constexpr size_t kLongestShownPath = 400;

}  // namespace

std::string shown_path(const std::string& path) {
  return printable(path, kLongestShownPath);
}

std::string counted(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace vq::cli
