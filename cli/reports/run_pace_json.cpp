#include "cli/reports/run_pace_json.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/reports/run_pace.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

// As many digits as clocks have.
double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

}  // namespace

ordered_json stages_json(const RunFacts& run) {
  ordered_json list = ordered_json::array();
  for (const StageFacts& stage : run.stages) {
    ordered_json& json = list.emplace_back(ordered_json{{"name", stage.name},
                                                        {"on", stage.on_device ? "device" : "host"},
                                                        {"milliseconds", stage.milliseconds},
                                                        {"bytes", nullptr},
                                                        {"gigabytes_per_second", nullptr}});
    if (!stage.bytes) continue;
    json["bytes"] = *stage.bytes;
    const double seconds = 1e-3 * stage.milliseconds / (stage.on_device ? 1 : std::max(run.threads, 1));
    if (seconds > 0)
      json["gigabytes_per_second"] = rounded(1e-9 * static_cast<double>(*stage.bytes) / seconds);
  }
  return list;
}

ordered_json pace_json(const RunFacts& run) {
  if (!run.pace) return nullptr;
  const PaceFacts& pace = *run.pace;
  ordered_json json = {{"frames", pace.frames},
                       {"seconds", pace.seconds},
                       {"decoding_seconds", pace.decoding_seconds},
                       {"waiting_seconds", pace.waiting_seconds},
                       {"parts", ordered_json::object()},
                       {"limit", nullptr}};
  for (const PartPace& part : part_paces(run)) {
    json["parts"][std::string(to_string(part.part))] = {{"seconds", rounded(part.seconds)},
                                                        {"fps", rounded(part.fps)}};
  }
  if (const std::optional<WorkPart> limit = limit_of(run)) json["limit"] = to_string(*limit);
  return json;
}

}  // namespace vq::cli
