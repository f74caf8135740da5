#include "cli/commands/flag_parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/output/messages.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Spells every long flag as it was declared.
void canonicalise(const CLI::App& app, std::vector<std::string>& words) {
  std::map<std::string, std::string> declared;
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      declared[underscored(name)] = name;
      names.push_back("--" + name);
    }
  }
  for (std::string& word : words) {
    if (word == "--") return;
    if (!word.starts_with("--")) continue;
    const size_t equals = std::min(word.find('='), word.size());
    const auto found = declared.find(underscored(word.substr(2, equals - 2)));
    if (found == declared.end()) {
      const std::string near = nearest(word.substr(0, equals), names);
      throw Error(ErrorKind::kUsage,
                  "unknown flag \"" + printable(word.substr(0, equals)) + "\"." +
                      (near.empty() ? " See: cambi --help" : " Did you mean \"" + near + "\"?"));
    }
    word = "--" + found->second + word.substr(equals);
  }
}

// The parser's words for a fault, in those of this program.
Error usage_error(const CLI::ParseError& error) {
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  const size_t colon = message.find(": 1 required ");  // "--threads: 1 required N missing"
  if (colon != std::string::npos) {
    const std::string flag = message.substr(0, colon);
    message = flag + " needs a value.";
    if (flag == "--height") message += " (-h is the height of raw video, as in vmaf; for help: cambi --help)";
  }
  return Error(ErrorKind::kUsage, printable(message, 300));
}

}  // namespace

std::optional<std::string> parse_flags(CLI::App& app, std::vector<std::string> words) {
  canonicalise(app, words);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ParseError& error) {
    throw usage_error(error);
  }
  return std::nullopt;
}

void refuse_bare(const std::string& help, const std::string& missing) {
  write_stderr(help + "\n");
  throw Error(ErrorKind::kUsage, missing);
}

}  // namespace vq::cli
