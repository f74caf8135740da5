// Warnings and errors as lines on standard error, and the streams and paths that a process writes to.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "cli/system/files.h"
#include "core/error.h"

namespace vq::cli {

// Collects warnings for the report and shows the first of them immediately. For one thread at a time.
class Messages {
 public:
  // `write` receives whole lines, newline included; it must not throw.
  explicit Messages(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  // One line, control characters escaped. The first kMaxShown are shown at once.
  void warn(const std::string& text);
  // A remark that is not in the report, such as which backend was chosen.
  void note(const std::string& text);
  void error(const std::string& text);
  // Whether errors and warnings are also printed as annotations (see github_annotation()).
  void annotate(bool annotates = true) { annotates_ = annotates; }
  // Called before each line that is shown, to clear what is displayed in its place; null: nothing is.
  void before_lines(std::function<void()> clear) { clear_ = std::move(clear); }
  // Prints the number of warnings that were not shown.
  void finish();

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  static constexpr size_t kMaxShown = 20;
  static constexpr size_t kMaxKept = 1000;

  void show(const char* level, const std::string& line);
  void put(const std::string& line);

  std::function<void(std::string_view)> write_;
  std::function<void()> clear_;
  bool annotates_ = false;
  std::vector<std::string> warnings_;
  size_t count_ = 0;
};

// Writes to standard error; errors are ignored.
void write_stderr(std::string_view text);

// The reader of standard output has closed it.
class ClosedPipe : public Error {
 public:
  ClosedPipe();
};

// Writes all of it to standard output. Throws Error{kOutput}, or ClosedPipe if that is the reason.
void write_stdout(std::string_view text);

// Messages of runs on several threads, on one terminal.
class SharedMessages {
 public:
  // `clear` is called before each line that is shown, so that it does not meet a progress bar; `mutex` is
  // held then, which is for whatever else goes to the terminal. All outlive this.
  SharedMessages(Messages& messages, std::mutex& mutex, std::function<void()> clear)
      : messages_(messages), mutex_(mutex), clear_(std::move(clear)) {}

  // The messages of one run: it keeps its warnings, and each line that any run has is shown once, with the
  // prefix. May be used on a thread of its own. This outlives it.
  std::unique_ptr<Messages> of_run(std::string prefix = {});

 private:
  void show(std::string_view line, const std::string& prefix);

  Messages& messages_;
  std::mutex& mutex_;
  std::function<void()> clear_;
  std::set<std::string> shown_;
};

// A line that the runner of GitHub Actions shows as an annotation: "::error title=cambi::text", without a
// line end. `level`: "error", "warning" or "notice".
std::string github_annotation(std::string_view level, std::string_view text);

// The text in a form that is safe to print in a step: there (GITHUB_ACTIONS is set) a line that begins with
// "::", after optional blanks, is a command to the runner, and so is "##[" anywhere. File names may contain
// both. Elsewhere the text is unchanged.
std::string without_commands(std::string_view text);

// Appends to the summary of this step, the file that $GITHUB_STEP_SUMMARY names; does nothing without one.
// Throws Error{kOutput}.
void append_step_summary(const std::string& markdown);

// True for "-" and for every name of descriptor 0: /dev/stdin, /dev/fd/0, /proc/self/fd/0, and links to them.
// Such an input can be read once, and shares its position with other readers.
bool is_standard_input(const std::string& path);

// Throws Error{kUsage} if more than one of these inputs is standard input.
void check_standard_input(const std::vector<std::string>& inputs);
// Throws Error{kUsage} if one is, for a command that reads them several times.
void refuse_standard_input(const std::vector<std::string>& inputs, const std::string& command);

// The descriptor of this process that the path names, also through links: 1 for "-" and "/dev/stdout", 2 for
// "/dev/stderr", N for "/dev/fd/N" and the like in /proc.
std::optional<int> descriptor_of(const std::string& path);

bool is_standard_output(const std::string& path);

// The path after following symbolic links of its last component, also to a file that does not exist yet, but
// not beyond a descriptor. A link that cannot be followed is returned as it is.
std::string follow_links(const std::string& path);

// Status of the file or the descriptor that the path names; nothing if there is none, with errno set.
std::optional<FileStatus> status_of(const std::string& path);

// Whether the path is a descriptor, or a pipe or a character device.
bool is_written_in_place(const std::string& path);

// The folder that contains `path`: "." if it names none.
std::string folder_of(const std::string& path);

inline constexpr std::string_view kPartialSuffix = ".partial";

// FILE.partial, for the results of a run that ended early. Outputs written in place have none.
std::string partial_path(const std::string& path);

// The same for files that other programs open by their extension: show.partial.html.
std::string openable_partial_path(const std::string& path);

// Whether two paths name the same file: by link, hard link or another spelling, even if it does not exist
// yet. Character devices and sockets never count, so two users of /dev/null or of a terminal do not conflict.
// "-" and "/dev/stdout" are standard output; give "/dev/stdin" for standard input.
bool same_file(const std::string& a, const std::string& b);

// Error{kOutput}, or kResource if memory or descriptors are exhausted: the path, the operation and `error`
// (an errno) in words.
Error output_error(const std::string& path, const std::string& doing, int error);

}  // namespace vq::cli
