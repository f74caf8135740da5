// What is written of merged titles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/cluster/merged_title.h"
#include "cli/inputs/run_options.h"
#include "cli/system/output_file.h"
#include "engine/report/baseline.h"

namespace vq::cli {

// Thresholds and what the report was made from, where somebody may want to know. Throws Error{kMismatch}.
void judge_merged(Report& report, const RunOptions& arguments, const std::optional<Baseline>& baseline);

// Writes all outputs that are asked for, or under their partial names what there is of them. Returns the
// files. Throws Error{kOutput}.
enum class Completeness { kWhole, kPartial };
std::vector<OutputFile> write_merged(const Report& report, const RunOptions& arguments,
                                     Completeness completeness);

// "3 of 20 shards are missing, 1 failed: numbers 5, 6, 7 (...), 8". Gives the reason for those that failed or
// are damaged.
std::string gaps_text(const PlannedTitle& title, const std::vector<ShardGap>& gaps);

}  // namespace vq::cli
