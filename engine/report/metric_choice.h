// Choice of metrics by name or by default: one rule for thresholds, segments, rankings and summaries.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/known_metrics.h"
#include "engine/report/report.h"

namespace vq {

// The metric of this name. Accepted are the name in the report, the name without option suffixes, the common
// name (MetricInfo::alias), and the name without its prefix ("adm2" for "integer_adm2"). Nothing if there is
// none.
std::optional<size_t> find_named(std::span<const Metric> metrics, std::string_view name);

// Whether this is the name, in one of these forms, of a known metric that has a better direction.
bool is_name_of_judged(const std::string& name);

// Metrics that a threshold without a name may refer to, in speaking_order(): metrics that were requested,
// that have a noteworthy level, and that score the video rather than its reference.
std::vector<size_t> judging_metrics(std::span<const Metric> metrics);

// Metrics by which people judge a run, in reading_order(): each score of a model, or else the first metric
// with a better direction, and for each other subject a metric with a noteworthy level. None is of the
// reference. Among several of one subject, requested ones are preferred, then the one with the most
// noteworthy frames. If no metric has a better direction, leading_metric() alone; empty if there are no
// metrics.
std::vector<size_t> verdict_metrics(std::span<const Metric> metrics);

// Names for a message: the first few, and the number of the others.
std::string listed_names(std::span<const Metric> metrics);

// Their names followed by `endings`, as examples: "'cambi:p95>5' or 'vmaf:p95>5'".
std::string examples_of(std::span<const Metric> metrics, std::span<const size_t> positions,
                        const std::string& rest);

// Short names of metrics, and their reading order.

// In the order of the metrics. Scores of models have the titles of these, with their names if two are alike.
// Beside the score of a model, whose features have options that nobody typed,
// long names are cut before the options if no other metric shares the rest; "(model)" follows if only a model
// requested the feature, since the metric without these options has other scores. Flags that take a metric
// accept both forms.
std::vector<std::string> metric_labels(std::span<const Metric> metrics);

inline constexpr std::string_view kOfModel = " (model)";

// Scores of models, then additions of collections, then metrics requested by name, then inputs of models,
// each in report order.
std::vector<size_t> reading_order(std::span<const Metric> metrics);

// Names of a report in a layout of the reference tool, in their order. Models may call their scores as they
// like; these stand behind the features that they are made of. So they are the last names, as far back as no
// feature has them, behind some feature that compares a video with its reference; but none of those that
// features of the reference tool have which this program lacks. What a collection adds to a score, under its
// name, is left out.
std::vector<std::string> scores_of_models(std::span<const std::string> metrics);

}  // namespace vq
