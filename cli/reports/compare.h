// Several runs side by side, ranked by a statistic of one metric.
#pragma once

#include "core/frame.h"
#include "core/text_table.h"
#include "engine/certainty.h"
#include "engine/report/report.h"
#include "engine/report/report_writer.h"
#include "engine/report/statistic.h"

namespace vq::cli {

// What is sure of a run of which a sample was scored, beside the others of its comparison.
struct Standing {
  size_t place = 0;                         // in the order of the ranking
  std::optional<size_t> rank = {};          // behind as many runs as are surely better; none: not known
  std::string worse_than = {};              // one of these; empty: there is none
  int64_t decided_after = 0;                // frames; 0: it is not worse
  std::optional<Interval> difference = {};  // of its mean or share from that of the first run
  double tolerance = 0;                     // up to which the first runs do not differ
};

struct NamedReport {
  std::string name;  // as shown
  Report report;
  ReportStyle style = {};                       // how it is written into a page
  std::string path = {};                        // of the video, or of the report if it was given
  std::string saved = {};                       // path of its saved report; empty: it is not saved
  std::vector<ThresholdFacts> thresholds = {};  // of the comparison, not of the run
  size_t position = 0;                          // among the runs as given
  std::optional<Standing> standing = {};        // if a sample was scored
};

// Basis of a ranking: a statistic of the scores, or the cost of the video.
enum class RankedBy { kStatistic, kSize, kBitRate };

// Runs that belong together although their encoders may differ.
struct NamedGroup {
  std::string name, pattern;  // of names and paths of runs, as matches_pattern() takes it
};

// What is asked for about rates.
struct RateRequest {
  std::vector<NamedGroup> groups = {};  // the first that matches counts; others are named by their encoders
  std::string anchor = {};              // a group, or a curve; empty: the group of the run given first
  std::optional<double> target = {};    // the value that the ranking statistic is to reach
  std::vector<PlaneSize> ladder = {};   // empty: the sizes of the runs, if they differ
};

// The basis of a comparison of several runs.
struct ComparisonBasis {
  std::string metric;  // every run has it
  Statistic statistic;
  std::vector<std::string> others = {};  // metrics to show beside it; every run has them as well
  RankedBy ranked_by = RankedBy::kStatistic;
  RateRequest rates = {};
  std::vector<std::string> inner = {};  // further metrics of every run, which only models asked for
};

// The run's video, of which nothing is known if its report does not describe it.
const InputFacts& video_facts(const NamedReport& run);
// Statistics of the run's scores; those of a sample are not known.
MetricStatistics statistics_in(const NamedReport& run, const std::string& metric);
// Whether a sample of any of the runs was scored.
bool has_samples(std::span<const NamedReport> runs);

// Whether all runs of which anything is known scored single pictures, which have a size and no bit rate.
bool are_pictures(std::span<const NamedReport> runs);

// The word by which --by asks for this: "p95", "size", "bitrate".
std::string ranked_by_word(const ComparisonBasis& basis);

// The value that ranks the run; not a number if it is unknown.
double ranking_value(const NamedReport& run, const ComparisonBasis& basis);

// Names for runs of these paths: the paths without the folders that all begin with and without the extensions
// that all end with. Different paths get different names.
std::vector<std::string> short_names(const std::vector<std::string>& paths);

// Gives each metric the same meaning in all runs: if one run says that it is a model's score, it is one in
// the runs that say nothing.
void share_meanings(std::vector<NamedReport>& runs);

// The metric to compare by: `wanted`, named as find_named() takes it; if that is empty, the first one in the
// first run's speaking order that all runs have. Throws Error{kMismatch} that names a run without it.
std::string common_metric(const std::vector<NamedReport>& runs, const std::string& wanted);

// Metrics besides `metric` that all runs have: those that judge, in the reading order of the first run.
// Metrics that only models asked for are no more than `inner`, if anything else was requested.
std::vector<std::string> other_common_metrics(const std::vector<NamedReport>& runs, const std::string& metric,
                                              bool inner = false);

// Whether the run has scores of the metric, and these may be compared with those of other runs.
bool is_comparable(const NamedReport& run, const std::string& metric);

// Whether the highest value ranks first. The lowest ranks first if neither side of the metric is better, and
// for deviations, shares, sizes and bit rates.
bool ranks_highest_first(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// The positions of the runs, best first. Behind all others come runs whose value is not a number, then those
// that are not comparable, and last those without scores. Equal runs stay in the order given. Among infinite
// values that run is better which has fewer finite scores, or else the better mean of these.
std::vector<size_t> ranking(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Puts the runs in that order.
void rank(std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Moments that are worth looking at in several runs at once, side by side.

// One frame number in every run.
struct SharedMoment {
  int64_t frame = 0;
  std::optional<double> timestamp;  // seconds, of the first run that knows it
  // A score for each run; none if the run has no finite score there, or is not comparable.
  std::vector<std::optional<double>> scores;
  double spread = 0;  // from the lowest of the scores to the highest
  bool operator==(const SharedMoment&) const = default;
};

// The `count` moments at which the scores of the runs lie furthest apart, the largest spread first. A frame
// is a moment if at least two runs have scored it, their scores differ, and no other frame less than a second
// away has a larger spread; of frames with equal spread the first counts. Needs: all runs have the metric.
std::vector<SharedMoment> differing_moments(const std::vector<NamedReport>& runs, const std::string& metric,
                                            size_t count);

// The worst moments (engine/report/scenes.h) of the first run, the worst first, with the scores of the other
// runs there. None if the first run is not comparable.
std::vector<SharedMoment> worst_moments_of_first(const std::vector<NamedReport>& runs,
                                                 const std::string& metric, size_t count);

// The differing moments for people, one a row, with the runs that score lowest and highest.
TextTable moments_table(const std::vector<NamedReport>& runs, const std::vector<SharedMoment>& moments);

// The number of decimals that matter for a metric whose scores are given with more, such as one of up to 100;
// nothing for other metrics.
std::optional<int> coarse_decimals(const MetricInfo& info);

}  // namespace vq::cli
