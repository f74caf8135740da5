#include "tests/run_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace vq::cli::test {
namespace {

[[noreturn]] void become_program(const std::vector<std::string>& words, const ProgramOptions& options,
                                 const std::string& folder) {
  const std::string input = options.input.empty() ? "/dev/null" : folder + "/in";
  const int in = open(input.c_str(), O_RDONLY);
  const int out = open((folder + "/out").c_str(), O_WRONLY | O_CREAT, 0600);
  const int err = open((folder + "/err").c_str(), O_WRONLY | O_CREAT, 0600);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments = {const_cast<char*>(CAMBI_PROGRAM)};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(CAMBI_PROGRAM, arguments.data());
  _exit(127);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& words, const ProgramOptions& options) {
  const TemporaryFolder folder;
  if (!options.input.empty()) write_file(folder.path() + "/in", options.input);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become_program(words, options, folder.path());
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  ProgramResult result;
  result.signalled = WIFSIGNALED(status);
  result.code = result.signalled ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.out = read_file(folder.path() + "/out");
  result.err = read_file(folder.path() + "/err");
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "cambi-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace vq::cli::test
