#include "feature/cambi/device_extractor.h"

#include <condition_variable>
#include <mutex>

#include "core/worker_pool.h"

namespace vq::cambi {
namespace {

// Frames that are done but wait for one before them need no slot.
constexpr size_t kJobsPerSlot = 2;

// The slots that no frame is in, and what all frames took together. Tasks of the pool give slots back.
class FreeSlots {
 public:
  explicit FreeSlots(const std::vector<std::unique_ptr<FrameSlot>>& all) {
    for (const auto& slot : all) free_.push_back(slot.get());
  }

  // Waits for one. None once a frame failed: the device may still be using its slot.
  FrameSlot* take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lost_ || !free_.empty(); });
    if (lost_) return nullptr;
    FrameSlot* const slot = free_.front();
    free_.pop_front();
    return slot;
  }

  void give_back(FrameSlot& slot) {
    const std::lock_guard lock(mutex_);
    for (const vulkan::StageTime& time : slot.times()) add_stage_time(totals_, time.stage, time.milliseconds);
    uploaded_ += slot.bytes_uploaded();
    read_ += slot.bytes_read();
    free_.push_back(&slot);
    changed_.notify_one();
  }

  void lose() {
    const std::lock_guard lock(mutex_);
    lost_ = true;
    changed_.notify_one();
  }

  void fill(BackendReport& report) const {
    const std::lock_guard lock(mutex_);
    report.stages = totals_;
    report.bytes_uploaded = uploaded_;
    report.bytes_read = read_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FrameSlot*> free_;
  bool lost_ = false;
  std::vector<StageTotal> totals_;
  int64_t uploaded_ = 0, read_ = 0;
};

class DeviceExtractor final : public FeatureExtractor {
 public:
  DeviceExtractor(DeviceRun run, std::vector<std::unique_ptr<FrameSlot>> slots)
      : run_(std::move(run)), slots_(std::move(slots)), free_(slots_), jobs_(run_.scores_reference) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    while (jobs_.size() >= kJobsPerSlot * slots_.size()) deliver_first(sink);
    FrameJob& job = jobs_.add(frames);
    if (!job.repeats) {
      FrameSlot* const slot = free_.take();
      if (slot == nullptr) return finish(sink);  // throws what an earlier frame ended with
      started_.push_back({&job, slot});
      job.begun = run_.pool->submit(std::packaged_task<void()>([slot, &job] { slot->start(job); }));
      hand_over(run_.frames_ahead);
    }
    while (jobs_.first_is_done()) jobs_.deliver_first(sink);
  }

  void finish(ScoreSink& sink) override {
    hand_over(0);
    while (jobs_.size() > 0) deliver_first(sink);
  }

  BackendReport backend_report() const override {
    BackendReport report = run_.report;
    report.repeated_frames = jobs_.repeated_frames();
    free_.fill(report);
    return report;
  }

 private:
  struct Started {
    FrameJob* job = nullptr;
    FrameSlot* slot = nullptr;
  };

  // Lets the pool finish all but the last `keep` frames.
  void hand_over(size_t keep) {
    while (started_.size() > keep) {
      const Started frame = started_.front();
      started_.pop_front();
      frame.job->done = run_.pool->submit(std::packaged_task<void()>([this, frame] { end(frame); }));
    }
  }

  // The pool takes tasks in order, so the frame's beginning has a thread by now and waits for none.
  void end(const Started& frame) {
    try {
      begin_is_over(frame);
      frame.slot->finish(*frame.job);
    } catch (...) {
      free_.lose();
      throw;
    }
    free_.give_back(*frame.slot);
  }

  void begin_is_over(const Started& frame) const {
    try {
      frame.job->begun.get();
    } catch (const Error& error) {
      throw at_frame(error, run_.video, frame.job->frames.index);
    }
  }

  void deliver_first(ScoreSink& sink) {
    if (!jobs_.first().repeats && !jobs_.first().done.valid()) hand_over(0);
    jobs_.deliver_first(sink);
  }

  DeviceRun run_;
  std::vector<std::unique_ptr<FrameSlot>> slots_;
  FreeSlots free_;
  std::deque<Started> started_;  // not yet handed to the pool
  FrameJobs jobs_;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_device_extractor(DeviceRun run,
                                                        std::vector<std::unique_ptr<FrameSlot>> slots) {
  return std::make_unique<DeviceExtractor>(std::move(run), std::move(slots));
}

int64_t heatmap_bytes(const CambiPlan& plan, size_t slots) {
  int64_t frame = 0;
  for (const ScalePlan& scale : plan.scales) frame += int64_t{2} * scale.width * scale.height;
  return static_cast<int64_t>(kJobsPerSlot * slots) * frame;
}

std::chrono::milliseconds device_timeout(int64_t samples) {
  // 10 s and 2 s for every million samples.
  return std::chrono::milliseconds(10'000 + samples / 500);
}

}  // namespace vq::cambi
