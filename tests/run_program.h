// Runs the program as a user would, in a process of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace vq::cli::test {

struct ProgramResult {
  int code = -1;  // exit code, or 128 + signal
  bool signalled = false;
  std::string out, err;
};

struct ProgramOptions {
  std::string input;                               // standard input; empty: /dev/null
  std::map<std::string, std::string> environment;  // added to the test's own
};

// `words` is the command line without the program's name.
ProgramResult run_program(const std::vector<std::string>& words, const ProgramOptions& options = {});

// A folder that goes with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& content);

}  // namespace vq::cli::test
