// A threshold and its result, for reports and comparisons.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/report/report.h"

namespace vq {

inline nlohmann::ordered_json threshold_json(const ThresholdFacts& threshold) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json members = {{"expression", threshold.expression},
                  {"metric", threshold.metric},
                  {"statistic", threshold.statistic},
                  {"value", number(threshold.value)},
                  {"crossed", threshold.judged ? Json(threshold.crossed) : Json(nullptr)}};
  if (threshold.baseline) members["baseline"] = number(*threshold.baseline);
  return members;
}

}  // namespace vq
