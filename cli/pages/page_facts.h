// What a page knows beside its reports: what metrics, statistics and options mean, and what can be done about
// scores.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "engine/report/report.h"

namespace vq::cli {

// By the names that reports have: for each metric its description, and the figures that say most of it.
nlohmann::ordered_json described_metrics(std::span<const Metric> metrics);

// What people judge a run by: names of verdict_metrics().
nlohmann::ordered_json named_verdicts(std::span<const Metric> metrics);

// The statistics of reports on these metrics: {name, title, meaning, is_mean}.
nlohmann::ordered_json described_statistics(std::span<const Metric> metrics);

// Of each feature of the run: what its options mean, and where it is published.
nlohmann::ordered_json described_features(const Report& report);

// What can be done where frames of the video have noteworthy scores: {subject, remedies}, one for each
// feature that knows.
nlohmann::ordered_json advice_for(const Report& report);

}  // namespace vq::cli
