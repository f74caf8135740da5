#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/reports/batch_summary.h"
#include "cli/system/exit_code.h"
#include "core/text.h"
#include "core/text/csv_field.h"
#include "core/version.h"
#include "engine/report/json_text.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;
using State = VideoOutcome::State;

ordered_json path_or_null(const std::string& path) {
  return path.empty() ? ordered_json(nullptr) : ordered_json(path);
}

ordered_json batch_threshold_json(const ThresholdFacts& threshold) {
  return {{"expression", threshold.expression},
          {"metric", threshold.metric},
          {"statistic", threshold.statistic},
          {"value", finite_or_null(threshold.value)},
          {"baseline", finite_or_null(threshold.baseline)},
          {"crossed", threshold.judged ? ordered_json(threshold.crossed) : ordered_json(nullptr)}};
}

ordered_json batch_faults_json(const std::vector<PairFault>& faults) {
  ordered_json list = ordered_json::array();
  for (const PairFault& fault : faults)
    list.push_back(
        {{"kind", to_string(fault.kind)}, {"text", fault.diagnostic.text}, {"certain", fault.is_certain}});
  return list;
}

ordered_json metrics_json(const VideoScores& scores, const NumberStyle& numbers) {
  ordered_json metrics = ordered_json::object();
  for (const MetricOutcome& metric : scores.metrics) {
    ordered_json values = ordered_json::object();
    for (const auto& [name, value] : metric.statistics) values[name] = as_printed(value, numbers);
    metrics[metric.metric.name] = std::move(values);
  }
  return metrics;
}

void add_scores(ordered_json& video, const VideoScores& scores, const NumberStyle& numbers) {
  ordered_json thresholds = ordered_json::array(), strip = ordered_json::array();
  for (const ThresholdFacts& threshold : scores.thresholds)
    thresholds.push_back(batch_threshold_json(threshold));
  for (const double score : scores.strip)
    strip.push_back(as_printed(score, {NumberStyle::Kind::kSignificant, 4}));
  video["scores"] = {{"frames", scores.frames},
                     {"seconds", finite_or_null(scores.seconds)},
                     {"width", scores.width},
                     {"height", scores.height},
                     {"codec", scores.codec},
                     {"frame_rate", finite_or_null(scores.frame_rate)},
                     {"file_bytes", nullptr},
                     {"bit_rate", nullptr},
                     {"bit_rate_of", scores.bit_rate_of},
                     {"wall_seconds", finite_or_null(scores.wall_seconds)},
                     {"metric", scores.metrics[scores.leading].metric.name},
                     {"metrics", metrics_json(scores, numbers)},
                     {"strip", std::move(strip)},
                     {"thresholds", std::move(thresholds)},
                     {"warnings", scores.warnings},
                     {"comparable", scores.is_comparable()},
                     {"pair_faults", batch_faults_json(scores.pair_faults)}};
  if (scores.file_bytes) video["scores"]["file_bytes"] = *scores.file_bytes;
  if (scores.bit_rate) video["scores"]["bit_rate"] = *scores.bit_rate;
}

ordered_json video_json(const VideoOutcome& outcome, const NumberStyle& numbers) {
  ordered_json video = {
      {"path", outcome.path},
      {"name", path_or_null(outcome.name)},
      {"reference", outcome.reference ? ordered_json(*outcome.reference) : ordered_json(nullptr)},
      {"state", word_of(outcome.state)},
      {"error", nullptr},
      {"report", path_or_null(outcome.report)},
      {"page", path_or_null(outcome.page)},
      {"partial", path_or_null(outcome.partial)},
      {"scores", nullptr}};
  if (outcome.error) {
    video["error"] = {
        {"kind", word_of(*outcome.error)}, {"code", exit_code(*outcome.error)}, {"message", outcome.message}};
  }
  if (outcome.scores) add_scores(video, *outcome.scores, numbers);
  return video;
}

std::string number_or_empty(std::optional<int64_t> number) {
  return number ? std::to_string(*number) : "";
}

// The fields of a line that all metrics of a video share.
std::string csv_start(const VideoOutcome& video) {
  const VideoScores none, &scores = video.scores ? *video.scores : none;
  return csv_field(video.path) + "," + csv_field(video.name) + "," + word_of(video.state) + "," +
         (video.error ? word_of(*video.error) : "") + "," + csv_field(video.message) + "," +
         csv_field(video.report) + "," + (video.scores ? std::to_string(video.scores->frames) : "") + "," +
         (!scores.thresholds.empty() && !scores.is_unjudged() ? scores.crosses() ? "1" : "0" : "") + "," +
         number_or_empty(scores.file_bytes) + "," + number_or_empty(scores.bit_rate);
}

}  // namespace

std::string batch_json(const BatchSummary& summary, const NumberStyle& numbers) {
  ordered_json json = {{"version", version()},
                       {"complete", count_of(summary, State::kLeft) == 0},
                       {"wall_seconds", finite_or_null(summary.wall_seconds)},
                       {"arguments", summary.arguments},
                       {"counts",
                        {{"videos", summary.videos.size()},
                         {"scored", count_of(summary, State::kScored)},
                         {"kept", count_of(summary, State::kKept)},
                         {"failed", count_of(summary, State::kFailed)},
                         {"refused", count_of(summary, State::kRefused)},
                         {"left", count_of(summary, State::kLeft)},
                         {"crossing", count_crossing(summary)},
                         {"not_comparable", count_not_comparable(summary)}}},
                       {"remarks", summary.remarks},
                       {"worst_moments", summary.moments},
                       {"videos", ordered_json::array()}};
  for (const VideoOutcome& video : summary.videos) json["videos"].push_back(video_json(video, numbers));
  return json_file_text(json);
}

std::string batch_csv(const BatchSummary& summary, const NumberStyle& numbers) {
  std::string text = "path,name,state,error,message,report,frames,crossed,file_bytes,bit_rate,metric";
  for (const Statistic& statistic : file_statistics()) text += "," + statistic.name;
  text += ",comparable\n";
  for (const VideoOutcome& video : summary.videos) {
    if (!video.scores) {
      text += csv_start(video) + std::string(2 + file_statistics().size(), ',') + "\n";
      continue;
    }
    for (const MetricOutcome& metric : video.scores->metrics) {
      text += csv_start(video) + "," + csv_field(metric.metric.name);
      for (const auto& [name, value] : metric.statistics)
        text += "," + (std::isnan(value) ? "" : number_text(value, numbers));
      text += metric.is_comparable ? ",1\n" : ",0\n";
    }
  }
  return text;
}

}  // namespace vq::cli
