#include "cli/system/github.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "cli/system/output_path.h"
#include "cli/system/standard_streams.h"

namespace vq::cli {

// A command ends with its line, so line ends are escaped, and with them the sign that escapes.
std::string github_annotation(std::string_view level, std::string_view text) {
  std::string line = "::";
  line.append(level).append(" title=cambi::");
  for (const char c : text) {
    switch (c) {
      case '%':
        line += "%25";
        break;
      case '\r':
        line += "%0D";
        break;
      case '\n':
        line += "%0A";
        break;
      default:
        line += c;
    }
  }
  return line;
}

std::string without_commands(std::string_view text) {
  const char* const runner = std::getenv("GITHUB_ACTIONS");
  if (runner == nullptr || *runner == '\0') return std::string(text);
  std::string out;
  bool at_start = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (at_start && rest.starts_with("::")) out += "./";
    if (rest.starts_with("##[")) {
      out += "#\\";
      at_start = false;
      continue;
    }
    at_start = text[i] == '\n' || text[i] == '\r' ||
               (at_start && std::string_view(" \t\v\f").find(text[i]) != std::string_view::npos);
    out += text[i];
  }
  return out;
}

void append_step_summary(const std::string& markdown) {
  const char* const path = std::getenv("GITHUB_STEP_SUMMARY");
  if (path == nullptr || *path == '\0') return;
  const int descriptor = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) throw output_error(path, "cannot write", errno);
  const int error = write_all(descriptor, markdown);
  const int close_error = ::close(descriptor) == 0 ? 0 : errno;
  if (error != 0 || close_error != 0)
    throw output_error(path, "cannot write", error != 0 ? error : close_error);
}

}  // namespace vq::cli
