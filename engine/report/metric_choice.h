// Which metric is meant: one rule for thresholds, segments, rankings and what is shown of many.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/known_metrics.h"
#include "engine/report/report.h"

namespace vq {

// The metric of this name. It may be named as the report has it, without the options in its name, as people
// call it (MetricInfo::alias), or without what its name begins with ("adm2" for "integer_adm2"). Nothing
// where there is none.
std::optional<size_t> find_named(std::span<const Metric> metrics, const std::string& name);

// Whether a name is one of a metric that is known here, in one of these forms, and one side of it is worse.
bool is_name_of_judged(const std::string& name);

// What a number alone may judge, in the order of speaking_order(): metrics that were asked for, of which some
// scores are noteworthy, and that are of the video rather than of its reference.
std::vector<size_t> judging_metrics(std::span<const Metric> metrics);

// What people judge a run by, in reading_order(): each score of a model, or else the first metric that has a
// worse side, and of each other subject a metric of which some scores are noteworthy. None is of the
// reference. Of several of one subject it is one that was asked for, if there is one, and of these the one
// with the most noteworthy frames. Where no metric has a worse side, leading_metric() alone; empty where
// there are no metrics.
std::vector<size_t> verdict_metrics(std::span<const Metric> metrics);

// Names for a message, of many the first and how many more there are.
std::string listed_names(std::span<const Metric> metrics);

// Their names with what is to follow, as examples: "'cambi:p95>5' or 'vmaf:p95>5'".
std::string examples_of(std::span<const Metric> metrics, std::span<const size_t> positions,
                        const std::string& rest);

}  // namespace vq
