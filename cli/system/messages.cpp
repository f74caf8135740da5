#include "cli/system/messages.h"

#include <unistd.h>

#include <cstdlib>

#include "cli/system/process.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {

constexpr size_t kMaxLine = 2000;

void Messages::warn(const std::string& text) {
  const std::string line = printable(text, kMaxLine);
  ++count_;
  if (warnings_.size() < kMaxKept) warnings_.push_back(line);
  if (count_ <= kMaxShown) show("warning", line);
}

void Messages::note(const std::string& text) {
  put(words("cambi: {}\n", without_commands(printable(text, kMaxLine))));
}

void Messages::error(const std::string& text) { show("error", printable(text, kMaxLine)); }

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

void write_stderr(std::string_view text) { (void)write_all(STDERR_FILENO, text); }

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
  for (const char c : text)
    line += c == '%' ? "%25" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : std::string(1, c);
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
  const int descriptor = open_to_append(path);
  if (descriptor < 0) throw output_error(path, "cannot write", errno);
  const int error = write_all(descriptor, markdown);
  const int close_error = ::close(descriptor) == 0 ? 0 : errno;
  if (error != 0 || close_error != 0)
    throw output_error(path, "cannot write", error != 0 ? error : close_error);
}

constexpr int kMaxLinks = 40;  // as the kernel follows
constexpr int kMaxDescriptor = 1 << 20;

// Without following links of the last component.
static std::optional<int> named_descriptor(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  const std::filesystem::path name = path_of(path);
  long long number = 0;
  if (!parse_int(text_of(name.filename()), number) || number < 0 || number > kMaxDescriptor)
    return std::nullopt;
  return is_own_descriptor_folder(name.parent_path()) ? std::optional(static_cast<int>(number))
                                                      : std::nullopt;
}

bool is_standard_input(const std::string& path) {
  return path == "-" || path == "/dev/stdin" || descriptor_of(path) == STDIN_FILENO;
}

void check_standard_input(const std::vector<std::string>& inputs) {
  if (std::ranges::count_if(inputs, is_standard_input) > 1)
    throw usage_error("standard input is named more than once; it can be read only once.");
}

void refuse_standard_input(const std::vector<std::string>& inputs, const std::string& command) {
  for (const std::string& input : inputs) {
    if (!is_standard_input(input)) continue;
    throw usage_error(
        "{} reads a video more than once, and standard input ({}) can be read only once. Try: a file",
        command, shown_path(input));
  }
}

std::optional<int> descriptor_of(const std::string& path) { return named_descriptor(follow_links(path)); }

bool is_standard_output(const std::string& path) { return descriptor_of(path) == STDOUT_FILENO; }

// Stops at a descriptor's name: the file that is open there is another input under its own name.
std::string follow_links(const std::string& path) {
  std::filesystem::path current = path_of(path);
  std::error_code error;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (named_descriptor(text_of(current))) return text_of(current);
    if (!std::filesystem::is_symlink(current, error) || error) return text_of(current);
    const std::filesystem::path next = std::filesystem::read_symlink(current, error);
    if (error) return path;
    current = next.is_absolute() ? next : current.parent_path() / next;
  }
  return path;
}

// Which folder it is that a file to be made misses, in words; empty if that is not it.
static std::string missing_folder(const std::string& path) {
  std::error_code error;
  const std::string folder = folder_of(path);
  if (!std::filesystem::exists(path_of(folder), error))
    return words(". There is no folder {}", shown_path(folder));
  const bool is_removed =
      std::filesystem::current_path(error).empty() && error == std::errc::no_such_file_or_directory;
  return is_removed && !path.starts_with('/') ? ". The working folder was removed" : "";
}

std::optional<FileStatus> status_of(const std::string& path) {
  const std::optional<int> descriptor = descriptor_of(path);
  return descriptor ? file_status(*descriptor) : file_status(path);
}

bool is_written_in_place(const std::string& path) {
  if (descriptor_of(path)) return true;
  const auto status = status_of(path);
  return status && (status->kind == FileKind::kCharacterDevice || status->kind == FileKind::kPipe);
}

std::string folder_of(const std::string& path) {
  const std::string folder = text_of(path_of(path).parent_path());
  return folder.empty() ? "." : folder;
}

Error output_error(const std::string& path, const std::string& doing, int error) {
  std::string message = words("{}: {}: {}", shown_path(path), doing, errno_text(error));
  if (error == ENOENT) message += missing_folder(path);
  const bool exhausted = error == EMFILE || error == ENFILE || error == ENOMEM;
  return Error(exhausted ? ErrorKind::kResource : ErrorKind::kOutput, message);
}

std::string partial_path(const std::string& path) { return path + std::string(kPartialSuffix); }

std::string openable_partial_path(const std::string& path) {
  const std::filesystem::path name = path_of(path);
  std::filesystem::path partial = name.parent_path() / name.stem();
  return text_of((partial += kPartialSuffix) += name.extension());
}

bool same_file(const std::string& a, const std::string& b) {
  const auto status_a = status_of(a), status_b = status_of(b);
  if (status_a && status_b) {
    if (status_a->kind == FileKind::kCharacterDevice || status_a->kind == FileKind::kSocket) return false;
    return status_a->identity == status_b->identity;
  }
  if (status_a || status_b) return false;
  const std::filesystem::path target_a = path_of(follow_links(a)), target_b = path_of(follow_links(b));
  if (target_a.filename() != target_b.filename()) return false;
  const auto folder_a = status_of(folder_of(text_of(target_a))),
             folder_b = status_of(folder_of(text_of(target_b)));
  if (!folder_a || !folder_b) return target_a.lexically_normal() == target_b.lexically_normal();
  return folder_a->identity == folder_b->identity;
}

}  // namespace vq::cli
