// The extractors that a context uses: their names, how frames pass through them, and where their scores go.
#pragma once

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <thread>

#include "core/frame.h"
#include "core/plane.h"
#include "core/text.h"
#include "engine/libvmaf/score_store.h"
#include "feature/feature.h"

namespace vq::libvmaf {

// A pair of pictures on its way through the extractors of a context.

class Registration;

struct PairJob {
  // The caller's number of the frame. The number in `frames` counts pairs in the order in which they were
  // read.
  unsigned index = 0;
  FramePair frames;
  std::vector<const Registration*> wanted;  // the extractors that are to score it
  int64_t bytes = 0;
  // A negative errno if something went wrong, else 0.
  std::atomic<int> fault = 0;

  bool wants(const Registration* registration) const { return contains(wanted, registration); }
};

// Raw heatmaps of a feature in files, as libvmaf writes those of CAMBI.

class HeatmapWriter {
 public:
  // Makes the folder if it is missing, and a file for each scale. A file has the frames one behind the other,
  // in samples of 16 bits with the lower byte first. Throws Error{kOutput}.
  HeatmapWriter(const std::string& folder, std::string_view feature, std::span<const HeatmapInfo> infos);

  // Writes a frame's maps, one for each scale. A failure is logged, and after it nothing more is written.
  void write(std::span<const Plane<uint16_t>> maps);

 private:
  struct File {
    std::string path;
    std::ofstream file;
  };
  std::vector<File> files_;
};

// The feature that is libvmaf's extractor of this name; null if there is none.
const FeatureInfo* find_extractor(const std::string& name);

// Receives the scores of frames.
class ScoreReceiver {
 public:
  virtual ~ScoreReceiver() = default;
  // Takes a score. If the frame has a score of this name already, that one stays.
  virtual void receive(const std::string& name, ScoreOrder order, unsigned index, double value) = 0;
  virtual bool has(const std::string& name, unsigned index) const = 0;
  // Takes a negative errno if some extractor could not score a frame (kFrame), or if nothing can be scored
  // any more (kAll).
  enum class Extent { kFrame, kAll };
  virtual void fail(int fault, Extent extent) noexcept = 0;
};

// An extractor that a context uses.
class Registration {
 public:
  explicit Registration(FeatureRequest request);

  // Two extractors with the same key are the same.
  const std::string& key() const { return key_; }
  const FeatureRequest& request() const { return request_; }

  // Settles what depends on the pictures, and finds out whether the extractor can score them. Does so only
  // once.
  void prepare(const VideoFormats& formats);
  bool is_prepared() const { return is_prepared_; }
  // This and the functions below need prepare().

  // Why it cannot score these pictures; empty if it can.
  const std::string& refusal() const { return refusal_; }
  // Whether it looks at all frames that are read, not only at those that count.
  bool looks_at_every_frame() const;
  // Whether it remembers frames by itself. The reference runs such extractors before the others if it has
  // threads, so their scores come first in reports.
  bool is_sequential() const { return looks_at_every_frame() && sequence_ == nullptr; }
  // Whether it needs the frame that was read before to score any frame but the first.
  bool needs_previous() const;
  // The names of its scores, and their order in reports.
  const std::vector<std::pair<std::string, ScoreOrder>>& scores() const { return scores_; }

  // Takes the results of a frame, in the order in which frames were read. If it has the frame already, it
  // does nothing.
  void take(unsigned index, const FrameResult& result, ScoreReceiver& receiver);
  // To be called when no more frames come.
  void finish(ScoreReceiver& receiver);
  // Statistics over all frames.
  std::vector<std::pair<std::string, double>> aggregates() const;

 private:
  void complete(const std::vector<FrameValues>& frames, ScoreReceiver& receiver);

  FeatureRequest request_;
  const std::string key_;
  VideoFormats formats_;
  bool is_prepared_ = false;
  std::string refusal_;
  std::vector<std::pair<std::string, ScoreOrder>> scores_;
  std::unique_ptr<HeatmapWriter> heatmaps_;  // null if none were asked for
  std::unique_ptr<FrameSequence> sequence_;  // null if each frame stands for itself
  std::map<unsigned, FrameResult> ahead_;    // results for the sequence that wait for an earlier frame
  unsigned next_ = 0;                        // the frame that the sequence takes next
  unsigned complete_ = 0;                    // number of frames whose values the sequence has given
  std::vector<double> totals_;
};

// Extractors that score frames together.

class ExtractorGroup final : private ScoreSink {
 public:
  // Needs: a member; all are prepared and refuse nothing; the receiver outlives this. Throws as
  // make_extractor().
  ExtractorGroup(std::vector<std::shared_ptr<Registration>> members, const VideoFormats& formats,
                 const Execution& execution, ScoreReceiver& receiver);

  // Whether one of them scores the frame.
  bool is_wanted(const PairJob& job) const;
  // These score frames, and deliver the scores then or later, in the order of frames. If some members cannot
  // score a frame, the others do, and the frame has a fault. If a device is lost, the CPU goes on. If nothing
  // can score any more, for example because memory is missing, this frame and every later one has a fault.
  // Throw nothing.
  void push(const std::shared_ptr<PairJob>& job) noexcept;
  void finish() noexcept;

  BackendReport backend_report() const;

 private:
  void scored(const FrameScores& scores) override;
  std::unique_ptr<FeatureExtractor> make();
  template <typename Step>
  void attempt(Step step) noexcept;
  void recover();
  void score_apart(PairJob& job);
  void take(size_t member, PairJob& job, const FrameResult& result);
  void fail(PairJob& job, int fault) noexcept;
  // The pair, with those frames before it that the members need. They are on the host unless the backend is a
  // device's. Throws Error{kBackend}.
  FramePair frames_for(const PairJob& job, Backend backend) const;

  const std::vector<std::shared_ptr<Registration>> members_;
  std::vector<FeatureRequest> requests_;
  const FrameNeeds needs_;
  const VideoFormats formats_;
  Execution execution_;
  ScoreReceiver& receiver_;
  std::unique_ptr<FeatureExtractor> extractor_;
  std::deque<std::shared_ptr<PairJob>> pending_;  // pushed and not delivered
  int fault_ = 0;                                 // why there is no extractor; 0: there is one
};

// The thread that scores frames while the caller reads the next.

// How many frames may wait. A few may, whatever their size.
struct QueueLimits {
  size_t frames = 4;
  int64_t bytes = int64_t{1} << 30;
};

class FrameWorker {
 public:
  // Is called on the worker's thread with a frame, and with null to finish all frames under way. Throws
  // nothing.
  using Step = std::function<void(const std::shared_ptr<PairJob>& job)>;
  // Throws std::system_error if there is no thread to be had.
  FrameWorker(Step step, const QueueLimits& limits);
  // Drops the frames that wait.
  ~FrameWorker();
  FrameWorker& operator=(FrameWorker&&) = delete;

  // Adds a frame. Blocks while too many frames wait.
  void add(std::shared_ptr<PairJob> job);
  // Waits until the condition holds, which is asked after each frame, or until all frames that were added are
  // done.
  void wait(const std::function<bool()>& condition);
  void wait_for_all() {
    wait([] { return false; });
  }

 private:
  void work();
  bool is_full() const;
  bool is_idle() const { return queue_.empty() && !is_busy_ && !has_begun_; }

  const Step step_;
  const QueueLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<PairJob>> queue_;
  int64_t bytes_ = 0;  // of the frames in the queue
  int waiting_ = 0;    // number of threads in wait()
  bool is_busy_ = false;
  bool has_begun_ = false;  // there may be frames that are begun and not finished
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace vq::libvmaf
