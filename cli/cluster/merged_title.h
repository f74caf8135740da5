// The report of a title, from what its shards found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster/plan.h"
#include "cli/inputs/pair_remarks.h"
#include "cli/inputs/run_options.h"
#include "engine/report/report.h"

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

}  // namespace vq::cli
