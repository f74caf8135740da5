#include "feature/cambi_device_extractor.h"

#include <algorithm>

#include "core/worker_pool.h"

namespace vq::cambi {
namespace {

// Frames the device has, beside those the host is finishing.
constexpr size_t kFramesAhead = 2;

class DeviceExtractor final : public FeatureExtractor {
 public:
  DeviceExtractor(DeviceRun run, std::vector<std::unique_ptr<FrameSlot>> slots)
      : run_(std::move(run)), slots_(std::move(slots)), jobs_(run_.scores_reference) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    if (jobs_.size() == slots_.size()) deliver_first(sink);
    FrameJob& job = jobs_.add(frames);
    if (job.repeats) return;
    FrameSlot& slot = *slots_[next_slot_];
    next_slot_ = (next_slot_ + 1) % slots_.size();
    try {
      slot.start(job);
      started_.push_back({&job, &slot});
    } catch (const Error& error) {
      fail(job, at_frame(error, run_.video, job.frames.index));
    }
    // Where tasks run inside submit(), the device gets the next frame before the host turns to the last.
    hand_over(run_.pool->size() == 1 ? 1 : 0);
  }

  void finish(ScoreSink& sink) override {
    hand_over(0);
    while (jobs_.size() > 0) deliver_first(sink);
  }

  BackendReport backend_report() const override {
    BackendReport report = run_.report;
    report.repeated_frames = jobs_.repeated_frames();
    return report;
  }

 private:
  struct Started {
    FrameJob* job = nullptr;
    FrameSlot* slot = nullptr;
  };

  static void fail(FrameJob& job, const Error& error) {
    std::promise<void> broken;
    broken.set_exception(std::make_exception_ptr(error));
    job.done = broken.get_future();
  }

  // Lets the pool finish all but the last `keep` frames that were started.
  void hand_over(size_t keep) {
    while (started_.size() > keep) {
      const Started next = started_.front();
      started_.pop_front();
      next.job->done =
          run_.pool->submit(std::packaged_task<void()>([next] { next.slot->finish(*next.job); }));
    }
  }

  void deliver_first(ScoreSink& sink) {
    const bool repeats = jobs_.first().repeats;
    if (!repeats && !jobs_.first().done.valid()) hand_over(0);
    jobs_.deliver_first(sink);
    if (repeats) return;
    const FrameSlot& slot = *slots_[first_slot_];
    first_slot_ = (first_slot_ + 1) % slots_.size();
    add_times(slot.times());
    run_.report.bytes_uploaded += slot.bytes_uploaded();
    run_.report.bytes_read += slot.bytes_read();
  }

  void add_times(const std::vector<vulkan::StageTime>& times) {
    std::vector<StageTotal>& totals = run_.report.stages;
    for (const vulkan::StageTime& time : times) {
      const auto same = std::find_if(totals.begin(), totals.end(),
                                     [&](const StageTotal& total) { return total.stage == time.stage; });
      if (same == totals.end()) {
        totals.push_back({time.stage, time.milliseconds});
      } else {
        same->gpu_ms += time.milliseconds;
      }
    }
  }

  DeviceRun run_;
  std::vector<std::unique_ptr<FrameSlot>> slots_;  // taken in turns
  size_t next_slot_ = 0, first_slot_ = 0;          // of the next job, of the first in jobs_
  std::deque<Started> started_;                    // not yet handed to the pool
  FrameJobs jobs_;
};

}  // namespace

size_t slots_for(const WorkerPool& pool) {
  return pool.size() == 1 ? kFramesAhead : static_cast<size_t>(pool.size()) + kFramesAhead;
}

std::unique_ptr<FeatureExtractor> make_device_extractor(DeviceRun run,
                                                        std::vector<std::unique_ptr<FrameSlot>> slots) {
  return std::make_unique<DeviceExtractor>(std::move(run), std::move(slots));
}

std::chrono::milliseconds device_timeout(int64_t samples) {
  // 10 s and 2 s for every million samples.
  return std::chrono::milliseconds(10'000 + samples / 500);
}

}  // namespace vq::cambi
