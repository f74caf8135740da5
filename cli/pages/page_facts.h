// Data of a page beyond its reports: the meaning of metrics, statistics and options, and remedies.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "engine/report/report.h"

namespace vq::cli {

// By the names in the reports: a description of each metric, and its most informative statistics.
nlohmann::ordered_json described_metrics(std::span<const Metric> metrics);

// The first figure of each of verdict_metrics(), for a title: "VMAF 77.9, CAMBI 8.689". Empty if none is
// known.
std::string leading_scores(std::span<const Metric> metrics);

// Names of verdict_metrics(), by which people judge a run.
nlohmann::ordered_json named_verdicts(std::span<const Metric> metrics);

// The statistics in reports of these metrics: {name, title, meaning, is_mean}.
nlohmann::ordered_json described_statistics(std::span<const Metric> metrics);

// For each feature of the run: the meaning of its options, and its publication.
nlohmann::ordered_json described_features(const Report& report);

// Remedies for noteworthy scores of the video: {subject, remedies}, one for each feature that has some.
nlohmann::ordered_json advice_for(const Report& report);

}  // namespace vq::cli
