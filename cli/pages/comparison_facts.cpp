#include "cli/pages/comparison_facts.h"

#include <cmath>

#include "cli/reports/rate_report.h"
#include "cli/reports/run_moments.h"
#include "cli/reports/summary.h"
#include "engine/known_metrics.h"
#include "engine/report/json_text.h"
#include "engine/report/threshold.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

// What a moment found in ranked runs is in the order of `places`: that of the page.
ordered_json moments_json(const std::vector<SharedMoment>& moments, const std::vector<size_t>& places) {
  ordered_json list = ordered_json::array();
  for (const SharedMoment& moment : moments) {
    ordered_json scores = ordered_json::array();
    for (size_t i = 0; i < places.size(); ++i) scores.push_back(nullptr);
    for (size_t i = 0; i < places.size(); ++i) scores[places[i]] = finite_or_null(moment.scores[i]);
    list.push_back({{"frame", moment.frame},
                    {"timestamp", finite_or_null(moment.timestamp)},
                    {"spread", moment.spread},
                    {"scores", std::move(scores)}});
  }
  return list;
}

std::string ranking_words(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  if (basis.ranked_by == RankedBy::kSize) return "size of the file";
  if (basis.ranked_by == RankedBy::kBitRate) return "bit rate";
  return words_of(basis.statistic, metric_info(runs.front().report, basis.metric));
}

ordered_json choice_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis, size_t moments) {
  const std::vector<size_t> order = ranking(runs, basis);
  std::vector<NamedReport> ranked;
  for (const size_t place : order) ranked.push_back(runs[place]);
  ordered_json values = ordered_json::array(), comparable = ordered_json::array(),
               endless = ordered_json::array();
  for (const NamedReport& run : runs) {
    comparable.push_back(is_comparable(run, basis.metric));
    const double value = ranking_value(run, basis);
    values.push_back(finite_or_null(value));
    endless.push_back(std::isinf(value));
  }
  return {{"metric", basis.metric},
          {"words", ranking_words(runs, basis)},
          {"descending", ranks_highest_first(runs, basis)},
          {"order", order},
          {"values", std::move(values)},
          {"comparable", std::move(comparable)},
          {"endless", std::move(endless)},
          {"remarks", remarks_on(ranked, basis)},
          {"rates", rates_json(runs, basis, {NumberStyle::Kind::kShortest, 0})},
          {"differing", moments_json(differing_moments(ranked, basis.metric, moments), order)},
          {"worst", moments_json(worst_moments_of_first(ranked, basis.metric, moments), order)}};
}

}  // namespace

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

ordered_json judgements(const NamedReport& run) {
  ordered_json list = ordered_json::array();
  for (const ThresholdFacts& threshold : run.thresholds) {
    list.push_back({{"expression", threshold.expression},
                    {"crossed", threshold.judged ? ordered_json(threshold.crossed) : ordered_json(nullptr)},
                    {"text", threshold_text(threshold)}});
  }
  return list;
}

}  // namespace vq::cli
