#include "cli/pages/batch_page.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/pages/page_facts.h"
#include "cli/pages/page_parts.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/report/json_text.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

constexpr size_t kLongestText = 400;
constexpr double kStripDigits = 1000;  // of one
constexpr int kLastRank = 2;           // of statistics that have a column; see TextColumn
constexpr size_t kMostOthers = 3;      // metrics beside the leading one that have a column

// Three decimals are more than can be drawn.
ordered_json rounded(double value) {
  return std::isfinite(value) ? ordered_json(std::round(value * kStripDigits) / kStripDigits)
                              : ordered_json(nullptr);
}

double statistic_in(const MetricOutcome& metric, const std::string& name) {
  const auto found = std::find_if(metric.statistics.begin(), metric.statistics.end(),
                                  [&](const auto& statistic) { return statistic.first == name; });
  return found == metric.statistics.end() ? NAN : found->second;
}

// Whatever bytes the path has, as a link relative to the page.
std::string link_to(const std::string& path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string link;
  for (const char c : path) {
    if (kPlain.find(c) != kPlain.npos) {
      link += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    link.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
  }
  return link;
}

// One of which the columns are: of the first video that has scores.
const VideoScores* example(const BatchSummary& summary) {
  for (const VideoOutcome& video : summary.videos) {
    if (video.scores) return &*video.scores;
  }
  return nullptr;
}

// Shown beside the leading metric.
std::vector<std::string> other_metrics(const VideoScores& scores) {
  std::vector<std::string> names;
  for (size_t i = 0; i < scores.metrics.size() && names.size() < kMostOthers; ++i) {
    if (i != scores.leading) names.push_back(base_name(scores.metrics[i].metric));
  }
  return names;
}

ordered_json scores_json(const VideoScores& scores, const std::vector<std::string>& others) {
  const MetricOutcome& leading = scores.metrics[scores.leading];
  ordered_json values = ordered_json::object(), means = ordered_json::array(), strip = ordered_json::array();
  for (const auto& [name, value] : leading.statistics) values[name] = rounded(value);
  for (const std::string& other : others) {
    const auto found =
        std::find_if(scores.metrics.begin(), scores.metrics.end(),
                     [&](const MetricOutcome& metric) { return base_name(metric.metric) == other; });
    means.push_back(found == scores.metrics.end() ? ordered_json(nullptr)
                                                  : rounded(statistic_in(*found, "mean")));
  }
  for (const double score : scores.strip) strip.push_back(rounded(score));
  ordered_json thresholds = ordered_json::array();
  for (const ThresholdFacts& threshold : scores.thresholds) {
    thresholds.push_back(
        {{"expression", threshold.expression},
         {"metric", threshold.metric},
         {"statistic", threshold.statistic},
         {"value", finite_or_null(threshold.value)},
         {"crossed", threshold.judged ? ordered_json(threshold.crossed) : ordered_json(nullptr)}});
  }
  return {{"frames", scores.frames},
          {"seconds", finite_or_null(scores.seconds)},
          {"size", {scores.width, scores.height}},
          {"codec", printable(scores.codec)},
          {"transfer", printable(scores.transfer)},
          {"bit_rate", finite_or_null(scores.bit_rate)},
          {"bit_rate_of", scores.bit_rate_of},
          {"file_bytes", finite_or_null(scores.file_bytes)},
          {"subsample", scores.subsample},
          {"metric", leading.metric.name},
          {"values", std::move(values)},
          {"others", std::move(means)},
          {"strip", std::move(strip)},
          {"thresholds", std::move(thresholds)},
          {"warnings", scores.warnings.size()},
          {"comparable", scores.is_comparable()},
          {"faults", certain_texts(scores.pair_faults)}};
}

ordered_json video_json(const VideoOutcome& video, const std::vector<std::string>& others) {
  return {
      {"name", printable(video.name.empty() ? video.path : video.name, kLongestText)},
      {"state", word_of(video.state)},
      {"error", video.error ? ordered_json(printable(video.message, kLongestText)) : ordered_json(nullptr)},
      {"link", link_to(!video.page.empty() ? video.page : video.report)},
      {"scores", video.scores ? scores_json(*video.scores, others) : ordered_json(nullptr)}};
}

ordered_json columns_json(const Metric& metric) {
  ordered_json columns = ordered_json::array();
  for (const ShownStatistic& shown : table_statistics(std::span(&metric, 1))) {
    const bool is_kept =
        std::any_of(file_statistics().begin(), file_statistics().end(),
                    [&](const Statistic& statistic) { return statistic == shown.statistic; });
    if (is_kept && shown.rank <= kLastRank)
      columns.push_back(
          {{"key", shown.statistic.name}, {"title", words_of(shown.statistic, metric_info(metric))}});
  }
  return columns;
}

}  // namespace

std::string write_batch_page(const BatchSummary& summary) {
  const VideoScores* const first = example(summary);
  std::vector<Metric> judged;
  if (first != nullptr) judged.push_back(*leading_of(summary));
  const std::vector<std::string> others =
      first == nullptr ? std::vector<std::string>() : other_metrics(*first);
  std::vector<Metric> described = judged;
  for (const std::string& other : others) {
    for (const MetricOutcome& outcome : first->metrics) {
      if (base_name(outcome.metric) == other) described.push_back(outcome.metric);
    }
  }
  ordered_json videos = ordered_json::array();
  for (const VideoOutcome& video : summary.videos) videos.push_back(video_json(video, others));
  const ordered_json about = {
      {"kind", "batch"},
      {"name", batch_totals(summary)},
      {"subject", judged.empty() ? "quality" : subject_of(judged)},
      {"metrics", described_metrics(described)},
      {"metric", first == nullptr ? "" : judged.front().name},
      {"columns", first == nullptr ? ordered_json::array() : columns_json(judged.front())},
      {"others", others},
      {"remarks", summary.remarks},
      {"moments", summary.moments},
      {"wall_seconds", summary.wall_seconds},
      {"videos", std::move(videos)}};
  return page_about(batch_totals(summary), batch_table(summary).text() + batch_totals(summary) + "\n", about);
}

}  // namespace vq::cli
