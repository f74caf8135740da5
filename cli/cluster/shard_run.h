// Scores one shard of a plan.
#pragma once

#include <cstdint>
#include <string>

#include "cli/cluster/plan.h"
#include "cli/inputs/run_options.h"
#include "cli/system/messages.h"

namespace vq::cli {

enum class ShardOutcome { kScored, kKept, kInterrupted };  // kKept: its whole result was there

// The number of a shard among those of its title.
int64_t place_in_title(const PlannedTitle& title, int64_t shard);

// `arguments` are those of the title. Where the result of the shard is there and whole, nothing is done;
// otherwise it is written, or replaced, in one step. Any number of these may do the same shard at the same
// time. What fails is noted beside the result, for merge, and thrown: Error{kInput} where a video is not what
// it was when the plan was made, and what scoring throws.
ShardOutcome run_shard(const PlanHead& head, const PlannedTitle& title, int64_t place,
                       const RunOptions& arguments, Messages& messages);

}  // namespace vq::cli
