// Contexts and runs of the C library: how runs compute, threads and devices; one evaluation as C sees it; and
// the border between C and C++.
#pragma once

#include <exception>

#include "core/elementary.h"
#include "core/error.h"
#include "core/frame.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "engine/analysis/pair_watch.h"
#include "engine/backend_choice.h"
#include "engine/evaluator.h"
#include "engine/report/report_writer.h"
#include "engine/settle.h"
#include "feature/feature.h"
#include "include/cambi/cambi.h"
#include "vulkan/device.h"

namespace vq::c_api {

// Its members may be called from any thread.
class Context {
 public:
  // Throws Error{kUsage} for options that are not allowed.
  explicit Context(const CambiOptions& options);

  // The backend for these features, with its devices open: "auto" takes a device that is no software, if
  // there is one. Throws as choose_backend() and, if a device is named, lease_devices().
  BackendChoice choose(const std::vector<FeatureRequest>& features);

  // Threads are started when this is first called.
  WorkerPool& pool();
  int threads() const { return threads_; }
  void log(CambiLogLevel level, const std::string& text) const;

 private:
  int threads_ = 1;
  std::optional<Backend> backend_;  // none: auto
  std::string device_;
  std::optional<std::filesystem::path> cache_folder_;
  void (*log_)(void*, CambiLogLevel, const char*) = nullptr;
  void* log_user_ = nullptr;
  std::mutex mutex_;
  std::unique_ptr<WorkerPool> pool_;
};

// Pictures of callers as frames of the engine.

// Calls the caller's release function when the picture is not held any more.
class PictureOwner {
 public:
  explicit PictureOwner(const CambiPicture& picture)
      : release_(picture.release), user_(picture.release_user) {}
  ~PictureOwner() {
    if (release_ != nullptr) release_(user_);
  }
  PictureOwner(PictureOwner&& other) noexcept
      : release_(std::exchange(other.release_, nullptr)), user_(other.user_) {}
  PictureOwner& operator=(const PictureOwner&) = delete;

 private:
  void (*release_)(void*);
  void* user_;
};

// Throws Error: kUsage for values that no picture has, kMismatch for sizes and depths that are not taken.
VideoFormat format_of(const CambiPicture& picture, const char* name);

// The first `planes` planes of the picture, or as many as its format has. Samples are copied if the picture
// has no release function, and used in place, kept by `owner`, otherwise. Throws Error{kUsage} for planes
// that are null or whose rows overlap, std::bad_alloc.
Frame frame_of(const CambiPicture& picture, const VideoFormat& format, int planes,
               std::shared_ptr<const PictureOwner> owner);

// The border between C and C++: exceptions become codes, and sizes say what a caller knows of a
// struct.

// The run has nothing of that name or number.
class NotFound : public Error {
 public:
  explicit NotFound(const std::string& message) : Error(ErrorKind::kUsage, message) {}
};
// The run was cancelled.
class Stopped : public Error {
 public:
  Stopped() : Error(ErrorKind::kIncomplete, "the run was cancelled") {}
};

// Keeps the exception's text for cambi_error(). Needs: called while it is handled.
CambiStatus status_of_exception() noexcept;
// The text of the thread's last failure.
const char* last_error() noexcept;

// Runs the body of an entry point, which returns a CambiStatus or, if that is always CAMBI_OK, nothing.
template <typename Body>
CambiStatus guarded(Body&& body) noexcept {
  const ExactFloats exact;
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return CAMBI_OK;
    } else {
      return body();
    }
  } catch (...) {
    return status_of_exception();
  }
}

// Throws Error{kUsage} if an argument is null.
template <typename T>
T& needed(T* argument, const char* name) {
  if (argument == nullptr) throw usage_error("{} is null", name);
  return *argument;
}

// The same of a text.
inline std::string text_of(const char* argument, const char* name) {
  needed(argument, name);
  return argument;
}

// Throws Error{kUsage} for a size that no version of the struct has: it would cut a member in two.
template <typename T>
void check_size(const T& given) {
  if (given.size < sizeof(given.size) || given.size % alignof(T) != 0)
    throw usage_error("the size of a struct is {}, which it never was", given.size);
}

// A caller's struct of any version, with defaults for what the caller does not know; all of them for null.
template <typename T>
T sized(const T* given) {
  T all = {};
  if (given == nullptr) return all;
  check_size(*given);
  std::memcpy(&all, given, std::min(given->size, sizeof all));
  return all;
}

// Fills as much of a caller's struct as the caller knows.
template <typename T>
void fill_sized(T& place, T all) {
  check_size(place);
  all.size = place.size;
  std::memcpy(&place, &all, std::min(place.size, sizeof all));
}

// One evaluation as C sees it: pictures go in, scores can be read meanwhile.

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
  // One that is finished.
  explicit Run(ParsedReport read);

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
  // Texts of a scored frame, in their order. Elements stay where they are.
  struct Words {
    std::string name;
    std::deque<std::string> rows;
  };
  // The work that was settled with the first pair.
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
  double seconds_ = 0;
  bool is_over_ = false;      // no more rows will come
  bool is_complete_ = false;  // and none is missing
};

}  // namespace vq::c_api
