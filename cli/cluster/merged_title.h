// The report of a title, from what its shards found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster/plan.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_options.h"
#include "cli/system/output_file.h"
#include "engine/report/report.h"
#include "engine/report/threshold.h"

namespace vq::cli {

struct ShardGap {
  enum class Kind { kMissing, kFailed, kDamaged };  // kFailed: it was tried; kDamaged: its result is there
  int64_t shard = 0;                                // among all of the plan
  Kind kind = Kind::kMissing;
  std::string reason;
  std::optional<PairFault> fault = {};  // the reason, where its videos do not fit together
};

struct MergedTitle {
  Report report;  // that a single run would have made; of the frames before the first gap, where there is one
  std::vector<ShardGap> gaps;
  // Why the videos do not fit together; the report is then of the frames before that was known.
  std::optional<RefusedPair> refusal = {};
};

// `arguments`: of the title, with the outputs that are wanted, whose command line is that of a single run.
// Judges the pair as a single run does. Reads one shard at a time. Throws Error{kInput} if a model is not
// what it was when the plan was made, {kIncomplete} for videos of different lengths under --strict, and
// {kUsage, kMismatch} if the arguments ask for scores that the title does not have.
MergedTitle merge_title(const PlanHead& head, const PlannedTitle& title, const RunOptions& arguments);

// What is written of merged titles.

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
