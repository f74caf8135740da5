// Command lines that shards and merge take over from a plan.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cluster/plan.h"
#include "cli/commands/flag_parser.h"
#include "cli/inputs/run_options.h"

namespace vq::cli {

// The flags of a run that were given, of the groups with these headings and of these names, as words.
struct TakenFlags {
  std::span<const std::string_view> groups, names = {};
  std::span<const std::string_view> but = {};  // of these groups not those
};
std::vector<std::string> run_words(const ParsedArguments& words, const TakenFlags& taken);

// Throws Error{kUsage} with `advice` where another flag of a run was given.
void refuse_others(const ParsedArguments& words, const TakenFlags& taken, const std::string& advice);

// What a run of the title by itself would be asked for, with more words than those of the plan. Throws as
// run_options().
RunOptions title_options(const PlanHead& head, const PlannedTitle& title,
                         const std::vector<std::string>& more);

}  // namespace vq::cli
