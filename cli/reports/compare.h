// Several runs side by side, ranked by a statistic of one metric.
#pragma once

#include <string>
#include <vector>

#include "cli/reports/report_writer.h"
#include "cli/reports/statistic.h"
#include "cli/text/text_table.h"
#include "core/report.h"

namespace vq::cli {

struct NamedReport {
  std::string name;  // as shown
  Report report;
  ReportStyle style = {};  // how it is written into a page
  std::string path = {};
};

// What several runs are compared by.
struct ComparisonBasis {
  std::string metric;  // that every run has
  Statistic statistic;
};

// Names for runs of these paths: without the folders that all of them begin with.
std::vector<std::string> short_names(const std::vector<std::string>& paths);

// Null where the report has no metric of that name.
const Metric* find_metric(const Report& report, const std::string& metric);

// `wanted`, or where that is empty the first metric of the first run that all runs have. Throws
// Error{kMismatch} naming a run that lacks it.
std::string common_metric(const std::vector<NamedReport>& runs, const std::string& wanted);

// Whether the best value is the highest. Of a metric of which neither side is better, and of deviations and shares, it
// is the lowest.
bool ranks_highest_first(const ComparisonBasis& basis);

// Best first; what is not a number last; equals in the order given.
void rank(std::vector<NamedReport>& runs, const std::string& metric, const Statistic& statistic);

// The table for people; of the statistics the one that ranks comes first. Needs: ranked runs that all have the
// metric.
TextTable comparison_table(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// What a reader of the ranking should know: that lengths differ, that scores are missing, that the first is only the
// lowest. A sentence each.
std::vector<std::string> remarks_on(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
