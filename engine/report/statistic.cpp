#include "engine/report/statistic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"

namespace vq {
namespace {

struct Word {
  const char* word;
  const char* name;
};
// Every word but the percentiles, which are too many.
constexpr Word kWords[] = {
    {"min", "min"},    {"max", "max"},     {"mean", "mean"},   {"harmonic", "harmonic_mean"},
    {"median", "p50"}, {"stdev", "stdev"}, {"share", "share"}, {"harmonic_mean", "harmonic_mean"},
};
constexpr const char* kAllWords = "min, max, mean, median, harmonic, stdev, share or a percentile p0 to p100";

constexpr const char* kInFiles[] = {"mean", "harmonic_mean", "stdev", "min", "p1",  "p5",   "p10",
                                    "p50",  "p90",           "p95",   "p99", "max", "share"};

struct Shown {
  const char* name;
  int rank;
};
constexpr Shown kLowIsBetter[] = {{"mean", 0}, {"max", 1}, {"p99", 3}, {"p95", 2}, {"p50", 4}};
constexpr Shown kHighIsBetter[] = {{"mean", 0}, {"harmonic_mean", 5}, {"min", 1}, {"p1", 3}, {"p5", 2},
                                   {"p50", 4}};
constexpr Shown kBoth[] = {{"mean", 0}, {"min", 1}, {"p5", 2}, {"p50", 4}, {"p95", 2}, {"max", 1}};

// The p of "p95"; nothing for another word.
std::optional<double> percentile_of(const std::string& word) {
  double p = 0;
  if (!word.starts_with('p') || word.find_first_not_of("0123456789.", 1) != std::string::npos ||
      !parse_real(std::string_view(word).substr(1), p) || p > 100) {
    return std::nullopt;
  }
  return p;
}

std::string shortest(double value) {
  return number_text(value, {NumberStyle::Kind::kShortest, 0});
}

Statistic percentile_statistic(double p) {
  return {"p" + shortest(p), p};
}

// 1st, 2nd, 3rd, 4th, 11th, 99.5th.
std::string ordinal(double p) {
  const bool teen = p >= 11 && p <= 13;
  const double last = teen ? 0 : std::fmod(p, 10);
  return shortest(p) + (last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

double pooled_value(const PooledScores& pooled, const std::string& name) {
  if (name == "min") return pooled.min;
  if (name == "max") return pooled.max;
  if (name == "stdev") return pooled.stdev;
  return name == "mean" ? pooled.mean : pooled.harmonic_mean;
}

}  // namespace

Statistic parse_statistic(const std::string& word, const std::string& where) {
  for (const Word& known : kWords) {
    if (word != known.word) continue;
    const std::optional<double> p = percentile_of(known.name);
    return p ? percentile_statistic(*p) : Statistic{known.name, std::nullopt};
  }
  if (const std::optional<double> p = percentile_of(word)) return percentile_statistic(*p);
  std::vector<std::string> names;
  for (const Word& known : kWords) names.emplace_back(known.word);
  const std::string near = nearest(word, names);
  throw Error(ErrorKind::kUsage, words("{}: unknown statistic \"{}\". {}It is {}.", where, printable(word),
                                       near.empty() ? "" : words("Did you mean \"{}\"? ", near), kAllWords));
}

MetricStatistics::MetricStatistics(const Metric& metric)
    : info_(metric_info(metric)), noteworthy_(count_noteworthy(info_, metric.values)) {
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::any_of(metric.values.begin(), metric.values.end(), is_nan)) return;
  pooled_ = pool_scores(metric.values);
  sorted_ = metric.values;
  std::sort(sorted_.begin(), sorted_.end());
}

double MetricStatistics::of(const Statistic& statistic) const {
  if (!pooled_ || (statistic.is_share() && !info_.noteworthy))
    return std::numeric_limits<double>::quiet_NaN();
  if (statistic.is_share()) return static_cast<double>(noteworthy_) / static_cast<double>(sorted_.size());
  return statistic.percentile ? percentile(sorted_, *statistic.percentile)
                              : pooled_value(*pooled_, statistic.name);
}

std::string MetricStatistics::cell(const Statistic& statistic) const {
  const double value = of(statistic);
  if (std::isnan(value)) return "-";
  if (!statistic.is_share())
    return fixed_text(value, statistic.is_mean() ? mean_decimals(info_) : info_.decimals);
  return words("{} ({} %)", noteworthy_, fixed_text(100 * value, 1));
}

double statistic_of(const Metric& metric, const Statistic& statistic) {
  return MetricStatistics(metric).of(statistic);
}

const std::vector<Statistic>& file_statistics() {
  static const std::vector<Statistic> all = [] {
    std::vector<Statistic> made;
    for (const char* const name : kInFiles) made.push_back(parse_statistic(name, name));
    return made;
  }();
  return all;
}

std::vector<ShownStatistic> table_statistics(std::span<const Metric> metrics) {
  bool any_low = false, any_high = false, has_share = false;
  for (const Metric& metric : metrics) {
    const MetricInfo& info = metric_info(metric);
    const bool is_both = is_neutral(metric), is_high = info.better == Better::kHigher;
    any_high = any_high || is_both || is_high;
    any_low = any_low || is_both || !is_high;
    has_share = has_share || info.noteworthy.has_value();
  }
  const std::span<const Shown> columns = !any_high ? kLowIsBetter
                                         : any_low ? std::span<const Shown>(kBoth)
                                                   : kHighIsBetter;
  std::vector<ShownStatistic> shown;
  for (const Shown& column : columns)
    shown.push_back({parse_statistic(column.name, column.name), column.rank});
  if (has_share) shown.push_back({parse_statistic("share", "share"), 0});
  return shown;
}

std::string heading_of(const Statistic& statistic, const MetricInfo& metric) {
  if (statistic.is_share()) {
    return metric.noteworthy ? std::string("frames ") + (metric.better == Better::kLower ? ">= " : "<= ") +
                                   shortest(*metric.noteworthy)
                             : "noteworthy";
  }
  return statistic.name == "harmonic_mean" ? "harmonic" : statistic.name;
}

std::string words_of(const Statistic& statistic, const MetricInfo& metric) {
  if (statistic.percentile == 50.0) return "median";
  if (statistic.percentile) return ordinal(*statistic.percentile) + " percentile";
  if (statistic.is_share()) {
    return metric.noteworthy ? words("share of frames from {}{}", shortest(*metric.noteworthy),
                                     metric.better == Better::kLower ? " on" : " down")
                             : "share of noteworthy frames";
  }
  if (statistic.name == "min") return "minimum";
  if (statistic.name == "max") return "maximum";
  if (statistic.name == "stdev") return "standard deviation";
  return statistic.name == "mean" ? "mean" : "harmonic mean";
}

}  // namespace vq
