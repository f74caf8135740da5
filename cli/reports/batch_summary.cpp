#include "cli/reports/batch_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "core/text/fit_text.h"
#include "core/text/message_text.h"
#include "core/text/number_text.h"
#include "engine/known_metrics.h"
#include "engine/report/metric_labels.h"

namespace vq::cli {
namespace {

using State = VideoOutcome::State;

constexpr size_t kLeastVideoName = 16;  // columns of a video's name, where a terminal is narrow
constexpr size_t kMostVideoName = 100;  // where there is none

// The worst of the scores; of a metric of which no side is worse, the mean. Not a number where none is one.
double worst_of(const MetricInfo& metric, std::span<const double> scores) {
  double worst = std::numeric_limits<double>::quiet_NaN(), sum = 0;
  int64_t count = 0;
  for (const double score : scores) {
    if (!std::isfinite(score)) continue;
    if (count == 0 || is_worse(metric, score, worst)) worst = score;
    sum += score;
    ++count;
  }
  if (count > 0 && metric.better == Better::kNeither) return sum / static_cast<double>(count);
  return worst;
}

std::vector<double> strip_of(const Metric& metric) {
  const MetricInfo& info = metric_info(metric);
  const size_t frames = metric.values.size(), parts = std::min(frames, kStripParts);
  std::vector<double> strip;
  for (size_t i = 0; i < parts; ++i) {
    const size_t first = frames * i / parts, end = frames * (i + 1) / parts;
    strip.push_back(worst_of(info, std::span(metric.values).subspan(first, end - first)));
  }
  return strip;
}

MetricOutcome outcome_of(const Metric& metric) {
  const MetricStatistics values(metric);
  MetricOutcome outcome{
      .metric = {metric.name, {}, metric.info, metric.is_inner, metric.model}, .statistics = {}, .cells = {}};
  for (const Statistic& statistic : file_statistics())
    outcome.statistics.emplace_back(statistic.name, values.of(statistic));
  for (const ShownStatistic& shown : table_statistics(std::span(&metric, 1))) {
    outcome.cells.push_back(values.cell(shown.statistic));
  }
  return outcome;
}

// As a report has it, so that one that was read back gives the same.
double as_written(double timestamp) {
  parse_real(fixed_text(timestamp, kTimestampDecimals), timestamp);
  return timestamp;
}

std::optional<double> seconds_of(const Report& report, std::optional<double> frame_rate) {
  const std::vector<std::optional<double>>& times = report.timestamps;
  if (times.empty() || !times.front() || !times.back()) return std::nullopt;
  return as_written(*times.back()) - as_written(*times.front()) + (frame_rate ? 1 / *frame_rate : 0);
}

// In the last column.
std::string verdict_of(const VideoOutcome& video) {
  switch (video.state) {
    case State::kFailed:
      return "failed";
    case State::kRefused:
      return "refused";
    case State::kLeft:
      return "not scored";
    case State::kScored:
    case State::kKept:
      break;
  }
  const VideoScores& scores = *video.scores;
  if (!scores.is_comparable()) return "not comparable";
  if (scores.is_unjudged()) return "not judged";
  return scores.thresholds.empty() ? "" : scores.crosses() ? "crossed" : "ok";
}

bool is_apart(const VideoOutcome& video) {
  return video.scores && !video.scores->is_comparable();
}

}  // namespace

bool VideoScores::crosses() const {
  return std::any_of(thresholds.begin(), thresholds.end(),
                     [](const ThresholdFacts& one) { return one.crossed; });
}

bool VideoScores::is_unjudged() const {
  return std::any_of(thresholds.begin(), thresholds.end(),
                     [](const ThresholdFacts& one) { return !one.judged; });
}

VideoScores scores_of(const Report& report) {
  VideoScores scores;
  scores.frames = static_cast<int64_t>(report.frames.size());
  for (const InputFacts& input : report.run.inputs) {
    if (input.role != "distorted") continue;
    scores.width = input.width;
    scores.height = input.height;
    scores.codec = input.codec;
    scores.transfer = input.transfer;
    scores.frame_rate = input.frame_rate;
    scores.file_bytes = input.file_bytes;
    scores.bit_rate = input.bit_rate;
    scores.bit_rate_of = input.bit_rate_of;
  }
  scores.subsample = report.run.subsample;
  scores.seconds = seconds_of(report, scores.frame_rate);
  scores.wall_seconds = report.run.wall_seconds;
  const size_t leading = leading_metric(report.metrics);
  for (const size_t position : reading_order(report.metrics)) {
    if (report.metrics[position].is_inner && !report.metrics[leading].is_inner) continue;
    if (position == leading) scores.leading = scores.metrics.size();
    scores.metrics.push_back(outcome_of(report.metrics[position]));
    scores.metrics.back().is_comparable = is_comparable(report, report.metrics[position]);
  }
  scores.strip = strip_of(report.metrics[leading]);
  scores.thresholds = report.run.thresholds;
  scores.warnings = report.run.warnings;
  scores.pair_faults = report.run.pair_faults;
  return scores;
}

int64_t count_of(const BatchSummary& summary, State state) {
  return std::count_if(summary.videos.begin(), summary.videos.end(),
                       [&](const VideoOutcome& video) { return video.state == state; });
}

int64_t count_crossing(const BatchSummary& summary) {
  return std::count_if(summary.videos.begin(), summary.videos.end(),
                       [](const VideoOutcome& video) { return video.scores && video.scores->crosses(); });
}

int64_t count_not_comparable(const BatchSummary& summary) {
  return std::count_if(summary.videos.begin(), summary.videos.end(), is_apart);
}

std::optional<Metric> leading_of(const BatchSummary& summary) {
  std::optional<Metric> metric;
  for (const VideoOutcome& video : summary.videos) {
    if (!video.scores) continue;
    const Metric& leading = video.scores->metrics[video.scores->leading].metric;
    if (!metric) metric = leading;
    if (metric->model != leading.model) metric->model.clear();
  }
  return metric;
}

std::vector<const VideoOutcome*> table_order(const BatchSummary& summary) {
  std::vector<const VideoOutcome*> videos;
  for (const VideoOutcome& video : summary.videos) videos.push_back(&video);
  std::stable_partition(videos.begin(), videos.end(), [](const auto* video) { return !is_apart(*video); });
  return videos;
}

TextTable batch_table(const BatchSummary& summary) {
  constexpr auto kLeft = TextColumn::Align::kLeft;
  const std::optional<Metric> first = leading_of(summary);
  std::vector<TextColumn> columns;
  const Metric metric = first.value_or(Metric());
  const std::vector<ShownStatistic> shown = table_statistics(std::span(&metric, first ? 1 : 0));
  const std::string title = metric.model.empty() ? base_name(metric) : printable(title_of(metric));
  columns.push_back({!first ? "video" : title + " of", kLeft, 0, kLeastVideoName});
  for (const ShownStatistic& column : shown) {
    columns.push_back(
        {heading_of(column.statistic, metric_info(metric)), TextColumn::Align::kRight, column.rank});
  }
  const bool has_rates = std::any_of(summary.videos.begin(), summary.videos.end(), [](const auto& video) {
    return video.scores && video.scores->bit_rate;
  });
  if (has_rates) columns.push_back({"kbit/s", TextColumn::Align::kRight, 4});
  columns.push_back({"frames", TextColumn::Align::kRight, 5});
  columns.push_back({"", kLeft});
  TextTable table(std::move(columns));
  for (const VideoOutcome* const listed : table_order(summary)) {
    const VideoOutcome& video = *listed;
    std::vector<std::string> row = {
        shorten_middle(shown_path(video.name.empty() ? video.path : video.name), kMostVideoName)};
    const std::vector<std::string>* const cells =
        video.scores ? &video.scores->metrics[video.scores->leading].cells : nullptr;
    for (size_t i = 0; i < shown.size(); ++i)
      row.push_back(cells != nullptr && i < cells->size() ? (*cells)[i] : "-");
    const bool has_rate = video.scores && video.scores->bit_rate;
    if (has_rates) row.push_back(has_rate ? std::to_string((*video.scores->bit_rate + 500) / 1000) : "-");
    row.push_back(video.scores ? std::to_string(video.scores->frames) : "-");
    row.push_back(verdict_of(video));
    table.add(std::move(row));
  }
  return table;
}

std::string batch_totals(const BatchSummary& summary) {
  std::string text = counted(static_cast<int64_t>(summary.videos.size()), "video");
  const std::pair<State, const char*> parts[] = {{State::kScored, "scored"},
                                                 {State::kKept, "up to date"},
                                                 {State::kFailed, "failed"},
                                                 {State::kRefused, "refused"},
                                                 {State::kLeft, "not reached"}};
  const char* gap = ": ";
  for (const auto& [state, words] : parts) {
    if (const int64_t count = count_of(summary, state); count > 0) {
      text += gap + std::to_string(count) + " " + words;
      gap = ", ";
    }
  }
  if (const int64_t apart = count_not_comparable(summary); apart > 0)
    text += "; " + std::to_string(apart) + " not comparable";
  if (const int64_t crossing = count_crossing(summary); crossing > 0) {
    text += "; " + std::to_string(crossing) + (crossing == 1 ? " crosses a threshold" : " cross a threshold");
  }
  return text;
}

const char* word_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return "usage";
    case ErrorKind::kInput:
      return "input";
    case ErrorKind::kMismatch:
      return "mismatch";
    case ErrorKind::kBackend:
      return "backend";
    case ErrorKind::kOutput:
      return "output";
    case ErrorKind::kIncomplete:
      return "incomplete";
    case ErrorKind::kThreshold:
      return "threshold";
    case ErrorKind::kResource:
      return "resource";
    case ErrorKind::kInternal:
      break;
  }
  return "internal";
}

const char* word_of(State state) {
  switch (state) {
    case State::kScored:
      return "scored";
    case State::kKept:
      return "kept";
    case State::kFailed:
      return "failed";
    case State::kRefused:
      return "refused";
    case State::kLeft:
      break;
  }
  return "left";
}

}  // namespace vq::cli
