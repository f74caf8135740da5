#include "cli/cluster/plan_work.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "cli/cluster/plan.h"
#include "cli/cluster/shard_result.h"
#include "cli/run/thread_shares.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

// A shard of which nobody knows how long it is counts as much as the mean of the others.
void give_weights(std::vector<WorkShard>& shards) {
  const double sum = std::accumulate(shards.begin(), shards.end(), 0.0,
                                     [](double all, const WorkShard& shard) { return all + shard.work; });
  const auto known =
      std::count_if(shards.begin(), shards.end(), [](const WorkShard& shard) { return shard.work > 0; });
  const double mean = known > 0 ? sum / static_cast<double>(known) : 1;
  for (WorkShard& shard : shards) {
    if (shard.work <= 0) shard.work = mean;
  }
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

PlanWork plan_work(const PlanFile& plan) {
  PlanWork work{.path = fs::absolute(plan.path()).lexically_normal().string(),
                .id = plan.head().id,
                .results = plan.head().results,
                .arguments = plan.head().arguments,
                .shards = {}};
  plan.each_title([&](const PlannedTitle& title) {
    for (size_t i = 0; i < title.shards.size(); ++i) {
      const auto number = static_cast<int64_t>(i);
      const ShardNeeds needs = needs_of(title, i);
      work.threads = std::max(work.threads, needs.threads);
      work.memory_bytes = std::max(work.memory_bytes, needs.memory_bytes);
      work.shards.push_back({.result = shard_path(plan.head(), title, number),
                             .failure = failure_path(plan.head(), title, number),
                             .work = needs.work});
    }
    return true;
  });
  give_weights(work.shards);
  look_at_results(work);
  return work;
}

std::vector<int64_t> shards_left(const PlanWork& work) {
  std::vector<int64_t> left;
  for (size_t i = 0; i < work.shards.size(); ++i) {
    if (!work.shards[i].is_done) left.push_back(static_cast<int64_t>(i));
  }
  return left;
}

WorkState look_at_results(PlanWork& work) {
  WorkState state;
  double all = 0, done = 0;
  for (size_t i = 0; i < work.shards.size(); ++i) {
    WorkShard& shard = work.shards[i];
    all += shard.work;
    if (!shard.is_done)
      shard.is_done = is_whole_result(shard.result, {.plan = work.id, .shard = static_cast<int64_t>(i)});
    if (shard.is_done) {
      ++state.done;
      done += shard.work;
    } else if (exists(shard.failure)) {
      ++state.failed;
    }
  }
  state.share = all > 0 ? done / all : 1;
  return state;
}

}  // namespace vq::cli
