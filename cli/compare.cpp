#include "cli/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/argument_values.h"
#include "cli/message_text.h"
#include "cli/number_text.h"
#include "core/error.h"
#include "core/options.h"

namespace vq::cli {
namespace {

constexpr Statistic kStatistics[] = {
    {"mean", "mean"},   {"harmonic", "harmonic_mean"},
    {"stdev", "stdev"}, {"min", "min"},
    {"p50", "p50"},     {"p90", "p90"},
    {"p95", "p95"},     {"p99", "p99"},
    {"max", "max"},     {"share", "share"},
};
// Of these there is always a column; another one is added where it ranks.
constexpr std::string_view kColumns[] = {"mean", "harmonic", "p50", "p95", "max", "share"};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kDecimals = 3;

const std::vector<double>* values_of(const Report& report, const std::string& metric) {
  for (const Metric& candidate : report.metrics) {
    if (candidate.name == metric) return &candidate.values;
  }
  return nullptr;
}

std::string metric_names(const Report& report) {
  std::string names;
  for (const Metric& metric : report.metrics) {
    names += (names.empty() ? "" : ", ") + printable(metric.name);
  }
  return names;
}

std::string cell(std::span<const double> values, const Statistic& statistic) {
  const double value = statistic_of(values, statistic);
  if (statistic.word != "share") return fixed_text(value, kDecimals);
  return std::to_string(count_at_least(values, kAnnoyingBanding)) + " (" + fixed_text(100 * value, 1) + " %)";
}

std::string heading(const Statistic& statistic) {
  return statistic.word == "share" ? "frames >= 5" : std::string(statistic.word);
}

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

const Statistic& find_statistic(const std::string& word) {
  std::vector<std::string> words;
  for (const Statistic& statistic : kStatistics) words.emplace_back(statistic.word);
  return kStatistics[choice_value("--by", word, words)];
}

double statistic_of(std::span<const double> values, const Statistic& statistic) {
  const std::optional<PooledScores> pooled = pool_scores(values);
  if (!pooled || !std::isfinite(pooled->mean)) return kNaN;
  const std::pair<std::string_view, double> figures[] = {
      {"mean", pooled->mean},   {"harmonic", pooled->harmonic_mean},
      {"min", pooled->min},     {"max", pooled->max},
      {"stdev", pooled->stdev}, {"p50", pooled->p50},
      {"p90", pooled->p90},     {"p95", pooled->p95},
      {"p99", pooled->p99},
  };
  for (const auto& [word, value] : figures) {
    if (word == statistic.word) return value;
  }
  return static_cast<double>(count_at_least(values, kAnnoyingBanding)) / static_cast<double>(values.size());
}

std::string common_metric(const std::vector<NamedReport>& runs, const std::string& wanted) {
  std::vector<std::string> candidates = {wanted};
  if (wanted.empty()) {
    candidates.clear();
    for (const Metric& metric : runs.front().report.metrics) candidates.push_back(metric.name);
  }
  const NamedReport* lacking = &runs.front();
  for (const std::string& metric : candidates) {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const NamedReport& run) {
      return values_of(run.report, metric) == nullptr;
    });
    if (found == runs.end()) return metric;
    lacking = &*found;
  }
  const std::string searched = wanted.empty() ? metric_names(runs.front().report) : printable(wanted);
  throw Error(ErrorKind::kMismatch, lacking->name + " has " + metric_names(lacking->report) + ", but not " +
                                        searched + ". Try --metric, or score all with the same options.");
}

void rank(std::vector<NamedReport>& runs, const std::string& metric, const Statistic& statistic) {
  std::vector<std::pair<double, NamedReport>> keyed;
  for (NamedReport& run : runs) {
    const double value = statistic_of(*values_of(run.report, metric), statistic);
    keyed.emplace_back(std::isfinite(value) ? value : HUGE_VAL, std::move(run));
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < runs.size(); ++i) runs[i] = std::move(keyed[i].second);
}

std::string comparison_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  std::vector<const Statistic*> shown;
  for (const Statistic& statistic : kStatistics) {
    const bool always =
        std::find(std::begin(kColumns), std::end(kColumns), statistic.word) != std::end(kColumns);
    if (always || statistic.key == basis.statistic) shown.push_back(&statistic);
  }
  std::vector<std::vector<std::string>> rows = {{"#", printable(basis.metric) + " of"}};
  for (const Statistic* statistic : shown) rows[0].push_back(heading(*statistic));
  rows[0].push_back("frames");
  for (const NamedReport& run : runs) {
    const std::vector<double>& values = *values_of(run.report, basis.metric);
    std::vector<std::string>& row = rows.emplace_back();
    row = {std::to_string(rows.size() - 1), shown_path(run.name)};
    for (const Statistic* statistic : shown) row.push_back(cell(values, *statistic));
    row.push_back(std::to_string(values.size()));
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string gap(widths[c] - columns_of(row[c]), ' ');
      text += (c == 0 ? "" : "  ") + (c == 1 ? row[c] + gap : gap + row[c]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace vq::cli
