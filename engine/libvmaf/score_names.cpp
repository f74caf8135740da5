#include "engine/libvmaf/score_names.h"

#include <map>
#include <string_view>

#include "feature/registry.h"

namespace vq::libvmaf {
namespace {

constexpr size_t kLongest = 255;

using Names = std::map<std::string_view, std::string_view>;

Names make_names(bool by_full_name) {
  Names names;
  for (const FeatureInfo* info : features()) {
    for (const MetricInfo& metric : info->metrics) {
      if (metric.full_name.empty()) continue;
      names[by_full_name ? metric.full_name : metric.name] = by_full_name ? metric.name : metric.full_name;
    }
  }
  return names;
}

std::string other_name(const Names& names, const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : std::string(found->second);
}

}  // namespace

std::string stored_name(const std::string& metric) {
  static const Names kFullNames = make_names(false);
  return other_name(kFullNames, metric).substr(0, kLongest);
}

std::string reported_name(const std::string& stored) {
  static const Names kReported = make_names(true);
  return other_name(kReported, stored);
}

}  // namespace vq::libvmaf
