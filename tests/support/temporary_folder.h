// A folder that a test has for itself, whatever runs beside it.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <system_error>

#include "cli/system/output_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/report_samples.h"

namespace vq::test {

// Goes with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device number;
    const std::filesystem::path parent = std::filesystem::temp_directory_path();
    do {
      folder_ = parent / ("cambi-test-" + std::to_string(number()));
    } while (!std::filesystem::create_directory(folder_));
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    path_ = folder_.string();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

// A variable of the environment, while an object lives. No other thread may ask for one meanwhile.

#ifdef _WIN32
inline void set_variable(const char* name, const char* value) { _putenv_s(name, value); }
inline void remove_variable(const char* name) { _putenv_s(name, ""); }
#else
inline void set_variable(const char* name, const char* value) { setenv(name, value, 1); }
inline void remove_variable(const char* name) { unsetenv(name); }
#endif

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { set_variable(name, value.c_str()); }
  ~Variable() { remove_variable(name_); }
  Variable& operator=(Variable&&) = delete;

 private:
  const char* const name_;
};

}  // namespace vq::test
