#include "cli/commands/external.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/system/interrupt.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text/message_text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kCaller[] = "CAMBI_PROGRAM";

std::vector<std::string> plain_words(const ParsedArguments& words) {
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

fs::path own_path() {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorKind::kInternal, "cannot find this program: " + error.message());
  return path;
}

}  // namespace

void become_program(const std::string& name, const std::vector<std::string>& words) {
  const fs::path folder = own_path().parent_path();
  std::vector<char*> all = {const_cast<char*>(name.c_str())};
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  if (const int signal = interrupt_signal(); signal != 0) std::exit(interrupt_exit_code(signal));
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  execv((folder / name).c_str(), all.data());
  if (errno == ENOENT) execvp(name.c_str(), all.data());
  const std::string place = shown_path(folder.string());
  if (errno == ENOENT) {
    throw Error(ErrorKind::kUsage, "this needs the program " + name + ", which is neither in " + place +
                                       " nor in a folder of PATH. Install it, or build it: ninja " + name);
  }
  throw Error(ErrorKind::kUsage, name + " cannot be started: " + errno_text(errno) +
                                     ". It belongs in the folder " + place + ", or in one of PATH");
}

void become_external(std::string_view name, const ParsedArguments& words) {
  setenv(kCaller, own_path().c_str(), 1);
  block_stopping_signals();  // an interpreter that starts would be ended by them, or print where it was
  become_program("cambi-" + std::string(name), plain_words(words));
}

bool is_external() {
  return std::getenv(kCaller) != nullptr;
}

}  // namespace vq::cli
