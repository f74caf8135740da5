#include "engine/known_metrics.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <numeric>

#include "engine/models/catalogue.h"
#include "engine/models/model_spec.h"
#include "vulkan/device.h"

namespace vq {

const MetricInfo& metric_info(const Metric& metric) {
  return metric.info != nullptr ? *metric.info : known_metric(metric.name);
}

const MetricInfo& known_metric(std::string_view name) {
  static constexpr MetricInfo kUnknown = {};
  if (const MetricInfo* const score = find_model_score(name); score != nullptr) return *score;
  const MetricInfo* found = &kUnknown;
  for (const FeatureInfo* info : features()) {
    const MetricInfo* const own = find_metric_info(info->metrics, name);
    if (own != nullptr && own->name.size() > found->name.size()) found = own;
  }
  return *found;
}

const FeatureInfo* feature_of_metric(const Metric& metric) {
  const MetricInfo& info = metric_info(metric);
  const auto is_it = [&](const MetricInfo& own) { return &own == &info; };
  const auto has_it = [&](const FeatureInfo* feature) {
    return std::ranges::any_of(feature->metrics, is_it);
  };
  const auto found = std::ranges::find_if(features(), has_it);
  return found == features().end() ? nullptr : *found;
}

bool is_neutral(const Metric& metric) {
  const MetricInfo& info = metric_info(metric);
  return is_known(info) && info.better == Better::kNeither;
}

bool is_of_one_video(const Metric& metric) {
  const FeatureInfo* const feature = feature_of_metric(metric);
  return feature != nullptr && !compares_videos(*feature, OptionSet(feature->options));
}

std::string title_of(const Metric& metric) {
  if (!metric.model.empty()) {
    const bool is_own = model::find_entry(metric.model) == nullptr && metric.name != model::kDefaultName;
    return is_own ? metric.name : model::score_title(metric.model);
  }
  const std::string_view title = metric_info(metric).title;
  return title.empty() ? metric.name : std::string(title);
}

std::string purpose_of(const Metric& metric) {
  const std::string purpose = model::score_purpose(metric.model);
  return purpose.empty() ? "" : words("{}: {}", title_of(metric), purpose);
}

std::string base_name(const Metric& metric) {
  const std::string_view name = metric_info(metric).name;
  return name.empty() ? metric.name : std::string(name);
}

bool is_model_score(const Metric& metric) { return model_part(metric_info(metric)) == ModelPart::kScore; }

std::vector<size_t> speaking_order(std::span<const Metric> metrics) {
  const auto place = [&](size_t i) {
    const Metric& metric = metrics[i];
    return (is_neutral(metric) ? 3 : 0) + (is_model_score(metric) ? 0 : metric.is_inner ? 2 : 1);
  };
  std::vector<size_t> order(metrics.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return place(a) < place(b); });
  return order;
}

size_t leading_metric(std::span<const Metric> metrics) {
  return metrics.empty() ? 0 : speaking_order(metrics).front();
}

namespace {

constexpr size_t kMaxLength = 4096;

FeatureSpecError fault(std::string_view text, const std::string& what, size_t position) {
  return {FeatureSpecError::Fault::kForm, "",
          words("\"{}\": {} at position {}", printable(text), what, position + 1)};
}

void check_text(std::string_view text) {
  if (text.size() > kMaxLength) {
    throw fault(text, words("longer than {} bytes", kMaxLength), kMaxLength);
  }
  // printable() escapes exactly the bytes that are not plain text.
  for (size_t i = 0; i < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const size_t length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c != '\\' && printable(text.substr(i, length)).starts_with('\\')) {
      char byte[8];
      std::snprintf(byte, sizeof byte, "0x%02x", c);
      throw fault(text, words("byte {} is not text", byte), i);
    }
    i += length;
  }
}

// Reads up to an unescaped stop character, which is left unread.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end() const { return position_ == text_.size(); }
  size_t position() const { return position_; }
  char peek() const { return text_[position_]; }
  void skip() { ++position_; }

  std::string word(std::string_view stops) {
    std::string out;
    while (!at_end() && stops.find(peek()) == std::string_view::npos) {
      if (peek() == '\\') {
        skip();
        if (at_end() || std::string_view(":=\\").find(peek()) == std::string_view::npos) {
          throw fault(text_, "a backslash must be followed by : = or another one", position_ - 1);
        }
      }
      out += peek();
      skip();
    }
    return out;
  }

 private:
  std::string_view text_;
  size_t position_ = 0;
};

void parse_option(std::string_view text, Scanner& scanner, FeatureRequest& request) {
  const size_t start = scanner.position();
  const std::string key = scanner.word("=:");
  if (key.empty()) throw fault(text, "an option name is missing", start);
  if (scanner.at_end() || scanner.peek() != '=') {
    throw fault(text, words("\"{}\" lacks a \"=\" and a value", printable(key)), scanner.position());
  }
  scanner.skip();
  const std::string value = scanner.word(":");
  try {
    request.options.set(key, value);
  } catch (const Error& error) {
    const std::string name(request.info->name);
    throw FeatureSpecError(FeatureSpecError::Fault::kOption, name, words("{}: {}", name, error.what()));
  }
}

const FeatureInfo& named(const std::string& name) {
  try {
    return find_feature(name);
  } catch (const Error& error) {
    throw FeatureSpecError(FeatureSpecError::Fault::kName, name, error.what());
  }
}

}  // namespace

FeatureRequest parse_feature_spec(std::string_view text) {
  check_text(text);
  Scanner scanner(text);
  const std::string name = scanner.word("=:");
  if (name.empty()) throw fault(text, "a feature name is missing", 0);
  const FeatureInfo& info = named(name);
  FeatureRequest request{.info = &info, .options = OptionSet(info.options), .asked_by = AskedBy::kUser};
  if (scanner.at_end()) return request;
  if (scanner.peek() != '=') throw fault(text, "expected \"=\" after the feature name", scanner.position());
  do {
    scanner.skip();
    parse_option(text, scanner, request);
  } while (!scanner.at_end());
  return request;
}

std::pair<std::string, std::vector<std::pair<std::string, std::string>>> feature_facts(
    const FeatureRequest& request) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const OptionSpec& spec : request.info->options)
    options.emplace_back(spec.name, request.options.text(spec.name));
  return {std::string(request.info->name), std::move(options)};
}

ReadingFacts reading_facts(const FeatureRequest& request, const VideoFormats& formats) {
  if (request.info->reading == nullptr) return {};
  const VideoFormats seen = formats_of(request, formats);
  const auto words = [&](const VideoFormat& video) {
    ReadingFacts::Words all = request.info->reading(request.options, video);
    std::ranges::sort(all);
    return all;
  };
  return {.distorted = words(seen.distorted),
          .reference = seen.reference ? words(*seen.reference) : ReadingFacts::Words()};
}

using nlohmann::ordered_json;

static std::string_view kind_name(OptionKind kind) {
  constexpr std::string_view kNames[] = {"boolean", "integer", "real", "choice", "path"};
  return kNames[static_cast<size_t>(kind)];
}

static ordered_json option_json(const OptionSpec& spec) {
  return {{"name", spec.name},
          {"type", kind_name(spec.kind)},
          {"default", spec.default_text_form()},
          {"range", spec.range_text()},
          {"help", spec.help}};
}

static ordered_json metric_json(const MetricInfo& metric) {
  ordered_json json = {
      {"name", metric.name}, {"title", metric.title}, {"subject", metric.subject}, {"unit", metric.unit}};
  json["better"] = word_of(metric.better);
  if (metric.noteworthy) json["noteworthy"] = *metric.noteworthy;
  return json;
}

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
