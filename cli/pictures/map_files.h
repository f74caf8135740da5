// Heatmaps and histograms that a run writes as it proceeds: raw files, and levels for pages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/pictures/heatmap_files.h"
#include "cli/pictures/histogram_file.h"
#include "cli/pictures/levels.h"
#include "cli/pictures/picture_tap.h"
#include "engine/evaluator.h"

namespace vq::cli {

class MapFiles final : public EvaluationObserver {
 public:
  // Opens the files that the features' options name. Needs: the features deliver what files and taps need.
  // Throws as HeatmapFiles and HistogramFile, and Error{kUsage} for two features with one folder.
  MapFiles(const std::vector<FeatureRequest>& features, const VideoFormats& formats, const HeatmapTaps& taps);

  void found(const FrameScores& scores) override;

  // Paths of the raw heatmaps.
  std::vector<std::string> heatmap_paths() const;
  // The files, to be committed together: see HeatmapFiles and HistogramFile. `partial`: of a run that ended
  // early.
  std::vector<OutputFile*> heatmap_outputs(bool partial);
  std::vector<OutputFile*> histogram_outputs(bool partial);
  // Levels of the first feature that delivers histograms, if the taps request them; otherwise empty.
  std::vector<ChannelLevels> levels() const;

 private:
  struct Files {
    std::unique_ptr<HeatmapFiles> heatmaps;
    std::unique_ptr<HistogramFile> histograms;
  };
  void open_heatmaps(const FeatureRequest& feature, const VideoFormats& formats, Files& files);

  const FrameRange raw_frames_;
  const std::optional<size_t> histograms_of_;  // the feature whose levels are recorded
  std::vector<Files> files_;                   // of each feature
  std::vector<std::string> folders_;
  std::unique_ptr<LevelRecorder> levels_;
};

}  // namespace vq::cli
