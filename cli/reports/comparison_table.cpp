#include "cli/reports/comparison_table.h"

#include <algorithm>
#include <span>

#include "cli/reports/rate_report.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_scores.h"
#include "engine/report/metric_labels.h"

namespace vq::cli {
namespace {

constexpr size_t kLeastRunName = 16;  // columns of a run's name

template <typename Has>
bool any_video(const std::vector<NamedReport>& runs, const Has& has) {
  return std::any_of(runs.begin(), runs.end(), [&](const NamedReport& run) {
    const InputFacts* const video = scored_video(run.report);
    return video != nullptr && has(*video);
  });
}

// Of many those that are no details, and of a run with models none that only these asked for; where a report
// does not say so, none that say nothing by themselves, as what a score is made of does.
std::vector<std::string> shown_others(const Report& first, const ComparisonBasis& basis) {
  constexpr size_t kMany = 6;
  std::vector<std::string> others = basis.others;
  if (others.size() <= kMany) return others;
  const auto is_inner = [](const Metric& metric) { return metric.is_inner; };
  const bool says_so = std::any_of(first.metrics.begin(), first.metrics.end(), is_inner);
  const bool has_score = model_part(metric_info(first, basis.metric)) == ModelPart::kScore;
  std::erase_if(others, [&](const std::string& name) {
    const MetricInfo& info = metric_info(first, name);
    const Metric* const metric = find_metric(first, name);
    return info.is_detail ||
           (says_so ? metric != nullptr && metric->is_inner : has_score && !info.noteworthy);
  });
  return others;
}

std::vector<std::string> labels_of(const Report& first, const std::vector<std::string>& names) {
  const std::vector<Metric>& metrics = first.metrics;
  const std::vector<std::string> labels = metric_labels(metrics);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const auto at = std::find_if(metrics.begin(), metrics.end(),
                                 [&](const Metric& metric) { return metric.name == name; });
    found.push_back(at == metrics.end() ? printable(name)
                                        : labels[static_cast<size_t>(at - metrics.begin())]);
  }
  return found;
}

}  // namespace

TextTable comparison_table(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  constexpr int kLeast = 9, kLess = 6;  // ranks of what goes first where a terminal is narrow
  const Report none, &first = runs.empty() ? none : runs.front().report;
  std::vector<Statistic> shown;
  const std::string label = labels_of(first, {basis.metric}).front();
  std::vector<TextColumn> columns = {{"#"}, {label + " of", TextColumn::Align::kLeft, 0, kLeastRunName}};
  const auto show = [&](const Statistic& statistic, int rank) {
    if (std::find(shown.begin(), shown.end(), statistic) != shown.end()) return;
    shown.push_back(statistic);
    columns.push_back(
        {heading_of(statistic, metric_info(first, basis.metric)), TextColumn::Align::kRight, rank});
  };
  show(basis.statistic, 0);
  const Metric* const ranked = find_metric(first, basis.metric);
  for (const auto& [statistic, rank] : table_statistics(std::span(ranked, ranked == nullptr ? 0 : 1))) {
    show(statistic, rank);
  }
  const std::vector<std::string> others = shown_others(first, basis);
  for (const std::string& other : labels_of(first, others)) {
    columns.push_back({other + " mean", TextColumn::Align::kRight, kLeast});
  }
  const bool has_rates = any_video(runs, [](const InputFacts& video) { return video.bit_rate.has_value(); });
  const bool has_sizes =
      any_video(runs, [](const InputFacts& video) { return video.file_bytes.has_value(); });
  const bool has_bits =
      any_video(runs, [](const InputFacts& video) { return video.bits_per_pixel.has_value(); });
  if (has_rates) columns.push_back({"kbit/s", TextColumn::Align::kRight, 1});
  if (has_sizes) columns.push_back({"size", TextColumn::Align::kRight, has_bits ? 1 : kLess});
  if (has_bits) columns.push_back({"bits/px", TextColumn::Align::kRight, kLess});
  columns.push_back({"frames", TextColumn::Align::kRight, kLess - 1});
  const auto is_apart = [&](const NamedReport& run) { return !is_comparable(run, basis.metric); };
  const bool has_apart = std::any_of(runs.begin(), runs.end(), is_apart);
  if (has_apart) columns.push_back({"", TextColumn::Align::kLeft});
  TextTable table(std::move(columns));
  const Statistic mean = parse_statistic("mean", "mean");
  for (size_t i = 0; i < runs.size(); ++i) {
    const Report& report = runs[i].report;
    const Metric& metric = *find_metric(report, basis.metric);
    std::vector<std::string> row = {is_apart(runs[i]) ? "-" : std::to_string(i + 1),
                                    shown_path(runs[i].name)};
    const MetricStatistics statistics(metric);
    for (const Statistic& statistic : shown) row.push_back(statistics.cell(statistic));
    for (const std::string& other : others)
      row.push_back(MetricStatistics(*find_metric(report, other)).cell(mean));
    const InputFacts* const video = scored_video(report);
    if (has_rates) row.push_back(rate_cell(video));
    if (has_sizes) row.push_back(size_cell(video == nullptr ? std::nullopt : video->file_bytes));
    if (has_bits) row.push_back(bits_cell(video));
    row.push_back(std::to_string(metric.values.size()));
    if (has_apart) row.push_back(is_apart(runs[i]) ? "not comparable" : "");
    table.add(std::move(row));
  }
  return table;
}

}  // namespace vq::cli
