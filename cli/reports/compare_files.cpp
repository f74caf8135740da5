#include "cli/reports/compare_files.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/reports/csv_field.h"
#include "cli/reports/markdown.h"
#include "cli/text/json_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

std::vector<Statistic> statistics(const ComparisonBasis& basis) {
  std::vector<Statistic> all = file_statistics();
  if (std::find(all.begin(), all.end(), basis.statistic) == all.end()) all.push_back(basis.statistic);
  return all;
}

ordered_json number(double value, const NumberStyle& style) {
  if (!std::isfinite(value)) return nullptr;
  double shown = value;
  parse_real(number_text(value, style), shown);
  return shown;
}

}  // namespace

std::string comparison_json(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                            const NumberStyle& numbers) {
  ordered_json json = {{"version", CAMBI_VERSION},
                       {"metric", basis.metric},
                       {"by", basis.statistic.name},
                       {"remarks", remarks_on(runs, basis)},
                       {"runs", ordered_json::array()}};
  for (size_t i = 0; i < runs.size(); ++i) {
    const Metric& metric = *find_metric(runs[i].report, basis.metric);
    const MetricStatistics values(metric);
    ordered_json figures = ordered_json::object();
    for (const Statistic& statistic : statistics(basis)) {
      figures[statistic.name] = number(values.of(statistic), numbers);
    }
    json["runs"].push_back({{"rank", i + 1},
                            {"name", runs[i].name},
                            {"path", runs[i].path},
                            {"frames", metric.values.size()},
                            {"statistics", std::move(figures)}});
  }
  return json_file_text(json);
}

std::string comparison_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                           const NumberStyle& numbers) {
  std::string text = "rank,name,path,frames";
  for (const Statistic& statistic : statistics(basis)) text += "," + statistic.name;
  text += "\n";
  for (size_t i = 0; i < runs.size(); ++i) {
    const Metric& metric = *find_metric(runs[i].report, basis.metric);
    const MetricStatistics values(metric);
    text += std::to_string(i + 1) + "," + csv_field(runs[i].name) + "," + csv_field(runs[i].path) + "," +
            std::to_string(metric.values.size());
    for (const Statistic& statistic : statistics(basis)) {
      const double value = values.of(statistic);
      text += "," + (std::isfinite(value) ? number_text(value, numbers) : "");
    }
    text += "\n";
  }
  return text;
}

std::string comparison_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  return markdown_table(comparison_table(runs, basis));
}

}  // namespace vq::cli
