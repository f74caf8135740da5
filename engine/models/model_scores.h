// What scores mean that a model makes of the metrics of several features: those of VMAF.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/metric_info.h"

namespace vq {

// What the metric of this name means where it is of one of these models, each by the name of its score: the
// score, or what a collection of models adds to it. Null where it is of none.
const MetricInfo* find_model_score(std::string_view metric, std::span<const std::string> models);
// The same where nobody says which models there are: VMAF's are called "vmaf", alone or with more behind it.
const MetricInfo* find_model_score(std::string_view metric);

// In the order in which people read them.
enum class ModelPart { kScore, kOfCollection, kNone };
// Needs: what metric_info() or find_model_score() returned.
ModelPart model_part(const MetricInfo& metric);

// What the ends of the interval are called that a collection of models gives beside the score.
struct ScoreInterval {
  std::string low = {}, high = {};
};
ScoreInterval interval_names(std::string_view score);

}  // namespace vq
