// A plan that there is no file of, for tests.
#pragma once

#include <string>

#include "cli/cluster/plan_work.h"

namespace vq::cli::test {

inline PlanWork some_work(const std::string& folder, size_t shards) {
  PlanWork work{
      .path = folder + "/plan.json", .id = "some", .results = folder, .arguments = {}, .shards = {}};
  for (size_t i = 0; i < shards; ++i) {
    const std::string stem = folder + "/" + std::to_string(i);
    work.shards.push_back({.result = stem + ".shard", .failure = stem + ".failed"});
  }
  return work;
}

}  // namespace vq::cli::test
