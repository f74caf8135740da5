// What metrics are called where there is little room, and in which order people read them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/report.h"

namespace vq {

// In the order of the metrics: their names. Beside the score of a model, which brings options that nobody
// wrote, long ones are only the part before the options, where no other metric of these shares it; where only
// a model asked for it "(model)" follows, for a metric without these options has other scores. Flags that
// take a metric take both as well.
std::vector<std::string> metric_labels(std::span<const Metric> metrics);

inline constexpr std::string_view kOfModel = " (model)";

// The scores of models first, then what collections say of them, then what was asked for by name, then what
// models score from, each in the order of the report.
std::vector<size_t> reading_order(std::span<const Metric> metrics);

// Names of a report in a layout of the reference tool, in their order. Models may call their scores as they
// like; these stand behind the features that they are made of. So they are the last names, as far back as no
// feature has them, behind some feature that compares a video with its reference; but none of those that
// features of the reference tool have which this program lacks. What a collection adds to a score, under its
// name, is left out.
std::vector<std::string> scores_of_models(std::span<const std::string> metrics);

}  // namespace vq
