#include "cli/system/messages.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr size_t kMaxLine = 2000;

}  // namespace

void Messages::warn(const std::string& text) {
  const std::string line = printable(text, kMaxLine);
  ++count_;
  if (warnings_.size() < kMaxKept) warnings_.push_back(line);
  if (count_ <= kMaxShown) show("warning", line);
}

void Messages::note(const std::string& text) {
  put(words("cambi: {}\n", without_commands(printable(text, kMaxLine))));
}

void Messages::error(const std::string& text) {
  show("error", printable(text, kMaxLine));
}

void Messages::show(const char* level, const std::string& line) {
  std::string text = words("cambi: {}: {}\n", level, without_commands(line));
  if (annotates_) text += github_annotation(level, line) + "\n";
  put(text);
}

void Messages::put(const std::string& line) {
  if (clear_) clear_();
  write_(line);
}

void Messages::finish() {
  if (count_ > kMaxShown) write_(words("cambi: warning: {} more warnings\n", count_ - kMaxShown));
}

void write_stderr(std::string_view text) {
  (void)write_all(STDERR_FILENO, text);
}

ClosedPipe::ClosedPipe() : Error(ErrorKind::kOutput, "standard output: nobody reads it any more") {}

void write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, without_commands(text));
  if (error == EPIPE) throw ClosedPipe();
  if (error != 0) throw output_error("standard output", "cannot write", error);
}

std::unique_ptr<Messages> SharedMessages::of_run(std::string prefix) {
  return std::make_unique<Messages>(
      [this, prefix = std::move(prefix)](std::string_view line) { show(line, prefix); });
}

void SharedMessages::show(std::string_view line, const std::string& prefix) {
  constexpr std::string_view kWarning = "cambi: warning: ";
  const std::lock_guard lock(mutex_);
  if (!shown_.insert(prefix + std::string(line)).second) return;
  clear_();
  if (!line.starts_with(kWarning)) return write_stderr(line);
  line.remove_prefix(kWarning.size());
  messages_.warn(prefix + std::string(line.substr(0, line.find('\n'))));
}

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
