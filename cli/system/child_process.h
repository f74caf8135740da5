// Other programs, as processes of this one that end with it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace vq::cli {

// One process. The destructor kills it, if it still runs, and waits for it. For one thread at a time.
class ChildProcess {
 public:
  // Starts the program, looked up as a shell does, with standard input empty. Standard output and standard
  // error are appended to the file `log`; without a name they are those of this program. Throws
  // Error{kResource}, and Error{kOutput} for the log. A program that cannot be started ends with code 127.
  ChildProcess(const std::vector<std::string>& words, const std::string& log);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id() const { return id_; }
  // Waits for its end, and passes a signal that asks this program to stop on to it. The exit code; 128 +
  // signal where one ended it.
  int wait();

 private:
  pid_t id_ = -1;
};

struct ChildOutput {
  int code = 0;  // as ChildProcess::wait()
  std::string out, err;
};

// Runs a program to its end. Throws Error{kResource}. One that cannot be started ends with code 127.
ChildOutput run_child(const std::vector<std::string>& words);

}  // namespace vq::cli
