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

}  // namespace vq::test

namespace vq::cli {

// What the tests of outputs share: a folder of their own, and ways to write into it.

class OutputFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
  }

  std::string in_folder(const std::string& name) const { return folder_ + "/" + name; }
  std::string made(const std::string& name, const std::string& text) const {
    std::ofstream(in_folder(name), std::ios::binary) << text;
    return in_folder(name);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_)) out.push_back(entry.path().filename());
    std::ranges::sort(out);
    return out;
  }
  mode_t mode_of(const std::string& path) const {
    struct stat status;
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  // That `act` throws an Error{kOutput} with these parts.
  static void expect_output_error(std::initializer_list<std::string_view> parts,
                                  const std::function<void()>& act) {
    vq::test::expect_error(ErrorKind::kOutput, parts, act);
  }

  const vq::test::TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

inline void write_whole(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

// Runs `act` with standard output replaced by `fd`, which is closed, and says what it threw.
template <typename Act>
std::optional<std::string> with_stdout(int fd, Act act) {
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  if (fd >= 0) {
    ::dup2(fd, STDOUT_FILENO);
    ::close(fd);
  } else {
    ::close(STDOUT_FILENO);
  }
  std::optional<std::string> message;
  try {
    act();
  } catch (const Error& error) {
    message = error.what();
  }
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  return message;
}

}  // namespace vq::cli

namespace vq::test {

// A variable of the environment, while an object lives. No other thread may ask for one meanwhile.

#ifdef _WIN32
inline void set_variable(const char* name, const char* value) {
  _putenv_s(name, value);
}
inline void remove_variable(const char* name) {
  _putenv_s(name, "");
}
#else
inline void set_variable(const char* name, const char* value) {
  setenv(name, value, 1);
}
inline void remove_variable(const char* name) {
  unsetenv(name);
}
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
