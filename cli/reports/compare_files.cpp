#include "cli/reports/compare_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/reports/comparison_table.h"
#include "cli/reports/markdown.h"
#include "cli/reports/rate_report.h"
#include "cli/reports/rate_tables.h"
#include "cli/reports/run_moments.h"
#include "cli/reports/summary.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text/csv_field.h"
#include "core/version.h"
#include "engine/known_metrics.h"
#include "engine/report/json_text.h"
#include "engine/report/threshold_json.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

std::vector<Statistic> statistics(const ComparisonBasis& basis) {
  std::vector<Statistic> all = file_statistics();
  if (std::find(all.begin(), all.end(), basis.statistic) == all.end()) all.push_back(basis.statistic);
  return all;
}

const char* better_word(Better better) {
  return better == Better::kLower ? "lower" : better == Better::kHigher ? "higher" : "neither";
}

double mean_of(const Metric& metric) {
  return statistic_of(metric, parse_statistic("mean", "mean"));
}

template <typename Value>
ordered_json known(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json statistics_json(const Metric& metric, const ComparisonBasis& basis, const NumberStyle& numbers) {
  const MetricStatistics values(metric);
  ordered_json figures = ordered_json::object();
  for (const Statistic& statistic : statistics(basis))
    figures[statistic.name] = as_printed(values.of(statistic), numbers);
  return figures;
}

ordered_json run_json(const NamedReport& run, const ComparisonBasis& basis, const NumberStyle& numbers) {
  const InputFacts none;
  const InputFacts* const scored = scored_video(run.report);
  const InputFacts& video = scored != nullptr ? *scored : none;
  const Metric& metric = *find_metric(run.report, basis.metric);
  ordered_json json = {{"rank", 0},
                       {"name", run.name},
                       {"path", run.path},
                       {"report", run.saved.empty() ? ordered_json(nullptr) : ordered_json(run.saved)},
                       {"frames", metric.values.size()},
                       {"file_bytes", known(video.file_bytes)},
                       {"duration", known(video.duration)},
                       {"bit_rate", known(video.bit_rate)},
                       {"bit_rate_of", video.bit_rate_of},
                       {"bits_per_pixel", known(video.bits_per_pixel)},
                       {"worth_its_bits", nullptr},
                       {"comparable", is_comparable(run, basis.metric)},
                       {"encoder", video.encoder},
                       {"encoder_settings", video.encoder_settings},
                       {"statistics", statistics_json(metric, basis, numbers)},
                       {"others", ordered_json::object()},
                       {"thresholds", ordered_json::array()}};
  for (const std::string& other : basis.others) {
    json["others"][other] = statistics_json(*find_metric(run.report, other), basis, numbers);
  }
  for (const ThresholdFacts& threshold : run.thresholds)
    json["thresholds"].push_back(threshold_json(threshold));
  return json;
}

ordered_json moments_json(const std::vector<SharedMoment>& moments, const NumberStyle& numbers) {
  ordered_json list = ordered_json::array();
  for (const SharedMoment& moment : moments) {
    ordered_json scores = ordered_json::array();
    for (const std::optional<double>& score : moment.scores) {
      scores.push_back(score ? as_printed(*score, numbers) : ordered_json(nullptr));
    }
    list.push_back({{"frameNum", moment.frame},
                    {"timestamp", known(moment.timestamp)},
                    {"spread", as_printed(moment.spread, numbers)},
                    {"scores", std::move(scores)}});
  }
  return list;
}

// ",size,duration,rate,whose,bits"
std::string video_fields(const InputFacts* video) {
  if (video == nullptr) return ",,,,,";
  const auto real = [](const std::optional<double>& value) {
    return value ? number_text(*value, {NumberStyle::Kind::kShortest, 0}) : "";
  };
  return "," + (video->file_bytes ? std::to_string(*video->file_bytes) : "") + "," + real(video->duration) +
         "," + (video->bit_rate ? std::to_string(*video->bit_rate) : "") + "," +
         csv_field(video->bit_rate_of) + "," + real(video->bits_per_pixel);
}

}  // namespace

std::string comparison_json(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                            const ComparisonFileStyle& style) {
  const auto moments = [&](const std::vector<SharedMoment>& list) {
    return moments_json(list, style.numbers);
  };
  ordered_json json = {
      {"version", version()},
      {"metric", basis.metric},
      {"by", ranked_by_word(basis)},
      {"better", better_word(metric_info(runs.front().report, basis.metric).better)},
      {"remarks", remarks_on(runs, basis)},
      {"runs", ordered_json::array()},
      {"rates", rates_json(runs, basis, style.numbers)},
      {"moments",
       {{"differing", moments(differing_moments(runs, basis.metric, style.moments))},
        {"worst_of_first", moments(worst_moments_of_first(runs, basis.metric, style.moments))}}}};
  const std::vector<std::optional<bool>> worth = worth_their_bits(runs, basis);
  for (size_t i = 0; i < runs.size(); ++i) {
    json["runs"].push_back(run_json(runs[i], basis, style.numbers));
    ordered_json& run = json["runs"].back();
    run["rank"] = is_comparable(runs[i], basis.metric) ? ordered_json(i + 1) : ordered_json(nullptr);
    run["worth_its_bits"] = worth[i] ? ordered_json(*worth[i]) : ordered_json(nullptr);
  }
  return json_file_text(json);
}

std::optional<std::vector<RecordedRun>> recorded_runs(const std::string& path) {
  constexpr size_t kBeginning = 1000;  // bytes; a report's first members are others
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!fs::is_regular_file(path, ignored) || !file) return std::nullopt;
  std::string text(kBeginning, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.find("\"by\"") == text.npos || text.find("\"better\"") == text.npos) return std::nullopt;
  file.clear();
  file.seekg(0);
  std::vector<RecordedRun> runs;
  try {
    const auto comparison = nlohmann::json::parse(file);
    for (const auto& run : comparison.at("runs")) {
      if (run.at("frames") == 0) continue;  // it did not fit its reference
      RecordedRun found{.name = run.at("name"), .path = run.at("path"), .saved = {}};
      const auto report = run.find("report");
      if (report != run.end() && report->is_string()) found.saved = *report;
      runs.push_back(std::move(found));
    }
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInput, shown_path(path) + " is a comparison, but it is damaged or incomplete.");
  }
  for (RecordedRun& run : runs) {
    if (run.saved.empty()) {
      throw Error(
          ErrorKind::kInput,
          shown_path(path) + " has no scores of the frames of " + shown_path(run.name) +
              ", nor the path of a report that has them. Compare the videos once more, with --reports "
              "DIR; what is written then can be compared again.");
    }
    const fs::path beside = fs::path(path).parent_path() / run.saved;
    if (!fs::exists(run.saved, ignored) && fs::exists(beside, ignored)) run.saved = beside.string();
  }
  return runs;
}

std::string comparison_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                           const NumberStyle& numbers) {
  std::string text = "rank,name,path,frames";
  for (const Statistic& statistic : statistics(basis)) text += "," + statistic.name;
  text += ",file_bytes,duration,bit_rate,bit_rate_of,bits_per_pixel,worth_its_bits,comparable";
  for (const std::string& other : basis.others) text += "," + csv_field("mean of " + other);
  const CsvColumns rates = rates_csv(runs, basis, numbers);
  text += rates.heading + "\n";
  const std::vector<std::optional<bool>> worth = worth_their_bits(runs, basis);
  for (size_t i = 0; i < runs.size(); ++i) {
    const Metric& metric = *find_metric(runs[i].report, basis.metric);
    const MetricStatistics values(metric);
    const auto add = [&](double value) {
      text += "," + (std::isnan(value) ? "" : number_text(value, numbers));
    };
    const bool comparable = is_comparable(runs[i], basis.metric);
    text += (comparable ? std::to_string(i + 1) : "") + "," + csv_field(runs[i].name) + "," +
            csv_field(runs[i].path) + "," + std::to_string(metric.values.size());
    for (const Statistic& statistic : statistics(basis)) add(values.of(statistic));
    text += video_fields(scored_video(runs[i].report));
    text += worth[i] ? *worth[i] ? ",true" : ",false" : ",";
    text += comparable ? ",true" : ",false";
    for (const std::string& other : basis.others) add(mean_of(*find_metric(runs[i].report, other)));
    text += rates.fields[i] + "\n";
  }
  return text;
}

std::string comparison_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const std::string rates = rates_markdown(runs, basis);
  const std::string purpose = purpose_of(*find_metric(runs.front().report, basis.metric));
  return markdown_table(comparison_table(runs, basis)) + (rates.empty() && purpose.empty() ? "" : "\n") +
         (purpose.empty() ? "" : markdown_paragraph(purpose + ".")) + rates;
}

}  // namespace vq::cli
