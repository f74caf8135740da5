// The features of a run at work: frames go in, the columns of a report come out.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "cli/pictures/frame_observer.h"
#include "cli/pictures/heatmap_files.h"
#include "core/extractor.h"
#include "core/report.h"

namespace vq::cli {

// Where the heatmaps of a feature go; empty where it has none, or none were asked for.
std::string heatmap_folder(const FeatureRequest& request);

// Everything about one scored frame that a report has.
struct ScoredRow {
  int64_t frame = 0;
  std::optional<double> timestamp;
  std::vector<std::pair<std::string, double>> metrics;  // name and value
};

// How features are to run. With `on_fallback` set, a feature whose device fails continues on the CPU, and the
// function is told why; without it that is an error.
struct BackendUse {
  Execution execution;
  std::function<void(const std::string& reason)> on_fallback;
};

class Scorer {
 public:
  // Makes an extractor for every request, and its heatmap files. Throws as FeatureInfo::make and
  // HeatmapFiles.
  Scorer(const std::vector<FeatureRequest>& requests, const InputFormats& formats, const BackendUse& use,
         const HeatmapTaps& taps = {});

  // Throws what an extractor throws; scores of the frames before the failing one are kept. After that
  // finish() does nothing: scores of frames behind the failing one would take its place.
  void push(const FramePair& frames);
  void finish();
  // Of the raw files.
  std::vector<std::string> heatmap_paths() const;
  // The raw files, to be committed together: see HeatmapFiles. `partial`: of a run that ended early.
  std::vector<OutputFile*> heatmap_outputs(bool partial);

  // Frames whose every metric is known, in order.
  int64_t scored() const;
  // The first metric of the position-th scored frame.
  double score_at(int64_t position) const {
    return columns_.front().metrics.front().values[static_cast<size_t>(position)];
  }
  ScoredRow row(int64_t position) const;
  // Fills frames, timestamps and metrics with the frames scored so far.
  void fill(Report& report) const;
  BackendReport backend_report() const;

 private:
  // What one feature reports.
  class Column final : public ScoreSink {
   public:
    void scores(int64_t frame, std::span<const double> values) override;
    void heatmap(int64_t frame, int scale, PlaneView<const uint16_t> map) override;

    // Keeps the picture of a frame that is about to be scored, where an observer wants it.
    void expect(const Frame& picture);

    std::vector<Metric> metrics;
    std::unique_ptr<HeatmapFiles> heatmaps;
    FrameRange raw_frames;
    std::vector<FrameObserver*> observers;
    int64_t scored = 0;

   private:
    std::deque<Frame> pictures_;           // of frames in flight that are wanted
    std::vector<Plane<uint16_t>> planes_;  // heatmaps of the frame that is being delivered
  };
  void open_heatmaps(const FeatureRequest& request, const InputFormats& formats, Column& column);

  std::vector<Column> columns_;
  std::vector<std::string> folders_;
  std::vector<std::unique_ptr<FeatureExtractor>> extractors_;
  std::vector<int64_t> frames_;  // pushed, in order
  std::vector<std::optional<double>> timestamps_;
  bool failed_ = false;
};

}  // namespace vq::cli
