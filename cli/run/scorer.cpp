#include "cli/run/scorer.h"

#include <algorithm>
#include <utility>

#include "cli/output/output_path.h"
#include "core/error.h"
#include "feature/fallback_extractor.h"

namespace vq::cli {
namespace {

std::unique_ptr<FeatureExtractor> make_extractor(const FeatureRequest& request, const InputFormats& formats,
                                                 const BackendUse& use) {
  auto on_cpu = [request, formats, execution = use.execution]() mutable {
    execution.backend = Backend::kCpu;
    return request.info->make(request.options, formats, execution);
  };
  if (!use.on_fallback) return request.info->make(request.options, formats, use.execution);
  try {
    return with_fallback(request.info->make(request.options, formats, use.execution),
                         {on_cpu, use.on_fallback});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBackend) throw;
    use.on_fallback(error.what());
    return on_cpu();
  }
}

}  // namespace

std::string heatmap_folder(const FeatureRequest& request) {
  const std::optional<OptionValue> path = request.options.find(request.info->heatmap_option);
  return path ? std::get<std::string>(*path) : std::string();
}

void Scorer::Column::expect(const Frame& picture) {
  const auto wants = [&](const FrameObserver* observer) { return observer->wants(picture.index); };
  if (std::any_of(observers.begin(), observers.end(), wants)) pictures_.push_back(picture);
}

void Scorer::Column::scores(int64_t frame, std::span<const double> values) {
  for (size_t i = 0; i < metrics.size(); ++i) metrics[i].values.push_back(values[i]);
  ++scored;
  if (pictures_.empty() || pictures_.front().index != frame) return;
  for (FrameObserver* observer : observers) {
    if (observer->wants(frame)) observer->frame({pictures_.front(), values.front(), planes_});
  }
  pictures_.pop_front();
}

// What an extractor hands over may be gone with the next scale: observers get all scales at once, as copies.
void Scorer::Column::heatmap(int64_t frame, int scale, PlaneView<const uint16_t> map) {
  if (heatmaps && raw_frames.contains(frame)) heatmaps->write(scale, map);
  if (pictures_.empty() || pictures_.front().index != frame) return;
  const auto index = static_cast<size_t>(scale);
  if (planes_.size() <= index) planes_.resize(index + 1);
  Plane<uint16_t>& plane = planes_[index];
  if (plane.width() != map.width || plane.height() != map.height) plane = {map.width, map.height};
  for (int y = 0; y < map.height; ++y) std::copy_n(map.row(y), map.width, plane.row(y));
}

Scorer::Scorer(const std::vector<FeatureRequest>& requests, const InputFormats& formats,
               const BackendUse& use, const HeatmapTaps& taps) {
  columns_.resize(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    const FeatureRequest& request = requests[i];
    for (const std::string& name : request.info->metric_names(request.options)) {
      columns_[i].metrics.push_back({name, {}});
    }
    if (i == 0) columns_[i].observers = taps.observers;
    columns_[i].raw_frames = taps.raw_frames;
    const bool raw_files = taps.raw_files && !heatmap_folder(request).empty();
    BackendUse own = use;
    own.execution.heatmaps = raw_files || !columns_[i].observers.empty();
    extractors_.push_back(make_extractor(request, formats, own));
    if (raw_files) open_heatmaps(request, formats, columns_[i]);
  }
}

void Scorer::open_heatmaps(const FeatureRequest& request, const InputFormats& formats, Column& column) {
  const std::string folder = heatmap_folder(request);
  const auto meets = [&](const std::string& other) { return same_file(folder, other); };
  if (std::any_of(folders_.begin(), folders_.end(), meets)) {
    throw Error(ErrorKind::kUsage,
                "two features would write heatmaps into " + folder + ". Give each its own folder.");
  }
  folders_.push_back(folder);
  column.heatmaps = std::make_unique<HeatmapFiles>(folder, request.info->name,
                                                   request.info->heatmaps(request.options, formats));
}

void Scorer::push(const FramePair& frames) {
  frames_.push_back(frames.index);
  timestamps_.push_back(frames.distorted.timestamp);
  failed_ = true;  // until the opposite is known
  columns_.front().expect(frames.distorted);
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

std::vector<OutputFile*> Scorer::heatmap_outputs(bool partial) {
  std::vector<OutputFile*> all;
  for (Column& column : columns_) {
    if (!column.heatmaps) continue;
    const std::vector<OutputFile*> files =
        partial ? column.heatmaps->partial_outputs() : column.heatmaps->outputs();
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

int64_t Scorer::scored() const {
  int64_t least = static_cast<int64_t>(frames_.size());
  for (const Column& column : columns_) least = std::min(least, column.scored);
  return least;
}

ScoredRow Scorer::row(int64_t position) const {
  const auto i = static_cast<size_t>(position);
  ScoredRow row{frames_[i], timestamps_[i], {}};
  for (const Column& column : columns_) {
    for (const Metric& metric : column.metrics) row.metrics.emplace_back(metric.name, metric.values[i]);
  }
  return row;
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
  report.stages.clear();
  for (size_t i = 0; i < extractors_.size(); ++i) {
    const BackendReport own = extractors_[i]->backend_report();
    // Features of several may have stages of the same names; their first metrics differ.
    const std::string feature = extractors_.size() > 1 ? columns_[i].metrics.front().name + ": " : "";
    for (const StageTotal& stage : own.stages) report.stages.push_back({feature + stage.stage, stage.gpu_ms});
    if (i == 0) continue;
    // All features see the same frames; one that looks at the reference as well finds fewer repeated.
    report.repeated_frames = std::max(report.repeated_frames, own.repeated_frames);
    report.bytes_uploaded += own.bytes_uploaded;
    report.bytes_read += own.bytes_read;
  }
  return report;
}

}  // namespace vq::cli
