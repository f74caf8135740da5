// The runs to compare: saved reports, and videos that are scored first.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/arguments.h"
#include "cli/commands/flags.h"
#include "cli/inputs/remarks.h"
#include "cli/reports/compare.h"
#include "cli/system/messages.h"

namespace vq::cli {

// The options of a comparison.
struct ComparisonRequest {
  Statistic statistic;
  std::vector<std::string>
      metrics;  // the first ranks, the others are shown beside it; empty: the first one that all runs have
  RankedBy ranked_by = RankedBy::kStatistic;
  RateRequest rates = {};
};

// The options of these flags. Throws Error{kUsage}.
ComparisonRequest comparison_request(const ParsedArguments& typed);

// The resolved request. Throws Error{kMismatch} if a run lacks a metric, Error{kUsage} if the metric does not
// have the statistic.
ComparisonBasis basis_of(const std::vector<NamedReport>& runs, const ComparisonRequest& request);

// The paths to compare, and what the runs are called.
struct ComparedInputs {
  SeveralArguments several;
  std::vector<std::string> names, shown_paths;
  std::string reports;  // the folder where the reports of videos are kept; empty: none
};

// Under --film-grain both every video is listed twice: with its grain and without. A comparison's own JSON
// stands for its runs. Throws Error{kUsage} for fewer than two runs, and as recorded_runs().
ComparedInputs compared_inputs(const ParsedArguments& typed);

// The compared runs.
struct ComparedRuns {
  // In the order given. A video that does not fit its reference has a report without scores, beside others.
  std::vector<NamedReport> runs;
  std::exception_ptr error;                               // why others are missing
  std::vector<std::optional<RefusedPair>> refusals = {};  // of inputs that do not fit their reference
};

// Reads the reports, then scores the videos, after checking that all have what the request and the thresholds
// need. Throws Error for faults that are found before the first frame.
ComparedRuns load_runs(const ComparedInputs& inputs, const ComparisonRequest& request, Messages& messages);

}  // namespace vq::cli
