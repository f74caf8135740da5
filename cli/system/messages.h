// Warnings and errors as lines on standard error.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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
  // From now on errors and warnings are also printed as annotations (see github_annotation()).
  void annotate() { annotates_ = true; }
  // Prints the number of warnings that were not shown.
  void finish();

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  static constexpr size_t kMaxShown = 20;
  static constexpr size_t kMaxKept = 1000;

  // A line for people, and an annotation if requested.
  void show(const char* level, const std::string& line);

  std::function<void(std::string_view)> write_;
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

}  // namespace vq::cli
