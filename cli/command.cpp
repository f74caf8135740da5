#include "cli/command.h"

#include "cli/arguments.h"
#include "cli/compare.h"
#include "cli/gate.h"
#include "cli/run.h"
#include "cli/subcommand.h"

namespace vq::cli {
namespace {

struct Subcommand {
  const char* name;
  int (*run)(const std::vector<std::string>& words, Messages& messages);
};

constexpr Subcommand kSubcommands[] = {
    {"features", run_features}, {"info", run_info},     {"diff", run_diff},
    {"gate", run_gate},         {"report", run_report}, {"compare", run_compare},
};

}  // namespace

int run_command(const std::vector<std::string>& words, Messages& messages) {
  for (const Subcommand& subcommand : kSubcommands) {
    if (!words.empty() && words[0] == subcommand.name)
      return subcommand.run({words.begin() + 1, words.end()}, messages);
  }
  const std::variant<Arguments, TextRequest> parsed = parse_arguments(words);
  if (const TextRequest* request = std::get_if<TextRequest>(&parsed)) {
    write_stdout(request->text);
    return 0;
  }
  return run_scoring(std::get<Arguments>(parsed), messages);
}

}  // namespace vq::cli
