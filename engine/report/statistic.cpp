#include "engine/report/statistic.h"

#include <cmath>
#include <map>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/models/model_spec.h"
#include "feature/feature.h"

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

Statistic percentile_statistic(double p) { return {"p" + shortest_text(p), p}; }

// 1st, 2nd, 3rd, 4th, 11th, 99.5th.
std::string ordinal(double p) {
  const bool teen = p >= 11 && p <= 13;
  const double last = teen ? 0 : std::fmod(p, 10);
  return shortest_text(p) + (last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

}  // namespace

Statistic parse_statistic(const std::string& word, const std::string& where) {
  for (const Word& known : kWords) {
    if (word != known.word) continue;
    const std::optional<double> p = percentile_of(known.name);
    return p ? percentile_statistic(*p) : Statistic{known.name, std::nullopt};
  }
  if (const std::optional<double> p = percentile_of(word)) return percentile_statistic(*p);
  const auto names = mapped(kWords, [](const Word& known) { return std::string(known.word); });
  const std::string near = nearest(word, names);
  throw usage_error("{}: unknown statistic \"{}\". {}It is {}.", where, printable(word),
                    near.empty() ? "" : words("Did you mean \"{}\"? ", near), kAllWords);
}

MetricStatistics::MetricStatistics(const Metric& metric)
    : info_(metric_info(metric)), noteworthy_(count_noteworthy(info_, metric.values)) {
  const std::span<const double> values = counted_values(info_, metric.values);
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (values.empty() || std::ranges::any_of(values, is_nan)) return;
  sorted_.assign(values.begin(), values.end());
  std::ranges::sort(sorted_);
  pooled_ = pool_scores(values, sorted_, info_.mean);
}

double MetricStatistics::of(const Statistic& statistic) const {
  if (!pooled_ || (statistic.is_share() && !info_.noteworthy))
    return std::numeric_limits<double>::quiet_NaN();
  if (statistic.is_share()) return static_cast<double>(noteworthy_) / static_cast<double>(sorted_.size());
  if (statistic.percentile) return percentile(sorted_, *statistic.percentile);
  return (*pooled_).*std::ranges::find(kPooledMembers, statistic.name, &PooledMember::name)->value;
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

std::vector<Statistic> statistics_called(std::span<const char* const> names) {
  return mapped(names, [&](const char* const name) { return parse_statistic(name, name); });
}

const std::vector<Statistic>& file_statistics() {
  static const std::vector<Statistic> all = statistics_called(kInFiles);
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
                                   shortest_text(*metric.noteworthy)
                             : "noteworthy";
  }
  return statistic.name == "harmonic_mean" ? "harmonic" : statistic.name;
}

std::string words_of(const Statistic& statistic, const MetricInfo& metric) {
  if (statistic.percentile == 50.0) return "median";
  if (statistic.percentile) return ordinal(*statistic.percentile) + " percentile";
  if (statistic.is_share()) {
    return metric.noteworthy ? words("share of frames from {}{}", shortest_text(*metric.noteworthy),
                                     metric.better == Better::kLower ? " on" : " down")
                             : "share of noteworthy frames";
  }
  if (statistic.name == "min") return "minimum";
  if (statistic.name == "max") return "maximum";
  if (statistic.name == "stdev") return "standard deviation";
  return statistic.name == "mean" ? "mean" : "harmonic mean";
}

constexpr std::string_view kBeginnings[] = {"integer_", "float_"};

// The best of those that fit: of what was asked for, and of those the one with the shortest name.
template <typename Fits>
static std::optional<size_t> best_of(std::span<const Metric> metrics, const Fits& fits) {
  std::optional<size_t> best;
  const auto is_better = [&](const Metric& a, const Metric& b) {
    return a.is_inner != b.is_inner ? b.is_inner : metric_info(a).name.size() < metric_info(b).name.size();
  };
  for (size_t i = 0; i < metrics.size(); ++i) {
    if (fits(metrics[i]) && (!best || is_better(metrics[i], metrics[*best]))) best = i;
  }
  return best;
}

static bool is_called(const MetricInfo& info, std::string_view name) {
  if (info.name.empty()) return false;
  if (info.name == name || info.alias == name) return true;
  return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
    return info.name == std::string(beginning).append(name);
  });
}

std::optional<size_t> find_named(std::span<const Metric> metrics, std::string_view name) {
  const auto is_it = [&](const Metric& metric) { return metric.name == name; };
  if (const auto found = best_of(metrics, is_it)) return found;
  if (name.ends_with(kOfModel)) return find_named(metrics, name.substr(0, name.size() - kOfModel.size()));
  const auto is_titled = [&](const Metric& metric) {
    return !metric.model.empty() && title_of(metric) == name;
  };
  if (const auto found = best_of(metrics, is_titled)) return found;
  const auto has_base = [&](const Metric& metric) { return is_called(metric_info(metric), name); };
  if (const auto found = best_of(metrics, has_base)) return found;
  const auto goes_on = [&](const Metric& metric) { return metric.name.starts_with(std::string(name) + "_"); };
  const auto leads = [&](const Metric& metric) { return is_model_score(metric) && goes_on(metric); };
  auto found = std::ranges::find_if(metrics, leads);
  if (found == metrics.end()) found = std::ranges::find_if(metrics, goes_on);
  return found == metrics.end() ? std::nullopt : std::optional(static_cast<size_t>(found - metrics.begin()));
}

bool is_name_of_judged(const std::string& name) {
  const MetricInfo& info = known_metric(name);
  if (is_known(info)) return info.better != Better::kNeither;
  for (const FeatureInfo* const feature : features()) {
    for (const MetricInfo& metric : feature->metrics) {
      if (is_called(metric, name)) return metric.better != Better::kNeither;
    }
  }
  return false;
}

bool judges_video(const MetricInfo& metric) {
  return metric.better != Better::kNeither && metric.reference_of.empty() && metric.excess_of.empty();
}

std::vector<size_t> judging_metrics(std::span<const Metric> metrics) {
  std::vector<size_t> positions = speaking_order(metrics);
  std::erase_if(positions, [&](size_t position) {
    const MetricInfo& info = metric_info(metrics[position]);
    return metrics[position].is_inner || !info.noteworthy || !judges_video(info);
  });
  return positions;
}

std::vector<size_t> verdict_metrics(std::span<const Metric> metrics) {
  std::vector<size_t> verdicts;
  const auto rank = [&](size_t i) {
    return std::pair(!metrics[i].is_inner, count_noteworthy(metric_info(metrics[i]), metrics[i].values));
  };
  for (const size_t i : reading_order(metrics)) {
    const MetricInfo& info = metric_info(metrics[i]);
    if (!judges_video(info)) continue;
    if (is_model_score(metrics[i])) {
      verdicts.push_back(i);
      continue;
    }
    if (!verdicts.empty() && !info.noteworthy) continue;
    const auto rival = std::ranges::find_if(verdicts, [&](size_t other) {
      return !is_model_score(metrics[other]) && metric_info(metrics[other]).subject == info.subject;
    });
    if (rival == verdicts.end()) {
      verdicts.push_back(i);
    } else if (rank(i) > rank(*rival)) {
      *rival = i;
    }
  }
  if (verdicts.empty() && !metrics.empty()) verdicts.push_back(leading_metric(metrics));
  return verdicts;
}

std::string listed_names(std::span<const Metric> metrics) {
  constexpr size_t kMost = 20;
  const std::string text = join(metrics.first(std::min(metrics.size(), kMost)), ", ",
                                [](const Metric& metric) { return printable(metric.name); });
  return metrics.size() > kMost ? words("{} and {} more", text, metrics.size() - kMost) : text;
}

std::vector<size_t> meant_metrics(std::span<const Metric> metrics, const std::string& name) {
  if (name.empty()) return judging_metrics(metrics);
  const std::optional<size_t> named = find_named(metrics, name);
  return named ? std::vector{*named} : std::vector<size_t>();
}

std::string meant_none(std::span<const Metric> metrics, const std::string& name, const std::string& rest) {
  if (name.empty()) {
    const size_t leading = leading_metric(metrics);
    return words("it names no metric, and {} has no noteworthy level. Name the metric: {}.",
                 printable(metrics[leading].name), examples_of(metrics, std::span(&leading, 1), rest));
  }
  const std::string near = nearest(name, names_of(metrics));
  if (!near.empty()) return words("no metric \"{}\" here. Did you mean \"{}\"?", printable(name), near);
  std::vector<Metric> asked(metrics.begin(), metrics.end());
  if (!std::ranges::all_of(metrics, &Metric::is_inner)) std::erase_if(asked, std::mem_fn(&Metric::is_inner));
  return words("no metric \"{}\" here, only {}.", printable(name), listed_names(asked));
}

std::string meant_several(std::span<const Metric> metrics, std::span<const size_t> positions,
                          const std::string& rest) {
  return words("several metrics could be meant. Name one: {}.", examples_of(metrics, positions, rest));
}

std::string examples_of(std::span<const Metric> metrics, std::span<const size_t> positions,
                        const std::string& rest) {
  constexpr size_t kMost = 4;
  std::string text;
  const size_t shown = std::min(positions.size(), kMost);
  for (size_t i = 0; i < shown; ++i) {
    const char* const gap = i == 0 ? "" : i + 1 == shown ? " or " : ", ";
    text += words("{}'{}:{}'", gap, printable(metrics[positions[i]].name), rest);
  }
  return text;
}

// How names begin that only features of the reference tool have which this program lacks.
constexpr std::string_view kForeign[] = {"float_", "adm", "aim", "vif_scale", "motion", "VMAF_feature_"};

static bool is_foreign(std::string_view metric) {
  return std::ranges::any_of(kForeign, [&](std::string_view start) { return metric.starts_with(start); });
}

static bool takes_reference(const std::string& metric) {
  const FeatureInfo* const feature = feature_of_metric({metric, {}});
  return feature != nullptr && feature->needs_reference != nullptr &&
         feature->needs_reference(OptionSet(feature->options));
}

std::vector<std::string> metric_labels(std::span<const Metric> metrics) {
  constexpr size_t kLong = 24;
  const bool has_score = std::ranges::any_of(metrics, is_model_score);
  // A model's own metric does not share a label with one that was requested.
  std::map<std::pair<std::string_view, bool>, int> sharing;
  std::map<std::string, int> titled;
  for (const Metric& metric : metrics) {
    ++sharing[{metric_info(metric).name, metric.is_inner}];
    if (!metric.model.empty()) ++titled[title_of(metric)];
  }
  std::vector<std::string> labels;
  for (const Metric& metric : metrics) {
    if (!metric.model.empty()) {
      const std::string title = title_of(metric);
      labels.push_back(printable(titled[title] == 1 ? title : words("{} ({})", title, metric.name)));
      continue;
    }
    const std::string_view plain = metric_info(metric).name;
    const bool is_short =
        !has_score || metric.name.size() <= kLong || plain.empty() || sharing[{plain, metric.is_inner}] > 1;
    const std::string label =
        is_short ? metric.name : std::string(plain) + (metric.is_inner ? std::string(kOfModel) : "");
    labels.push_back(printable(label));
  }
  return labels;
}

std::vector<size_t> reading_order(std::span<const Metric> metrics) {
  const auto place = [&](size_t i) {
    return std::pair(model_part(metric_info(metrics[i])), metrics[i].is_inner);
  };
  std::vector<size_t> order(metrics.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return place(a) < place(b); });
  return order;
}

std::vector<std::string> scores_of_models(std::span<const std::string> metrics) {
  const auto is_unknown = [](const std::string& metric) {
    return !is_known(known_metric(metric)) && !is_foreign(metric);
  };
  const auto last = std::find_if_not(metrics.rbegin(), metrics.rend(), is_unknown).base();
  if (std::none_of(metrics.begin(), last, takes_reference)) return {};
  std::vector<std::string> scores;
  for (auto metric = last; metric != metrics.end(); ++metric) {
    const auto is_part = [&](const std::string& score) { return metric->starts_with(score + "_"); };
    if (std::ranges::none_of(scores, is_part)) scores.push_back(*metric);
  }
  return scores;
}

}  // namespace vq
