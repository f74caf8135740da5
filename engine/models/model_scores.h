// Meanings of the scores that models, such as VMAF, compute from features.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/metric_info.h"

namespace vq {

// The meaning of a metric of one of these models, each given by its score's name: the score, or an addition
// of a collection. Null if it belongs to none.
const MetricInfo* find_model_score(std::string_view metric, std::span<const std::string> models);
// The same if the models are unknown: VMAF's scores are called "vmaf", with or without a suffix.
const MetricInfo* find_model_score(std::string_view metric);

// In reading order.
enum class ModelPart { kScore, kOfCollection, kNone };
// Needs: a result of metric_info() or find_model_score().
ModelPart model_part(const MetricInfo& metric);

// Names of the interval bounds that a collection of models reports with its score.
struct ScoreInterval {
  std::string low = {}, high = {};
};
ScoreInterval interval_names(std::string_view score);

}  // namespace vq
