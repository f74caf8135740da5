// Meanings of the metrics of all features and models.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metric.h"
#include "core/text.h"
#include "feature/feature.h"

namespace vq {

// The meaning of a metric: its own `info`, or what its name says, with or without option suffixes. Unknown
// metrics have no better direction.
const MetricInfo& metric_info(const Metric& metric);
// The meaning by name alone: a feature's metric, or a model's score if it is named like VMAF's.
const MetricInfo& known_metric(std::string_view name);

// The feature that has this metric; null if none has, as with scores of models.
const FeatureInfo* feature_of_metric(const Metric& metric);

// Whether the metric is known here and has no better direction.
bool is_neutral(const Metric& metric);

// Whether it scores one video by itself, as CAMBI does, and so says nothing of what a reference would show.
bool is_of_one_video(const Metric& metric);

// What people call it: "VMAF v1" by the model of a score, the name that was given to that of a model file,
// "CAMBI", or its name if nothing else is known.
std::string title_of(const Metric& metric);
// Of a model's score, what it is for: "VMAF v1: for HD seen from 3 heights; not comparable with v0.6.1";
// empty for other metrics.
std::string purpose_of(const Metric& metric);

// Its name without option suffixes.
std::string base_name(const Metric& metric);

// Whether it is a model's score, rather than an interval bound of a collection.
bool is_model_score(const Metric& metric);

// Indices of all metrics, by importance: scores of models, features that were requested by name, features
// that only models use; then the neutral ones in the same order.
std::vector<size_t> speaking_order(std::span<const Metric> metrics);

// The first in speaking_order(); 0 if there are no metrics.
size_t leading_metric(std::span<const Metric> metrics);

// What files of raw heatmaps are called.

// <feature>_heatmap_scale_<k>_<w>x<h>_16b.gray
inline std::string heatmap_file_name(std::string_view feature, const HeatmapInfo& info) {
  return words("{}_heatmap_scale_{}_{}x{}_16b.gray", feature, info.scale, info.width, info.height);
}

}  // namespace vq
