// Arguments that shards and merge take from a plan.
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

// The flags of a run that plan, shards and merge take.
inline constexpr FlagRole kPlanRoles[] = {FlagRole::kScoring, FlagRole::kRunning},
                          kShardRoles[] = {FlagRole::kRunning}, kMergeRoles[] = {FlagRole::kReporting};

// A choice of the flags of a run: those of these roles, except `but`, and those of these names.
struct TakenFlags {
  std::span<const FlagRole> roles;
  std::span<const std::string_view> names = {}, but = {};
};
// The chosen flags that were given, as words.
std::vector<std::string> run_words(const ParsedArguments& words, const TakenFlags& taken);

// Throws Error{kUsage} with `advice` if any other flag of a run was given.
void refuse_others(const ParsedArguments& words, const TakenFlags& taken, const std::string& advice);

// The options of a single run of the title: the plan's arguments and `more`. Throws as run_options().
RunOptions title_options(const PlanHead& head, const PlannedTitle& title,
                         const std::vector<std::string>& more);

}  // namespace vq::cli
