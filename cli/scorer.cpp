#include "cli/scorer.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace vq::cli {
namespace {

// Empty where the feature has no heatmaps or none are wanted.
std::string heatmap_folder(const FeatureRequest& request) {
  for (const OptionSpec& spec : request.info->options) {
    if (spec.name == "heatmaps_path") return request.options.get_text("heatmaps_path");
  }
  return {};
}

}  // namespace

void Scorer::Column::scores(int64_t, std::span<const double> values) {
  for (size_t i = 0; i < metrics.size(); ++i) metrics[i].values.push_back(values[i]);
  ++scored;
}

void Scorer::Column::heatmap(int64_t, int scale, PlaneView<const uint16_t> map) {
  heatmaps->write(scale, map);
}

Scorer::Scorer(const std::vector<FeatureRequest>& requests, const InputFormats& formats,
               const Execution& execution) {
  std::vector<std::string> folders;
  columns_.resize(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    const FeatureRequest& request = requests[i];
    for (const std::string& name : request.info->metric_names(request.options)) {
      columns_[i].metrics.push_back({name, {}});
    }
    const std::string folder = heatmap_folder(request);
    Execution own = execution;
    own.heatmaps = !folder.empty();
    extractors_.push_back(request.info->make(request.options, formats, own));
    if (folder.empty()) continue;
    const auto meets = [&](const std::string& other) { return same_file(folder, other); };
    if (std::any_of(folders.begin(), folders.end(), meets)) {
      throw Error(ErrorKind::kUsage,
                  "two features would write heatmaps into " + folder + ". Give each its own folder.");
    }
    folders.push_back(folder);
    columns_[i].heatmaps = std::make_unique<HeatmapFiles>(folder, request.info->name,
                                                          request.info->heatmaps(request.options, formats));
  }
}

void Scorer::push(const FramePair& frames) {
  frames_.push_back(frames.index);
  timestamps_.push_back(frames.distorted.timestamp);
  failed_ = true;  // until the opposite is known
  for (size_t i = 0; i < extractors_.size(); ++i) extractors_[i]->push(frames, columns_[i]);
  failed_ = false;
}

void Scorer::finish() {
  if (std::exchange(failed_, true)) return;
  for (size_t i = 0; i < extractors_.size(); ++i) extractors_[i]->finish(columns_[i]);
  failed_ = false;
}

std::vector<std::string> Scorer::heatmap_paths() const {
  std::vector<std::string> paths;
  for (const Column& column : columns_) {
    if (column.heatmaps)
      paths.insert(paths.end(), column.heatmaps->paths().begin(), column.heatmaps->paths().end());
  }
  return paths;
}

void Scorer::finish_heatmaps() {
  for (Column& column : columns_) {
    if (column.heatmaps) column.heatmaps->finish();
  }
}

void Scorer::commit_heatmaps() {
  for (Column& column : columns_) {
    if (column.heatmaps) column.heatmaps->commit();
  }
}

void Scorer::commit_partial_heatmaps() {
  for (Column& column : columns_) {
    if (column.heatmaps) column.heatmaps->commit_partial();
  }
}

int64_t Scorer::scored() const {
  int64_t least = static_cast<int64_t>(frames_.size());
  for (const Column& column : columns_) least = std::min(least, column.scored);
  return least;
}

void Scorer::fill(Report& report) const {
  const ptrdiff_t count = static_cast<ptrdiff_t>(scored());
  report.frames.assign(frames_.begin(), frames_.begin() + count);
  report.timestamps.assign(timestamps_.begin(), timestamps_.begin() + count);
  report.metrics.clear();
  for (const Column& column : columns_) {
    for (const Metric& metric : column.metrics) {
      report.metrics.push_back({metric.name, {metric.values.begin(), metric.values.begin() + count}});
    }
  }
}

BackendReport Scorer::backend_report() const {
  BackendReport report = extractors_.front()->backend_report();
  for (size_t i = 1; i < extractors_.size(); ++i) {
    report.repeated_frames += extractors_[i]->backend_report().repeated_frames;
  }
  return report;
}

}  // namespace vq::cli
