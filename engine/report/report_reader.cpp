#include "engine/report/report_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_spec.h"
#include "engine/report/described.h"
#include "engine/report/json_values.h"
#include "engine/report/statistic.h"

namespace vq {
namespace {

using nlohmann::json;

// The order of names in a report's text, which the parsed form does not keep.

// Where each name first appears.
using NamePlaces = std::unordered_map<std::string, size_t>;
struct NameOrder {
  NamePlaces metrics, stages, aggregates;
  std::vector<NamePlaces> options;  // per feature: another feature may have the same names in another order
};

// Where names are whose order matters: {"frames": [{"metrics": {"NAME" (as for "texts"), {"run":
// {"gpu_milliseconds": {"NAME",
// {"run": {"features": [{"options": {"NAME" and {"aggregate_metrics": {"NAME".
constexpr size_t kMetricKeyDepth = 4;
constexpr size_t kAggregateKeyDepth = 2;
constexpr size_t kStageKeyDepth = 3;
constexpr size_t kRunKeyDepth = 2;
constexpr size_t kFeatureDepth = 4;
constexpr size_t kOptionKeyDepth = 5;

// Notes in which order names first appear. (A callback of json::parse()
// could do so as well, but makes parsing quadratic in the length of a list.)
class NameOrderReader : public nlohmann::json_sax<json> {
 public:
  NameOrder take() { return std::move(order_); }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    if (depth_ == 1) top_key_ = name;
    if (depth_ == kRunKeyDepth) member_ = name;
    if (is_of_features() && depth_ == kRunKeyDepth)
      order_.options.clear();  // of a member that stands twice the last counts
    NamePlaces* const places = places_here();
    if (places != nullptr) places->emplace(name, places->size());
    return true;
  }
  // json::parse() has met the error before.
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool enter() {
    ++depth_;
    if (is_of_features() && depth_ == kFeatureDepth) order_.options.emplace_back();
    return true;
  }
  bool leave() { return --depth_, true; }
  bool is_of_features() const { return top_key_ == "run" && member_ == "features"; }
  NamePlaces* places_here() {
    if (top_key_ == "frames" && depth_ == kMetricKeyDepth) return &order_.metrics;
    if (top_key_ == "run" && depth_ == kStageKeyDepth) return &order_.stages;
    if (is_of_features() && depth_ == kOptionKeyDepth && !order_.options.empty())
      return &order_.options.back();
    if (top_key_ == "aggregate_metrics" && depth_ == kAggregateKeyDepth) return &order_.aggregates;
    return nullptr;
  }

  NameOrder order_;
  size_t depth_ = 0;
  std::string top_key_, member_;  // of the document, and of that object
};

// Needs: valid JSON.
NameOrder read_name_order(std::string_view text) {
  NameOrderReader reader;
  json::sax_parse(text, &reader);
  return reader.take();
}

// Frames times metrics; every pair takes memory, whether the report has a score for it or not.
constexpr size_t kMaxCells = size_t{1} << 25;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Error bad_report(const std::string& path, const std::string& what) {
  return Error(ErrorKind::kInput, words("{}: {}", shown_path(path), what));
}

JsonDocument document_of(std::string_view text, const std::string& path) {
  JsonDocument document;
  try {
    document = parse_json(text);
  } catch (const json::exception& error) {
    const auto* syntax = dynamic_cast<const json::parse_error*>(&error);
    const std::string where = syntax ? words(" (byte {})", syntax->byte) : " (a number out of range)";
    throw bad_report(path, words("is not JSON{}. Try: a report in JSON", where));
  } catch (const Error& error) {
    throw bad_report(path, error.what());
  }
  if (!document->is_object()) throw bad_report(path, "is JSON, but no report: the top is no object");
  return document;
}

// The length of the longest of the members that are lists.
std::optional<size_t> longest_list(const json& document, const char* key) {
  const json* lists = member(document, key);
  if (!lists || !lists->is_object()) return std::nullopt;
  size_t longest = 0;
  for (const json& list : *lists) longest = std::max(longest, list.is_array() ? list.size() : 0);
  return longest;
}

bool is_score(const json& value) {
  return value.is_number() || value.is_null();
}

// Null stands for what is not finite; which of that it is, is said elsewhere. Needs: is_score(value).
double score_of(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : real_number(value);
}

std::vector<std::pair<std::string, double>> aggregates_of(const json& document, const NameOrder& order,
                                                          const std::string& path) {
  std::vector<std::pair<std::string, double>> aggregates;
  const json* const object = member(document, "aggregate_metrics");
  if (object == nullptr || !object->is_object()) return aggregates;
  for (const auto& [name, value] : object->items()) {
    if (!is_score(value)) {
      throw bad_report(path, words("aggregate \"{}\" is neither a number nor null", printable(name)));
    }
    aggregates.emplace_back(name, score_of(value));
  }
  std::sort(aggregates.begin(), aggregates.end(), [&](const auto& a, const auto& b) {
    return order.aggregates.at(a.first) < order.aggregates.at(b.first);
  });
  return aggregates;
}

// The models of a plain report.
std::vector<ModelFacts> models_of(const json& document) {
  std::vector<ModelFacts> models;
  const json* const named = member(document, "models");
  if (named == nullptr || !named->is_object()) return models;
  for (const auto& [name, source] : named->items()) {
    if (source.is_string()) models.push_back({.name = name, .source = source.get<std::string>()});
  }
  return models;
}

// Statistics that JSON has no number for are worked out again.
void settle_thresholds(Report& report) {
  for (ThresholdFacts& threshold : report.run.thresholds) {
    const Metric* const metric = find_metric(report, threshold.metric);
    if (metric == nullptr || !std::isnan(threshold.value)) continue;
    try {
      threshold.value = statistic_of(*metric, parse_statistic(threshold.statistic, ""));
    } catch (const Error&) {  // of a later version
    }
  }
}

// Names of models as the report lists them, or as they are known if it does not.
std::vector<std::string> model_names(const ScoreTable& table) {
  std::vector<std::string> names;
  if (table.run) {
    for (const ModelFacts& model : table.run->models) names.push_back(model.name);
    return names;
  }
  for (const ModelFacts& model : table.models) names.push_back(model.name);
  if (!names.empty()) return names;
  for (const ScoreColumn& column : table.columns) names.push_back(column.name);
  return scores_of_models(names);
}

// Whether only a model asked for the metric. A report that does not say it has models' own metrics in the
// list of what they take, or with options in their names.
bool is_inner(const ScoreTable& table, const Metric& metric, bool has_models) {
  const auto lists = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), metric.name) != names.end();
  };
  if (table.inner) return lists(*table.inner);
  if (!has_models || model_part(metric_info(metric)) != ModelPart::kNone) return false;
  if (!table.run) return is_known(metric_info(metric)) && metric.name != metric_info(metric).name;
  return std::any_of(table.run->models.begin(), table.run->models.end(),
                     [&](const ModelFacts& model) { return lists(model.metrics); });
}

class TableBuilder {
 public:
  TableBuilder(ScoreTable& table, size_t frames) : table_(table), total_(frames) {}

  void add(const json& frame) {
    const size_t position = table_.frames.size();
    const std::string where = words("frames[{}]", position);
    const json* number = member(frame, "frameNum");
    if (!number || !number->is_number_integer()) throw bad(where + " has no \"frameNum\" that is an integer");
    const int64_t index = number->get<int64_t>();
    if (index < 0 || (position > 0 && index <= table_.frames.back())) {
      throw bad(words("{}: frame number {} does not ascend from the one before it", where, number->dump()));
    }
    if (index > kMaxFrameNumber) throw bad(words("{}: frame number {} is too large", where, number->dump()));
    table_.frames.push_back(index);
    table_.timestamps.push_back(value_or_default<std::optional<double>>(frame, "timestamp"));
    const json* metrics = member(frame, "metrics");
    if (!metrics || !metrics->is_object()) throw bad(where + " has no \"metrics\"");
    for (const auto& [name, value] : metrics->items()) {
      if (!is_score(value)) {
        throw bad(words("{}: \"{}\" is neither a number nor null", where, printable(name)));
      }
      column(name).values[position] = score_of(value);
    }
    for (const std::string& name : strings(frame, "infinite")) settle_infinite(name, position);
    add_texts(frame, position);
  }

  // Reports of the reference tool, and compatible ones, do not say which scores are infinite.
  void settle_unbounded() {
    for (ScoreColumn& column : table_.columns) {
      if (!known_metric(column.name).is_unbounded) continue;
      for (std::optional<double>& value : column.values) {
        if (value && std::isnan(*value)) value = kInfinity;
      }
    }
  }

 private:
  void settle_infinite(const std::string& name, size_t position) {
    const auto found = columns_.find(name);
    if (found == columns_.end()) return;
    std::optional<double>& value = table_.columns[found->second].values[position];
    if (value && std::isnan(*value)) value = kInfinity;
  }

  void add_texts(const json& frame, size_t position) {
    const json* const texts = member(frame, "texts");
    if (texts == nullptr || !texts->is_object()) return;
    for (const auto& [name, value] : texts->items()) {
      const auto is_it = [&own = name](const TextSeries& column) { return column.name == own; };
      auto found = std::find_if(table_.texts.begin(), table_.texts.end(), is_it);
      if (found == table_.texts.end()) {
        check_cells(table_.texts.size(), "texts");
        found = table_.texts.insert(found, {name, std::vector<std::string>(total_)});
      }
      if (value.is_string()) found->values[position] = value.get<std::string>();
    }
  }

  void check_cells(size_t columns, const char* what) const {
    if (columns < kMaxCells / total_) return;
    throw bad(words("has {} {} or more for {} frames, too many", columns + 1, what, total_));
  }

  Error bad(const std::string& what) const { return bad_report(table_.path, what); }

  ScoreColumn& column(const std::string& name) {
    const auto [place, is_new] = columns_.emplace(name, table_.columns.size());
    if (is_new) check_cells(table_.columns.size(), "metrics");
    if (is_new) table_.columns.push_back({name, std::vector<std::optional<double>>(total_)});
    return table_.columns[place->second];
  }

  ScoreTable& table_;
  const size_t total_;
  std::unordered_map<std::string, size_t> columns_;
};

// The members of an object that are of type T, in the order of the document.
template <typename T>
std::vector<std::pair<std::string, T>> members_of(const json& parent, const char* key,
                                                  const NamePlaces& places) {
  std::vector<std::pair<std::string, T>> members;
  const json* object = member(parent, key);
  if (!object || !object->is_object()) return members;
  for (const auto& [name, value] : object->items()) {
    const bool fits = std::is_same_v<T, double> ? value.is_number() : value.is_string();
    if (fits) members.emplace_back(name, value.template get<T>());
  }
  const auto place_of = [&](const auto& one) {
    const auto found = places.find(one.first);
    return found == places.end() ? places.size() : found->second;
  };
  std::stable_sort(members.begin(), members.end(),
                   [&](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  return members;
}

ReadingFacts reading_facts(const json& feature) {
  const json* const input = member(feature, "input");
  if (input == nullptr || !input->is_object()) return {};
  return {.distorted = members_of<std::string>(*input, "distorted", {}),
          .reference = members_of<std::string>(*input, "reference", {})};
}

std::vector<SegmentFacts> all_segment_facts(const json& run) {
  const json* const first = member(run, "segments");
  if (first == nullptr || !first->is_object()) return {};
  std::vector<SegmentFacts> all = {MemberReader::read<SegmentFacts>(*first)};
  const json* const more = member(run, "more_segments");
  if (more == nullptr || !more->is_array()) return all;
  for (const json& segments : *more) {
    if (segments.is_object()) all.push_back(MemberReader::read<SegmentFacts>(segments));
  }
  return all;
}

// Reports of earlier versions have sentences alone.
PairFault pair_fault(const json& fault) {
  if (fault.is_string()) return {.diagnostic = {fault.get<std::string>()}};
  PairFault found{.diagnostic = {value_or_default<std::string>(fault, "text")}};
  found.kind = find_pair_fault_kind(value_or_default<std::string>(fault, "kind")).value_or(found.kind);
  const json* const certain = member(fault, "certain");
  found.is_certain = certain == nullptr || !certain->is_boolean() || certain->get<bool>();
  const json* const frames = member(fault, "frames");
  if (frames == nullptr || !frames->is_array()) return found;
  for (const json& span : *frames) {
    const bool is_span =
        span.is_array() && span.size() == 2 && span[0].is_number_integer() && span[1].is_number_integer();
    if (is_span) found.frames.push_back({span[0].get<int64_t>(), span[1].get<int64_t>()});
  }
  return found;
}

// The faults of the run, or of a plain report.
std::vector<PairFault> pair_faults(const json& object) {
  std::vector<PairFault> found;
  const json* const faults = member(object, "pair_faults");
  if (faults == nullptr || !faults->is_array()) return found;
  for (const json& fault : *faults) found.push_back(pair_fault(fault));
  return found;
}

std::optional<PaceFacts> pace_facts(const json& run) {
  const json* const pace = member(run, "pace");
  if (pace == nullptr || !pace->is_object()) return std::nullopt;
  const json* const parts = member(*pace, "parts");
  if (parts == nullptr || !parts->is_object()) return std::nullopt;
  PaceFacts facts;
  for (size_t i = 0; i < pace::kParts.size(); ++i) {
    facts.seconds[i] = value_or_default<double>(*parts, std::string(pace::kParts[i]).c_str());
  }
  return facts;
}

// `run` is the report's member of that name, `order` that of the whole report. What is missing, or of another
// type, is left as it starts.
RunFacts read_run_facts(const json& run, const NameOrder& order) {
  constexpr size_t kMostModels = 32;
  RunFacts facts;
  MemberReader read(run);
  describe(read, facts);
  read("crop_reference", facts.reference_crop);
  read("origin", facts.origin);
  read("models", facts.models);
  read("sample_is_spread", facts.sample_is_spread);
  read.count("subsample", facts.subsample);
  facts.subsample = std::max<int64_t>(1, facts.subsample);
  if (facts.models.size() > kMostModels) facts.models.resize(kMostModels);
  facts.gpu_milliseconds = members_of<double>(run, "gpu_milliseconds", order.stages);
  facts.pace = pace_facts(run);
  facts.segments = all_segment_facts(run);
  facts.pair_faults = pair_faults(run);
  if (const json* features = member(run, "features"); features && features->is_array()) {
    size_t known = 0;  // of those that the order knows
    for (const json& feature : *features) {
      const size_t place = feature.is_structured() ? known++ : order.options.size();
      const NamePlaces options = place < order.options.size() ? order.options[place] : NamePlaces();
      facts.features.emplace_back(value_or_default<std::string>(feature, "name"),
                                  members_of<std::string>(feature, "options", options));
      facts.readings.push_back(reading_facts(feature));
    }
  }
  return facts;
}

}  // namespace

ScoreTable parse_report(std::string_view text, const std::string& path) {
  const JsonDocument parsed = document_of(text, path);
  const json& document = *parsed;
  const NameOrder order = read_name_order(text);
  ScoreTable table;
  table.path = path;
  table.version = value_or_default<std::string>(document, "version");
  table.fps = value_or_default<std::optional<double>>(document, "fps");
  if (const json* run = member(document, "run")) {
    table.run = read_run_facts(*run, order);
    if (member(*run, "inner_metrics") != nullptr) table.inner = strings(*run, "inner_metrics");
  }
  if (!table.run) {
    table.models = models_of(document);
    table.pair_faults = pair_faults(document);
  }
  table.worst = longest_list(document, "worst");
  table.aggregates = aggregates_of(document, order, path);
  const json* frames = member(document, "frames");
  if (!frames || !frames->is_array())
    throw bad_report(path, "is JSON, but no report: it has no list \"frames\"");
  TableBuilder builder(table, frames->size());
  for (const json& frame : *frames) builder.add(frame);
  builder.settle_unbounded();
  if (table.columns.empty()) throw bad_report(path, "is a report without scores");
  const auto comes_first = [&](const auto& a, const auto& b) {
    return order.metrics.at(a.name) < order.metrics.at(b.name);
  };
  std::sort(table.columns.begin(), table.columns.end(), comes_first);
  std::sort(table.texts.begin(), table.texts.end(), comes_first);
  return table;
}

ReportStyle style_of(const ScoreTable& table) {
  return {.format = ReportFormat::kJson,
          .numbers = {NumberStyle::Kind::kShortest, 0},
          .extended = table.run.has_value(),
          .worst = table.worst.value_or(ReportStyle().worst)};
}

Report to_report(const ScoreTable& table) {
  Report report;
  report.version = table.version;
  report.fps = table.fps.value_or(std::numeric_limits<double>::quiet_NaN());
  report.frames = table.frames;
  report.timestamps = table.timestamps;
  report.texts = table.texts;
  report.aggregates = table.aggregates;
  if (table.run) report.run = *table.run;
  if (!table.run) {
    report.run.models = table.models;
    report.run.pair_faults = table.pair_faults;
  }
  for (const InputFacts& input : report.run.inputs) {
    if (input.role != "distorted") continue;
    report.width = input.width;
    report.height = input.height;
  }
  if (report.run.crop) {
    report.width = report.run.crop->width;
    report.height = report.run.crop->height;
  }
  const std::vector<std::string> models = model_names(table);
  for (const ScoreColumn& column : table.columns) {
    Metric& metric = report.metrics.emplace_back();
    metric.name = column.name;
    metric.info = find_model_score(column.name, models);
    metric.is_inner = is_inner(table, metric, !models.empty());
    for (const ModelFacts& model : report.run.models) {
      if (model.name == metric.name) metric.model = model.source;
    }
    for (size_t i = 0; i < column.values.size(); ++i) {
      if (!column.values[i]) {
        throw bad_report(table.path,
                         words("frame {} has no \"{}\"", table.frames[i], printable(column.name)));
      }
      metric.values.push_back(*column.values[i]);
    }
  }
  settle_thresholds(report);
  return report;
}

}  // namespace vq
