#include "cli/pages/page_facts.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/reports/statistic_notes.h"
#include "core/text.h"
#include "core/text/number_text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_scores.h"
#include "engine/report/json_text.h"
#include "engine/report/metric_choice.h"
#include "engine/report/metric_labels.h"
#include "engine/report/statistic.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

// Statistics of a table that a page shows large: those that tables leave out last.
constexpr int kLastRankShown = 2;

std::string_view word_for(Better better) {
  return better == Better::kLower ? "lower" : better == Better::kHigher ? "higher" : "neither";
}

// The one of these metrics that is described under this name; empty where none is.
std::string named(std::span<const Metric> metrics, std::string_view name) {
  if (name.empty()) return {};
  for (const Metric& metric : metrics) {
    if (metric_info(metric).name == name) return metric.name;
  }
  return {};
}

// Between which metrics a model's score lies, where a collection says so: the lower and the upper end.
ordered_json interval_of(const Metric& metric, std::span<const Metric> metrics) {
  if (!is_model_score(metric)) return nullptr;
  const ScoreInterval ends = interval_names(metric.name);
  const auto is_there = [&](const std::string& name) {
    return std::any_of(metrics.begin(), metrics.end(),
                       [&](const Metric& other) { return other.name == name; });
  };
  if (!is_there(ends.low) || !is_there(ends.high)) return nullptr;
  return {ends.low, ends.high};
}

// Of a model's score as well what people compare models by.
std::vector<ShownStatistic> figure_statistics(const Metric& metric) {
  std::vector<ShownStatistic> shown = table_statistics(std::span(&metric, 1));
  std::erase_if(shown, [](const ShownStatistic& one) { return one.rank > kLastRankShown; });
  if (is_model_score(metric)) {
    shown.insert(shown.begin() + 1, {parse_statistic("harmonic", "harmonic"), 0});
    shown.insert(shown.end() - 2, {parse_statistic("p1", "p1"), 0});
  }
  return shown;
}

// The score that stands for itself and all worse ones; nothing where there is none.
std::optional<double> limit_of(const Metric& metric) {
  const std::string_view mark = metric_info(metric).limit_mark;
  const size_t at = mark.empty() ? metric.name.npos : metric.name.find(mark);
  if (at == metric.name.npos) return std::nullopt;
  const std::string rest = metric.name.substr(at + mark.size());
  double limit = 0;
  return parse_real(rest.substr(0, rest.find('_')), limit) ? std::optional(limit) : std::nullopt;
}

// A metric by the name that people know it by, if that differs in case only: "VMAF" for "vmaf", "CAMBI
// (model)".
std::string shown_label(const std::string& label, const MetricInfo& info) {
  const std::string_view suffix = label.ends_with(kOfModel) ? kOfModel : std::string_view();
  const std::string_view name = std::string_view(label).substr(0, label.size() - suffix.size());
  return lower_case(name) == lower_case(info.title) ? std::string(info.title) + std::string(suffix) : label;
}

ordered_json grades_of(const MetricInfo& info) {
  ordered_json grades = ordered_json::array();
  for (const Grade& grade : info.grades) grades.push_back({{"from", grade.from}, {"word", grade.word}});
  return grades;
}

ordered_json figures_of(const Metric& metric) {
  ordered_json figures = ordered_json::array();
  const MetricStatistics statistics(metric);
  const std::optional<int> decimals = coarse_decimals(metric_info(metric));
  const std::optional<double> limit = limit_of(metric);
  for (const auto& [statistic, rank] : figure_statistics(metric)) {
    const double value = statistics.of(statistic);
    const bool is_coarse = decimals && !statistic.is_share() && !std::isnan(value);
    const bool is_limit = limit && !statistic.is_share() && value >= *limit;
    std::string text = is_coarse ? fixed_text(value, *decimals) : statistics.cell(statistic);
    if (is_limit) text = "\u2265\u00a0" + number_text(*limit, {NumberStyle::Kind::kShortest, 0});
    figures.push_back({{"name", statistic.name},
                       {"title", words_of(statistic, metric_info(metric))},
                       {"value", finite_or_null(value)},
                       {"text", text},
                       {"exact", statistics.cell(statistic)}});
  }
  return figures;
}

double noteworthy_share(const Metric& metric) {
  if (metric.values.empty()) return 0;
  const int64_t found = count_noteworthy(metric_info(metric), metric.values);
  return static_cast<double>(found) / static_cast<double>(metric.values.size());
}

// What the scores of one metric and those of the reference say.
ScoredVideo scored_video(const Report& report, const MetricInfo& info) {
  ScoredVideo video;
  for (const InputFacts& input : report.run.inputs) {
    if (input.role == "distorted") video.bit_depth = input.bit_depth;
    if (input.role == "reference") video.has_reference = true;
  }
  for (const Metric& other : report.metrics) {
    if (metric_info(other).reference_of == info.name) video.reference_noteworthy = noteworthy_share(other);
  }
  return video;
}

}  // namespace

ordered_json described_metrics(std::span<const Metric> metrics) {
  ordered_json all = ordered_json::object();
  const std::vector<std::string> labels = metric_labels(metrics);
  for (size_t i = 0; i < metrics.size(); ++i) {
    const Metric& metric = metrics[i];
    const MetricInfo& info = metric_info(metric);
    all[metric.name] = {{"title", title_of(metric)},
                        {"purpose", purpose_of(metric)},
                        {"label", shown_label(labels[i], info)},
                        {"unit", info.unit},
                        {"subject", info.subject},
                        {"better", word_for(info.better)},
                        {"flawless", finite_or_null(info.flawless)},
                        {"noteworthy", finite_or_null(info.noteworthy)},
                        {"meaning", info.noteworthy_meaning},
                        {"grades", grades_of(info)},
                        {"explanation", info.explanation},
                        {"usual_top", info.usual_top},
                        {"limit", finite_or_null(limit_of(metric))},
                        {"decimals", coarse_decimals(info).value_or(info.decimals)},
                        {"mean_decimals", coarse_decimals(info).value_or(mean_decimals(info))},
                        {"exact_decimals", mean_decimals(info)},
                        {"reference_of", named(metrics, info.reference_of)},
                        {"excess_of", named(metrics, info.excess_of)},
                        {"known", is_known(info)},
                        {"leads", is_model_score(metric)},
                        {"is_of_one_video", is_of_one_video(metric)},
                        {"is_detail", info.is_detail},
                        {"is_inner", metric.is_inner},
                        {"interval", interval_of(metric, metrics)},
                        {"figures", figures_of(metric)}};
  }
  return all;
}

std::string leading_scores(std::span<const Metric> metrics) {
  const std::vector<std::string> labels = metric_labels(metrics);
  std::string text;
  for (const size_t i : verdict_metrics(metrics)) {
    const ordered_json figures = figures_of(metrics[i]);
    if (figures.empty() || figures[0]["value"].is_null()) continue;
    text += (text.empty() ? "" : ", ") + shown_label(labels[i], metric_info(metrics[i])) + " " +
            figures[0]["text"].get<std::string>();
  }
  return text;
}

ordered_json named_verdicts(std::span<const Metric> metrics) {
  ordered_json names = ordered_json::array();
  for (const size_t i : verdict_metrics(metrics)) names.push_back(metrics[i].name);
  return names;
}

ordered_json described_statistics(std::span<const Metric> metrics) {
  ordered_json all = ordered_json::array();
  for (const StatisticNote& note : statistic_notes(metrics)) {
    all.push_back(
        {{"name", note.name}, {"title", note.title}, {"meaning", note.meaning}, {"is_mean", note.is_mean}});
  }
  return all;
}

ordered_json described_features(const Report& report) {
  ordered_json all = ordered_json::object();
  for (const FeatureInfo* info : features()) {
    for (const auto& [name, values] : report.run.features) {
      if (name != info->name) continue;
      ordered_json options = ordered_json::object();
      for (const OptionSpec& option : info->options) options[std::string(option.name)] = option.help;
      all[name] = {{"summary", info->summary},
                   {"citation", info->publication.citation},
                   {"doi", info->publication.doi},
                   {"options", std::move(options)}};
    }
  }
  return all;
}

ordered_json advice_for(const Report& report) {
  ordered_json all = ordered_json::array();
  std::set<const FeatureInfo*> done;
  for (const Metric& metric : report.metrics) {
    const MetricInfo& info = metric_info(metric);
    const FeatureInfo* const feature = feature_of_metric(metric);
    const bool is_of_video = info.reference_of.empty() && info.excess_of.empty();
    if (feature == nullptr || feature->remedies == nullptr || !is_of_video || noteworthy_share(metric) == 0)
      continue;
    if (!is_comparable(report, metric)) continue;
    if (!done.insert(feature).second) continue;
    ordered_json list = ordered_json::array();
    for (const Remedy& remedy : feature->remedies(scored_video(report, info))) {
      list.push_back({{"title", remedy.title}, {"text", remedy.text}});
    }
    all.push_back({{"subject", info.subject}, {"remedies", std::move(list)}});
  }
  return all;
}

}  // namespace vq::cli
