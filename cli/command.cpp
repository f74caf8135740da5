#include "cli/command.h"

#include <unistd.h>

#include "cli/arguments.h"
#include "cli/compare.h"
#include "cli/gate.h"
#include "cli/run.h"
#include "cli/subcommand.h"
#include "core/error.h"
#include "core/options.h"

namespace vq::cli {
namespace {

struct Subcommand {
  const char* name;
  int (*run)(const std::vector<std::string>& words, Messages& messages);
};

constexpr Subcommand kSubcommands[] = {
    {"devices", run_devices}, {"features", run_features}, {"info", run_info},       {"diff", run_diff},
    {"gate", run_gate},       {"report", run_report},     {"compare", run_compare},
};

// A first word that is nearly a subcommand, and no file either, was meant as one.
void check_first_word(const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-') || access(words[0].c_str(), F_OK) == 0) return;
  std::vector<std::string> names;
  for (const Subcommand& subcommand : kSubcommands) names.emplace_back(subcommand.name);
  const std::string near = nearest(words[0], names);
  if (near.empty()) return;
  throw Error(ErrorKind::kUsage, "\"" + printable(words[0]) +
                                     "\" is neither a file nor a subcommand. Did you mean \"" + near + "\"?");
}

}  // namespace

int run_command(const std::vector<std::string>& words, Messages& messages) {
  for (const Subcommand& subcommand : kSubcommands) {
    if (!words.empty() && words[0] == subcommand.name)
      return subcommand.run({words.begin() + 1, words.end()}, messages);
  }
  check_first_word(words);
  const std::variant<Arguments, TextRequest> parsed = parse_arguments(words);
  if (const TextRequest* request = std::get_if<TextRequest>(&parsed)) {
    write_stdout(request->text);
    return 0;
  }
  return run_scoring(std::get<Arguments>(parsed), messages);
}

}  // namespace vq::cli
