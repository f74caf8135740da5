// The shards of a plan on this machine: several at a time, each in a process of its own, so that one that
// fails stops no other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/cluster/plan_work.h"
#include "cli/cluster/shard_progress.h"

namespace vq::cli {

// What the machine has.
struct LocalMachine {
  int cores = 1;
  int64_t memory_bytes = 0;       // that all shards together may take
  std::vector<std::string> gpus;  // what --device calls them; empty: none
};
LocalMachine this_machine();

struct LocalShares {
  int at_once = 1;  // shards
  int threads = 1;  // of each
  std::vector<std::string>
      gpus;  // for one shard at a time each, or several where there are more shards at a time; empty: none
};

// As many shards at a time as keep the cores busy and the memory allows. `wanted`: so many instead; 0: none
// is. Where the plan's own flags name devices or a backend that needs none, shards get none.
LocalShares local_shares(const PlanWork& work, const LocalMachine& machine, int wanted);

struct LocalRun {
  std::string program;             // absolute path of this program
  std::string logs;                // the folder for what shards say, there already
  std::vector<std::string> merge;  // what `cambi merge PLAN` is given beside the plan
};

// Command lines of one shard, on the worker-th of the processes, and of the merge.
std::vector<std::string> shard_words(const PlanWork& work, const LocalRun& run, const LocalShares& shares,
                                     int64_t shard, int worker);
std::vector<std::string> merge_words(const PlanWork& work, const LocalRun& run);

// Scores what is left and merges all of it. Returns the merge's exit code; 128 + signal where this program
// was asked to stop: then the shards are stopped as well. Throws Error{kResource}, Error{kOutput} where no
// process can be started.
int run_locally(PlanWork& work, const LocalRun& run, const LocalShares& shares, ShardProgress& progress);

// The same as a shell script that can be edited.
std::string local_script(const PlanWork& work, const LocalRun& run, const LocalShares& shares);

}  // namespace vq::cli
