#include "engine/report/metric_choice.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_spec.h"
#include "feature/feature.h"

namespace vq {
namespace {

constexpr std::string_view kBeginnings[] = {"integer_", "float_"};

// The best of those that fit: of what was asked for, and of those the one with the shortest name.
template <typename Fits>
std::optional<size_t> best_of(std::span<const Metric> metrics, const Fits& fits) {
  std::optional<size_t> best;
  const auto is_better = [&](const Metric& a, const Metric& b) {
    return a.is_inner != b.is_inner ? b.is_inner : metric_info(a).name.size() < metric_info(b).name.size();
  };
  for (size_t i = 0; i < metrics.size(); ++i) {
    if (fits(metrics[i]) && (!best || is_better(metrics[i], metrics[*best]))) best = i;
  }
  return best;
}

bool is_called(const MetricInfo& info, std::string_view name) {
  if (info.name.empty()) return false;
  if (info.name == name || info.alias == name) return true;
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings), [&](std::string_view beginning) {
    return info.name == std::string(beginning).append(name);
  });
}

}  // namespace

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
  auto found = std::find_if(metrics.begin(), metrics.end(), leads);
  if (found == metrics.end()) found = std::find_if(metrics.begin(), metrics.end(), goes_on);
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

std::vector<size_t> judging_metrics(std::span<const Metric> metrics) {
  std::vector<size_t> positions = speaking_order(metrics);
  std::erase_if(positions, [&](size_t position) {
    const MetricInfo& info = metric_info(metrics[position]);
    return metrics[position].is_inner || !info.noteworthy || info.better == Better::kNeither ||
           !info.reference_of.empty() || !info.excess_of.empty();
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
    if (info.better == Better::kNeither || !info.reference_of.empty() || !info.excess_of.empty()) continue;
    if (is_model_score(metrics[i])) {
      verdicts.push_back(i);
      continue;
    }
    if (!verdicts.empty() && !info.noteworthy) continue;
    const auto rival = std::find_if(verdicts.begin(), verdicts.end(), [&](size_t other) {
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

namespace {

// How names begin that only features of the reference tool have which this program lacks.
constexpr std::string_view kForeign[] = {"float_", "adm", "aim", "vif_scale", "motion", "VMAF_feature_"};

bool is_foreign(std::string_view metric) {
  return std::any_of(std::begin(kForeign), std::end(kForeign),
                     [&](std::string_view start) { return metric.starts_with(start); });
}

bool compares(const std::string& metric) {
  const FeatureInfo* const feature = feature_of_metric({metric, {}});
  return feature != nullptr && feature->needs_reference != nullptr &&
         feature->needs_reference(OptionSet(feature->options));
}

}  // namespace

std::vector<std::string> metric_labels(std::span<const Metric> metrics) {
  constexpr size_t kLong = 24;
  const bool has_score = std::any_of(metrics.begin(), metrics.end(), is_model_score);
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
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
  return order;
}

std::vector<std::string> scores_of_models(std::span<const std::string> metrics) {
  const auto is_unknown = [](const std::string& metric) {
    return !is_known(known_metric(metric)) && !is_foreign(metric);
  };
  const auto last = std::find_if_not(metrics.rbegin(), metrics.rend(), is_unknown).base();
  if (std::none_of(metrics.begin(), last, compares)) return {};
  std::vector<std::string> scores;
  for (auto metric = last; metric != metrics.end(); ++metric) {
    const auto is_part = [&](const std::string& score) { return metric->starts_with(score + "_"); };
    if (std::none_of(scores.begin(), scores.end(), is_part)) scores.push_back(*metric);
  }
  return scores;
}

}  // namespace vq
