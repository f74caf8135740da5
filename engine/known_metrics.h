// What is known of metrics, whoever computes them: features and models.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metric.h"
#include "core/metric_info.h"
#include "feature/feature.h"

namespace vq {

// What a metric means: what it carries, or else what its name says, whatever options that has. Of one that
// nobody here knows neither side is better.
const MetricInfo& metric_info(const Metric& metric);
// What a name alone says: that of a feature's metric, or of a model's score where it is called as VMAF's are.
const MetricInfo& known_metric(std::string_view name);

// The feature of that metric; null where none has it, as with scores of models.
const FeatureInfo* feature_of_metric(const Metric& metric);

// Whether the metric is known here and neither side of it is better, so that it judges nothing.
bool is_neutral(const Metric& metric);

// What it is called without the options that its name carries.
std::string base_name(const Metric& metric);

// Whether it is a model's score itself, and nothing beside it.
bool is_model_score(const Metric& metric);

// Positions of all in the order in which they speak for the run: scores of models, what was asked for by
// name, what only models asked for; behind these in the same order what is neutral.
std::vector<size_t> speaking_order(std::span<const Metric> metrics);

// The first of these; 0 where there are no metrics.
size_t leading_metric(std::span<const Metric> metrics);

}  // namespace vq
