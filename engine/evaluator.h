// Evaluation of a run's features and models: frames go in, a table of scores comes out. It knows no files.
#pragma once

#include "core/frame.h"
#include "core/worker_pool.h"
#include "engine/models/model_features.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq {

// All values of one scored frame that a report contains.
struct ScoredRow {
  int64_t frame = 0;
  std::optional<double> timestamp;
  std::vector<std::pair<std::string, double>> metrics;     // name and value
  std::vector<std::pair<std::string, std::string>> texts;  // the same
};

// Observes frames and their results on the thread that pushes. An exception of an observer ends the
// evaluation.
class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  // A frame that is reported, before the features receive it. `row` is the number of such frames before it.
  virtual void pushed(const FramePair& frames, int64_t row) { (void)frames, (void)row; }
  // The features' results for a frame, reported or not: in order, and before the frame counts as scored.
  virtual void found(const FrameScores& scores) { (void)scores; }
  // The first `rows` rows are complete. `scores`: those of the frame passed to found() last; null once all
  // are complete.
  virtual void counted(const FrameScores* scores, int64_t rows) { (void)scores, (void)rows; }
};

// How features run. If a device fails, the others go on; if none is left, the CPU does if it may, and
// otherwise the failure is an error.
struct RunContext {
  Execution execution = {};
  bool may_use_cpu = false;
  // Called with the reason and with those that go on: "the CPU", or the names of devices.
  std::function<void(const std::string& reason, const std::string& successor)> on_takeover = {};
  std::function<void(FramePair&)> read_again = {};  // see Fallback
  // Makes the extractor, or null if every frame comes with its results. Not set: make_extractor() is used.
  std::function<std::unique_ptr<FeatureExtractor>()> make = {};
  bool takes_results = false;  // frames may come with results that were found elsewhere, but no maps
};

class ReplayExtractor;

class Evaluator final : private ScoreSink {
 public:
  // Makes the extractor of all features. Observers outlive this and are called in order for each frame.
  // Needs: the models' features are among the features. Throws as make_extractor().
  Evaluator(std::vector<FeatureRequest> features, std::vector<ModelOfRun> models, const VideoFormats& formats,
            const RunContext& context, std::vector<EvaluationObserver*> observers = {});

  // Throws the errors of extractor and observers, and Error{kInput} if a model cannot score from the
  // features' values. Scores of frames before the failing one are kept. After that finish() treats the last
  // of these as the video's last frame.
  void push(const FramePair& frames);
  // The same for a frame whose results are known, and from then on for all frames: samples and the extractor
  // are no longer needed. Takes the results, and leaves some whose memory can be used again. Needs:
  // RunContext::takes_results.
  void push(const FramePair& frames, std::vector<FrameResult>& results);
  // Frames come with results from now on: the extractor delivers the rest and is given up.
  void end_scoring();
  void finish();

  // Number of frames for which every metric is known.
  int64_t scored() const { return scored_; }
  // The leading metric of a row. Needs, as below: row < scored().
  double score_at(int64_t row) const { return leading_->values[static_cast<size_t>(row)]; }
  double value_at(const MetricPlace& place, int64_t row) const;
  ScoredRow row(int64_t row) const;
  // Fills frames, timestamps, metrics, texts and aggregates with the frames scored so far.
  void fill(Report& report) const;
  // The same, but moves the rows, so that those of a long video are not held twice. This object cannot be
  // used after that.
  void give(Report& report);
  BackendReport backend_report() const { return extractor_->backend_report(); }
  std::shared_ptr<FrameStore> frame_store() const { return extractor_->frame_store(); }

 private:
  // The reported values of one feature.
  struct Column {
    void take(std::vector<FrameValues> complete);  // from the first frame in `reported` on

    std::vector<Metric> metrics;    // with the values of all complete rows
    std::vector<TextSeries> texts;  // may have more rows
    int64_t rows = 0;
    std::deque<bool> reported;                // whether each frame with incomplete values is reported
    std::unique_ptr<FrameSequence> sequence;  // null if frames do not depend on each other
    std::vector<double> totals;               // sums of the tallies of all frames
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
  // for each model and each member of a collection
  std::vector<std::vector<std::vector<MetricPlace>>> inputs_;
  const std::vector<MetricPlace> places_;  // of the report's metrics
  StageClock* const clock_;                // as in Execution
  std::vector<Column> columns_;            // one for each feature, then one for the models' scores
  const Metric* leading_ = nullptr;        // in one of the columns
  std::unique_ptr<FeatureExtractor> extractor_;
  ReplayExtractor* replay_ = nullptr;  // the extractor, if frames may come with results
  std::vector<int64_t> frames_;        // to be reported, in order
  std::vector<std::optional<double>> timestamps_;
  int64_t scored_ = 0;
  bool failed_ = false;
  bool finished_ = false;
};

// Passes frames on to an extractor, up to the first whose results were found elsewhere: those are given as if
// they were found now.

class ReplayExtractor final : public FeatureExtractor, private ScoreSink {
 public:
  // `first` is null if all results are known.
  ReplayExtractor(const FrameNeeds& use, std::unique_ptr<FeatureExtractor> first)
      : jobs_(use), first_(std::move(first)) {}

  // The results of the frame that is pushed next. Takes them, and leaves some whose memory can be used again.
  void set_results(std::vector<FrameResult>& results);
  void push(const FramePair& frames, ScoreSink& sink) override;
  void finish(ScoreSink& sink) override;
  // Delivers what the first extractor has, and gives it up.
  void end_first(ScoreSink& sink);
  // The first extractor's report, with the repeated frames of all.
  BackendReport backend_report() const override;
  std::shared_ptr<FrameStore> frame_store() const override {
    return first_ ? first_->frame_store() : nullptr;
  }

 private:
  void scored(const FrameScores& scores) override;
  void give(const FramePair& frames, std::vector<FrameResult>& results, ScoreSink& sink);

  OrderedFrames jobs_;
  std::unique_ptr<FeatureExtractor> first_;
  BackendReport report_;             // of the first, once it is gone
  std::deque<FramePair> pushed_;     // to it, without samples
  ScoreSink* sink_ = nullptr;        // while it is called
  std::vector<FrameResult> copied_;  // of the first
  std::vector<FrameResult> next_;    // known ones
  bool has_results_ = false;
};

// An upper estimate of the memory that a run takes.

// A video as far as its memory counts.
struct DecodedVideo {
  VideoFormat format = {};
  bool is_planar = false;  // stored as it is: nothing is decoded
  int decoders = 1;        // that share the threads
};

// A video that is read: as it is decoded, and if it is brought to another size or depth as it is then.
struct ReadVideo {
  DecodedVideo decoded = {};
  std::optional<DecodedVideo> fitted = {};
  int64_t held = 0;  // frames of its last form that the maker of pairs holds
};

struct VideoReading {
  std::vector<ReadVideo> videos = {};
  int threads = 1;
};

// Number of frames of a video that are read before they are asked for.
int read_ahead(int threads);

// Bytes of `queued` frames that others hold and of those that the decoders keep, but not of frames that are
// decoded before their turn.
struct DecodingUse {
  int planes = 1;  // that are delivered, if the video has as many
  int64_t queued = 0;
  int threads = 1;
};
int64_t decoding_bytes(const DecodedVideo& video, const DecodingUse& use);

// Bytes of the frames that decoders, features and the queues between them hold at once, those that wait for
// the frames behind them and both forms of fitted ones included, and of the extractor. Not: frames decoded
// before their turn, and pictures of frames. `formats`: as frames are scored.
int64_t run_bytes(const VideoReading& reading, const std::vector<FeatureRequest>& features,
                  const VideoFormats& formats, const Execution& execution);

}  // namespace vq
