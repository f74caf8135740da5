#include "cli/reports/statistic_notes.h"

#include <algorithm>

#include "core/text/number_text.h"
#include "engine/report/statistic.h"

namespace vq::cli {
namespace {

struct Meaning {
  const char* name;
  const char* text;
};
// Those of percentiles follow from their number.
constexpr Meaning kMeanings[] = {
    {"mean",
     "The scores of all frames added up, over their number. A short stretch hardly moves it, so look at the "
     "worse end too."},
    {"harmonic_mean",
     "n / \u03a3(1 / (score + 1)) \u2212 1. Low scores count for more than high ones: good where low is bad, "
     "and "
     "misleading where low is good."},
    {"stdev", "How far scores are from their mean: the root of their mean squared distance."},
    {"min", "The lowest score of a frame."},
    {"max", "The highest score of a frame."},
    {"share",
     "How many of the frames have a score that is worth telling: at the metric's threshold or beyond it."},
};

std::string meaning_of(const Statistic& statistic) {
  for (const Meaning& known : kMeanings) {
    if (statistic.name == known.name) return known.text;
  }
  const std::string percent =
      number_text(statistic.percentile.value_or(0), {NumberStyle::Kind::kShortest, 0});
  const std::string most = percent == "50" ? "Half of the frames score" : percent + " % of the frames score";
  return most + " this or less; between the scores of two frames it is interpolated.";
}

std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

}  // namespace

std::vector<StatisticNote> statistic_notes(std::span<const Metric> metrics) {
  std::vector<Statistic> all = file_statistics();
  const auto add = [&](std::span<const Metric> shown) {
    for (const auto& [statistic, rank] : table_statistics(shown)) {
      if (std::find(all.begin(), all.end(), statistic) == all.end()) all.push_back(statistic);
    }
  };
  add(metrics);
  for (const Metric& metric : metrics) add({&metric, 1});
  std::vector<StatisticNote> notes;
  for (const Statistic& statistic : all) {
    notes.push_back(
        {statistic.name, capital(words_of(statistic, {})), meaning_of(statistic), statistic.is_mean()});
  }
  return notes;
}

std::optional<int> coarse_decimals(const MetricInfo& info) {
  constexpr double kCoarse = 100;
  return info.usual_top >= kCoarse && info.decimals > 1 ? std::optional(1) : std::nullopt;
}

}  // namespace vq::cli
