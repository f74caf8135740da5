#include "cli/commands/command.h"

#include <unistd.h>

#include <algorithm>

#include "cli/commands/arguments.h"
#include "cli/commands/external.h"
#include "cli/commands/foreign_flags.h"
#include "cli/commands/help.h"
#include "cli/commands/run_flags.h"
#include "cli/commands/subcommand_table.h"
#include "cli/run/run.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/text.h"
#include "core/version.h"

namespace vq::cli {
namespace {

constexpr char kGithub[] = "--github";

// A first word that is a subcommand of another program, or nearly one of this, and no file either, was meant
// as one.
void check_first_word(const std::vector<std::string>& words) {
  const std::string& word = words[0];
  if (word.starts_with('-') || access(word.c_str(), F_OK) == 0) return;
  refuse_foreign_command(words);
  const std::string near = nearest_subcommand(word);
  if (near.empty()) return;
  throw Error(ErrorKind::kUsage, "\"" + printable(word) +
                                     "\" is neither a file nor a subcommand. Did you mean \"" + near + "\"?");
}

// For a call without a word: how it is meant goes to standard error, before what is missing.
[[noreturn]] void refuse_bare(const std::string& help, const std::string& missing) {
  write_stderr(help + "\n");
  throw Error(ErrorKind::kUsage, missing);
}

ParsedArguments parse(const Subcommand& subcommand, const std::vector<std::string>& words) {
  if (subcommand.takes_run_flags)
    return parse_run_words(words, subcommand.flags, "cambi " + std::string(subcommand.name));
  std::vector<const Flag*> flags;
  for (const Flag& flag : subcommand.flags) flags.push_back(flag.of_run ? find_run_flag(flag.name) : &flag);
  return parse_words(flags, words);
}

std::string missing_for(const Subcommand& subcommand) {
  return std::string(subcommand.name) + " needs " + std::string(subcommand.needs) + ".";
}

void check_number(const std::vector<std::string>& arguments, const Subcommand& subcommand) {
  const std::string name(subcommand.name);
  if (arguments.size() < subcommand.least) {
    throw Error(ErrorKind::kUsage,
                missing_for(subcommand) + " Try: cambi " + name + " " + std::string(subcommand.arguments));
  }
  if (arguments.size() > subcommand.most) {
    throw Error(ErrorKind::kUsage,
                name + " does not take \"" + printable(arguments[subcommand.most]) + "\".");
  }
}

int run_subcommand(const Subcommand& subcommand, const std::vector<std::string>& words, Messages& messages) {
  if (words.empty() && !subcommand.needs.empty()) refuse_bare(help_of(subcommand), missing_for(subcommand));
  const ParsedArguments parsed = parse(subcommand, words);
  messages.annotate(parsed.find(kGithub) != nullptr);
  if (parsed.asks_for_help) {
    const size_t columns = stdout_width();
    write_stdout(subcommand.name == "help" ? full_help(subcommands(), columns)
                                           : help_of(subcommand, columns));
    return 0;
  }
  if (parsed.find("--version") != nullptr) {
    write_stdout(version_text());
    return 0;
  }
  check_number(parsed.arguments, subcommand);
  if (subcommand.run == nullptr) become_external(subcommand.name, parsed);
  return subcommand.run(parsed, messages);
}

}  // namespace

std::string version_text() {
  return std::string("cambi ") + version() + "\n";
}

int run_command(std::string_view program, const std::vector<std::string>& words, Messages& messages) {
  const bool is_vmaf = program.substr(program.find_last_of('/') + 1) == "vmaf";
  // Words that cannot be parsed are an annotation as well, though this may be the value of another flag.
  messages.annotate(std::find(words.begin(), words.end(), kGithub) != words.end());
  if (words.empty()) refuse_bare(kShortHelp, "no video to score.");
  const bool asks_for_help = words.back() == "-h";  // with a value it is the height of raw video
  if (const Subcommand* subcommand = is_vmaf ? nullptr : find_subcommand(words[0])) {
    if (asks_for_help && words.size() == 2) return run_subcommand(*subcommand, {"--help"}, messages);
    return run_subcommand(*subcommand, {words.begin() + 1, words.end()}, messages);
  }
  if (asks_for_help && words.size() == 1) {
    write_stdout(full_help(subcommands(), stdout_width()));
    return 0;
  }
  if (!is_vmaf) check_first_word(words);
  const ParsedArguments parsed = parse_run_words(words);
  messages.annotate(parsed.find(kGithub) != nullptr);
  if (parsed.asks_for_help || parsed.find("--version") != nullptr) {
    write_stdout(parsed.asks_for_help ? full_help(subcommands(), stdout_width()) : version_text());
    return 0;
  }
  return run_scoring(run_options(parsed, is_vmaf), messages);
}

}  // namespace vq::cli
