// Data of a page beyond its reports: the meaning of metrics, statistics and options, and remedies.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/reports/batch_summary.h"
#include "cli/reports/compare.h"
#include "engine/report/report.h"

namespace vq::cli {

// By the names in the reports: a description of each metric, and its most informative statistics.
nlohmann::ordered_json described_metrics(std::span<const Metric> metrics);

// The first figure of each of verdict_metrics(), for a title: "VMAF 77.9, CAMBI 8.689". Empty if none is
// known.
std::string leading_scores(std::span<const Metric> metrics);

// The intervals of a sample in place of a metric's figures. Needs: is_sample().
nlohmann::ordered_json interval_figures(const Report& report, const std::string& metric);

// Names of verdict_metrics(), by which people judge a run.
nlohmann::ordered_json named_verdicts(std::span<const Metric> metrics);

// file_statistics(), in that order, and the other statistics that tables of these metrics show: {name, title,
// meaning, is_mean}.
nlohmann::ordered_json described_statistics(std::span<const Metric> metrics);

// For each feature of the run: the meaning of its options, and its publication.
nlohmann::ordered_json described_features(const Report& report);

// Remedies for noteworthy scores of the video: {subject, remedies}, one for each feature that has some.
nlohmann::ordered_json advice_for(const Report& report);

// Data of a comparison's page beyond its reports.

// The ranking by each shown metric, that of the comparison first: {metric, words, descending, order, values,
// remarks, rates, differing, worst}. `order` and `rates` have indices into `runs`; values and scores of
// moments are in the order of `runs`. `moments`: maximum number of each kind.
nlohmann::ordered_json comparison_choices(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                          size_t moments);

// Results of thresholds: {expression, crossed, text} for each.
nlohmann::ordered_json judgements(std::span<const ThresholdFacts> thresholds);

// The overview page of a batch.

// Belongs in the folder of the reports, to which it links by relative paths. Under 2 kB per video, in
// addition to the fixed part of a page. No text of the summary can become markup. Throws Error{kUsage} in a
// build without pages.
std::string write_batch_page(const BatchSummary& summary);

}  // namespace vq::cli
