#include "core/metric.h"

namespace vq {

std::vector<std::string> names_of(std::span<const Metric> metrics) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics) names.push_back(metric.name);
  return names;
}

}  // namespace vq
