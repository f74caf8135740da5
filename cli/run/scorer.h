// The features of a run at work: frames go in, the columns of a report come out.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "cli/pictures/frame_observer.h"
#include "cli/pictures/heatmap_files.h"
#include "cli/pictures/histogram_file.h"
#include "cli/pictures/levels.h"
#include "engine/models/model_of_run.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq::cli {

// Where the heatmaps of a feature go; empty where it has none, or none were asked for.
std::string heatmap_folder(const FeatureRequest& request);

// The file for its whole histograms; empty where it has none, or none were asked for.
std::string histogram_path(const FeatureRequest& request);

// The metric by which pictures and pages show frames: the leading one of the first feature that has a folder for heatmaps, or
// else the first model's score, or else the leading one of the first feature that is judged. Its place is as in
// report_places().
MetricPlace shown_metric(const std::vector<FeatureRequest>& requests, const std::vector<ModelOfRun>& models);

// Position of the feature whose histograms pages show: the first that delivers some; none where none does.
std::optional<size_t> histogram_feature(std::span<const FeatureRequest> requests);

// The metrics besides it of which one side is worse: those that verdict_metrics() names, then the rest.
struct OtherMetrics {
  std::vector<MetricPlace> places;
  size_t judged = 0;  // how many are named
};
OtherMetrics other_metrics(const std::vector<FeatureRequest>& requests,
                           const std::vector<ModelOfRun>& models);

// Everything about one scored frame that a report has.
struct ScoredRow {
  int64_t frame = 0;
  std::optional<double> timestamp;
  std::vector<std::pair<std::string, double>> metrics;     // name and value
  std::vector<std::pair<std::string, std::string>> texts;  // the same
};

// How features are to run. With `on_fallback` set, a run whose device fails continues on the CPU, and the
// function is told why; without it that is an error.
struct BackendUse {
  Execution execution;
  std::function<void(const std::string& reason)> on_fallback;
  // Told of all that was found in each frame, before anything is made of it.
  std::function<void(const FrameScores& scores)> found = {};
  // Gives the extractor, where it is none that computes.
  std::function<std::unique_ptr<FeatureExtractor>()> make = {};
};

class Scorer final : private ScoreSink {
 public:
  // Makes the extractor of all requests, their heatmap files and those of histograms. Needs: the requests ask for the
  // heatmaps and histograms that files and taps take; the models' features are among them. Throws as make_extractor(),
  // HeatmapFiles and HistogramFile.
  Scorer(std::vector<FeatureRequest> requests, const InputFormats& formats, const BackendUse& use,
         const HeatmapTaps& taps = {}, std::vector<ModelOfRun> models = {});

  // Throws what an extractor throws, and Error{kInput} where a model cannot score what features found; scores of the frames before the failing one are kept. After that
  // finish() takes the last of these for the video's last: scores of frames behind the failing one would take its place.
  void push(const FramePair& frames);
  void finish();
  // Of the raw files.
  std::vector<std::string> heatmap_paths() const;
  // The raw files, to be committed together: see HeatmapFiles. `partial`: of a run that ended early.
  std::vector<OutputFile*> heatmap_outputs(bool partial);

  // The files of histograms, in the same way: see HistogramFile.
  std::vector<OutputFile*> histogram_outputs(bool partial);
  // Of the first feature that delivers histograms, where the taps want them followed; else empty.
  std::vector<ChannelLevels> levels() const;

  // Frames whose every metric is known, in order.
  int64_t scored() const { return scored_; }
  // The leading metric of the position-th scored frame.
  double score_at(int64_t position) const { return leading_->values[static_cast<size_t>(position)]; }
  ScoredRow row(int64_t position) const;
  // Fills frames, timestamps, metrics, texts and aggregates with the frames scored so far.
  void fill(Report& report) const;
  // The same for those who are done with this: rows are moved, so that a long video's are not held twice.
  void give(Report& report);
  BackendReport backend_report() const { return extractor_->backend_report(); }
  std::shared_ptr<FrameStore> frame_store() const { return extractor_->frame_store(); }
  std::vector<std::shared_ptr<vulkan::SharedPictures>> shared_pictures() const { return extractor_->shared_pictures(); }

 private:
  // What one feature reports.
  struct Column {
    void take(std::vector<FrameValues> complete);  // of the first of the frames in `reported`

    std::vector<Metric> metrics;    // with the values of as many rows as are complete
    std::vector<TextSeries> texts;  // may have more
    int64_t rows = 0;
    std::deque<bool> reported;  // whether they are, of the frames whose values are not known yet
    std::unique_ptr<FrameSequence> sequence;  // null where each frame stands for itself
    std::vector<double> totals;               // of the tallies of all frames
    std::unique_ptr<HeatmapFiles> heatmaps;
    std::unique_ptr<HistogramFile> histograms;
  };
  // A frame that an observer wants, until its row is complete.
  struct WantedPicture {
    int64_t frame = 0;
    int64_t row = 0;
    bool is_delivered = false;  // and what follows the pictures is of it
    Frame distorted;
    std::optional<Frame> reference;
    std::vector<Plane<uint16_t>> heatmaps;
    std::vector<std::vector<uint32_t>> histograms;
  };
  void scored(const FrameScores& scores) override;
  void keep_picture(const FramePair& frames);
  void complete_rows();
  void fill_rest(Report& report) const;
  void add_scores(int64_t row);
  double input_value(const MetricPlace& input, const ModelOfRun& model, int64_t row) const;
  void show_with(const FrameScores& scores);
  void write_heatmaps(const FrameScores& scores);
  void take_histograms(const FrameScores& scores);
  void show(const WantedPicture& wanted, std::span<const Plane<uint16_t>> heatmaps,
            std::span<const std::vector<uint32_t>> histograms);
  double value_at(const MetricPlace& place, int64_t row) const;
  void open_heatmaps(size_t request);

  const std::vector<FeatureRequest> requests_;
  const InputFormats formats_;
  const HeatmapTaps taps_;
  const std::vector<ModelOfRun> models_;
  std::vector<std::vector<std::vector<MetricPlace>>> inputs_;  // of each model: of each that a collection has
  const MetricPlace shown_;  // the metric that observers see
  const std::vector<MetricPlace> others_;
  const std::optional<size_t> histograms_of_;  // the feature whose histograms they see
  std::unique_ptr<LevelRecorder> levels_;
  const std::vector<MetricPlace> places_;  // of the report's metrics
  const std::function<void(const FrameScores& scores)> found_;  // may be none
  StageClock* const clock_;                                     // as Execution has it
  std::vector<Column> columns_;            // of each feature, and last of the models' scores
  const Metric* leading_ = nullptr;  // one of theirs
  std::vector<std::string> folders_;
  std::unique_ptr<FeatureExtractor> extractor_;
  std::deque<WantedPicture> pictures_;  // in order
  std::vector<int64_t> frames_;  // to be reported, in order
  std::vector<std::optional<double>> timestamps_;
  int64_t scored_ = 0;
  bool failed_ = false;
  bool finished_ = false;
};

}  // namespace vq::cli
