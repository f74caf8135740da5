// One evaluation as C sees it: pictures go in, scores can be read meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "engine/analysis/pair_watch.h"
#include "engine/c_api/context.h"
#include "engine/evaluator.h"
#include "engine/report/report_reader.h"
#include "engine/settle.h"
#include "include/cambi/cambi.h"

namespace vq::c_api {

// The histograms of all reported frames.
class HistogramRecorder final : public EvaluationObserver {
 public:
  // Needs: settled features.
  HistogramRecorder(const std::vector<FeatureRequest>& features, const VideoFormats& formats);
  void found(const FrameScores& scores) override;
  // Throws NotFound for a channel that no feature has. Null: the row is not there yet.
  const std::vector<uint32_t>* find(const std::string& channel, int64_t row) const;

 private:
  struct Channel {
    std::string name;
    size_t feature = 0, place = 0;
    std::deque<std::vector<uint32_t>> rows;  // whose elements stay where they are
  };
  std::vector<Channel> channels_;
  mutable std::mutex mutex_;
};

// Calls that change it come one at a time; those that read may come meanwhile, from any thread.
class Run {
 public:
  Run(std::shared_ptr<Context> context, const CambiRunOptions& options);
  // One that is finished. Throws as to_report().
  explicit Run(const ScoreTable& table);

  void add_feature(const char* spec);
  void add_model(const char* spec);
  void push(const CambiPicture& distorted, const CambiPicture* reference,
            std::shared_ptr<const PictureOwner> distorted_owner,
            std::shared_ptr<const PictureOwner> reference_owner);
  void finish();
  void cancel() { stopped_ = true; }

  // Throw NotFound for names and numbers that are not there.
  std::pair<int64_t, int64_t> progress() const;  // frames pushed, rows scored
  void frames(int64_t first, int64_t count, int64_t* frames) const;
  CambiMetric metric(size_t index) const;
  std::optional<double> score(const char* metric, int64_t frame) const;  // nothing: not yet
  void scores(const char* metric, int64_t first, int64_t count, double* scores) const;
  double statistic(const char* metric, const char* statistic, int64_t first, int64_t last) const;
  const char* text(const char* name, int64_t frame) const;                           // null: not yet
  const std::vector<uint32_t>* histogram(const char* channel, int64_t frame) const;  // null: not yet
  double aggregate(const char* name) const;
  ThresholdFacts threshold(const char* text) const;
  std::pair<CambiLogLevel, const char*> remark(size_t index) const;
  CambiPairFault pair_fault(size_t index) const;
  CambiBackend backend() const;
  Report report() const;
  // How to write it, by default or so that nothing is lost that was read.
  ReportStyle style() const { return read_style_.value_or(ReportStyle{.extended = true}); }

 private:
  struct Remark {
    CambiLogLevel level;
    std::string text;
  };
  struct Fault {
    std::string text;
    std::vector<int64_t> frames;  // first and last of each stretch
  };
  // What a scored frame says in words, in the order of the texts. Elements stay where they are.
  struct Words {
    std::string name;
    std::deque<std::string> rows;
  };
  // What was settled with the first pair.
  struct Work {
    Settled settled;
    FrameNeeds needs;
    std::vector<MetricPlace> places;
    std::optional<PreviousFrames> before;
    std::unique_ptr<PairWatch> watch;               // null: no feature compares the videos
    std::unique_ptr<HistogramRecorder> histograms;  // null: none are kept
    RepeatFinder repeats, reference_repeats;
    std::unique_ptr<Evaluator> evaluator;
  };

  void refuse_if_stopped();
  void check_open();
  void begin(const VideoFormats& formats);
  void note_settled(bool locations_differ);
  void start_evaluator(Work& work);
  void evaluate(FramePair& pair);
  void take_scores();
  void take_row(const Evaluator& evaluator);
  void add_faults(std::vector<PairFault> faults);
  void release_work();
  void remark(CambiLogLevel level, const std::string& text);
  std::optional<size_t> row_of(int64_t frame) const;  // nothing: not yet
  const Metric& column(const char* metric) const;
  void check_rows(int64_t first, int64_t count) const;

  std::shared_ptr<Context> context_;  // null once the run is finished
  const int threads_ = 0;
  const CambiRunOptions options_;
  Request request_;
  Selection selection_;
  std::atomic<bool> stopped_ = false;
  bool failed_ = false, finished_ = false;       // of the thread that changes it
  const std::optional<ReportStyle> read_style_;  // of a report that was read, which `table_` then is
  std::unique_ptr<Work> work_;
  std::chrono::steady_clock::time_point begun_;

  mutable std::mutex mutex_;  // for all below
  int64_t pushed_ = 0;
  Report table_;  // the scored rows; its metrics are those of the run once it has begun
  std::deque<Words> words_;
  std::deque<Remark> remarks_;  // whose elements stay where they are
  std::deque<Fault> faults_;    // the same; of table_.run.pair_faults
  BackendReport backend_;
  double seconds_ = 0;
  bool is_over_ = false;      // no more rows will come
  bool is_complete_ = false;  // and none is missing
};

}  // namespace vq::c_api
