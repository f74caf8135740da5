#include "engine/report/sampled.h"

#include <cmath>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"

namespace vq {

using Kind = SampledStatistic::Kind;

static std::string value_in(double value, bool is_share) {
  return is_share ? words("{} %", significant_text(100 * value, 6)) : significant_text(value, 6);
}

// None for the standard deviation.
static std::optional<SampledStatistic> sampled(const Statistic& statistic, size_t place,
                                               const MetricInfo& metric) {
  SampledStatistic made{.metric = place};
  if (statistic.percentile || statistic.name == "min" || statistic.name == "max") {
    made.kind = Kind::kPercentile;
    made.percentile = statistic.percentile.value_or(statistic.name == "min" ? 0 : 100);
  } else if (statistic.is_share()) {
    made.kind = Kind::kShare;
    made.level = metric.noteworthy.value_or(0);
    made.is_share_below = metric.better != Better::kLower;
  } else if (statistic.name == "harmonic_mean") {
    made.kind = Kind::kHarmonicMean;
  } else if (statistic.name != "mean") {
    return std::nullopt;
  }
  return made;
}

// What a threshold says that came out so: "at least 90".
static std::string claim_of(const Threshold& threshold, bool is_crossed) {
  const bool is_low = threshold.from_below == is_crossed;  // the statistic is on the lower side
  const bool has_value = threshold.inclusive == is_crossed;
  const char* const how = is_low ? has_value ? "at most" : "below" : has_value ? "at least" : "above";
  return words("{} {}", how, value_in(threshold.value, threshold.statistic.is_share()));
}

// The ends that a report has instead of a value, in words.
static void say(ThresholdFacts& threshold, const Report& report) {
  const CertaintyFacts& facts = *report.run.certainty;
  const ThresholdSide side =
      threshold.expression.find('<') == std::string::npos ? ThresholdSide::kAbove : ThresholdSide::kBelow;
  threshold.claim = claim_of(parse_threshold(threshold.expression, side), threshold.crossed);
  const IntervalFacts interval = {threshold.metric, threshold.statistic, *threshold.low, *threshold.high};
  threshold.sure = words("{}: {}", sure_words(facts, facts.scored_frames),
                         interval_words(interval, metric_info(*find_metric(report, threshold.metric))));
}

SampledRequest::SampledRequest(const ConfidenceRequest& asked, std::span<const Threshold> thresholds,
                               std::span<const Metric> metrics, const std::vector<ScoreEnds>& ranges)
    : asked_(asked), thresholds_(thresholds), metrics_(metrics) {
  request_.risk = (100 - asked.percent) / 100;
  request_.ranges = ranges;
  const std::vector<size_t> places = check_threshold_metrics(thresholds, metrics);
  const auto add = [&](const SampledStatistic& statistic, const std::string& name) {
    if (contains(request_.statistics, statistic)) return;
    request_.statistics.push_back(statistic);
    names_.push_back(name);
    const ScoreEnds& range = ranges[statistic.metric];
    const bool is_open = std::isinf(range.low) || std::isinf(range.high);
    if (asked_.tolerance && statistic.kind == Kind::kMean && is_open)
      whole_ =
          words("no sample bounds the mean of {} to both sides", printable(metrics[statistic.metric].name));
  };
  for (size_t i = 0; i < thresholds.size(); ++i) {
    const Threshold& threshold = thresholds[i];
    const MetricInfo& metric = metric_info(metrics[places[i]]);
    const std::optional<SampledStatistic> statistic = sampled(threshold.statistic, places[i], metric);
    const bool has_own_mean = metric.mean.of_score != nullptr && threshold.statistic.is_mean();
    if (!statistic || has_own_mean || metric.lacks_first) {
      whole_ = words("nothing can be said of {} of {} before", threshold.statistic.name,
                     printable(metrics[places[i]].name));
      continue;
    }
    look_at(threshold, *statistic);
    request_.thresholds.push_back({*statistic, threshold.from_below, threshold.inclusive, threshold.value});
    add(*statistic, threshold.statistic.name);
  }
  if (!thresholds.empty()) return;
  const size_t leading = leading_metric(metrics);
  if (!asked_.tolerance) asked_.tolerance = usual_tolerance(metrics[leading], parse_statistic("mean", ""));
  if (!asked_.tolerance)
    throw usage_error(
        "there is nothing to be sure of: there are neither thresholds nor a tolerance, and {} has no usual "
        "one.",
        printable(metrics[leading].name));
  if (metric_info(metrics[leading]).mean.of_score != nullptr || metric_info(metrics[leading]).lacks_first)
    whole_ = words("nothing can be said of the mean of {} before", printable(metrics[leading].name));
  add({.metric = leading}, "mean");
}

// Thresholds that no sample can see kept, by any method.
void SampledRequest::look_at(const Threshold& threshold, const SampledStatistic& statistic) {
  const ScoreEnds& range = request_.ranges[statistic.metric];
  const double end = threshold.from_below ? range.low : range.high;
  const bool is_end =
      statistic.kind == Kind::kPercentile && statistic.percentile == (threshold.from_below ? 0 : 100);
  const bool is_open = statistic.kind == Kind::kMean && std::isinf(end);
  const bool is_harmonic = statistic.kind == Kind::kHarmonicMean && threshold.from_below;
  if (!is_end && !is_open && !is_harmonic) return;
  const char* const instead = threshold.from_below ? "p1" : "p99";
  advice_.push_back(words("{}: only all frames can show that it is kept. Try: {}, or the share",
                          printable(threshold.text), instead));
}

CertaintyRequest SampledRequest::for_frames(int64_t frames) const {
  CertaintyRequest request = request_;
  request.frames = frames;
  return request;
}

bool SampledRequest::is_answered(const Certainty& certainty) const {
  const auto is_narrow = [&](const Interval& interval) {
    return interval.high - interval.low <= 2 * *asked_.tolerance;
  };
  return certainty.is_decided() &&
         (!asked_.tolerance || std::ranges::all_of(certainty.intervals(), is_narrow));
}

const IntervalFacts& SampledRequest::interval_of(const CertaintyFacts& facts,
                                                 const SampledThreshold& threshold) const {
  const auto found = std::ranges::find(request_.statistics, threshold.statistic);
  return facts.intervals.at(static_cast<size_t>(found - request_.statistics.begin()));
}

void SampledRequest::fill(Report& report, const Certainty& certainty) const {
  CertaintyFacts& facts = *report.run.certainty;
  for (size_t i = 0; i < names_.size(); ++i) {
    const Interval& interval = certainty.intervals()[i];
    facts.intervals.push_back({.metric = metrics_[request_.statistics[i].metric].name,
                               .statistic = names_[i],
                               .low = interval.low,
                               .high = interval.high});
  }
  for (size_t i = 0; i < thresholds_.size(); ++i) {
    const bool is_crossed = certainty.verdicts()[i] == SampledVerdict::kCrossed;
    const IntervalFacts& interval = interval_of(facts, request_.thresholds[i]);
    const int64_t after = certainty.decided_after()[i];
    ThresholdFacts made{.expression = thresholds_[i].text,
                        .metric = interval.metric,
                        .statistic = interval.statistic,
                        .value = std::nan(""),
                        .crossed = is_crossed};
    if (!certainty.is_missing()) {
      made.low = interval.low;
      made.high = interval.high;
      say(made, report);
    }
    made.decided_after = after;
    report.run.thresholds.push_back(std::move(made));
  }
}

void restore_sample(Report& report) {
  const auto restore = [](double& low, double& high) {
    if (std::isnan(low)) low = -std::numeric_limits<double>::infinity();
    if (std::isnan(high)) high = std::numeric_limits<double>::infinity();
  };
  for (IntervalFacts& interval : report.run.certainty->intervals) restore(interval.low, interval.high);
  for (ThresholdFacts& threshold : report.run.thresholds) {
    if (!threshold.low || !threshold.high || find_metric(report, threshold.metric) == nullptr) continue;
    restore(*threshold.low, *threshold.high);
    try {
      say(threshold, report);
    } catch (const Error&) {  // of a later version
    }
  }
}

std::optional<double> usual_tolerance(const Metric& metric, const Statistic& statistic) {
  constexpr std::pair<std::string_view, double> kUsual[] = {
      {"ssim", 0.005}, {"psnr", 0.25}, {"cambi", 0.25}, {"ssimulacra2", 1}};
  if (statistic.is_share()) return 0.01;
  if (is_model_score(metric)) return 0.5;
  const MetricInfo& info = metric_info(metric);
  for (const auto& [name, tolerance] : kUsual) {
    if (name == info.name || name == info.alias) return tolerance;
  }
  return std::nullopt;
}

std::string interval_words(const IntervalFacts& interval, const MetricInfo& metric) {
  const bool is_share = interval.statistic == "share";
  const bool is_mean = interval.statistic == "mean" || interval.statistic == "harmonic_mean";
  const int decimals = is_share ? 2 : is_mean ? mean_decimals(metric) : metric.decimals;
  const double unit = std::pow(10, decimals) * (is_share ? 100 : 1);
  const auto text = [&](double end, double (*rounded)(double)) {
    return fixed_text(rounded(end * unit) / unit * (is_share ? 100 : 1), decimals);
  };
  const auto down = [](double value) { return std::floor(value); };
  const auto up = [](double value) { return std::ceil(value); };
  const char* const sign = is_share ? " %" : "";
  if (std::isinf(interval.low) && std::isinf(interval.high)) return "unknown";
  if (std::isinf(interval.high)) return words("at least {}{}", text(interval.low, down), sign);
  if (std::isinf(interval.low)) return words("at most {}{}", text(interval.high, up), sign);
  return words("{} to {}{}", text(interval.low, down), text(interval.high, up), sign);
}

std::string sure_words(const CertaintyFacts& certainty, int64_t frames) {
  const double share = 100 * static_cast<double>(frames) / static_cast<double>(certainty.frames);
  return words("{} % sure after {} % of the frames", significant_text(certainty.confidence, 6),
               share < 0.1 ? significant_text(share, 1) : fixed_text(share, share < 10 ? 1 : 0));
}

}  // namespace vq
