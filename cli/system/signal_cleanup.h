// What a second signal must not leave behind. It ends the process at once, without a destructor, so its handler
// removes temporary files by the names noted here.
#pragma once

#include <sys/types.h>
#include <csignal>
#include <cstddef>
#include <string>

namespace vq::cli {

// The signals that ask the program to stop. SIGQUIT does not wait for a second one.
inline constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
sigset_t stop_signals();

// While one lives, no signal handler runs in this thread, and one in another thread waits before it removes
// anything (two seconds at most, should a file system hang): for a file that is being made and noted, and for
// renames that belong together. Not to be nested. Once the handler has begun, making one never returns.
class UninterruptedSection {
 public:
  UninterruptedSection();
  ~UninterruptedSection();
  UninterruptedSection(const UninterruptedSection&) = delete;
  UninterruptedSection& operator=(const UninterruptedSection&) = delete;

 private:
  sigset_t before_;
};

// A name the handler removes: of a file, or of a folder once it is empty. To be made in the UninterruptedSection
// in which the file is; it may go at any time.
class SignalCleanup {
 public:
  SignalCleanup() = default;
  // Throws Error{kResource} where the table of names is full.
  explicit SignalCleanup(const std::string& path);
  ~SignalCleanup();
  SignalCleanup(SignalCleanup&& other) noexcept;
  SignalCleanup& operator=(SignalCleanup&& other) noexcept;

  // The handler first removes the files in it that are called 0, 1, ... `count` - 1.
  void set_file_count(int count) noexcept;

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  size_t slot_ = kNone;
};

// For the handler, which must not be interrupted by another: removes all that is noted. Async-signal-safe.
// Returns in the first thread that calls it only.
void remove_noted_files() noexcept;

}  // namespace vq::cli
