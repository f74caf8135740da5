#include "feature/device_extractor.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "core/ordered_frames.h"
#include "core/worker_pool.h"
#include "feature/device_feature.h"

namespace vq {
namespace {

// Frames that are done but wait for one before them need no slot.
constexpr size_t kResultsPerSlot = 2;

// So many frames are begun before the host turns to finishing one, so that the device is done with it by then. Where the
// host has little to finish, one frame is being copied, one is with the device, and one keeps that from running dry. In a
// hybrid run with one thread a second frame keeps the device busy; several threads may all be waiting for theirs.
size_t frames_ahead(const Execution& execution) {
  return execution.backend == Backend::kHybrid && execution.pool->size() == 1 ? 1 : 3;
}

// How long a device may take for so many samples.
std::chrono::milliseconds device_timeout(int64_t samples) {
  // 10 s and 4 s for every million samples.
  return std::chrono::milliseconds(10'000 + samples / 250);
}

int64_t samples_of(const vulkan::DevicePicture& picture) {
  int64_t samples = 0;
  for (int i = 0; i < picture.count(); ++i) {
    samples += int64_t{picture.plane(i).layout.width} * picture.plane(i).layout.height;
  }
  return samples;
}

bool has_reference(const FrameUse& use, const InputFormats& formats) {
  return use.reference && formats.reference.has_value();
}

// The place of one frame in flight: its buffers and its recordings, used for one frame after another.
class FrameSlot {
 public:
  FrameSlot(const DeviceRun& run, const InputFormats& formats) : run_(run), name_(formats.distorted.name) {
    const std::shared_ptr<vulkan::Device>& device = run.context->device();
    distorted_ = std::make_unique<vulkan::DevicePicture>(device, formats.distorted, run.use.planes);
    if (has_reference(run.use, formats)) {
      reference_ = std::make_unique<vulkan::DevicePicture>(device, *formats.reference, run.use.planes);
    }
    for (const DevicePart& part : run.parts) {
      works_.push_back(part.feature->make_work({*distorted_, reference_.get()}));
    }
    const auto is_for_every_frame = [](const DevicePart& part) { return part.every_frame; };
    whole_ = record([](const DevicePart&) { return true; });
    if (std::any_of(run.parts.begin(), run.parts.end(), is_for_every_frame)) unreported_ = record(is_for_every_frame);
  }

  // Copies the job's pictures to the device and submits its work. On any thread. Throws Error.
  void start(const FrameJob& job) {
    bytes_uploaded_ = distorted_->upload(job.frames.distorted);
    if (reference_) bytes_uploaded_ += reference_->upload(job.frames.reference.value());
    list_of(job).submit();
  }

  // Waits for the device and lets the features do what is left. After start(), on any thread. Throws Error.
  void finish(FrameJob& job) {
    last_ = &list_of(job);
    try {
      const int64_t samples = samples_of(*distorted_) + (reference_ ? samples_of(*reference_) : 0);
      last_->wait(device_timeout(samples * static_cast<int64_t>(works_.size())));
    } catch (const Error& error) {
      throw at_frame(error, name_, job.frames.distorted.index);
    }
    bytes_read_ = 0;
    for (size_t i = 0; i < works_.size(); ++i) {
      const bool wanted = job.frames.is_reported || run_.parts[i].every_frame;
      job.results.push_back(wanted ? works_[i]->finish(job.frames) : FrameResult());
      if (wanted) bytes_read_ += works_[i]->bytes_read();
    }
    job.release_frames();
  }

  // Of the last frame.
  const std::vector<vulkan::StageTime>& times() const { return last_->times(); }
  int64_t bytes_uploaded() const { return bytes_uploaded_; }
  int64_t bytes_read() const { return bytes_read_; }

 private:
  template <typename Wanted>
  vulkan::CommandList record(Wanted wanted) const {
    vulkan::Recorder recorder(run_.context->device());
    recorder.begin_stage("upload");
    distorted_->record(recorder);
    if (reference_) reference_->record(recorder);
    for (size_t i = 0; i < works_.size(); ++i) {
      if (!wanted(run_.parts[i])) continue;
      if (works_.size() > 1) recorder.set_stage_prefix(run_.parts[i].name + ": ");
      works_[i]->record(recorder);
    }
    return recorder.finish();
  }

  vulkan::CommandList& list_of(const FrameJob& job) { return job.frames.is_reported ? whole_ : unreported_; }

  const DeviceRun& run_;
  const std::string name_;  // of the distorted video
  std::unique_ptr<vulkan::DevicePicture> distorted_, reference_;
  std::vector<std::unique_ptr<DeviceWork>> works_;
  vulkan::CommandList whole_, unreported_;
  vulkan::CommandList* last_ = nullptr;
  int64_t bytes_uploaded_ = 0, bytes_read_ = 0;
};

// As many as are wanted, or as the device can have buffers for; at least one.
std::vector<std::unique_ptr<FrameSlot>> make_slots(const DeviceRun& run, const InputFormats& formats, size_t wanted) {
  constexpr int64_t kSpare = 8;  // buffers that are there only while a slot is made
  const vulkan::Device& device = *run.context->device();
  std::vector<std::unique_ptr<FrameSlot>> slots;
  for (int64_t needed = 0; slots.empty() || (slots.size() < wanted && device.buffers_left() >= needed);) {
    const int64_t before = device.buffers_left();
    slots.push_back(std::make_unique<FrameSlot>(run, formats));
    needed = before - device.buffers_left() + kSpare;
  }
  return slots;
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
        jobs_(run_.use) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    while (jobs_.size() >= kResultsPerSlot * slots_.size()) deliver_first(sink);
    FrameJob& job = jobs_.add(frames);
    if (!job.repeats) {
      FrameSlot* const slot = free_.take();
      if (slot == nullptr) return finish(sink);  // throws what an earlier frame ended with
      started_.push_back({&job, slot});
      job.begun = execution_.pool->submit(std::packaged_task<void()>([slot, &job] { slot->start(job); }));
      hand_over(frames_ahead_);
    }
    while (jobs_.first_is_done()) jobs_.deliver_first(sink);
  }

  void finish(ScoreSink& sink) override {
    hand_over(0);
    while (jobs_.size() > 0) deliver_first(sink);
  }

  BackendReport backend_report() const override {
    const vulkan::DeviceInfo& device = run_.context->device()->info();
    BackendReport report = {.backend = std::string(to_string(execution_.backend)),
                            .simd = simd_of_host(),
                            .device = device.name,
                            .driver = device.driver,
                            .repeated_frames = jobs_.repeated_frames()};
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

  struct Started {
    FrameJob* job = nullptr;
    FrameSlot* slot = nullptr;
  };

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
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_device_extractor_on(DeviceRun run, const InputFormats& formats,
                                                           const Execution& execution) {
  return std::make_unique<DeviceExtractor>(std::move(run), formats, execution);
}

std::unique_ptr<FeatureExtractor> make_device_extractor(std::span<const FeatureRequest> features,
                                                        const InputFormats& formats, const Execution& execution) {
  std::vector<const FeatureInfo*> infos;
  for (const FeatureRequest& request : features) infos.push_back(request.info);
  DeviceRun run;
  run.context = std::make_shared<vulkan::Context>(vulkan::Device::open(
      {.selector = execution.device, .requirement = device_requirement(infos, execution.backend)}));
  run.use = frame_use(features);
  for (const FeatureRequest& request : features) {
    Execution own = execution;
    own.heatmaps = request.heatmaps;
    run.parts.push_back({request.info->device->make(request.options, formats, own, *run.context),
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
  if (has_reference(use, formats)) bytes += vulkan::DevicePicture::bytes(*formats.reference, use.planes);
  return bytes;
}

}  // namespace vq
