// Exit codes, as listed in the manual page, signals, what memory and folders a process may use,
// and other programs. Most of it is in process_posix.cpp and process_windows.cpp.
#pragma once

#include <exception>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "core/error.h"
#include "core/worker_pool.h"

namespace vq {

// How files and the system name a kind of error.
struct ErrorKindInfo {
  const char* word;
  int exit_code;
};
constexpr ErrorKindInfo info_of(ErrorKind kind) {
  constexpr ErrorKindInfo kInfos[] = {{"usage", 1},     {"input", 2},    {"mismatch", 3},
                                      {"backend", 4},   {"output", 5},   {"incomplete", 6},
                                      {"threshold", 7}, {"resource", 8}, {"internal", 70}};
  static_assert(std::size(kInfos) == static_cast<size_t>(ErrorKind::kInternal) + 1);
  return kInfos[static_cast<size_t>(kind)];
}

constexpr int exit_code(ErrorKind kind) { return info_of(kind).exit_code; }

inline int exit_code(const Error& error) { return exit_code(error.kind()); }

// Any failure as an Error: a library that lacks memory or a thread reports it by an exception of its own.
inline Error error_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::kResource, "out of memory"};
  } catch (const std::system_error& error) {
    return {ErrorKind::kResource, std::string("the system refused a resource: ") + error.what()};
  } catch (const std::exception& error) {
    return {ErrorKind::kInternal, std::string("internal fault: ") + error.what()};
  }
}

}  // namespace vq

namespace vq::cli {

// The first that a program does: it opens standard descriptors that are closed, and gives threads the stacks
// that they need.
void prepare_process();

// The first SIGINT, SIGTERM or SIGHUP is recorded, a second one ends the process immediately. SIGPIPE and
// SIGXFSZ are ignored, so that writing fails with an error. Signals that were ignored at start (nohup) stay
// ignored; those that were blocked are not any more.
void install_signal_handlers();

// Until the program that this one becomes has its handlers, SIGINT, SIGTERM and SIGHUP wait.
void block_stopping_signals();

// 0, or the number of the signal that asked to stop.
int interrupt_signal();
StopToken interrupt_token();

// Maximum delay of a wait's reaction to such a signal.
inline constexpr int kWaitMilliseconds = 100;

// The exit code of a process ended by the signal.
inline int interrupt_exit_code(int signal) { return 128 + signal; }

// As of a process that SIGPIPE ends.
inline constexpr int kClosedPipeExitCode = 128 + 13;

// Three quarters of what the process may have: the least of free memory, the limits of its control groups and
// the process's own limit.
int64_t default_memory_limit();

// Gives memory that was freed back to the system, which the allocator keeps otherwise. Takes some
// milliseconds.
void return_freed_memory();

// Threads that compute give way to those that feed devices: these have all threads of the process but the
// calling one and the main one, or the calling thread, at a lower priority from now on, with the threads that
// they start. Linux alone.
void lower_other_threads();
void lower_this_thread();

// The least memory limit of the control groups, of version 1 or 2, that this process is in, with those that
// they lie in; INT64_MAX if there is none. `root` is put before the paths of system files.
int64_t control_group_limit(const std::string& root = "");

// Runs a program, found as a shell finds it, with these words and no shell; standard input is empty, and what
// it prints goes to the file `log`. If `stop` is requested it is ended, with the processes that it started.
// Returns its exit code, or 128 + the signal that ended it. May be called from several threads. Throws
// Error{kUsage} for a program that cannot be started, Error{kResource}, Error{kOutput}.
int run_other_program(const std::vector<std::string>& words, const std::string& log, const StopToken& stop);
// The error of one that cannot be started, by its errno.
Error cannot_start(const std::string& program, int error);

// The path of this program. Throws Error{kInternal}.
std::filesystem::path own_program();

// Sets a variable of the environment, for programs that are started.
void set_variable(const char* name, const std::string& value);

// Throws Error{kUsage} for one of cambi's own programs that this system cannot start.
void check_can_become(std::string_view program);

// Replaces this program by the one in the folder, or else the one of that name in PATH. Windows has no such
// thing: there this one waits, and ends as the other does. Returns the errno of the failure.
int become_program(const std::filesystem::path& folder, const std::string& name,
                   const std::vector<std::string>& words);

// A new folder among the system's temporary files, which is removed with all that is in it.
class WorkFolder {
 public:
  WorkFolder();  // throws Error{kOutput}
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// $XDG_CACHE_HOME/cambi, or $HOME/.cache/cambi; nothing if neither variable is an absolute path.
std::optional<std::filesystem::path> cache_folder();

}  // namespace vq::cli
