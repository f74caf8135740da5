// The runs that are compared: saved reports, and videos that are scored for it.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "cli/commands/arguments.h"
#include "cli/reports/compare.h"
#include "cli/system/messages.h"

namespace vq::cli {

// What a comparison was asked for on the command line.
struct ComparisonRequest {
  Statistic statistic;
  std::vector<std::string>
      metrics;  // the first ranks, the others are shown beside it; empty: what all runs have
  RankedBy ranked_by = RankedBy::kStatistic;
};

// What that comes to. Throws Error{kMismatch} where a run lacks a metric, Error{kUsage} where the metric does
// not have the statistic.
ComparisonBasis basis_of(const std::vector<NamedReport>& runs, const ComparisonRequest& request);

// What is to be compared: paths, and what they are called.
struct ComparedInputs {
  SeveralArguments several;
  std::vector<std::string> names;
};

// Under --film-grain both every video is there twice: with its grain and without. Throws Error{kUsage} where
// there are fewer than two.
ComparedInputs compared_inputs(SeveralArguments several);

// What was compared, and why not all.
struct ComparedRuns {
  std::vector<NamedReport> runs;  // in the order given
  std::exception_ptr error;
};

// Reads the reports, and scores the videos, as soon as it is known that all have what is requested for and
// the thresholds ask for. Throws Error for what is wrong before the first frame.
ComparedRuns load_runs(const ComparedInputs& inputs, const ComparisonRequest& request, Messages& messages);

}  // namespace vq::cli
