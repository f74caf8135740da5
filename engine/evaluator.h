// The features and models of a run at work: frames go in, a table of scores comes out. It knows no file.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/model_of_run.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq {

// Everything about one scored frame that a report has.
struct ScoredRow {
  int64_t frame = 0;
  std::optional<double> timestamp;
  std::vector<std::pair<std::string, double>> metrics;     // name and value
  std::vector<std::pair<std::string, std::string>> texts;  // the same
};

// Looks at frames and at what is found in them, on the thread that pushes. What an observer throws ends the
// evaluation.
class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  // A frame that is reported, before the features have it. Its row is the number of such frames before it.
  virtual void pushed(const FramePair& frames, int64_t row) { (void)frames, (void)row; }
  // What the features found in a frame, reported or not: in order, and before the frame counts as scored.
  virtual void found(const FrameScores& scores) { (void)scores; }
  // The first `rows` rows are complete. `scores`: of the frame that was found last; null once all are.
  virtual void counted(const FrameScores* scores, int64_t rows) { (void)scores, (void)rows; }
};

// How features run. If `on_fallback` is set and a device fails, the CPU goes on and the function is called
// with the reason; if it is not set, that is an error.
struct RunContext {
  Execution execution = {};
  std::function<void(const std::string& reason)> on_fallback = {};
  // Gives the extractor, where it is none that computes.
  std::function<std::unique_ptr<FeatureExtractor>()> make = {};
};

class Evaluator final : private ScoreSink {
 public:
  // Makes the extractor of all features. Observers outlive this and hear of each frame in their order. Needs:
  // the models' features are among the features. Throws as make_extractor().
  Evaluator(std::vector<FeatureRequest> features, std::vector<ModelOfRun> models, const VideoFormats& formats,
            const RunContext& context, std::vector<EvaluationObserver*> observers = {});

  // Throws what an extractor and observers throw, and Error{kInput} for features from which a model cannot
  // score; scores of the frames before the failing one are kept. After that finish() takes the last of these
  // for the video's last: scores of frames behind the failing one would take its place.
  void push(const FramePair& frames);
  void finish();

  // Number of frames whose every metric is known.
  int64_t scored() const { return scored_; }
  // The leading metric of a row. Needs, as below: row < scored().
  double score_at(int64_t row) const { return leading_->values[static_cast<size_t>(row)]; }
  double value_at(const MetricPlace& place, int64_t row) const;
  ScoredRow row(int64_t row) const;
  // Fills frames, timestamps, metrics, texts and aggregates with the frames scored so far.
  void fill(Report& report) const;
  // The same for those who are done with this: rows are moved, so that a long video's are not held twice.
  void give(Report& report);
  BackendReport backend_report() const { return extractor_->backend_report(); }
  std::shared_ptr<FrameStore> frame_store() const { return extractor_->frame_store(); }
  std::vector<std::shared_ptr<vulkan::SharedPictures>> shared_pictures() const {
    return extractor_->shared_pictures();
  }

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
  };
  void scored(const FrameScores& scores) override;
  void complete_rows();
  void fill_rest(Report& report) const;
  void add_scores(int64_t row);
  double input_value(const MetricPlace& input, const ModelOfRun& model, int64_t row) const;

  const std::vector<FeatureRequest> features_;
  const std::vector<ModelOfRun> models_;
  const VideoFormats formats_;
  const std::vector<EvaluationObserver*> observers_;
  std::vector<std::vector<std::vector<MetricPlace>>> inputs_;  // of each model: of each that a collection has
  const std::vector<MetricPlace> places_;                      // of the report's metrics
  StageClock* const clock_;                                    // as Execution has it
  std::vector<Column> columns_;      // of each feature, and last of the models' scores
  const Metric* leading_ = nullptr;  // one of theirs
  std::unique_ptr<FeatureExtractor> extractor_;
  std::vector<int64_t> frames_;  // to be reported, in order
  std::vector<std::optional<double>> timestamps_;
  int64_t scored_ = 0;
  bool failed_ = false;
  bool finished_ = false;
};

}  // namespace vq
