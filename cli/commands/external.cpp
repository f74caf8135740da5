#include "cli/commands/external.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> plain_words(const ParsedWords& words) {
  std::vector<std::string> plain;
  for (const auto& [flag, text] : words.flags)
    plain.push_back(std::string(flag->name) + (flag->type.empty() ? "" : "=" + text));
  const auto dashes = std::find(words.original.begin(), words.original.end(), "--");
  const std::ptrdiff_t behind = words.original.end() - dashes - 1, all = std::ssize(words.arguments);
  const auto dashes_at = words.arguments.end() - std::clamp<std::ptrdiff_t>(behind, 0, all);
  plain.insert(plain.end(), words.arguments.begin(), dashes_at);
  if (dashes != words.original.end()) plain.push_back("--");
  plain.insert(plain.end(), dashes_at, words.arguments.end());
  return plain;
}

}  // namespace

void become_external(std::string_view name, const ParsedWords& words) {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorKind::kInternal, "cannot find this program: " + error.message());
  const std::string program = "cambi-" + std::string(name), beside = (own.parent_path() / program).string();
  std::vector<std::string> plain = plain_words(words);
  std::vector<char*> all = {const_cast<char*>(program.c_str())};
  for (std::string& word : plain) all.push_back(word.data());
  all.push_back(nullptr);
  setenv("CAMBI_PROGRAM", own.c_str(), 1);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  execv(beside.c_str(), all.data());
  if (errno == ENOENT) execvp(program.c_str(), all.data());
  throw Error(ErrorKind::kUsage, program + " cannot be started: " + std::strerror(errno) + ". It belongs into the folder " +
                                     shown_path(own.parent_path().string()) + ", or into one of PATH");
}

}  // namespace vq::cli
