// What scores mean that a model makes of the metrics of several features: those of VMAF.
#pragma once

#include <string>
#include <string_view>

#include "core/metric_info.h"

namespace vq {

// Takes a name for that of a model's scores from now on, for every thread: whoever scores with a model may call it as they
// like, and no table of features has it. What is taken in stays.
void add_model_name(std::string_view name);

// What the metric of this name means where it is of a model: its score, or what a collection of models adds to it. Null where
// it is not. "vmaf", alone and with more behind it, is known without add_model_name().
const MetricInfo* find_model_score(std::string_view metric);

// What the ends of the interval are called that a collection of models gives beside the score.
struct ScoreInterval {
  std::string low = {}, high = {};
};
ScoreInterval interval_names(std::string_view score);

// Whether it is a model's score itself, and nothing beside it.
bool is_model_score(std::string_view metric);

}  // namespace vq
