// What of a plan is done, and what the rest of it takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vq::cli {

class PlanFile;

struct WorkShard {
  std::string result, failure;  // paths of what it found and of a note on why it failed
  double work = 1;              // its part of the whole, in any unit
  bool is_done = false;
};

struct PlanWork {
  std::string path;                    // of the plan, absolute
  std::string id;                      // that its results have as well
  std::string results;                 // the folder
  std::vector<std::string> arguments;  // flags of the scoring run
  int threads = 1;                     // that a shard keeps busy
  int64_t memory_bytes = 0;            // that the largest shard may take with so many
  std::vector<WorkShard> shards;       // in the plan's order
};

// Looks at the results as well. Throws Error{kInput}.
PlanWork plan_work(const PlanFile& plan);

// The numbers of the shards without a result, in ascending order.
std::vector<int64_t> shards_left(const PlanWork& work);

struct WorkState {
  size_t done = 0, failed = 0;  // shards; of one that failed a note is there and no result
  double share = 0;             // of the work that is done, 0 to 1
};

// Looks again for the results of those that are not done.
WorkState look_at_results(PlanWork& work);

}  // namespace vq::cli
