#include "cli/pictures/map_files.h"

#include <algorithm>

#include "cli/pictures/shown_metrics.h"
#include "cli/system/output_path.h"
#include "core/error.h"

namespace vq::cli {

MapFiles::MapFiles(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                   const HeatmapTaps& taps)
    : raw_frames_(taps.raw_frames), histograms_of_(histogram_feature(features)), files_(features.size()) {
  for (size_t i = 0; i < features.size(); ++i) {
    if (taps.raw_files && !heatmap_folder(features[i]).empty())
      open_heatmaps(features[i], formats, files_[i]);
  }
  for (size_t i = 0; i < features.size(); ++i) {
    const std::string path = histogram_path(features[i]);
    if (path.empty()) continue;
    files_[i].histograms = std::make_unique<HistogramFile>(path, histograms_of(features[i], formats));
  }
  if (!taps.levels || !histograms_of_) return;
  levels_ = std::make_unique<LevelRecorder>(histograms_of(features[*histograms_of_], formats));
}

void MapFiles::open_heatmaps(const FeatureRequest& feature, const VideoFormats& formats, Files& files) {
  const std::string folder = heatmap_folder(feature);
  const auto meets = [&](const std::string& other) { return same_file(folder, other); };
  if (std::any_of(folders_.begin(), folders_.end(), meets)) {
    throw Error(ErrorKind::kUsage,
                "two features would write heatmaps into " + folder + ". Give each its own folder.");
  }
  folders_.push_back(folder);
  files.heatmaps = std::make_unique<HeatmapFiles>(folder, feature.info->name,
                                                  feature.info->heatmaps(feature.options, formats));
}

void MapFiles::found(const FrameScores& scores) {
  if (!scores.is_reported) return;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!files_[i].heatmaps || !raw_frames_.contains(scores.frame)) continue;
    const std::vector<Plane<uint16_t>>& maps = scores.results[i].heatmaps;
    for (size_t k = 0; k < maps.size(); ++k) files_[i].heatmaps->write(static_cast<int>(k), maps[k].view());
  }
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].histograms) files_[i].histograms->add(scores.frame, scores.results[i].histograms);
  }
  if (levels_) levels_->add(scores.results[*histograms_of_].histograms);
}

std::vector<std::string> MapFiles::heatmap_paths() const {
  std::vector<std::string> paths;
  for (const Files& files : files_) {
    if (files.heatmaps)
      paths.insert(paths.end(), files.heatmaps->paths().begin(), files.heatmaps->paths().end());
  }
  return paths;
}

std::vector<OutputFile*> MapFiles::heatmap_outputs(bool partial) {
  std::vector<OutputFile*> all;
  for (Files& files : files_) {
    if (!files.heatmaps) continue;
    const std::vector<OutputFile*> outputs =
        partial ? files.heatmaps->partial_outputs() : files.heatmaps->outputs();
    all.insert(all.end(), outputs.begin(), outputs.end());
  }
  return all;
}

std::vector<OutputFile*> MapFiles::histogram_outputs(bool partial) {
  std::vector<OutputFile*> all;
  for (Files& files : files_) {
    if (!files.histograms) continue;
    OutputFile* const file = partial ? files.histograms->partial_output() : files.histograms->output();
    if (file != nullptr) all.push_back(file);
  }
  return all;
}

std::vector<ChannelLevels> MapFiles::levels() const {
  return levels_ ? levels_->channels() : std::vector<ChannelLevels>();
}

}  // namespace vq::cli
