#include "feature/device_extractor.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "core/worker_pool.h"
#include "feature/frame_slot.h"
#include "vulkan/frame_store.h"

namespace vq {
namespace {

// Frames that are done but wait for one before them need no slot.
constexpr size_t kResultsPerSlot = 2;

// More than decoders of the largest pictures hold, for whom it is meant; those that hold less take less.
constexpr int64_t kMostStoredBytes = int64_t{8} << 30;

// So many frames are begun before the host turns to finishing one, so that the device is done with it by then. Where the
// host has little to finish, one frame is being copied, two are with the device, where stages of one fill what those of
// the other leave free, and one keeps that from running dry. In a hybrid run with one thread a second frame keeps the
// device busy; several threads may all be waiting for theirs.
size_t frames_ahead(const Execution& execution) {
  return execution.backend == Backend::kHybrid && execution.pool->size() == 1 ? 1 : 4;
}

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

  void give_back(FrameSlot& slot, bool is_reported) {
    const std::lock_guard lock(mutex_);
    for (const vulkan::StageTime& time : slot.times()) add_stage_time(totals_, time.stage, time.milliseconds);
    uploaded_ += slot.bytes_uploaded();
    read_ += slot.bytes_read();
    ++(is_reported ? computed_ : unreported_);
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
    report.computed_frames = computed_;
    report.unreported_frames = unreported_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FrameSlot*> free_;
  bool lost_ = false;
  std::vector<StageTotal> totals_;
  int64_t uploaded_ = 0, read_ = 0;
  int64_t computed_ = 0, unreported_ = 0;  // frames
};

// Frames are begun and finished by the pool's threads.
class DeviceExtractor final : public FeatureExtractor {
 public:
  DeviceExtractor(DeviceRun run, const InputFormats& formats, const Execution& execution)
      : run_(std::move(run)),
        execution_(execution),
        name_(formats.distorted.name),
        slots_(make_slots(run_, formats, device_slots(execution))),
        frames_ahead_(std::min(frames_ahead(execution), slots_.size() - 1)),
        free_(slots_),
        jobs_(run_.use),
        store_(vulkan::make_frame_store(run_.context->device(), kMostStoredBytes)) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    while (jobs_.size() >= kResultsPerSlot * slots_.size()) deliver_first(sink);
    FrameJob& job = jobs_.add(frames);
    if (!job.repeats) {
      FrameSlot* const slot = free_.take();
      if (slot == nullptr) return finish(sink);  // throws what an earlier frame ended with
      started_.push_back({&job, slot});
      begin(*slot, job);
      hand_over(frames_ahead_);
    }
    while (jobs_.first_is_done()) jobs_.deliver_first(sink);
  }

  void finish(ScoreSink& sink) override {
    hand_over(0);
    while (jobs_.size() > 0) deliver_first(sink);
  }

  std::shared_ptr<FrameStore> frame_store() const override { return store_; }

  BackendReport backend_report() const override {
    const vulkan::DeviceInfo& device = run_.context->device()->info();
    BackendReport report = {.backend = std::string(to_string(execution_.backend)),
                            .simd = simd_of_host(),
                            .device = device.name,
                            .driver = device.driver,
                            .repeated_frames = jobs_.repeated_frames(),
                            .host_stages = host_stages()};
    free_.fill(report);
    return report;
  }

 private:
  // Of those features that leave something to the host.
  std::string simd_of_host() const {
    std::string simd = "scalar";
    for (const DevicePart& part : run_.parts) {
      if (part.feature->simd() != "scalar") simd = part.feature->simd();
    }
    return simd;
  }

  std::vector<StageTotal> host_stages() const {
    std::vector<StageTotal> all;
    for (const DevicePart& part : run_.parts) {
      for (const StageTotal& total : part.feature->host_stage_times()) {
        add_stage_time(all, run_.parts.size() > 1 ? prefixed_stage(part.name, total.stage) : total.stage, total.ms);
      }
    }
    return all;
  }

  struct Started {
    FrameJob* job = nullptr;
    FrameSlot* slot = nullptr;
  };

  // Where samples have to be copied, a thread of the pool does that.
  void begin(FrameSlot& slot, FrameJob& job) {
    std::packaged_task<void()> start([&slot, &job] { slot.start(job); });
    if (!slot.starts_at_once(job)) {
      job.begun = execution_.pool->submit(std::move(start));
      return;
    }
    job.begun = start.get_future();
    start();
  }

  // Lets the pool finish all but the last `keep` frames.
  void hand_over(size_t keep) {
    while (started_.size() > keep) {
      const Started frame = started_.front();
      started_.pop_front();
      frame.job->done = execution_.pool->submit(std::packaged_task<void()>([this, frame] { end(frame); }));
    }
  }

  // The pool takes tasks in order, so the frame's beginning has a thread by now and waits for none.
  void end(const Started& frame) {
    const bool is_reported = frame.job->frames.is_reported;
    try {
      begin_is_over(frame);
      frame.slot->finish(*frame.job);
    } catch (...) {
      free_.lose();
      throw;
    }
    free_.give_back(*frame.slot, is_reported);
  }

  void begin_is_over(const Started& frame) const {
    try {
      frame.job->begun.get();
    } catch (const Error& error) {
      throw at_frame(error, name_, frame.job->frames.index);
    }
  }

  void deliver_first(ScoreSink& sink) {
    if (!jobs_.first().repeats && !jobs_.first().done.valid()) hand_over(0);
    jobs_.deliver_first(sink);
  }

  const DeviceRun run_;
  const Execution execution_;
  const std::string name_;  // of the distorted video
  const std::vector<std::unique_ptr<FrameSlot>> slots_;
  const size_t frames_ahead_;
  FreeSlots free_;
  std::deque<Started> started_;  // not yet handed to the pool
  OrderedFrames jobs_;
  const std::shared_ptr<FrameStore> store_;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_device_extractor_on(DeviceRun run, const InputFormats& formats,
                                                           const Execution& execution) {
  return std::make_unique<DeviceExtractor>(std::move(run), formats, execution);
}

std::unique_ptr<FeatureExtractor> make_device_extractor(std::span<const FeatureRequest> features,
                                                        const InputFormats& formats, const Execution& execution) {
  DeviceRun run;
  run.context = std::make_shared<vulkan::Context>(vulkan::Device::open(
      {.selector = execution.device, .requirement = device_requirement(infos_of(features), execution.backend)}));
  run.use = frame_use(features);
  for (const FeatureRequest& request : features) {
    run.parts.push_back({request.info->device->make(request.options, formats, execution_of(request, execution), *run.context),
                         request.info->metric_names(request.options).front(), needs_every_frame(request)});
  }
  return make_device_extractor_on(std::move(run), formats, execution);
}

// One for each frame a thread may be finishing beside those ahead; where there is little to finish, one such.
size_t device_slots(const Execution& execution) {
  const bool hybrid = execution.backend == Backend::kHybrid;
  return (hybrid ? static_cast<size_t>(execution.pool->size()) : 1) + frames_ahead(execution);
}

size_t device_results(const Execution& execution) {
  return kResultsPerSlot * device_slots(execution);
}

int64_t upload_bytes(const FrameUse& use, const InputFormats& formats) {
  int64_t bytes = vulkan::DevicePicture::bytes(formats.distorted, use.planes);
  if (uploads_reference(use, formats)) bytes += vulkan::DevicePicture::bytes(*formats.reference, use.planes);
  return bytes;
}

}  // namespace vq
