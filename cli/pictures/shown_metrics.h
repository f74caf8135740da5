// By which metrics pictures and pages show the frames of a run, and where its maps and histograms go.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/models/model_of_run.h"
#include "feature/feature.h"

namespace vq::cli {

// Where the heatmaps of a feature go; empty where it has none, or none were asked for.
std::string heatmap_folder(const FeatureRequest& request);

// The file for its whole histograms; empty where it has none, or none were asked for.
std::string histogram_path(const FeatureRequest& request);

// The metric by which pictures and pages show frames: the leading one of the first feature that has a folder
// for heatmaps, or else the first model's score, or else the leading one of the first feature that is judged.
// Its place is as in report_places().
MetricPlace shown_metric(const std::vector<FeatureRequest>& requests, const std::vector<ModelOfRun>& models);

// Position of the feature whose histograms pages show: the first that delivers some; none where none does.
std::optional<size_t> histogram_feature(std::span<const FeatureRequest> requests);

// All other metrics that have a worse side: those that verdict_metrics() names, then the rest.
struct OtherMetrics {
  std::vector<MetricPlace> places;
  size_t judged = 0;  // how many are named
};
OtherMetrics other_metrics(const std::vector<FeatureRequest>& requests,
                           const std::vector<ModelOfRun>& models);

}  // namespace vq::cli
