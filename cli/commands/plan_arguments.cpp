#include "cli/commands/plan_arguments.h"

#include <algorithm>

#include "cli/commands/arguments.h"
#include "cli/commands/run_flags.h"
#include "core/error.h"

namespace vq::cli {
namespace {

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Null for a flag of the subcommand alone.
const FlagGroup* group_of(const Flag& flag) {
  for (const FlagGroup& group : run_flags()) {
    const auto is_it = [&](const Flag& other) { return other.name == flag.name; };
    if (std::any_of(group.flags.begin(), group.flags.end(), is_it)) return &group;
  }
  return nullptr;
}

bool is_taken(const Flag& flag, const TakenFlags& taken) {
  const FlagGroup* const group = group_of(flag);
  if (group == nullptr || has(taken.but, flag.name)) return false;
  return has(taken.groups, group->heading) || has(taken.names, flag.name);
}

}  // namespace

std::vector<std::string> run_words(const ParsedArguments& words, const TakenFlags& taken) {
  std::vector<std::string> found;
  for (const auto& [flag, text] : words.flags) {
    if (!is_taken(*flag, taken)) continue;
    found.push_back(flag->type.empty() ? std::string(flag->name) : std::string(flag->name) + "=" + text);
  }
  return found;
}

void refuse_others(const ParsedArguments& words, const TakenFlags& taken, const std::string& advice) {
  for (const GivenFlag& given : words.flags) {
    if (group_of(*given.flag) == nullptr || is_taken(*given.flag, taken)) continue;
    throw Error(ErrorKind::kUsage, std::string(given.flag->name) + " " + advice);
  }
}

RunOptions title_options(const PlanHead& head, const PlannedTitle& title,
                         const std::vector<std::string>& more) {
  std::vector<std::string> words = head.arguments;
  words.insert(words.end(), more.begin(), more.end());
  if (title.reference) words.push_back("--reference=" + title.reference->file.path);
  words.push_back(title.distorted.file.path);
  return run_options(parse_run_words(words));
}

}  // namespace vq::cli
