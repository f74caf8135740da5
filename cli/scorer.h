// The features of a run at work: frames go in, the columns of a report come out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cli/feature_spec.h"
#include "cli/heatmap_files.h"
#include "core/extractor.h"
#include "core/report.h"

namespace vq::cli {

class Scorer {
 public:
  // Makes an extractor for every request, and its heatmap files. Throws as FeatureInfo::make and
  // HeatmapFiles.
  Scorer(const std::vector<FeatureRequest>& requests, const InputFormats& formats,
         const Execution& execution);

  // Throws what an extractor throws; scores of the frames before the failing one are kept. After that
  // finish() does nothing: scores of frames behind the failing one would take its place.
  void push(const FramePair& frames);
  void finish();
  std::vector<std::string> heatmap_paths() const;
  // Completes heatmaps, but for their names.
  void finish_heatmaps();
  // Names them. Call it when everything else went well.
  void commit_heatmaps();
  // The same for a run that ended early: each file gets its name with ".partial".
  void commit_partial_heatmaps();

  // Frames whose every metric is known, in order.
  int64_t scored() const;
  // The first metric of the position-th scored frame.
  double score_at(int64_t position) const {
    return columns_.front().metrics.front().values[static_cast<size_t>(position)];
  }
  // Fills frames, timestamps and metrics with the frames scored so far.
  void fill(Report& report) const;
  BackendReport backend_report() const;

 private:
  // What one feature reports.
  class Column final : public ScoreSink {
   public:
    void scores(int64_t frame, std::span<const double> values) override;
    void heatmap(int64_t frame, int scale, PlaneView<const uint16_t> map) override;

    std::vector<Metric> metrics;
    std::unique_ptr<HeatmapFiles> heatmaps;
    int64_t scored = 0;
  };

  std::vector<Column> columns_;
  std::vector<std::unique_ptr<FeatureExtractor>> extractors_;
  std::vector<int64_t> frames_;  // pushed, in order
  std::vector<std::optional<double>> timestamps_;
  bool failed_ = false;
};

}  // namespace vq::cli
