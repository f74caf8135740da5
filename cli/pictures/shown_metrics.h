// The metrics by which pictures and pages show the frames of a run, and the files of its maps and histograms.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/models/model_of_run.h"
#include "feature/feature.h"

namespace vq::cli {

// The folder of a feature's heatmaps; empty if it has none, or none were requested.
std::string heatmap_folder(const FeatureRequest& request);

// The file of its histograms; empty if it has none, or none were requested.
std::string histogram_path(const FeatureRequest& request);

// The metric by which pictures and pages show frames: the leading one of the first feature that has a folder
// for heatmaps, or else the first model's score, or else the leading one of the first feature that is judged.
// The result is as in report_places().
MetricPlace shown_metric(const std::vector<FeatureRequest>& requests, const std::vector<ModelOfRun>& models);

// Index of the feature whose histograms pages show: the first that delivers some; none if there is none.
std::optional<size_t> histogram_feature(std::span<const FeatureRequest> requests);

// All other metrics with a better direction: those of verdict_metrics(), then the rest of what was asked for.
// What only a model asked for has no pictures of its own.
struct OtherMetrics {
  std::vector<MetricPlace> places;
  size_t judged = 0;  // number of those from verdict_metrics()
};
OtherMetrics other_metrics(const std::vector<FeatureRequest>& requests,
                           const std::vector<ModelOfRun>& models);

}  // namespace vq::cli
