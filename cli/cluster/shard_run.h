// Scores one shard of a plan.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster/plan.h"
#include "cli/inputs/run_options.h"
#include "cli/system/messages.h"

namespace vq::cli {

enum class ShardOutcome { kScored, kKept, kInterrupted };  // kKept: its whole result was there

// The number of a shard among those of its title.
int64_t place_in_title(const PlannedTitle& title, int64_t shard);

// `arguments` are those of the title. Where the result of the shard is there and whole, nothing is done;
// otherwise it is written, or replaced, in one step. Any number of these may do the same shard at the same
// time. What fails is noted beside the result, for merge, and thrown: Error{kInput} if a video is not what it
// was when the plan was made, and what scoring throws.
ShardOutcome run_shard(const PlanHead& head, const PlannedTitle& title, int64_t place,
                       const RunOptions& arguments, Messages& messages);

// Which shards a process is to score.

// Numbers from A to B, both of them in it.
struct NumberRange {
  int64_t first = 0, last = 0;
  bool operator==(const NumberRange&) const = default;
};

struct IndexRequest {
  std::optional<std::string>
      text;            // "7", "3-5", or several of these with commas; none: as the environment says
  int64_t each = 1;    // number of shards that one entry stands for
  int64_t shards = 0;  // that there are
};

// The shards, in ranges as they were given. `environment` gives the text of a variable, or null. Throws
// Error{kUsage}: no number, none that there is a shard for, and if nothing says which.
std::vector<NumberRange> shard_ranges(const IndexRequest& request,
                                      const std::function<const char*(const char*)>& environment);

// Files of a plan, as they were when it was made.

// The file as it is now; reads the first and last bytes of a video, and all of a model. Throws Error{kInput}.
PlannedFile look_at_file(const std::string& path);
PlannedFile look_at_model(const std::string& path);

// Throws Error{kInput}, naming the file, if it is not what it was: in size, time, or the bytes that were
// read.
void check_unchanged(const PlannedFile& planned);
// The same for all models of a plan. To be called after the models were read, since scores follow from what
// was read.
void check_models_unchanged(const PlanHead& head);

}  // namespace vq::cli
