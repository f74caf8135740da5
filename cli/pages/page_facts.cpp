#include "cli/pages/page_facts.h"

#include <set>

#include "cli/pages/page_assets.h"
#include "cli/reports/rate_report.h"
#include "cli/reports/summary.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_spec.h"
#include "engine/report/described.h"
#include "engine/report/json_values.h"
#include "engine/report/sampled.h"
#include "engine/report/statistic.h"
#include "engine/report/threshold.h"
#include "feature/feature.h"

namespace vq::cli {

using nlohmann::ordered_json;

// Statistics of a table that a page shows large: those that tables leave out last.
constexpr int kLastRankShown = 2;

// The metric that is described under this name; empty if there is none.
static std::string named(std::span<const Metric> metrics, std::string_view name) {
  if (name.empty()) return {};
  for (const Metric& metric : metrics) {
    if (metric_info(metric).name == name) return metric.name;
  }
  return {};
}

// Between which metrics a model's score lies, if a collection says so: the lower and the upper end.
static ordered_json interval_of(const Metric& metric, std::span<const Metric> metrics) {
  if (!is_model_score(metric)) return nullptr;
  const ScoreInterval ends = interval_names(metric.name);
  const auto is_there = [&](const std::string& name) { return contains(metrics, name, &Metric::name); };
  if (!is_there(ends.low) || !is_there(ends.high)) return nullptr;
  return {ends.low, ends.high};
}

// For a model's score also what people compare models by.
static std::vector<ShownStatistic> figure_statistics(const Metric& metric) {
  std::vector<ShownStatistic> shown = table_statistics(std::span(&metric, 1));
  std::erase_if(shown, [](const ShownStatistic& one) { return one.rank > kLastRankShown; });
  if (is_model_score(metric)) {
    shown.insert(shown.begin() + 1, {parse_statistic("harmonic", "harmonic"), 0});
    shown.insert(shown.end() - 2, {parse_statistic("p1", "p1"), 0});
  }
  return shown;
}

// The score that stands for itself and all worse ones; nothing if there is none.
static std::optional<double> limit_of(const Metric& metric) {
  const std::string_view mark = metric_info(metric).limit_mark;
  const size_t at = mark.empty() ? metric.name.npos : metric.name.find(mark);
  if (at == metric.name.npos) return std::nullopt;
  const std::string rest = metric.name.substr(at + mark.size());
  double limit = 0;
  return parse_real(rest.substr(0, rest.find('_')), limit) ? std::optional(limit) : std::nullopt;
}

// A metric by the name that people know it by, if that differs in case only: "VMAF" for "vmaf", "CAMBI
// (model)".
static std::string shown_label(const std::string& label, const MetricInfo& info) {
  const std::string_view suffix = label.ends_with(kOfModel) ? kOfModel : std::string_view();
  const std::string_view name = std::string_view(label).substr(0, label.size() - suffix.size());
  return lower_case(name) == lower_case(info.title) ? std::string(info.title) + std::string(suffix) : label;
}

static ordered_json grades_of(const MetricInfo& info) {
  return json_list(info.grades, [](const Grade& grade) {
    return ordered_json{{"from", grade.from}, {"word", grade.word}};
  });
}

static ordered_json figures_of(const Metric& metric) {
  ordered_json figures = ordered_json::array();
  const MetricStatistics statistics(metric);
  const std::optional<int> decimals = coarse_decimals(metric_info(metric));
  const std::optional<double> limit = limit_of(metric);
  for (const auto& [statistic, rank] : figure_statistics(metric)) {
    const double value = statistics.of(statistic);
    const bool is_coarse = decimals && !statistic.is_share() && !std::isnan(value);
    const bool is_limit = limit && !statistic.is_share() && value >= *limit;
    std::string text = is_coarse ? fixed_text(value, *decimals) : statistics.cell(statistic);
    if (is_limit) text = "\u2265\u00a0" + shortest_text(*limit);
    figures.push_back({{"name", statistic.name},
                       {"title", words_of(statistic, metric_info(metric))},
                       {"value", finite_or_null(value)},
                       {"text", text},
                       {"exact", statistics.cell(statistic)}});
  }
  return figures;
}

static double noteworthy_share(const Metric& metric) {
  if (metric.values.empty()) return 0;
  const int64_t found = count_noteworthy(metric_info(metric), metric.values);
  return static_cast<double>(found) / static_cast<double>(metric.values.size());
}

// The facts of one video: the scores of a metric and those of the reference.
static ScoredVideo scored_video(const Report& report, const MetricInfo& info) {
  ScoredVideo video;
  if (const InputFacts* const input = distorted_input(report)) video.bit_depth = input->bit_depth;
  video.has_reference = reference_input(report) != nullptr;
  for (const Metric& other : report.metrics) {
    if (metric_info(other).reference_of == info.name) video.reference_noteworthy = noteworthy_share(other);
  }
  return video;
}

ordered_json described_metrics(std::span<const Metric> metrics) {
  ordered_json all = ordered_json::object();
  const std::vector<std::string> labels = metric_labels(metrics);
  for (size_t i = 0; i < metrics.size(); ++i) {
    const Metric& metric = metrics[i];
    const MetricInfo& info = metric_info(metric);
    all[metric.name] = {{"title", title_of(metric)},
                        {"purpose", purpose_of(metric)},
                        {"label", shown_label(labels[i], info)},
                        {"unit", info.unit},
                        {"subject", info.subject},
                        {"better", word_of(info.better)},
                        {"flawless", finite_or_null(info.flawless)},
                        {"noteworthy", finite_or_null(info.noteworthy)},
                        {"meaning", info.noteworthy_meaning},
                        {"judges_hdr", info.judges_hdr},
                        {"grades", grades_of(info)},
                        {"explanation", info.explanation},
                        {"usual_top", info.usual_top},
                        {"limit", finite_or_null(limit_of(metric))},
                        {"decimals", coarse_decimals(info).value_or(info.decimals)},
                        {"mean_decimals", coarse_decimals(info).value_or(mean_decimals(info))},
                        {"exact_decimals", mean_decimals(info)},
                        {"reference_of", named(metrics, info.reference_of)},
                        {"excess_of", named(metrics, info.excess_of)},
                        {"known", is_known(info)},
                        {"leads", is_model_score(metric)},
                        {"is_of_one_video", is_of_one_video(metric)},
                        {"is_detail", info.is_detail},
                        {"is_inner", metric.is_inner},
                        {"interval", interval_of(metric, metrics)},
                        {"figures", figures_of(metric)}};
  }
  return all;
}

ordered_json interval_figures(const Report& report, const std::string& metric) {
  ordered_json figures = ordered_json::array();
  for (const IntervalFacts& interval : report.run.certainty->intervals) {
    if (interval.metric != metric) continue;
    const MetricInfo& info = metric_info(report, metric);
    const std::string text = interval_words(interval, info);
    figures.push_back({{"name", interval.statistic},
                       {"title", words_of(parse_statistic(interval.statistic, metric), info)},
                       {"value", nullptr},
                       {"text", text},
                       {"exact", text}});
  }
  return figures;
}

std::string leading_scores(std::span<const Metric> metrics) {
  const std::vector<std::string> labels = metric_labels(metrics);
  std::string text;
  for (const size_t i : verdict_metrics(metrics)) {
    const ordered_json figures = figures_of(metrics[i]);
    if (figures.empty() || figures[0]["value"].is_null()) continue;
    text += (text.empty() ? "" : ", ") + shown_label(labels[i], metric_info(metrics[i])) + " " +
            figures[0]["text"].get<std::string>();
  }
  return text;
}

ordered_json named_verdicts(std::span<const Metric> metrics) {
  return json_list(verdict_metrics(metrics), [&](size_t i) { return metrics[i].name; });
}

// Meanings of percentiles follow from their number.
constexpr std::pair<std::string_view, const char*> kMeanings[] = {
    {"mean",
     "The scores of all frames added up, over their number. A short stretch hardly moves it, so look at the "
     "worse end too."},
    {"harmonic_mean",
     "n / \u03a3(1 / (score + 1)) \u2212 1. Low scores count for more than high ones: good where low is bad, "
     "and misleading where low is good."},
    {"stdev", "How far scores are from their mean: the root of their mean squared distance."},
    {"min", "The lowest score of a frame."},
    {"max", "The highest score of a frame."},
    {"share",
     "How many of the frames have a score that is worth telling: at the metric's threshold or beyond it."},
};

static std::string meaning_of(const Statistic& statistic) {
  for (const auto& [name, text] : kMeanings) {
    if (statistic.name == name) return text;
  }
  const std::string percent = shortest_text(statistic.percentile.value_or(0));
  return words("{} of the frames score this or less; between the scores of two frames it is interpolated.",
               percent == "50" ? "Half" : percent + " %");
}

ordered_json described_statistics(std::span<const Metric> metrics) {
  std::vector<Statistic> all = file_statistics();
  const auto add = [&](std::span<const Metric> shown) {
    for (const auto& [statistic, rank] : table_statistics(shown)) {
      if (!contains(all, statistic)) all.push_back(statistic);
    }
  };
  add(metrics);
  for (const Metric& metric : metrics) add({&metric, 1});
  return json_list(all, [](const Statistic& statistic) {
    return ordered_json{{"name", statistic.name},
                        {"title", capitalized(words_of(statistic, {}))},
                        {"meaning", meaning_of(statistic)},
                        {"is_mean", statistic.is_mean()}};
  });
}

ordered_json described_features(const Report& report) {
  ordered_json all = ordered_json::object();
  for (const FeatureInfo* info : features()) {
    for (const auto& [name, values] : report.run.features) {
      if (name != info->name) continue;
      ordered_json options = ordered_json::object();
      for (const OptionSpec& option : info->options) options[std::string(option.name)] = option.help;
      all[name] = {{"summary", info->summary},
                   {"citation", info->publication.citation},
                   {"doi", info->publication.doi},
                   {"options", std::move(options)}};
    }
  }
  return all;
}

ordered_json advice_for(const Report& report) {
  ordered_json all = ordered_json::array();
  std::set<const FeatureInfo*> done;
  for (const Metric& metric : report.metrics) {
    const MetricInfo& info = metric_info(metric);
    const FeatureInfo* const feature = feature_of_metric(metric);
    const bool is_of_video = info.reference_of.empty() && info.excess_of.empty();
    if (feature == nullptr || feature->remedies == nullptr || !is_of_video || noteworthy_share(metric) == 0)
      continue;
    if (!is_comparable(report, metric)) continue;
    if (!done.insert(feature).second) continue;
    const auto json_of = [](const Remedy& remedy) {
      return ordered_json{{"title", remedy.title}, {"text", remedy.text}};
    };
    all.push_back({{"subject", info.subject},
                   {"remedies", json_list(feature->remedies(scored_video(report, info)), json_of)}});
  }
  return all;
}

// Moments found in ranked runs, in the order of `places`: that of the page.
static ordered_json moments_json(const std::vector<SharedMoment>& moments,
                                 const std::vector<size_t>& places) {
  return json_list(moments, [&](const SharedMoment& moment) {
    std::vector<ordered_json> scores(places.size());
    for (size_t i = 0; i < places.size(); ++i) scores[places[i]] = finite_or_null(moment.scores[i]);
    return ordered_json{{"frame", moment.frame},
                        {"timestamp", finite_or_null(moment.timestamp)},
                        {"spread", moment.spread},
                        {"scores", scores}};
  });
}

static std::string ranking_words(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  if (basis.ranked_by == RankedBy::kSize) return "size of the file";
  if (basis.ranked_by == RankedBy::kBitRate) return "bit rate";
  return words_of(basis.statistic, metric_info(runs.front().report, basis.metric));
}

static ordered_json choice_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                              size_t moments) {
  const std::vector<size_t> order = ranking(runs, basis);
  const std::vector<NamedReport> ranked = mapped(order, [&](size_t place) { return runs[place]; });
  const auto values = mapped(runs, [&](const NamedReport& run) { return ranking_value(run, basis); });
  const auto may_be_ranked = [&](const NamedReport& run) { return is_comparable(run, basis.metric); };
  return {{"metric", basis.metric},
          {"words", ranking_words(runs, basis)},
          {"descending", ranks_highest_first(runs, basis)},
          {"order", order},
          {"values", json_list(values, finite_or_null)},
          {"comparable", json_list(runs, may_be_ranked)},
          {"endless", json_list(values, [](double value) { return std::isinf(value); })},
          {"remarks", remarks_on(ranked, basis)},
          {"rates", rates_json(runs, basis, kShortestNumbers)},
          {"differing", moments_json(differing_moments(ranked, basis.metric, moments), order)},
          {"worst", moments_json(worst_moments_of_first(ranked, basis.metric, moments), order)}};
}

ordered_json comparison_choices(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                size_t moments) {
  ordered_json choices = ordered_json::array();
  choices.push_back(choice_of(runs, basis, moments));
  std::vector<std::string> others = basis.others;
  others.insert(others.end(), basis.inner.begin(), basis.inner.end());
  for (const std::string& other : others) {
    const bool has_share = metric_info(runs.front().report, other).noteworthy.has_value();
    if (basis.statistic.is_share() && !has_share) continue;  // there is no such ranking
    ComparisonBasis by_other{other, basis.statistic, {}, basis.ranked_by, basis.rates};
    by_other.rates.target.reset();  // it is of the metric that ranks
    choices.push_back(choice_of(runs, by_other, moments));
  }
  return choices;
}

ordered_json judgements(std::span<const ThresholdFacts> thresholds) {
  return json_list(thresholds, [](const ThresholdFacts& threshold) {
    return ordered_json{
        {"expression", threshold.expression},
        {"crossed", threshold.judged ? ordered_json(threshold.crossed) : ordered_json(nullptr)},
        {"text", threshold_text(threshold)}};
  });
}

constexpr size_t kLongestText = 400;
constexpr double kStripDigits = 1000;  // of one
constexpr int kLastRank = 2;           // of statistics that have a column; see TextColumn
constexpr size_t kMostOthers = 3;      // metrics beside the leading one that have a column

// Three decimals are more than can be drawn.
static ordered_json rounded(double value) {
  return finite_or_null(std::round(value * kStripDigits) / kStripDigits);
}

// Whatever bytes the path has, as a link relative to the page.
static std::string link_to(const std::string& path) {
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
static const VideoScores* example(const BatchSummary& summary) {
  for (const VideoOutcome& video : summary.videos) {
    if (video.scores) return &*video.scores;
  }
  return nullptr;
}

// Shown beside the leading metric.
static std::vector<std::string> other_metrics(const VideoScores& scores) {
  std::vector<std::string> names;
  for (size_t i = 0; i < scores.metrics.size() && names.size() < kMostOthers; ++i) {
    if (i != scores.leading) names.push_back(base_name(scores.metrics[i].metric));
  }
  return names;
}

static ordered_json scores_json(const VideoScores& scores, const std::vector<std::string>& others) {
  const MetricOutcome& leading = scores.metrics[scores.leading];
  ordered_json values = ordered_json::object(), thresholds = described_json(scores.thresholds);
  for (const auto& [name, value] : leading.statistics) values[name] = rounded(value);
  const auto mean_of = [&](const std::string& other) {
    const auto found = std::ranges::find_if(
        scores.metrics, [&](const MetricOutcome& metric) { return base_name(metric.metric) == other; });
    return found == scores.metrics.end() ? ordered_json(nullptr) : rounded(statistic_in(*found, "mean"));
  };
  for (ordered_json& threshold : thresholds) threshold.erase("baseline");
  ordered_json json = {{"frames", scores.frames},
                       {"seconds", finite_or_null(scores.seconds)},
                       {"size", {scores.video.width, scores.video.height}},
                       {"codec", printable(scores.video.codec)},
                       {"transfer", printable(scores.video.transfer)},
                       {"bit_rate", finite_or_null(scores.video.bit_rate)},
                       {"bit_rate_of", scores.video.bit_rate_of},
                       {"file_bytes", finite_or_null(scores.video.file_bytes)},
                       {"subsample", scores.subsample},
                       {"metric", leading.metric.name},
                       {"values", std::move(values)},
                       {"others", json_list(others, mean_of)},
                       {"strip", json_list(scores.strip, rounded)},
                       {"thresholds", std::move(thresholds)},
                       {"warnings", scores.warnings.size()},
                       {"comparable", scores.is_comparable()},
                       {"faults", certain_texts(scores.pair_faults)}};
  const std::vector<ShownStatistic> shown = table_statistics(std::span(&leading.metric, 1));
  for (size_t i = 0; !leading.intervals.empty() && i < shown.size(); ++i)
    json["intervals"][shown[i].statistic.name] = leading.cells[i];
  return json;
}

static ordered_json video_json(const VideoOutcome& video, const std::vector<std::string>& others) {
  return {
      {"name", printable(video.name.empty() ? video.path : video.name, kLongestText)},
      {"state", word_of(video.state)},
      {"error", video.error ? ordered_json(printable(video.message, kLongestText)) : ordered_json(nullptr)},
      {"link", link_to(!video.page.empty() ? video.page : video.report)},
      {"scores", video.scores ? scores_json(*video.scores, others) : ordered_json(nullptr)}};
}

static ordered_json columns_json(const Metric& metric) {
  ordered_json columns = ordered_json::array();
  for (const ShownStatistic& shown : table_statistics(std::span(&metric, 1))) {
    if (contains(file_statistics(), shown.statistic) && shown.rank <= kLastRank)
      columns.push_back(
          {{"key", shown.statistic.name}, {"title", words_of(shown.statistic, metric_info(metric))}});
  }
  return columns;
}

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
  const auto json_of = [&](const VideoOutcome& video) { return video_json(video, others); };
  const std::string totals = counts_of(summary).text();
  const ordered_json about = {
      {"kind", "batch"},
      {"name", totals},
      {"subject", judged.empty() ? "quality" : subject_of(judged)},
      {"metrics", described_metrics(described)},
      {"metric", first == nullptr ? "" : judged.front().name},
      {"columns", first == nullptr ? ordered_json::array() : columns_json(judged.front())},
      {"others", others},
      {"remarks", summary.remarks},
      {"moments", summary.moments},
      {"wall_seconds", summary.wall_seconds},
      {"videos", json_list(summary.videos, json_of)}};
  return page_about(totals, words("{}{}\n", batch_table(summary).text(), totals), about);
}

}  // namespace vq::cli
