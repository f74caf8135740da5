#include "cli/commands/arguments.h"

#include <algorithm>

#include "cli/commands/collected_flags.h"
#include "cli/commands/foreign_flags.h"
#include "cli/commands/run_flags.h"

namespace vq::cli {
namespace {

bool scores(const Flag& flag) {
  return std::any_of(topics().begin(), topics().end(), [&](const Topic& topic) {
    const auto is_it = [&](const Flag& other) { return &other == &flag; };
    return topic.role == FlagRole::kScoring && std::any_of(topic.flags.begin(), topic.flags.end(), is_it);
  });
}

RunOptions options_of(const ParsedArguments& words, Videos videos, std::string_view feature = {},
                      bool is_vmaf = false) {
  CollectedFlags collected;
  collected.is_vmaf = is_vmaf;
  if (!feature.empty()) collected.features.emplace_back(feature);
  collected.arguments.original = words.original;
  collected.positionals = words.arguments;
  for (const auto& [flag, text] : words.flags) {
    if (flag->set == nullptr) continue;
    flag->set(collected, *flag, text);
    if (scores(*flag)) collected.arguments.scoring_flags.emplace_back(flag->name);
  }
  RunOptions& arguments = collected.arguments;
  if (is_vmaf) {
    if (arguments.model_specs.empty() && !arguments.no_prediction) {
      arguments.model_specs.push_back(model::parse_model_spec("version=vmaf_v0.6.1"));
    }
    arguments.as_stored = arguments.compare_anyway = arguments.reference.has_value();
    arguments.is_vmaf = true;
  }
  return complete(std::move(collected), videos);
}

}  // namespace

ParsedArguments parse_run_words(const std::vector<std::string>& words, std::span<const Flag> own,
                                const std::string& command) {
  std::vector<const Flag*> flags;
  for (const Topic& topic : topics()) {
    for (const Flag& flag : topic.flags) flags.push_back(&flag);
  }
  for (const Flag& flag : own) {
    if (find_run_flag(flag.name) == nullptr) flags.push_back(&flag);
  }
  refuse_foreign_flags(flags, words, command);
  return parse_words(flags, words);
}

RunOptions run_options(const ParsedArguments& words, bool is_vmaf) {
  return options_of(words, Videos::kOne, {}, is_vmaf);
}

RunOptions run_options_of_any(const ParsedArguments& words) {
  return options_of(words, Videos::kOneOrNone);
}

SeveralArguments several_options(const ParsedArguments& words, std::string_view feature) {
  return {options_of(words, Videos::kSeveral, feature), words.arguments};
}

}  // namespace vq::cli
