// Several runs side by side, ranked by a statistic of one metric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/frame.h"
#include "core/text_table.h"
#include "engine/report/report.h"
#include "engine/report/report_writer.h"
#include "engine/report/statistic.h"

namespace vq::cli {

struct NamedReport {
  std::string name;  // as shown
  Report report;
  ReportStyle style = {};                       // how it is written into a page
  std::string path = {};                        // of the video, or of the report if it was given
  std::string saved = {};                       // if its report is; empty: nowhere
  std::vector<ThresholdFacts> thresholds = {};  // of the comparison, not of the run
  size_t position = 0;                          // among the runs as given
};

// Basis of a ranking: a statistic of the scores, or the cost of the video.
enum class RankedBy { kStatistic, kSize, kBitRate };

// Runs that belong together although their encoders may differ.
struct NamedGroup {
  std::string name, pattern;  // of names and paths of runs, as matches_pattern() takes it
};

// A request about rates.
struct RateRequest {
  std::vector<NamedGroup> groups = {};  // the first that matches counts; others are named by their encoders
  std::string anchor = {};              // a group, or a curve; empty: the group of the run given first
  std::optional<double> target = {};    // a value of the statistic that ranks
  std::vector<PlaneSize> ladder = {};   // empty: the sizes of the runs, if they differ
};

// Whether a text is the pattern, in which * stands for any text and ? for any byte.
bool matches_pattern(std::string_view text, std::string_view pattern);

// The basis of a comparison of several runs.
struct ComparisonBasis {
  std::string metric;  // that every run has
  Statistic statistic;
  std::vector<std::string> others = {};  // metrics to show beside it, that every run has as well
  RankedBy ranked_by = RankedBy::kStatistic;
  RateRequest rates = {};
  std::vector<std::string> inner = {};  // further metrics of every run, which only models asked for
};

// Whether all that is known of the runs is of single pictures, which have a size and no bit rate.
bool are_pictures(std::span<const NamedReport> runs);

// As --by has it: "p95", "size", "bitrate".
std::string ranked_by_word(const ComparisonBasis& basis);

// The value that ranks the run; not a number if it is unknown.
double ranking_value(const NamedReport& run, const ComparisonBasis& basis);

// Names for runs of these paths: without the folders that all of them begin with, and without the extensions
// that all of them end with. Paths that differ have names that do.
std::vector<std::string> short_names(const std::vector<std::string>& paths);

// Gives a metric the same meaning in all runs: if one run lists it as a model's score, it is one in runs that
// do not say.
void share_meanings(std::vector<NamedReport>& runs);

// `wanted`, named as find_named() takes it, or if that is empty the first in the speaking order of the first
// run that all runs have. Throws Error{kMismatch} naming a run that lacks it.
std::string common_metric(const std::vector<NamedReport>& runs, const std::string& wanted);

// Metrics besides `metric` that all runs have: those that judge, in the reading order of the first run.
// Metrics that only models asked for are no more than `inner`, if anything else was requested.
std::vector<std::string> other_common_metrics(const std::vector<NamedReport>& runs, const std::string& metric,
                                              bool inner = false);

// Whether there are scores of the metric, which may be beside those of other runs.
bool is_comparable(const NamedReport& run, const std::string& metric);

// Whether the highest value ranks first. The lowest does for metrics without a better side, for deviations
// and shares, and for sizes and bit rates.
bool ranks_highest_first(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Places of the runs, best first; what is not a number behind the others, then what is not comparable, and
// last what has no scores; equals in the order given. Where values are infinite, the fewer scores are finite
// the better, then the better their mean is.
std::vector<size_t> ranking(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Puts them in that order.
void rank(std::vector<NamedReport>& runs, const ComparisonBasis& basis);
void rank(std::vector<NamedReport>& runs, const std::string& metric, const Statistic& statistic);

// Moments that are worth looking at in several runs at once, side by side.

// One frame number in every run.
struct SharedMoment {
  int64_t frame = 0;
  std::optional<double> timestamp;  // seconds, of the first run that knows it
  std::vector<std::optional<double>>
      scores;         // of each run; none if it has no finite score there, or is not comparable
  double spread = 0;  // from the lowest of the scores to the highest
  bool operator==(const SharedMoment&) const = default;
};

// The `count` moments at which the scores of the runs lie furthest apart, most first. Of frames that at least
// two runs have scored, a moment is one whose spread is larger than that of every other less than a second
// from it; of equal ones the first counts. Frames that all runs score alike are none. Needs: runs that all
// have the metric.
std::vector<SharedMoment> differing_moments(const std::vector<NamedReport>& runs, const std::string& metric,
                                            size_t count);

// The worst moments (engine/report/scenes.h) of the first run, worst first, with what the others score there.
// None if that is not comparable.
std::vector<SharedMoment> worst_moments_of_first(const std::vector<NamedReport>& runs,
                                                 const std::string& metric, size_t count);

// The differing moments for people, one a row, with the runs that score lowest and highest.
TextTable moments_table(const std::vector<NamedReport>& runs, const std::vector<SharedMoment>& moments);

// Explanations of the statistics in reports.

struct StatisticNote {
  std::string name;      // as reports have it: "p95"
  std::string title;     // as a heading: "95th percentile"
  std::string meaning;   // a sentence or two
  bool is_mean = false;  // see Statistic
};

// Notes on file_statistics(), in that order, and on what tables of these metrics show beside them, together
// or alone.
std::vector<StatisticNote> statistic_notes(std::span<const Metric> metrics);

// The decimals that matter if scores have more, such as those of up to 100; nothing for other metrics.
std::optional<int> coarse_decimals(const MetricInfo& info);

}  // namespace vq::cli
