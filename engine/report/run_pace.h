// The bottleneck of a run.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "engine/report/report.h"

namespace vq {

inline double total_seconds(const PaceFacts& pace) {
  return std::accumulate(pace.seconds.begin(), pace.seconds.end(), 0.0);
}

// The activity that took longest; none if none took any time.
inline std::optional<std::string_view> limit_of(const PaceFacts& pace) {
  const auto longest = std::max_element(pace.seconds.begin(), pace.seconds.end());
  if (*longest <= 0) return std::nullopt;
  return pace::kParts[static_cast<size_t>(longest - pace.seconds.begin())];
}

}  // namespace vq
