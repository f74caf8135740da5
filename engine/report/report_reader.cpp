#include "engine/report/report_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "core/error.h"
#include "core/text.h"
#include "core/text/message_text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_scores.h"
#include "engine/report/json_values.h"
#include "engine/report/name_order.h"
#include "engine/report/plain_models.h"
#include "engine/report/run_facts_reader.h"
#include "engine/report/statistic.h"

namespace vq {
namespace {

using nlohmann::json;

// Frames times metrics; every pair takes memory, whether the report has a score for it or not.
constexpr size_t kMaxCells = size_t{1} << 25;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Error bad_report(const std::string& path, const std::string& what) {
  return Error(ErrorKind::kInput, shown_path(path) + ": " + what);
}

json parse_json(std::string_view text, const std::string& path) {
  try {
    json document = json::parse(text);
    if (!document.is_object()) throw bad_report(path, "is JSON, but no report: the top is no object");
    return document;
  } catch (const json::exception& error) {
    const auto* syntax = dynamic_cast<const json::parse_error*>(&error);
    const std::string where =
        syntax ? " (byte " + std::to_string(syntax->byte) + ")" : " (a number out of range)";
    throw bad_report(path, "is not JSON" + where + ". Try: a report in JSON");
  }
}

// Of the members that are lists.
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
      throw bad_report(path, "aggregate \"" + printable(name) + "\" is neither a number nor null");
    }
    aggregates.emplace_back(name, score_of(value));
  }
  std::sort(aggregates.begin(), aggregates.end(), [&](const auto& a, const auto& b) {
    return order.aggregates.at(a.first) < order.aggregates.at(b.first);
  });
  return aggregates;
}

// Of a plain report.
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

// Of models: as the report lists them, or as they are known where it does not.
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
    const std::string where = "frames[" + std::to_string(position) + "]";
    const json* number = member(frame, "frameNum");
    if (!number || !number->is_number_integer()) throw bad(where + " has no \"frameNum\" that is an integer");
    const int64_t index = number->get<int64_t>();
    if (index < 0 || (position > 0 && index <= table_.frames.back())) {
      throw bad(where + ": frame number " + number->dump() + " does not ascend from the one before it");
    }
    table_.frames.push_back(index);
    table_.timestamps.push_back(value_or_default<std::optional<double>>(frame, "timestamp"));
    const json* metrics = member(frame, "metrics");
    if (!metrics || !metrics->is_object()) throw bad(where + " has no \"metrics\"");
    for (const auto& [name, value] : metrics->items()) {
      if (!is_score(value)) {
        throw bad(where + ": \"" + printable(name) + "\" is neither a number nor null");
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
      const auto is_it = [&name = name](const TextSeries& column) { return column.name == name; };
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
    throw bad("has " + std::to_string(columns + 1) + " " + what + " or more for " + std::to_string(total_) +
              " frames, too many");
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

}  // namespace

ScoreTable parse_report(std::string_view text, const std::string& path) {
  const json document = parse_json(text, path);
  const NameOrder order = read_name_order(text);
  ScoreTable table;
  table.path = path;
  table.version = value_or_default<std::string>(document, "version");
  table.fps = value_or_default<std::optional<double>>(document, "fps");
  if (const json* run = member(document, "run")) {
    table.run = read_run_facts(*run, order);
    if (member(*run, "inner_metrics") != nullptr) table.inner = strings(*run, "inner_metrics");
  }
  if (!table.run) table.models = models_of(document);
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
  if (!table.run) report.run.models = table.models;
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
    for (size_t i = 0; i < column.values.size(); ++i) {
      if (!column.values[i]) {
        throw bad_report(table.path, "frame " + std::to_string(table.frames[i]) + " has no \"" +
                                         printable(column.name) + "\"");
      }
      metric.values.push_back(*column.values[i]);
    }
  }
  settle_thresholds(report);
  return report;
}

}  // namespace vq
