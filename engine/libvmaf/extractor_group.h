// An extractor that a context uses: what it is called, and what becomes of what it finds.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/frame.h"
#include "core/plane.h"
#include "engine/libvmaf/score_store.h"
#include "feature/feature.h"

namespace vq::libvmaf {

// A pair of pictures on its way through the extractors of a context.

class Registration;

struct PairJob {
  // The caller's number; the pair's own number counts pairs as they were read.
  unsigned index = 0;
  FramePair frames;
  std::vector<const Registration*> wanted;  // those that score it
  int64_t bytes = 0;
  // A negative errno, of what went wrong; 0: nothing.
  std::atomic<int> fault = 0;

  bool wants(const Registration* registration) const {
    return std::find(wanted.begin(), wanted.end(), registration) != wanted.end();
  }
};

// Raw heatmaps of a feature in files, as libvmaf writes those of CAMBI.

class HeatmapWriter {
 public:
  // Makes the folder if it is missing, and a file for each scale: its frames one behind the other, samples of
  // 16 bits with the lower byte first. Throws Error{kOutput}.
  HeatmapWriter(const std::string& folder, std::string_view feature, std::span<const HeatmapInfo> infos);

  // A frame's maps, one for each scale. After a failure, which is logged, nothing more is written.
  void write(std::span<const Plane<uint16_t>> maps);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct File {
    std::string path;
    std::unique_ptr<std::FILE, Close> file;
  };
  std::vector<File> files_;
};

// The feature that an extractor of this name is; null if there is none.
const FeatureInfo* find_extractor(const std::string& name);

// Receives the scores of frames.
class ScoreReceiver {
 public:
  virtual ~ScoreReceiver() = default;
  // If a frame has a score of this name, the first counts.
  virtual void receive(const std::string& name, ScoreOrder order, unsigned index, double value) = 0;
  virtual bool has(const std::string& name, unsigned index) const = 0;
  // A frame could not be scored by all, or nothing can be scored any more: a negative errno.
  enum class Extent { kFrame, kAll };
  virtual void fail(int fault, Extent extent) noexcept = 0;
};

class Registration {
 public:
  explicit Registration(FeatureRequest request);

  // Equal keys are one registration.
  const std::string& key() const { return key_; }
  const FeatureRequest& request() const { return request_; }

  // Settles, once, what depends on the pictures, and finds out whether it can score them.
  void prepare(const VideoFormats& formats);
  bool is_prepared() const { return is_prepared_; }
  // Why it cannot; empty: it can. The next need that it is prepared.
  const std::string& refusal() const { return refusal_; }
  // Whether it looks at all frames that are read, and not at those alone that count.
  bool looks_at_every_frame() const;
  // Whether it remembers frames on its own: the reference runs such extractors before others if it has
  // threads, so that their scores come first in reports.
  bool is_sequential() const { return looks_at_every_frame() && sequence_ == nullptr; }
  // Whether it cannot score a frame behind the first without one that was read before.
  bool needs_previous() const;
  // The names of its scores, and their order in reports.
  const std::vector<std::pair<std::string, ScoreOrder>>& scores() const { return scores_; }

  // Takes the results of a frame, in the order in which frames were read. A frame that it already has is left
  // out.
  void take(unsigned index, const FrameResult& result, ScoreReceiver& receiver);
  // No more frames will come.
  void finish(ScoreReceiver& receiver);
  // Figures of all frames.
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
  std::map<unsigned, FrameResult> ahead_;    // that the sequence has not had yet, as one before is missing
  unsigned next_ = 0;                        // that the sequence wants
  unsigned complete_ = 0;                    // whose values it has given
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
  // Scores of a frame are delivered then or later, in the order of frames. If a frame cannot be scored by
  // all, it is by those that can, and has a fault. If a device is lost, the CPU goes on. If nothing can score
  // any more, such as for want of memory, that and every later frame has a fault. Throw nothing.
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
  // The frames before as far as the members need them; on the host unless the backend is a device's. Throws
  // Error{kBackend}.
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

// How many frames may wait. Some do, whatever their size.
struct QueueLimits {
  size_t frames = 4;
  int64_t bytes = int64_t{1} << 30;
};

class FrameWorker {
 public:
  // Called on the worker's thread with a frame, and with null to bring all that is under way to an end.
  // Throws nothing.
  using Step = std::function<void(const std::shared_ptr<PairJob>& job)>;
  // Throws std::system_error if there is no thread to be had.
  FrameWorker(Step step, const QueueLimits& limits);
  // Drops what waits.
  ~FrameWorker();
  FrameWorker(const FrameWorker&) = delete;
  FrameWorker& operator=(const FrameWorker&) = delete;

  // Blocks while too many wait.
  void add(std::shared_ptr<PairJob> job);
  // Waits until the condition holds, or all frames that were added are done. It is asked after each.
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
  int64_t bytes_ = 0;  // of the queue
  int waiting_ = 0;    // threads
  bool is_busy_ = false;
  bool has_begun_ = false;  // frames that may not be done
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace vq::libvmaf
