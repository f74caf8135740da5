#include "cli/commands/plan_arguments.h"

#include <algorithm>

#include "cli/commands/arguments.h"
#include "cli/commands/run_flags.h"
#include "core/error.h"

namespace vq::cli {
namespace {

template <typename T>
bool has(std::span<const T> values, T value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Null for a flag that only the subcommand has.
const Topic* topic_of(const Flag& flag) {
  for (const Topic& topic : topics()) {
    const auto is_it = [&](const Flag& other) { return other.name == flag.name; };
    if (std::any_of(topic.flags.begin(), topic.flags.end(), is_it)) return &topic;
  }
  return nullptr;
}

bool is_taken(const Flag& flag, const TakenFlags& taken) {
  const Topic* const topic = topic_of(flag);
  if (topic == nullptr || has(taken.but, flag.name)) return false;
  return has(taken.roles, topic->role) || has(taken.names, flag.name);
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
    if (topic_of(*given.flag) == nullptr || is_taken(*given.flag, taken)) continue;
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
