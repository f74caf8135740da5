#include "cli/reports/batch_summary.h"

#include "cli/reports/ci_formats.h"
#include "cli/system/process.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/known_metrics.h"
#include "engine/report/described.h"
#include "engine/report/json_values.h"
#include "engine/report/sampled.h"

namespace vq::cli {

using State = VideoOutcome::State;

constexpr size_t kLeastVideoName = 16;  // columns of a video's name, if a terminal is narrow
constexpr size_t kMostVideoName = 100;  // if there is none

// The worst score, or the mean if the metric has no worse side. Not a number if no score is one.
static double worst_of(const MetricInfo& metric, std::span<const double> scores) {
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

static std::vector<double> strip_of(const Report& report, const Metric& metric) {
  const MetricInfo& info = metric_info(metric);
  if (report.frames.empty()) return {};
  const int64_t first_frame = report.frames.front();
  const size_t frames =
      is_sample(report) ? static_cast<size_t>(report.frames.back() - first_frame + 1) : metric.values.size();
  // The scores before a part; frames of a sample are where they are in the video.
  const auto before = [&](size_t part, size_t parts) {
    const size_t place = frames * part / parts;
    if (!is_sample(report)) return place;
    const auto at = std::ranges::lower_bound(report.frames, first_frame + static_cast<int64_t>(place));
    return static_cast<size_t>(at - report.frames.begin());
  };
  const size_t parts = std::min(frames, kStripParts);
  std::vector<double> strip;
  for (size_t i = 0; i < parts; ++i) {
    const size_t first = before(i, parts);
    strip.push_back(worst_of(info, std::span(metric.values).subspan(first, before(i + 1, parts) - first)));
  }
  return strip;
}

// A sample has intervals in place of statistics.
static MetricOutcome outcome_of(const Report& report, const Metric& metric) {
  MetricOutcome outcome{
      .metric = {metric.name, {}, metric.info, metric.is_inner, metric.model}, .statistics = {}, .cells = {}};
  const MetricStatistics values(is_sample(report) ? outcome.metric : metric);
  for (const Statistic& statistic : file_statistics())
    outcome.statistics.emplace_back(statistic.name, values.of(statistic));
  const auto words_for = [&](const IntervalFacts& interval) {
    return interval_words(interval, metric_info(metric));
  };
  std::vector<IntervalFacts> own;
  if (is_sample(report)) own = report.run.certainty->intervals;
  std::erase_if(own, [&](const IntervalFacts& interval) { return interval.metric != metric.name; });
  for (const ShownStatistic& shown : table_statistics(std::span(&metric, 1))) {
    const auto found = std::ranges::find(own, shown.statistic.name, &IntervalFacts::statistic);
    outcome.cells.push_back(found == own.end() ? values.cell(shown.statistic) : words_for(*found));
  }
  outcome.intervals = join(own, "; ", [&](const IntervalFacts& interval) {
    return words("{} {}", interval.statistic, words_for(interval));
  });
  return outcome;
}

// As a report has it, so that one that was read back gives the same.
static double as_written(double timestamp) {
  parse_real(fixed_text(timestamp, kTimestampDecimals), timestamp);
  return timestamp;
}

static std::optional<double> seconds_of(const Report& report, std::optional<double> frame_rate) {
  const std::vector<std::optional<double>>& times = report.timestamps;
  if (times.empty() || !times.front() || !times.back()) return std::nullopt;
  return as_written(*times.back()) - as_written(*times.front()) + (frame_rate ? 1 / *frame_rate : 0);
}

// In the last column.
static std::string verdict_of(const VideoOutcome& video) {
  if (video.state == State::kLeft) return "not scored";
  if (!video.scores) return word_of(video.state);
  const VideoScores& scores = *video.scores;
  if (!scores.is_comparable()) return "not comparable";
  if (scores.is_unjudged()) return "not judged";
  return scores.thresholds.empty() ? "" : scores.crosses() ? "crossed" : "ok";
}

// "1200", of a sample "132 of 2400".
static std::string frames_cell(const VideoScores& scores) {
  const bool is_whole = !scores.certainty || scores.certainty->exact;
  return is_whole ? std::to_string(scores.frames)
                  : words("{} of {}", scores.frames, scores.certainty->frames);
}

static bool is_apart(const VideoOutcome& video) { return video.scores && !video.scores->is_comparable(); }

double statistic_in(const MetricOutcome& metric, const std::string& name) {
  const auto found =
      std::ranges::find_if(metric.statistics, [&](const auto& statistic) { return statistic.first == name; });
  return found == metric.statistics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

void VideoOutcome::fail(State as, const Error& failure) {
  state = as;
  error = failure.kind();
  message = failure.what();
}

VideoScores scores_of(const Report& report) {
  VideoScores scores;
  static_cast<RunOutcome&>(scores) = report.run;
  scores.frames = static_cast<int64_t>(report.frames.size());
  if (const InputFacts* const input = distorted_input(report)) scores.video = *input;
  scores.seconds = seconds_of(report, scores.video.frame_rate);
  const size_t leading = leading_metric(report.metrics);
  for (const size_t position : reading_order(report.metrics)) {
    if (report.metrics[position].is_inner && !report.metrics[leading].is_inner) continue;
    if (position == leading) scores.leading = scores.metrics.size();
    scores.metrics.push_back(outcome_of(report, report.metrics[position]));
    scores.metrics.back().is_comparable = is_comparable(report, report.metrics[position]);
  }
  scores.strip = strip_of(report, report.metrics[leading]);
  return scores;
}

void VideoCounts::add(const VideoOutcome& video) {
  ++videos;
  ++states[static_cast<size_t>(video.state)];
  crossing += video.scores && video.scores->crosses();
  not_comparable += is_apart(video);
}

VideoCounts counts_of(const BatchSummary& summary) {
  VideoCounts counts;
  for (const VideoOutcome& video : summary.videos) counts.add(video);
  return counts;
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
  auto videos = mapped(summary.videos, [](const VideoOutcome& video) { return &video; });
  std::stable_partition(videos.begin(), videos.end(), [](const auto* video) { return !is_apart(*video); });
  return videos;
}

TextTable batch_table(const BatchSummary& summary) {
  const std::optional<Metric> first = leading_of(summary);
  std::vector<TextColumn> columns;
  const Metric metric = first.value_or(Metric());
  const std::vector<ShownStatistic> shown = table_statistics(std::span(&metric, first ? 1 : 0));
  const std::string title = metric.model.empty() ? base_name(metric) : printable(title_of(metric));
  columns.push_back({!first ? "video" : title + " of", kFlushLeft, 0, kLeastVideoName});
  for (const ShownStatistic& column : shown) {
    columns.push_back({heading_of(column.statistic, metric_info(metric)), kFlushRight, column.rank});
  }
  const bool has_rates = std::ranges::any_of(
      summary.videos, [](const auto& video) { return video.scores && video.scores->video.bit_rate; });
  if (has_rates) columns.push_back({"kbit/s", kFlushRight, 4});
  columns.push_back({"frames", kFlushRight, 5});
  columns.push_back({"", kFlushLeft});
  TextTable table(std::move(columns));
  for (const VideoOutcome* const listed : table_order(summary)) {
    const VideoOutcome& video = *listed;
    std::vector<std::string> row = {
        shorten_middle(shown_path(video.name.empty() ? video.path : video.name), kMostVideoName)};
    const std::vector<std::string>* const cells =
        video.scores ? &video.scores->metrics[video.scores->leading].cells : nullptr;
    for (size_t i = 0; i < shown.size(); ++i)
      row.push_back(cells != nullptr && i < cells->size() ? (*cells)[i] : "-");
    const bool has_rate = video.scores && video.scores->video.bit_rate;
    if (has_rates)
      row.push_back(has_rate ? std::to_string((*video.scores->video.bit_rate + 500) / 1000) : "-");
    row.push_back(video.scores ? frames_cell(*video.scores) : "-");
    row.push_back(verdict_of(video));
    table.add(std::move(row));
  }
  return table;
}

std::string VideoCounts::text() const {
  std::string text = counted(videos, "video");
  constexpr const char* kNames[] = {"scored", "up to date", "failed", "refused", "not reached"};
  const char* gap = ": ";
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i] > 0) text += words("{}{} {}", std::exchange(gap, ", "), states[i], kNames[i]);
  }
  if (not_comparable > 0) text += words("; {} not comparable", not_comparable);
  if (crossing > 0) text += words("; {} {} a threshold", crossing, crossing == 1 ? "crosses" : "cross");
  return text;
}

const char* word_of(State state) {
  constexpr const char* kWords[] = {"scored", "kept", "failed", "refused", "left"};
  static_assert(std::size(kWords) == static_cast<size_t>(State::kLeft) + 1);
  return kWords[static_cast<size_t>(state)];
}

using nlohmann::ordered_json;

static ordered_json batch_threshold_json(const ThresholdFacts& threshold) {
  ordered_json members = described_json(threshold), crossed = members["crossed"];
  members.erase("crossed");
  members["baseline"] = finite_or_null(threshold.baseline);
  members["crossed"] = std::move(crossed);
  return members;
}

static ordered_json metrics_json(const VideoScores& scores, const NumberStyle& numbers) {
  ordered_json metrics = ordered_json::object();
  for (const MetricOutcome& metric : scores.metrics) {
    ordered_json values = ordered_json::object();
    for (const auto& [name, value] : metric.statistics) values[name] = as_printed(value, numbers);
    metrics[metric.metric.name] = std::move(values);
  }
  return metrics;
}

static void add_scores(ordered_json& video, const VideoScores& scores, const NumberStyle& numbers) {
  ordered_json faults = pair_faults_json(scores.pair_faults);
  for (ordered_json& fault : faults) fault.erase("frames");
  const auto in_strip = [](double score) { return as_printed(score, {NumberStyle::Kind::kSignificant, 4}); };
  video["scores"] = {{"frames", scores.frames},
                     {"seconds", finite_or_null(scores.seconds)},
                     {"width", scores.video.width},
                     {"height", scores.video.height},
                     {"codec", scores.video.codec},
                     {"frame_rate", finite_or_null(scores.video.frame_rate)},
                     {"file_bytes", nullable(scores.video.file_bytes)},
                     {"bit_rate", nullable(scores.video.bit_rate)},
                     {"bit_rate_of", scores.video.bit_rate_of},
                     {"wall_seconds", finite_or_null(scores.wall_seconds)},
                     {"metric", scores.metrics[scores.leading].metric.name},
                     {"metrics", metrics_json(scores, numbers)},
                     {"strip", json_list(scores.strip, in_strip)},
                     {"thresholds", json_list(scores.thresholds, batch_threshold_json)},
                     {"warnings", scores.warnings},
                     {"comparable", scores.is_comparable()},
                     {"pair_faults", std::move(faults)}};
  if (scores.certainty) video["scores"]["certainty"] = described_json(*scores.certainty);
}

static ordered_json video_json(const VideoOutcome& outcome, const NumberStyle& numbers) {
  ordered_json video = {{"path", outcome.path},
                        {"name", nullable(outcome.name)},
                        {"reference", nullable(outcome.reference)},
                        {"state", word_of(outcome.state)},
                        {"error", nullptr},
                        {"report", nullable(outcome.report)},
                        {"page", nullable(outcome.page)},
                        {"partial", nullable(outcome.partial)},
                        {"scores", nullptr}};
  if (outcome.error) {
    const auto [word, code] = info_of(*outcome.error);
    video["error"] = {{"kind", word}, {"code", code}, {"message", outcome.message}};
  }
  if (outcome.scores) add_scores(video, *outcome.scores, numbers);
  return video;
}

// The fields of a line that all metrics of a video share.
static std::vector<std::string> csv_start(const VideoOutcome& video) {
  const VideoScores none, &scores = video.scores ? *video.scores : none;
  return {video.path,
          video.name,
          word_of(video.state),
          video.error ? info_of(*video.error).word : "",
          video.message,
          video.report,
          video.scores ? std::to_string(video.scores->frames) : "",
          !scores.thresholds.empty() && !scores.is_unjudged() ? scores.crosses() ? "1" : "0" : "",
          number_or_empty(scores.video.file_bytes),
          number_or_empty(scores.video.bit_rate)};
}

std::string batch_json(const BatchSummary& summary, const NumberStyle& numbers) {
  const VideoCounts counts = counts_of(summary);
  ordered_json json = {{"version", version()},
                       {"complete", counts.of(State::kLeft) == 0},
                       {"wall_seconds", finite_or_null(summary.wall_seconds)},
                       {"arguments", summary.arguments},
                       {"counts",
                        {{"videos", counts.videos},
                         {"scored", counts.of(State::kScored)},
                         {"kept", counts.of(State::kKept)},
                         {"failed", counts.of(State::kFailed)},
                         {"refused", counts.of(State::kRefused)},
                         {"left", counts.of(State::kLeft)},
                         {"crossing", counts.crossing},
                         {"not_comparable", counts.not_comparable}}},
                       {"remarks", summary.remarks},
                       {"worst_moments", summary.moments},
                       {"videos", json_list(summary.videos, [&](const VideoOutcome& video) {
                          return video_json(video, numbers);
                        })}};
  return json_file_text(json);
}

std::string batch_csv(const BatchSummary& summary, const NumberStyle& numbers) {
  std::vector<std::string> heading = {"path",   "name",    "state",      "error",    "message", "report",
                                      "frames", "crossed", "file_bytes", "bit_rate", "metric"};
  for (const Statistic& statistic : file_statistics()) heading.push_back(statistic.name);
  heading.emplace_back("comparable");
  const bool has_samples = std::ranges::any_of(
      summary.videos, [](const VideoOutcome& video) { return video.scores && video.scores->certainty; });
  if (has_samples) heading.emplace_back("intervals");
  std::string text = csv_line(heading);
  for (const VideoOutcome& video : summary.videos) {
    std::vector<std::string> row = csv_start(video);
    const size_t shared = row.size();
    if (!video.scores) {
      row.resize(heading.size());
      text += csv_line(row);
      continue;
    }
    for (const MetricOutcome& metric : video.scores->metrics) {
      row.resize(shared);
      row.push_back(metric.metric.name);
      for (const auto& [name, value] : metric.statistics) row.push_back(number_or_empty(value, numbers));
      row.emplace_back(metric.is_comparable ? "1" : "0");
      if (has_samples) row.push_back(metric.intervals);
      text += csv_line(row);
    }
  }
  return text;
}

}  // namespace vq::cli
