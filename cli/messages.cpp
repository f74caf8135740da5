#include "cli/messages.h"

#include <unistd.h>

#include <cerrno>

#include "cli/message_text.h"
#include "core/error.h"
#include "core/options.h"

namespace vq::cli {
namespace {

constexpr size_t kMaxLine = 2000;

// False where the rest cannot be written; errno says why.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

void Messages::warn(const std::string& text) {
  const std::string line = printable(text, kMaxLine);
  ++count_;
  if (warnings_.size() < kMaxKept) warnings_.push_back(line);
  if (count_ <= kMaxShown) write_("cambi: warning: " + line + "\n");
}

void Messages::note(const std::string& text) {
  write_("cambi: " + printable(text, kMaxLine) + "\n");
}

void Messages::error(const std::string& text) {
  write_("cambi: error: " + printable(text, kMaxLine) + "\n");
}

void Messages::finish() {
  if (count_ > kMaxShown)
    write_("cambi: warning: " + std::to_string(count_ - kMaxShown) + " more warnings\n");
}

void write_stderr(std::string_view text) {
  (void)write_all(STDERR_FILENO, text);
}

void write_stdout(std::string_view text) {
  if (!write_all(STDOUT_FILENO, text)) {
    throw Error(ErrorKind::kOutput, std::string("standard output: cannot write: ") + errno_text(errno));
  }
}

}  // namespace vq::cli
