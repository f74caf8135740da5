#include "engine/catalogue_json.h"

#include <nlohmann/json.hpp>

#include "engine/models/catalogue.h"
#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq {
namespace {

using nlohmann::ordered_json;

std::string_view kind_name(OptionKind kind) {
  switch (kind) {
    case OptionKind::kBool:
      return "boolean";
    case OptionKind::kInt:
      return "integer";
    case OptionKind::kReal:
      return "real";
    case OptionKind::kChoice:
      return "choice";
    case OptionKind::kPath:
      return "path";
  }
  return "";
}

ordered_json option_json(const OptionSpec& spec) {
  return {{"name", spec.name},
          {"type", kind_name(spec.kind)},
          {"default", spec.default_text_form()},
          {"range", spec.range_text()},
          {"help", spec.help}};
}

ordered_json metric_json(const MetricInfo& metric) {
  ordered_json json = {
      {"name", metric.name}, {"title", metric.title}, {"subject", metric.subject}, {"unit", metric.unit}};
  json["better"] = metric.better == Better::kHigher  ? "higher"
                   : metric.better == Better::kLower ? "lower"
                                                     : "neither";
  if (metric.noteworthy) json["noteworthy"] = *metric.noteworthy;
  return json;
}

}  // namespace

std::string features_json() {
  ordered_json list = ordered_json::array();
  for (const FeatureInfo* info : features()) {
    ordered_json json = {
        {"name", info->name}, {"summary", info->summary}, {"backends", ordered_json::array()}};
    for (const Backend backend : info->backends) json["backends"].push_back(to_string(backend));
    json["options"] = ordered_json::array();
    for (const OptionSpec& spec : info->options) {
      if (spec.in_exact_form) json["options"].push_back(option_json(spec));
    }
    json["metrics"] = ordered_json::array();
    for (const MetricInfo& metric : info->metrics) json["metrics"].push_back(metric_json(metric));
    list.push_back(std::move(json));
  }
  return list.dump(2);
}

std::string models_json() {
  ordered_json list = ordered_json::array();
  for (const model::BuiltIn& built_in : model::built_in_models()) {
    ordered_json json = {{"name", built_in.name}};
    if (const model::CatalogueEntry* const entry = model::find_entry(built_in.name)) {
      json["purpose"] = entry->purpose;
      json["lines"] = entry->lines;
      json["distance"] = entry->distance;
    }
    list.push_back(std::move(json));
  }
  return list.dump(2);
}

std::string devices_json() {
  ordered_json list = ordered_json::array();
  for (const vulkan::DeviceInfo& device : vulkan::list_devices().devices) {
    list.push_back({{"index", device.index},
                    {"name", device.name},
                    {"type", to_string(device.type)},
                    {"driver", device.driver},
                    {"memory_bytes", device.memory_bytes},
                    {"usable", device.unusable.empty()}});
  }
  return list.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace vq
