#include "cli/cluster/missing_shards.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/cluster/plan.h"
#include "cli/cluster/shard_result.h"
#include "engine/report/json_text.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

struct MissingShard {
  int64_t number = 0;
  std::string result;  // path
  double work = 0;     // in any unit; 0: nobody knows
};

}  // namespace

std::string missing_shards_json(const PlanFile& plan) {
  const PlanHead& head = plan.head();
  std::vector<MissingShard> missing;
  int threads = 1;
  int64_t memory_bytes = 0, known = 0;
  double work = 0;
  plan.each_title([&](const PlannedTitle& title) {
    threads = std::max(threads, title.threads);
    memory_bytes = std::max(memory_bytes, title.memory_bytes);
    for (size_t i = 0; i < title.shards.size(); ++i) {
      const auto place = static_cast<int64_t>(i), number = title.first_shard + place;
      const double own = needs_of(title, i).work;
      work += own;
      known += own > 0;
      std::string result = shard_path(head, title, place);
      if (is_whole_result(result, {.plan = head.id, .shard = number})) continue;
      missing.push_back({number, std::move(result), own});
    }
    return true;
  });
  // A shard of which nobody knows how long it is counts as much as the mean of the others.
  const double mean = known > 0 ? work / static_cast<double>(known) : 1;
  const double all = work + mean * static_cast<double>(head.shards - known);
  ordered_json json = {
      {"version", head.version},         {"results", head.results}, {"arguments", head.arguments},
      {"shards", head.shards},           {"threads", threads},      {"memory_bytes", memory_bytes},
      {"missing", ordered_json::array()}};
  for (const MissingShard& shard : missing) {
    const double share = (shard.work > 0 ? shard.work : mean) / all;
    json["missing"].push_back({{"shard", shard.number}, {"result", shard.result}, {"share", share}});
  }
  return json_file_text(json);
}

}  // namespace vq::cli
