// Scores one shard of a plan.
#pragma once

#include "cli/cluster/plan.h"
#include "cli/inputs/run_options.h"
#include "cli/system/messages.h"

namespace vq::cli {

enum class ShardOutcome { kScored, kKept, kInterrupted };  // kKept: its whole result was there

// Scores a shard. `arguments` are those of the title. If the shard has a whole result already, nothing is
// done; otherwise its result is written, or replaced, in one step. Several processes may score the same shard
// at the same time. A failure is noted beside the result, for merge, and thrown: Error{kInput} if a video is
// not what it was when the plan was made, and what scoring throws.
ShardOutcome run_shard(const PlanHead& head, const PlannedTitle& title, int64_t place,
                       const RunOptions& arguments, Messages& messages);

// The numbers from `first` to `last`, both included.
struct NumberRange {
  int64_t first = 0, last = 0;
  bool operator==(const NumberRange&) const = default;
};

struct IndexRequest {
  // "7", "3-5", or several of these with commas; none: the environment says it.
  std::optional<std::string> text;
  int64_t each = 1;    // number of shards that one entry stands for
  int64_t shards = 0;  // number of shards of the plan
};

// The shards to score, in the ranges that were given. `environment` gives the text of a variable, or null.
// Throws Error{kUsage} if an entry is no number or there is no such shard, and if nothing says which shards.
std::vector<NumberRange> shard_ranges(const IndexRequest& request,
                                      const std::function<const char*(const char*)>& environment);

// The bytes that are read: the beginning and the end of a video, all of a model.
enum class FileExtent { kEnds, kAll };

// The facts of a file as it is now. Throws Error{kInput}.
PlannedFile look_at_file(const std::string& path, FileExtent extent = FileExtent::kEnds);

// Throws Error{kInput}, naming the file, if its size, its time or the bytes that were read have changed since
// the plan was made.
void check_unchanged(const PlannedFile& planned, FileExtent extent = FileExtent::kEnds);
// Checks all models of a plan in the same way. To be called after the models were read, so that what was read
// is what was planned.
void check_models_unchanged(const PlanHead& head);

}  // namespace vq::cli
