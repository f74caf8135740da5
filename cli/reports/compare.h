// Several runs side by side, ranked by a statistic of one metric.
#pragma once

#include <string>
#include <vector>

#include "cli/reports/report_writer.h"
#include "cli/reports/statistic.h"
#include "core/report.h"

namespace vq::cli {

struct NamedReport {
  std::string name;  // as shown
  Report report;
  ReportStyle style = {};  // how it is written into a page
  std::string path = {};
  std::vector<ThresholdFacts> thresholds = {};  // of the comparison, not of the run
};

// What several runs are compared by.
struct ComparisonBasis {
  std::string metric;  // that every run has
  Statistic statistic;
  std::vector<std::string> others = {};  // metrics to show beside it, that every run has as well
};

// Names for runs of these paths: without the folders that all of them begin with, and without the extensions that all
// of them end with. Paths that differ have names that do.
std::vector<std::string> short_names(const std::vector<std::string>& paths);

// What a metric means in one run, as a model's score where the run lists that model, it means in all that do not say.
void share_meanings(std::vector<NamedReport>& runs);

// `wanted`, or where that is empty the first metric of the first run that all runs have. Throws
// Error{kMismatch} naming a run that lacks it.
std::string common_metric(const std::vector<NamedReport>& runs, const std::string& wanted);

// Metrics besides `metric` that all runs have: those that judge, in the order of the first run.
std::vector<std::string> other_common_metrics(const std::vector<NamedReport>& runs, const std::string& metric);

// Whether the best value is the highest. Of a metric of which neither side is better, and of deviations and shares, it
// is the lowest.
bool ranks_highest_first(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Places of the runs, best first; what is not a number last; equals in the order given. Where values are infinite, the fewer
// scores are finite the better, then the better their mean is.
std::vector<size_t> ranking(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Puts them in that order.
void rank(std::vector<NamedReport>& runs, const std::string& metric, const Statistic& statistic);

}  // namespace vq::cli
