#include "engine/report/threshold.h"

#include <cmath>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/request.h"
#include "feature/feature.h"

namespace vq {
namespace {

constexpr int kShareDecimals = 2;
constexpr size_t kMaxMessage = 500;
// Reports have six decimals, so a baseline's statistic may be off by as much.
constexpr double kBaselineError = 1e-6;

// How thresholds of a side are written.
struct Side {
  const char* sign;
  const char* examples;
};
const Side& side_of(bool from_below) {
  static constexpr Side kAbove = {">", "'mean>5', 'share>10%' or, beside a baseline, 'mean>+0.5'"};
  static constexpr Side kBelow = {"<", "'psnr<30', 'vmaf:p5<=80' or, beside a baseline, 'vmaf<-0.5'"};
  return from_below ? kBelow : kAbove;
}

std::string where(const Threshold& threshold) { return words("threshold \"{}\"", printable(threshold.text)); }

Error fault(const Threshold& threshold, const std::string& what) {
  const Side& side = side_of(threshold.from_below);
  return usage_error("{}: {} It takes [METRIC:]STATISTIC{}VALUE, such as {}.", where(threshold), what,
                     side.sign, side.examples);
}

Advice advice_on_side(bool from_below) { return from_below ? Advice::kFailBelow : Advice::kFailAbove; }

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void parse_value(Threshold& threshold, const std::string& word) {
  const bool is_share = threshold.statistic.is_share();
  threshold.is_signed = word.starts_with('+') || word.starts_with('-');
  const bool percent = (is_share || threshold.is_signed) && word.ends_with('%');
  double& value = threshold.value;
  if (!parse_real(trimmed(percent ? word.substr(0, word.size() - 1) : word), value)) {
    throw fault(threshold, words("the value \"{}\" is not a number.", printable(word)));
  }
  if (percent) value /= 100;
  threshold.is_percent = percent && !is_share;
  // "share>10" may mean ten percent, which no share of 0 to 1 would ever cross.
  if (is_share && !percent && std::abs(value) >= 1) {
    throw fault(threshold, "a share is below 1, or has a percent sign.");
  }
}

// Without a name only those that have their worse side there.
std::vector<size_t> candidates_of(const Threshold& threshold, std::span<const Metric> metrics) {
  std::vector<size_t> positions = meant_metrics(metrics, threshold.metric);
  if (!threshold.metric.empty()) return positions;
  const Better side = threshold.from_below ? Better::kHigher : Better::kLower;
  std::erase_if(positions, [&](size_t position) { return metric_info(metrics[position]).better != side; });
  return positions;
}

[[noreturn]] void refuse_metric(const Threshold& threshold, std::span<const Metric> metrics) {
  const std::string rest = trimmed(threshold.text), none = meant_none(metrics, threshold.metric, rest);
  if (!threshold.metric.empty()) throw fault(threshold, none);
  const std::vector<size_t> judging = judging_metrics(metrics);
  if (judging.empty()) throw usage_error("{}: {}", where(threshold), none);
  const std::string first = printable(metrics[judging.front()].name);
  throw AdvisedError(ErrorKind::kUsage,
                     {words("{}: a {}{} is better. To judge it all the same, name the metric: {}.",
                            where(threshold), threshold.from_below ? "lower " : "higher ", first,
                            examples_of(metrics, std::span(judging).first(1), rest)),
                      advice_on_side(!threshold.from_below)});
}

// The metric that the threshold is about. Throws as check_threshold_metrics().
const Metric& metric_of(const Threshold& threshold, std::span<const Metric> metrics) {
  const std::vector<size_t> positions = candidates_of(threshold, metrics);
  if (positions.empty()) refuse_metric(threshold, metrics);
  if (positions.size() > 1)
    throw usage_error("{}: {}", where(threshold), meant_several(metrics, positions, trimmed(threshold.text)));
  const Metric& metric = metrics[positions.front()];
  if (!threshold.statistic.is_share() || metric_info(metric).noteworthy) return metric;
  throw fault(threshold, words("{} has no noteworthy level, so there is no share.", printable(metric.name)));
}

bool is_crossed(const Threshold& threshold, double value, double bound) {
  if (threshold.from_below) return !(threshold.inclusive ? value > bound : value >= bound);
  return !(threshold.inclusive ? value < bound : value <= bound);
}

bool is_crossed_from(const Threshold& threshold, double value, double baseline) {
  // Nothing is between two that are both infinite, and every finite one is beyond any bound from an infinite
  // one.
  if (std::isinf(baseline)) {
    return value == baseline ? is_crossed(threshold, 0, threshold.value)
                             : is_crossed(threshold, value, baseline);
  }
  const double bound = baseline + threshold.value * (threshold.is_percent ? std::abs(baseline) : 1);
  return is_crossed(threshold, std::abs(value - bound) <= kBaselineError ? bound : value, bound);
}

bool lacks_scores(const Metric& metric) {
  return metric.values.empty() ||
         std::ranges::any_of(metric.values, [](double value) { return std::isnan(value); });
}

std::string value_text(double value, const std::string& statistic) {
  if (statistic == "share" && std::isfinite(value)) return fixed_text(100 * value, kShareDecimals) + " %";
  return significant_text(value, 6);
}

template <typename Is>
std::string text_of_those(std::span<const ThresholdFacts> thresholds, const Is& is) {
  std::string text;
  for (const ThresholdFacts& threshold : thresholds) {
    if (is(threshold)) text += (text.empty() ? "" : "; ") + threshold_text(threshold);
  }
  return text;
}

// Scores of two models may have one name. Reports that do not say their models have what these score from.
void check_models(std::span<const ModelFacts> models, const Baseline& baseline) {
  const Report& old = baseline.report;
  const auto refuse = [&](const ModelFacts& model, const std::string& other) {
    throw Error(ErrorKind::kMismatch,
                "the baseline {} has {} of {}, this run of {}. Score both with one model.",
                shown_path(baseline.path), printable(model.name), other, printable(model.source));
  };
  const auto has = [&](const std::string& name) { return find_metric(old, name) != nullptr; };
  for (const ModelFacts& model : models) {
    for (const ModelFacts& other : old.run.models) {
      if (other.name == model.name && other.source != model.source) refuse(model, printable(other.source));
    }
    const bool is_told = !old.run.models.empty() || !has(model.name) || old.metrics.size() == 1;
    if (!is_told && std::ranges::none_of(model.metrics, has)) refuse(model, "another model");
  }
}

}  // namespace

Threshold parse_threshold(const std::string& text, ThresholdSide side) {
  Threshold threshold;
  threshold.text = text;
  threshold.from_below = side == ThresholdSide::kBelow;
  const std::string letter = side_of(threshold.from_below).sign;
  const size_t sign = text.find(letter);
  const Side& other = side_of(!threshold.from_below);
  if (sign == std::string::npos && text.find(other.sign) != std::string::npos) {
    const std::string fails =
        threshold.from_below ? " fails above its value, not below." : " fails below its value, not above.";
    throw AdvisedError(ErrorKind::kUsage, {where(threshold) + fails, advice_on_side(!threshold.from_below)});
  }
  // The usual reason is a shell that took the sign for itself.
  if (sign == std::string::npos) {
    throw fault(threshold, words("there is no {} or {}=. Quote it, or the shell takes it.", letter, letter));
  }
  threshold.inclusive = text.substr(sign + 1).starts_with('=');
  const std::string left = trimmed(text.substr(0, sign));
  const size_t colon = left.rfind(':');
  if (colon != std::string::npos) {
    threshold.metric = trimmed(left.substr(0, colon));
    if (threshold.metric.empty()) throw fault(threshold, "the metric before the colon is missing.");
  }
  const std::string word = trimmed(left.substr(colon == std::string::npos ? 0 : colon + 1));
  try {
    threshold.statistic = parse_statistic(word, where(threshold));
  } catch (const Error& error) {
    if (colon != std::string::npos || word.empty()) throw;
    if (!is_name_of_judged(word)) {
      throw Error(error.kind(), words("{} Where {} is a metric: '{}:mean{}'.", error.what(), printable(word),
                                      printable(word), printable(trimmed(text.substr(sign)))));
    }
    threshold.metric = word;
    threshold.statistic = parse_statistic("mean", where(threshold));
  }
  parse_value(threshold, trimmed(text.substr(sign + (threshold.inclusive ? 2 : 1))));
  return threshold;
}

void check_baseline_use(std::span<const Threshold> thresholds, bool has_baseline) {
  bool is_used = false;
  for (const Threshold& threshold : thresholds) {
    is_used = is_used || threshold.is_signed;
    // A value below zero may be meant as it is: there are scores in decibels.
    const bool is_relative = threshold.is_percent || (threshold.is_signed && !std::signbit(threshold.value));
    if (has_baseline || !is_relative) continue;
    throw usage_error(where(threshold) + ": the sign says how far from a baseline, and there is none.");
  }
  if (!has_baseline || is_used) return;
  throw usage_error(
      "a baseline has no effect without a threshold that is measured from it, such as 'mean>+0.5'.");
}

std::vector<size_t> check_threshold_metrics(std::span<const Threshold> thresholds,
                                            std::span<const Metric> metrics) {
  return mapped(thresholds, [&](const Threshold& threshold) {
    return static_cast<size_t>(&metric_of(threshold, metrics) - metrics.data());
  });
}

void check_baseline(std::span<const Threshold> thresholds, std::span<const Metric> metrics,
                    std::span<const ModelFacts> models, const Baseline& baseline) {
  check_models(models, baseline);
  for (const Threshold& threshold : thresholds) {
    const std::string& name = metric_of(threshold, metrics).name;
    if (!threshold.is_signed || find_metric(baseline.report, name) != nullptr) continue;
    const std::string has = listed_names(baseline.report.metrics);
    throw Error(ErrorKind::kMismatch,
                "{}: the baseline {} has no {}, only {}. Score it with the same features and options.",
                where(threshold), shown_path(baseline.path), printable(name), has);
  }
}

std::vector<ThresholdFacts> judge(std::span<const Threshold> thresholds, const Report& report,
                                  const Baseline* baseline) {
  if (baseline != nullptr) check_baseline(thresholds, report.metrics, report.run.models, *baseline);
  std::vector<ThresholdFacts> facts;
  for (const Threshold& threshold : thresholds) {
    const Metric& metric = metric_of(threshold, report.metrics);
    const double value = statistic_of(metric, threshold.statistic);
    ThresholdFacts& made =
        facts.emplace_back(ThresholdFacts{.expression = threshold.text,
                                          .metric = metric.name,
                                          .statistic = threshold.statistic.name,
                                          .value = value,
                                          .crossed = is_crossed(threshold, value, threshold.value)});
    // Infinite scores have no deviation, but there they are.
    if (std::isnan(value)) made.crossed = lacks_scores(metric);
    made.judged = is_comparable(report, metric);
    made.crossed = made.crossed && made.judged;
    if (baseline == nullptr || !threshold.is_signed) continue;
    Metric before = *find_metric(baseline->report, metric.name);
    before.info = &metric_info(metric);  // which its report may not say
    made.baseline = statistic_of(before, threshold.statistic);
    const bool is_unknown = std::isnan(value) || std::isnan(*made.baseline);
    made.crossed = is_unknown ? lacks_scores(metric) || lacks_scores(before)
                              : is_crossed_from(threshold, value, *made.baseline);
    made.judged = made.judged && is_comparable(baseline->report, before);
    made.crossed = made.crossed && made.judged;
  }
  return facts;
}

std::string value_words(const ThresholdFacts& threshold) {
  if (!threshold.claim.empty()) return words("{} ({})", threshold.claim, threshold.sure);
  const std::string text = value_text(threshold.value, threshold.statistic);
  return threshold.baseline
             ? words("{}, in the baseline {}", text, value_text(*threshold.baseline, threshold.statistic))
             : text;
}

std::string threshold_text(const ThresholdFacts& threshold) {
  if (!threshold.claim.empty())
    return words("{} of {} is {}", threshold.statistic, threshold.metric, value_words(threshold));
  return words("{} of {} is {} ({})", threshold.statistic, threshold.metric, value_words(threshold),
               threshold.expression);
}

const char* word_of(const ThresholdFacts& threshold) {
  return !threshold.judged ? "not judged" : threshold.crossed ? "crossed" : "kept";
}

std::string thresholds_text(std::span<const ThresholdFacts> thresholds) {
  std::string text;
  for (const ThresholdFacts& threshold : thresholds) {
    text +=
        words("threshold {}: {}\n", word_of(threshold), printable(threshold_text(threshold), kMaxMessage));
  }
  return text;
}

std::string crossed_text(std::span<const ThresholdFacts> thresholds) {
  return text_of_those(thresholds, [](const ThresholdFacts& threshold) { return threshold.crossed; });
}

std::string unjudged_text(std::span<const ThresholdFacts> thresholds) {
  return text_of_those(thresholds, [](const ThresholdFacts& threshold) { return !threshold.judged; });
}

namespace {

using FeatureFacts = decltype(RunFacts::features)::value_type;

// Where files go changes no score.
bool is_path(const std::string& feature, const std::string& option) {
  for (const FeatureInfo* info : features()) {
    if (info->name != feature) continue;
    for (const OptionSpec& spec : info->options) {
      if (spec.name == option) return spec.kind == OptionKind::kPath;
    }
  }
  return false;
}

std::string place_text(const std::optional<Rectangle>& crop) {
  if (!crop) return "the whole picture";
  return words("{} at {}, {}", size_text({crop->width, crop->height}), crop->x, crop->y);
}

// Without a part of its own the reference is scored as the video is.
std::string reference_place(const RunFacts& run) {
  return place_text(run.reference_crop ? run.reference_crop : run.crop);
}

class Remarks {
 public:
  Remarks(const Baseline& baseline, const Report& report) : baseline_(baseline), report_(report) {}

  std::vector<std::string> all() {
    const Report& old = baseline_.report;
    compare_frames(old);
    // Without an extended report nothing more is known.
    if (old.run.inputs.empty() || report_.run.inputs.empty()) return std::move(remarks_);
    if (!old.run.complete) add("is of a run that ended early");
    compare("scored", place_text(old.run.crop), place_text(report_.run.crop));
    if (old.run.reference_crop || report_.run.reference_crop) {
      compare("scored, of the reference,", reference_place(old.run), reference_place(report_.run));
    }
    if (!old.run.crop && !report_.run.crop) {
      compare("is of", size_text({old.width, old.height}), size_text({report_.width, report_.height}));
    }
    for (const FeatureFacts& feature : report_.run.features) compare_options(feature);
    for (const ModelFacts& model : report_.run.models) compare_scaling(model);
    return std::move(remarks_);
  }

 private:
  void add(const std::string& what) {
    remarks_.push_back(words("the baseline {} {}.", shown_path(baseline_.path), what));
  }

  void compare(const std::string& verb, const std::string& old, const std::string& now) {
    if (old != now) add(words("{} {}, this run {}", verb, old, now));
  }

  void compare_frames(const Report& old) {
    const std::vector<int64_t>&before = old.frames, &now = report_.frames;
    if (before.size() != now.size()) {
      add(words("has {}, this run {}", counted(static_cast<int64_t>(before.size()), "frame"), now.size()));
    } else if (before != now) {
      add(words("scored other frames, from {} to {}", before.front(), before.back()));
    }
  }

  void compare_options(const FeatureFacts& feature) {
    const auto& all = baseline_.report.run.features;
    const auto is_it = [&](const FeatureFacts& other) { return other.first == feature.first; };
    const auto found = std::ranges::find_if(all, is_it);
    // A feature that is given twice has the options in its metrics' names.
    if (found == all.end() || std::ranges::count_if(all, is_it) > 1) return;
    for (const auto& [option, value] : feature.second) {
      const auto same = [&name = option](const auto& other) { return other.first == name; };
      const auto other = std::ranges::find_if(found->second, same);
      if (other == found->second.end() || other->second == value || is_path(feature.first, option)) continue;
      add(words("has {} with {}={}, this run with {}={}", feature.first, option, printable(other->second),
                option, printable(value)));
    }
  }

  void compare_scaling(const ModelFacts& model) {
    const auto place = [](const ModelFacts& facts) {
      return facts.scored_at.empty() ? "the video's own size" : facts.scored_at;
    };
    for (const ModelFacts& old : baseline_.report.run.models) {
      if (old.name == model.name)
        compare(words("scored {} at", printable(model.name)), place(old), place(model));
    }
  }

  const Baseline& baseline_;
  const Report& report_;
  std::vector<std::string> remarks_;
};

}  // namespace

std::vector<std::string> remarks_on_baseline(const Baseline& baseline, const Report& report) {
  return Remarks(baseline, report).all();
}

}  // namespace vq
