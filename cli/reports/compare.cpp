#include "cli/reports/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cli/text/message_text.h"
#include "cli/text/number_text.h"
#include "core/error.h"
#include "core/text.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

constexpr size_t kLeastName = 16;  // columns of a run's name

std::string metric_names(const Report& report) {
  std::string names;
  for (const Metric& metric : report.metrics) {
    names += (names.empty() ? "" : ", ") + printable(metric.name);
  }
  return names;
}

std::string length_text(const NamedReport& run) {
  return shown_path(run.name) + " has " + counted(static_cast<int64_t>(run.report.frames.size()), "frame");
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  size_t common = paths.front().find_last_of('/') + 1;
  for (const std::string& path : paths) {
    const size_t end = std::min(common, path.size());
    const auto differs = std::mismatch(path.begin(), path.begin() + static_cast<ptrdiff_t>(end), paths.front().begin());
    const auto equal = static_cast<size_t>(differs.first - path.begin());
    common = equal == 0 ? 0 : path.find_last_of('/', equal - 1) + 1;
  }
  if (common == 1) common = 0;  // the root; without it the rest would look like relative paths
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(path.substr(common));
  return names;
}

const Metric* find_metric(const Report& report, const std::string& metric) {
  const auto found = std::find_if(report.metrics.begin(), report.metrics.end(),
                                  [&](const Metric& candidate) { return candidate.name == metric; });
  return found == report.metrics.end() ? nullptr : &*found;
}

std::string common_metric(const std::vector<NamedReport>& runs, const std::string& wanted) {
  std::vector<std::string> candidates = {wanted};
  if (wanted.empty()) {
    candidates.clear();
    for (const Metric& metric : runs.front().report.metrics) candidates.push_back(metric.name);
    std::stable_partition(candidates.begin(), candidates.end(), std::not_fn(is_neutral));
  }
  const NamedReport* lacking = &runs.front();
  for (const std::string& metric : candidates) {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const NamedReport& run) {
      return find_metric(run.report, metric) == nullptr;
    });
    if (found == runs.end()) return metric;
    lacking = &*found;
  }
  const std::string searched = wanted.empty() ? metric_names(runs.front().report) : printable(wanted);
  throw Error(ErrorKind::kMismatch, lacking->name + " has " + metric_names(lacking->report) + ", but not " +
                                        searched + ". Try --metric, or score all with the same options.");
}

bool ranks_highest_first(const ComparisonBasis& basis) {
  return metric_info(basis.metric).better == Better::kHigher && basis.statistic.name != "stdev" &&
         !basis.statistic.is_share();
}

void rank(std::vector<NamedReport>& runs, const std::string& metric, const Statistic& statistic) {
  const bool highest_first = ranks_highest_first({metric, statistic});
  std::vector<std::pair<double, NamedReport>> keyed;
  for (NamedReport& run : runs) {
    const double value = statistic_of(*find_metric(run.report, metric), statistic);
    keyed.emplace_back(std::isnan(value) ? HUGE_VAL : highest_first ? -value : value, std::move(run));
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < runs.size(); ++i) runs[i] = std::move(keyed[i].second);
}

std::vector<std::string> remarks_on(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  std::vector<std::string> remarks;
  const auto [shortest, longest] =
      std::minmax_element(runs.begin(), runs.end(), [](const NamedReport& a, const NamedReport& b) {
        return a.report.frames.size() < b.report.frames.size();
      });
  if (shortest->report.frames.size() != longest->report.frames.size()) {
    remarks.push_back("Lengths differ: " + length_text(*shortest) + ", " + length_text(*longest) +
                      ". They are ranked all the same.");
  }
  for (const NamedReport& run : runs) {
    const std::vector<double>& values = find_metric(run.report, basis.metric)->values;
    const auto missing = std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); });
    if (missing == 0) continue;
    remarks.push_back(shown_path(run.name) + " lacks " + std::to_string(missing) + " of " +
                      std::to_string(values.size()) + " scores, so it is ranked last.");
  }
  if (is_neutral(basis.metric)) {
    remarks.push_back("Neither a low nor a high " + printable(basis.metric) + " is better. The lowest is first.");
  } else if (metric_info(basis.metric).better == Better::kNeither) {
    remarks.push_back("Whether a low or a high " + printable(basis.metric) +
                      " is better is not known here. The lowest is first.");
  }
  return remarks;
}

TextTable comparison_table(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  std::vector<Statistic> shown;
  std::vector<TextColumn> columns = {
      {"#"}, {printable(basis.metric) + " of", TextColumn::Align::kLeft, 0, kLeastName}};
  const auto show = [&](const Statistic& statistic, int rank) {
    if (std::find(shown.begin(), shown.end(), statistic) != shown.end()) return;
    shown.push_back(statistic);
    columns.push_back({heading_of(statistic, metric_info(basis.metric)), TextColumn::Align::kRight, rank});
  };
  show(basis.statistic, 0);
  const Metric* const ranked = runs.empty() ? nullptr : find_metric(runs.front().report, basis.metric);
  for (const auto& [statistic, rank] : table_statistics(std::span(ranked, ranked == nullptr ? 0 : 1))) {
    show(statistic, rank);
  }
  columns.push_back({"frames", TextColumn::Align::kRight, 5});
  TextTable table(std::move(columns));
  for (size_t i = 0; i < runs.size(); ++i) {
    const Metric& metric = *find_metric(runs[i].report, basis.metric);
    std::vector<std::string> row = {std::to_string(i + 1), shown_path(runs[i].name)};
    const MetricStatistics statistics(metric);
    for (const Statistic& statistic : shown) row.push_back(statistics.cell(statistic));
    row.push_back(std::to_string(metric.values.size()));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace vq::cli
