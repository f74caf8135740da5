#include "feature/host_extractor.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "core/exact_floats.h"
#include "core/frame_memory.h"
#include "core/ordered_frames.h"
#include "core/worker_pool.h"
#include "feature/luma_range.h"
#include "feature/stage_clock.h"

namespace vq {
namespace {

// Frames in flight: one for each thread, and for every second thread one that is ready when another is done.
size_t frames_in_flight(const Execution& execution) {
  const auto threads = static_cast<size_t>(thread_count(execution));
  return threads + threads / 2;
}

using Clock = std::chrono::steady_clock;

class HostExtractor final : public FeatureExtractor {
 public:
  HostExtractor(std::vector<HostPart> parts, const FrameNeeds& use, const VideoFormats& formats,
                const Execution& execution)
      : parts_(std::move(parts)),
        formats_(formats),
        execution_(execution),
        capacity_(frames_in_flight(execution)),
        times_(parts_.size()),
        jobs_(use) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    const ExactFloats exact;  // what follows from several frames is computed as they are delivered
    FrameJob& job = jobs_.add(frames);
    if (!job.repeats)
      job.done = execution_.pool->submit(std::packaged_task<void()>([this, &job] { score(job); }));
    // Waits here and not with the next frame in hand, which would be one more in memory.
    if (jobs_.size() >= capacity_) deliver_first(sink);
  }

  void finish(ScoreSink& sink) override {
    const ExactFloats exact;
    while (jobs_.size() > 0) deliver_first(sink);
  }

  BackendReport backend_report() const override {
    const std::lock_guard lock(mutex_);
    return {.backend = std::string(to_string(execution_.backend)),
            .simd = parts_.front().feature->simd(),
            .repeated_frames = jobs_.repeated_frames(),
            .host_stages = execution_.time_stages ? stage_times() : std::vector<StageTotal>(),
            .computed_frames = computed_.reported,
            .unreported_frames = computed_.unreported};
  }

 private:
  void deliver_first(ScoreSink& sink) {
    const StageTimer timer(execution_.clock, pace::kScoring);
    jobs_.deliver_first(sink);
  }

  void score(FrameJob& job) {
    std::vector<double> times;
    Checked checked;
    fetch(job.frames);
    for (const HostPart& part : parts_) {
      const bool wanted = job.frames.is_reported || part.every_frame;
      const TraceSpan span(part.name, job.frames.index);
      const auto start = Clock::now();
      if (wanted) check_luma(part.bounded_luma, job.frames, checked);
      job.results.push_back(wanted ? part.feature->score(job.frames) : FrameResult());
      times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    add(job.frames.is_reported, times);
    job.release_frames();
  }

  // Which videos of a frame were looked at: each once, when the first feature comes that needs it.
  struct Checked {
    bool distorted = false, reference = false;
  };
  void check_luma(BoundedLuma bounded, const FramePair& frames, Checked& checked) const {
    if (bounded == BoundedLuma::kBoth && !std::exchange(checked.distorted, true)) {
      require_luma_in_range(frames.distorted, formats_.distorted);
    }
    if (bounded != BoundedLuma::kNone && !std::exchange(checked.reference, true)) {
      require_luma_in_range(frames.reference.value(), formats_.reference.value());
    }
  }

  static void fetch(FramePair& frames) {
    frames.distorted = on_host(frames.distorted);
    if (frames.reference) frames.reference = on_host(*frames.reference);
    for (Frame& frame : frames.distorted_before) frame = on_host(frame);
    for (Frame& frame : frames.references_before) frame = on_host(frame);
  }

  void add(bool is_reported, const std::vector<double>& times) {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < times.size(); ++i) times_[i] += times[i];
    ++(is_reported ? computed_.reported : computed_.unreported);
  }

  // Needs: the lock.
  std::vector<StageTotal> stage_times() const {
    std::vector<StageTotal> all;
    for (size_t i = 0; i < parts_.size(); ++i) {
      std::vector<StageTotal> own = parts_[i].feature->stage_times();
      if (own.empty()) own.push_back({std::string(kWholeStage), times_[i]});
      for (const StageTotal& total : own) {
        add_stage_time(all, parts_.size() > 1 ? prefixed_stage(parts_[i].name, total.stage) : total.stage,
                       total.ms);
      }
    }
    return all;
  }

  const std::vector<HostPart> parts_;
  const VideoFormats formats_;
  const Execution execution_;
  const size_t capacity_;
  struct Computed {
    int64_t reported = 0, unreported = 0;
  };
  mutable std::mutex mutex_;
  std::vector<double> times_;  // of each part, ms
  Computed computed_;
  OrderedFrames jobs_;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_host_extractor(std::vector<HostPart> parts, const FrameNeeds& use,
                                                      const VideoFormats& formats,
                                                      const Execution& execution) {
  return std::make_unique<HostExtractor>(std::move(parts), use, formats, execution);
}

// Those in flight, and the one that was delivered last.
size_t host_results(const Execution& execution) {
  return frames_in_flight(execution) + 1;
}

}  // namespace vq
