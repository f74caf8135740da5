// Every feature this program can compute.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "feature/feature.h"

namespace vq {

std::span<const FeatureInfo* const> features();

// The one that is computed where none is asked for.
const FeatureInfo& default_feature();

// What a report's metric of this name means, whatever options the name carries, scores of models included. A name that is of
// neither is described as a metric of which neither side is better.
const MetricInfo& metric_info(std::string_view metric);

// The feature of that metric; null where none has it, as with scores of models.
const FeatureInfo* feature_of_metric(std::string_view metric);

// Whether a metric of this name is known here and neither side of it is better, so that it judges nothing.
bool is_neutral(std::string_view metric);

// Position of the metric that speaks for several: the first score of a model, else the first that is not neutral; 0 where all
// are.
size_t leading_metric(std::span<const std::string> metrics);

// Throws Error{kUsage} for an unknown name, with the nearest one.
const FeatureInfo& find_feature(std::string_view name);

}  // namespace vq
