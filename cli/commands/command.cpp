#include "cli/commands/command.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "cli/commands/arguments.h"
#include "cli/commands/compare_command.h"
#include "cli/commands/flag_parser.h"
#include "cli/commands/gate.h"
#include "cli/commands/help_text.h"
#include "cli/commands/report_command.h"
#include "cli/commands/subcommand.h"
#include "cli/reports/compare.h"
#include "cli/run/run.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

int run_help(const std::vector<std::string>& words, Messages& messages);
int run_version(const std::vector<std::string>& words, Messages& messages);

struct Subcommand {
  const char* name;
  int (*run)(const std::vector<std::string>& words, Messages& messages);
};

constexpr Subcommand kSubcommands[] = {
    {"compare", run_compare}, {"devices", run_devices}, {"diff", run_diff},
    {"features", run_features}, {"gate", run_gate}, {"help", run_help},
    {"info", run_info}, {"report", run_report}, {"version", run_version},
};

const Subcommand* find_subcommand(const std::string& name) {
  const auto found = std::find_if(std::begin(kSubcommands), std::end(kSubcommands),
                                  [&](const Subcommand& subcommand) { return name == subcommand.name; });
  return found == std::end(kSubcommands) ? nullptr : found;
}

std::string nearest_subcommand(const std::string& word) {
  std::vector<std::string> names;
  for (const Subcommand& subcommand : kSubcommands) names.emplace_back(subcommand.name);
  return nearest(word, names);
}

// A first word that is nearly a subcommand, and no file either, was meant as one.
void check_first_word(const std::string& word) {
  if (word.starts_with('-') || access(word.c_str(), F_OK) == 0) return;
  const std::string near = nearest_subcommand(word);
  if (near.empty()) return;
  throw Error(ErrorKind::kUsage, "\"" + printable(word) +
                                     "\" is neither a file nor a subcommand. Did you mean \"" + near + "\"?");
}

[[noreturn]] void refuse_words(const std::string& subcommand, const std::string& word) {
  throw Error(ErrorKind::kUsage, subcommand + " does not take \"" + printable(word) + "\".");
}

int run_help(const std::vector<std::string>& words, Messages& messages) {
  if (words.size() > 1) refuse_words("help", words[1]);
  if (words.empty() || words[0] == "help" || words[0].starts_with('-')) {
    return run_command({"--help"}, messages);
  }
  if (const Subcommand* subcommand = find_subcommand(words[0])) return subcommand->run({"--help"}, messages);
  const std::string near = nearest_subcommand(words[0]);
  throw Error(ErrorKind::kUsage,
              "help: there is no subcommand \"" + printable(words[0]) + "\"." +
                  (near.empty() ? " See: cambi --help" : " Did you mean \"" + near + "\"?"));
}

int run_version(const std::vector<std::string>& words, Messages&) {
  if (!words.empty() && words[0] != "--help") refuse_words("version", words[0]);
  write_stdout(version_text());
  return 0;
}

}  // namespace

const char* version_text() {
  return "cambi " CAMBI_VERSION "\n";
}

std::string advice(const Error& error, const std::vector<std::string>& words) {
  if (error.kind() != ErrorKind::kBackend) return "";
  const bool several = !words.empty() && words[0] == "gate";
  return std::string(". Try ") + (several ? "--backends cpu,scalar." : "--backend cpu.");
}

int run_command(const std::vector<std::string>& words, Messages& messages) {
  if (words.empty()) refuse_bare(kShortHelp, "no video to score.");
  const bool asks_for_help = words.back() == "-h";  // which is the height where it has a value
  if (const Subcommand* subcommand = find_subcommand(words[0])) {
    if (asks_for_help && words.size() == 2) return subcommand->run({"--help"}, messages);
    return subcommand->run({words.begin() + 1, words.end()}, messages);
  }
  if (asks_for_help && words.size() == 1) {
    write_stdout(kShortHelp);
    return 0;
  }
  check_first_word(words[0]);
  const std::variant<RunOptions, TextRequest> parsed = parse_arguments(words);
  if (const TextRequest* request = std::get_if<TextRequest>(&parsed)) {
    write_stdout(request->text);
    return 0;
  }
  return run_scoring(std::get<RunOptions>(parsed), messages);
}

}  // namespace vq::cli
