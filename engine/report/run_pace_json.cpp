#include "engine/report/run_pace_json.h"

#include <cmath>
#include <string>

#include "engine/report/run_pace.h"

namespace vq {
namespace {

using nlohmann::ordered_json;

}  // namespace

ordered_json stages_json(const RunFacts& run) {
  ordered_json list = ordered_json::array();
  for (const StageFacts& stage : run.stages) {
    list.push_back({{"name", stage.name},
                    {"on", stage.on_device ? "device" : "host"},
                    {"milliseconds", stage.milliseconds},
                    {"bytes", stage.bytes ? ordered_json(*stage.bytes) : ordered_json(nullptr)}});
  }
  return list;
}

ordered_json pace_parts_json(const PaceFacts& pace) {
  ordered_json parts = ordered_json::object();
  for (size_t i = 0; i < pace::kParts.size(); ++i) {
    // As many digits as clocks have.
    parts[std::string(pace::kParts[i])] = std::round(pace.seconds[i] * 1e6) / 1e6;
  }
  return parts;
}

ordered_json pace_json(const RunFacts& run) {
  if (!run.pace) return nullptr;
  ordered_json members = {{"parts", pace_parts_json(*run.pace)}, {"limit", nullptr}};
  if (const std::optional<std::string_view> limit = limit_of(*run.pace)) members["limit"] = *limit;
  return members;
}

}  // namespace vq
