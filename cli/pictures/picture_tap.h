// Passes a run's pictures to observers, each with its scores, heatmaps and histograms.
#pragma once

#include "engine/evaluator.h"
#include "engine/models/model_features.h"
#include "feature/feature.h"

namespace vq::cli {

// Numbers of frames, both ends included.
struct FrameRange {
  int64_t first = 0;
  int64_t last = std::numeric_limits<int64_t>::max();
  bool contains(int64_t frame) const { return frame >= first && frame <= last; }
};

// Valid during the call it is handed to.
struct ScoredFrame {
  const Frame& picture;  // of the distorted video; a device may have its samples, and those of the reference
  double score;          // the metric of the feature that is shown
  // By scale, as FeatureInfo::heatmaps describes them; empty if the feature delivers none.
  std::span<const Plane<uint16_t>> heatmaps;
  // Counts by channel, from the first feature that delivers them; empty if none does.
  std::span<const std::vector<uint32_t>> histograms = {};
  const Frame* reference = nullptr;     // the reference's frame, if there is one
  std::span<const double> others = {};  // as ObservedVideo::others
};

class FrameObserver {
 public:
  virtual ~FrameObserver() = default;
  // Whether a frame's picture is wanted at all; asked before it is scored.
  virtual bool wants(int64_t frame) const {
    (void)frame;
    return true;
  }
  // The frames that are wanted, in order.
  virtual void frame(const ScoredFrame& frame) = 0;
};

// Facts about an observed video that are constant over its frames.
struct ObservedVideo {
  VideoFormat format;
  std::optional<VideoFormat> reference = {};
  MetricInfo metric;  // of the feature that is shown
  std::vector<HeatmapInfo> heatmaps;
  // Scores these frames, in order, once more for their heatmaps; null if there are none.
  std::function<std::vector<FrameResult>(const std::vector<FramePair>& frames)> draw = {};
  int64_t drawing_bytes = 0;            // memory that `draw` takes
  std::vector<MetricInfo> others = {};  // metrics of the run besides, of which one side is worse
  size_t judged_others = 0;             // the first of these, this many, have a verdict
  // Whether a scene may begin behind one frame and up to the other; null: nobody looks.
  std::function<bool(int64_t after, int64_t frame)> may_begin_scene = {};
  std::vector<HistogramInfo> histograms = {};  // of the first feature that delivers them
  std::optional<double> frame_rate;
  std::optional<int64_t> frames;  // that will be scored, if known
};

// Scores frames once more by one of the features of their run, in a pool of the execution's threads. Needs:
// ascending frames, and a feature that reads no neighbours. Throws as make_extractor() and
// FeatureExtractor::push().
std::vector<FrameResult> score_again(const FeatureRequest& request, const VideoFormats& formats,
                                     const std::vector<FramePair>& frames, Execution execution);

class PictureTap final : public EvaluationObserver {
 public:
  // Observers outlive this.
  PictureTap(const std::vector<FeatureRequest>& features, const std::vector<ModelOfRun>& models,
             std::vector<FrameObserver*> observers);
  // The observed evaluator. To be called before it scores.
  void attach(const Evaluator& evaluator) { evaluator_ = &evaluator; }

  void pushed(const FramePair& frames, int64_t row) override;
  void counted(const FrameScores* scores, int64_t rows) override;

 private:
  // A frame that an observer wants, until its row is complete.
  struct WantedPicture {
    int64_t frame = 0;
    int64_t row = 0;
    bool is_delivered = false;  // and the members below belong to it
    Frame distorted;
    std::optional<Frame> reference;
    std::vector<Plane<uint16_t>> heatmaps;
    std::vector<std::vector<uint32_t>> histograms;
  };
  void take(const FrameScores& scores, int64_t rows);
  void show(const WantedPicture& wanted, std::span<const Plane<uint16_t>> heatmaps,
            std::span<const std::vector<uint32_t>> histograms);

  const std::vector<FrameObserver*> observers_;
  const MetricPlace shown_;  // the metric that observers see
  const std::vector<MetricPlace> others_;
  const std::optional<size_t> histograms_of_;  // the feature whose histograms they see
  const Evaluator* evaluator_ = nullptr;
  std::deque<WantedPicture> pictures_;  // in order
};

// The metrics by which pictures and pages show the frames of a run, and the files of its maps and histograms.

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

// All other metrics with a better direction: those of verdict_metrics(), then the rest of what was requested.
// Metrics that only a model requested have no pictures of their own.
struct OtherMetrics {
  std::vector<MetricPlace> places;
  size_t judged = 0;  // number of those from verdict_metrics()
};
OtherMetrics other_metrics(const std::vector<FeatureRequest>& requests,
                           const std::vector<ModelOfRun>& models);

}  // namespace vq::cli
