// Short names of metrics, and their reading order.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/report.h"

namespace vq {

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
