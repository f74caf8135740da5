#include "engine/report/score_lists.h"

#include <algorithm>
#include <cmath>

namespace vq {

std::string write_score_lists(std::span<const Metric* const> metrics, const NumberStyle& numbers) {
  std::string out = "[";
  const size_t frames = metrics.empty() ? 0 : metrics.front()->values.size();
  for (size_t i = 0; i < frames; ++i) {
    out += i == 0 ? "[" : ", [";
    for (size_t m = 0; m < metrics.size(); ++m) {
      const double value = metrics[m]->values[i];
      if (m > 0) out += ", ";
      out += std::isfinite(value) ? number_text(value, numbers) : "null";
    }
    out += ']';
  }
  return out + "]\n";
}

std::string write_auto_boost(const Metric& metric) {
  constexpr int kDecimals = 6;
  std::string out = "skip: 1\n";
  for (size_t i = 0; i < metric.values.size(); ++i)
    out += std::to_string(i + 1) + ": " + fixed_text(std::max(metric.values[i], 0.0), kDecimals) + "\n";
  return out;
}

}  // namespace vq
