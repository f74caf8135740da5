// Several runs side by side, ranked by a statistic of one metric.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/messages.h"
#include "cli/page_writer.h"
#include "core/report.h"

namespace vq::cli {

// A figure by which runs are ranked, the lowest first. `key` is that of the pooled metrics in the JSON
// report, or "share": the share of frames from 5 on.
struct Statistic {
  std::string_view word, key;
};

// mean, harmonic, min, max, stdev, p50, p90, p95, p99, share. Throws Error{kUsage} for another word.
const Statistic& find_statistic(const std::string& word);

// Not a number where a score is none or there are no scores.
double statistic_of(std::span<const double> values, const Statistic& statistic);

// `wanted`, or where that is empty the first metric of the first run that all runs have. Throws
// Error{kMismatch} naming a run that lacks it.
std::string common_metric(const std::vector<NamedReport>& runs, const std::string& wanted);

// Lowest first; what is not a number last; equals in the order given.
void rank(std::vector<NamedReport>& runs, const std::string& metric, const Statistic& statistic);

// The table for people, with a line end after each row. Needs: ranked runs that all have the metric.
std::string comparison_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// compare A B [...] [--by STATISTIC] [--metric NAME] [--html FILE] and the flags of a scoring run, with which
// what is no .json is scored. Throws Error.
int run_compare(const std::vector<std::string>& words, Messages& messages);

}  // namespace vq::cli
