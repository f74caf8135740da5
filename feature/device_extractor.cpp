#include "feature/extractor.h"

#include "core/elementary.h"
#include "core/text.h"
#include "core/trace.h"
#include "feature/fitting/fitting.h"
#include "feature/simd_targets.h"
#include "feature/slot_pool.h"
#include "vulkan/recorder.h"

namespace vq {
namespace {

// Frames that are done but wait for one before them, or for the host alone, need no slot.
constexpr size_t kResultsPerSlot = 2;

// More than decoders of the largest pictures hold, for whom it is meant; those that hold less take less.
constexpr int64_t kMostStoredBytes = int64_t{8} << 30;

// Number of frames to begin before the host finishes one, so that the device has finished it by then. If the
// host has little to finish, one frame is being copied, two are with the device, where stages of one fill
// what those of the other leave free, and one keeps that from running dry. In a hybrid run with one thread a
// second frame keeps the device busy; several threads may all be waiting for theirs.
size_t frames_ahead(const Execution& execution) {
  return execution.backend == Backend::kHybrid && thread_count(execution) == 1 ? 1 : 4;
}

// One for each frame a thread may be finishing beside those ahead; if there is little to finish, one such.
size_t slots_each(const Execution& execution) {
  const bool hybrid = execution.backend == Backend::kHybrid;
  return (hybrid ? static_cast<size_t>(thread_count(execution)) : 1) + frames_ahead(execution);
}

// Each thread may have the rest of a frame.
size_t results_of(const Execution& execution, size_t devices) {
  return kResultsPerSlot * slots_each(execution) * devices + static_cast<size_t>(thread_count(execution));
}

// The maximum number of frames that wait for a device while later frames begin on another one: devices that
// decode take turns, and each scores what it decoded. The pictures of these frames take at most an eighth of
// the device's memory.
size_t waiting_each(const std::vector<DeviceRun>& runs, const VideoFormats& formats,
                    const Execution& execution) {
  constexpr int64_t kMost = 288, kMemoryShare = 8;
  if (runs.size() < 2 || execution.heatmaps) return 0;
  const int64_t bytes = std::max<int64_t>(1, upload_bytes(runs.front().use, formats));
  int64_t most = kMost;
  for (const DeviceRun& run : runs)
    most = std::min(most, run.context->device()->info().memory_bytes / kMemoryShare / bytes);
  return static_cast<size_t>(most);
}

// Takes memory of one device after another, so that decoded frames are spread over all.
class StoresInTurn final : public FrameStore {
 public:
  explicit StoresInTurn(std::vector<std::shared_ptr<FrameStore>> stores) : stores_(std::move(stores)) {}

  std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) override {
    for (size_t tried = 0; tried < stores_.size(); ++tried) {
      if (auto taken = stores_[next_++ % stores_.size()]->take(bytes)) return taken;
    }
    return nullptr;
  }

 private:
  const std::vector<std::shared_ptr<FrameStore>> stores_;
  std::atomic<size_t> next_ = 0;
};

// Null if memory makes no difference.
std::shared_ptr<FrameStore> make_store(const std::vector<DeviceRun>& runs) {
  std::vector<std::shared_ptr<FrameStore>> stores;
  for (const DeviceRun& run : runs) {
    auto store =
        vulkan::make_frame_store(run.context->device(), kMostStoredBytes / static_cast<int64_t>(runs.size()));
    if (store != nullptr) stores.push_back(std::move(store));
  }
  if (stores.empty()) return nullptr;
  return stores.size() == 1 ? stores.front() : std::make_shared<StoresInTurn>(std::move(stores));
}

// Frames are begun and finished by the pool's threads.
class DeviceExtractor final : public FeatureExtractor {
 public:
  DeviceExtractor(std::vector<DeviceRun> runs, const VideoFormats& formats, const Execution& execution)
      : execution_(execution),
        name_(formats.distorted.name),
        slots_(std::move(runs), formats, slots_each(execution), execution.clock),
        started_(slots_.runs().size()),
        waiting_(slots_.runs().size()),
        most_waiting_(waiting_each(slots_.runs(), formats, execution)),
        most_results_(results_of(execution, slots_.runs().size()) + most_waiting_ * slots_.runs().size()),
        jobs_(slots_.runs().front().use),
        store_(make_store(slots_.runs())) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    const ExactFloats
        exact;  // frames begin here, and what follows from several is computed as they are delivered
    while (jobs_.size() >= most_results_) deliver_first(sink);
    FrameJob& job = jobs_.add(frames);
    const bool is_looked_at = frames.is_reported || slots_.runs().front().looks_at_every_frame();
    if (!job.repeats && !is_looked_at) {
      pass_by(job);
    } else if (!job.repeats) {
      place(job);
      if (slots_.failure()) return finish(sink);  // throws what a frame ended with
    }
    // Nobody who waits for the first score is to wait for more frames.
    if (std::exchange(is_first_, false)) deliver_first(sink);
    while (jobs_.first_is_done()) jobs_.deliver_first(sink);
  }

  void finish(ScoreSink& sink) override {
    const ExactFloats exact;
    start_all();
    for (size_t device = 0; device < started_.size(); ++device) hand_over(device, 0);
    while (jobs_.size() > 0) deliver_first(sink);
  }

  std::shared_ptr<FrameStore> frame_store() const override { return store_; }

  BackendReport backend_report() const override {
    BackendReport report = {.backend = std::string(to_string(execution_.backend)),
                            .simd = simd_of_host(),
                            .device = device_names(),
                            .driver = each_once([](const vulkan::Device& on) { return on.info().driver; }),
                            .certificate = each_once(kept_certificate),
                            .repeated_frames = jobs_.repeated_frames(),
                            .host_stages = host_stages()};
    std::vector<std::string> on_host;
    for (const DeviceRun& run : slots_.runs()) {
      for (const DevicePart& part : run.parts) {
        if (part.feature->leaves_frames() && std::ranges::count(on_host, part.feature_name) == 0)
          on_host.emplace_back(part.feature_name);
      }
    }
    report.on_host = join(on_host, ", ");
    slots_.fill(report);
    return report;
  }

 private:
  // Names of every device, even if they are of one kind.
  std::string device_names() const {
    return join(slots_.runs(), ", ", [](const DeviceRun& run) { return run.context->device()->info().name; });
  }

  // What the devices have, in their order.
  template <typename Function>
  std::string each_once(Function text_of) const {
    std::vector<std::string> seen;
    for (const DeviceRun& run : slots_.runs()) {
      std::string text = text_of(*run.context->device());
      if (!text.empty() && !contains(seen, text)) seen.push_back(std::move(text));
    }
    return join(seen, ", ");
  }

  // The instruction set, if a feature leaves something to the host.
  std::string simd_of_host() const {
    const bool any = std::ranges::any_of(
        slots_.runs().front().parts, [](const DevicePart& part) { return part.feature->has_host_part(); });
    return any ? host_simd(execution_) : "scalar";
  }

  std::vector<StageTotal> host_stages() const {
    std::vector<StageTotal> all;
    for (const DeviceRun& run : slots_.runs()) {
      for (const DevicePart& part : run.parts) {
        for (const StageTotal& total : part.feature->host_stage_times()) {
          add_stage_time(all, run.parts.size() > 1 ? prefixed_stage(part.name, total.stage) : total.stage,
                         total.ms);
        }
      }
    }
    return all;
  }

  // Passes on a frame that is there for features on the host.
  void pass_by(FrameJob& job) const {
    job.results.resize(slots_.runs().front().parts.size());
    job.release_frames();
    std::promise<void> done;
    done.set_value();
    job.done = done.get_future();
  }

  struct Started {
    FrameJob* job = nullptr;
    TakenSlot slot;
  };

  // Starts the job, or lets it wait for its device; and those that wait for a device which has room by now.
  void place(FrameJob& job) {
    const std::optional<size_t> only =
        most_waiting_ > 0 ? slots_.only_device(job.frames) : std::optional<size_t>();
    if (!only) {
      start_all();  // the frames of a device begin in order
      return start(job);
    }
    waiting_[*only].push_back(&job);
    fetch_from_elsewhere(job.frames, *only);
    for (size_t device = 0; device < waiting_.size(); ++device) {
      while (!waiting_[device].empty() &&
             (slots_.has_room(device) || waiting_[device].size() > most_waiting_)) {
        start_next(device);
      }
    }
  }

  // Where a turn of one device ends, frames of the next need those before. They take long to come, behind the
  // other device's work, and would hold a slot meanwhile.
  void fetch_from_elsewhere(const FramePair& pair, size_t device) {
    for (const std::vector<Frame>* before : {&pair.distorted_before, &pair.references_before}) {
      for (const Frame& frame : *before) {
        if (!slots_.is_elsewhere(frame, device)) continue;
        execution_.pool->submit(std::packaged_task<void()>([frame] { on_host(frame); }));
      }
    }
  }

  void start_all() {
    while (std::ranges::any_of(waiting_, [](const auto& jobs) { return !jobs.empty(); })) {
      for (size_t device = 0; device < waiting_.size(); ++device) start_next(device);
    }
  }

  // The first of those that wait for the device, if there is one.
  void start_next(size_t device) {
    if (waiting_[device].empty()) return;
    FrameJob& job = *waiting_[device].front();
    waiting_[device].pop_front();
    start(job);
  }

  // Once a frame has failed, others end as it did.
  void start(FrameJob& job) {
    const TakenSlot slot = slot_for(job.frames);
    if (slot.slot == nullptr) {
      std::promise<void> failed;
      failed.set_exception(slots_.failure());
      job.done = failed.get_future();
      return;
    }
    started_[slot.device].push_back({&job, slot});
    begin(*slot.slot, job);
    hand_over(slot.device, std::min(frames_ahead(execution_), slots_.most(slot.device) - 1));
  }

  // Where samples have to be copied, a thread of the pool does that.
  void begin(FrameSlot& slot, FrameJob& job) {
    slot.announce(job);
    std::packaged_task<void()> start([&slot, &job] { slot.start(job); });
    if (!slot.starts_at_once(job)) {
      job.begun = execution_.pool->submit(std::move(start));
      return;
    }
    job.begun = start.get_future();
    start();
  }

  // None once a frame failed.
  TakenSlot slot_for(const FramePair& frames) {
    for (;;) {
      const TakenSlot slot = slots_.take(frames);
      if (slot.slot != nullptr || slots_.failure()) return slot;
      for (size_t device = 0; device < started_.size(); ++device) {
        hand_over(device, std::max<size_t>(started_[device].size(), 1) - 1);
      }
    }
  }

  // Lets the pool finish all but the last `keep` frames of a device.
  void hand_over(size_t device, size_t keep) {
    while (started_[device].size() > keep) {
      const Started frame = started_[device].front();
      started_[device].pop_front();
      slots_.let_go(frame.slot);
      FirstFrames* const first = slots_.runs()[device].first_frames.get();
      std::vector<size_t> compared;
      if (first != nullptr) compared = first->next(frame.job->frames);
      frame.job->done = execution_.pool->submit(
          std::packaged_task<void()>([this, frame, compared] { end(frame, compared); }));
    }
  }

  // The pool takes tasks in order, so the frame's beginning has a thread by now and waits for none.
  void end(const Started& frame, std::span<const size_t> compared) {
    try {
      begin_is_over(frame);
      std::optional<FramePair> seen;
      if (!compared.empty()) seen = frame.slot.slot->seen(frame.job->frames);
      std::vector<PendingFinish> rests = frame.slot.slot->finish(*frame.job);
      slots_.give_back(frame.slot);
      const TraceSpan span("finish on the host", frame.job->frames.index);
      for (const PendingFinish& each : rests) frame.job->results[each.feature] = each.rest->finish();
      if (seen) {
        slots_.runs()[frame.slot.device].first_frames->compare(std::move(*seen), frame.job->results,
                                                               compared);
      }
    } catch (...) {
      slots_.lose(std::current_exception());
      throw;
    }
  }

  void begin_is_over(const Started& frame) const {
    try {
      frame.job->begun.get();
    } catch (const Error& error) {
      throw at_frame(error, name_, frame.job->frames.index);
    }
  }

  void deliver_first(ScoreSink& sink) {
    for (size_t device = 0; device < started_.size(); ++device) {
      if (!waiting_[device].empty() && waiting_[device].front() == &jobs_.first()) start_next(device);
      const std::deque<Started>& started = started_[device];
      if (!started.empty() && started.front().job == &jobs_.first()) hand_over(device, started.size() - 1);
    }
    const StageTimer timer(execution_.clock, pace::kScoring);
    jobs_.deliver_first(sink);
  }

  const Execution execution_;
  const std::string name_;  // of the distorted video
  SlotPool slots_;
  std::vector<std::deque<Started>> started_;    // of each device, not yet handed to the pool
  std::vector<std::deque<FrameJob*>> waiting_;  // for a slot of each device
  const size_t most_waiting_;                   // for each
  const size_t most_results_;
  bool is_first_ = true;
  OrderedFrames jobs_;
  const std::shared_ptr<FrameStore> store_;
};

// The run's work on one of its devices.
DeviceRun make_run(std::shared_ptr<vulkan::Device> device, std::span<const FeatureRequest> features,
                   const VideoFormats& formats, const Execution& execution) {
  DeviceRun run;
  run.context = std::make_shared<vulkan::Context>(std::move(device));
  run.use = frame_needs(features);
  run.fitting = features.front().fitting;
  if (run.fitting) {
    const auto fitter = [&](const VideoFormat& format) -> std::unique_ptr<FrameFitter> {
      if (!changes(*run.fitting, format)) return nullptr;
      fitting::FittedPicture::check(*run.context, format, *run.fitting, run.use.planes);
      return make_frame_fitter(format, *run.fitting, run.use.planes, execution);
    };
    run.fit_distorted = fitter(formats.distorted);
    if (uploads_reference(run.use, formats)) run.fit_reference = fitter(*formats.reference);
  }
  // Drivers compile what is on several threads at a time.
  run.parts = parallel_map(features.size(), [&](size_t i) -> DevicePart {
    const FeatureRequest& request = features[i];
    const TraceSpan span("make a feature");
    return {device_support(*request.info)
                ->make(request.options, formats_of(request, formats), execution_of(request, execution),
                       *run.context),
            request.info->metric_names(request.options).front(), needs_every_frame(request),
            request.info->name};
  });
  run.first_frames = std::make_shared<FirstFrames>(features, formats, execution, *run.context);
  return run;
}

}  // namespace

std::unique_ptr<FeatureExtractor> make_device_extractor_on(std::vector<DeviceRun> runs,
                                                           const VideoFormats& formats,
                                                           const Execution& execution) {
  return std::make_unique<DeviceExtractor>(std::move(runs), formats, execution);
}

std::unique_ptr<FeatureExtractor> make_device_extractor(std::span<const FeatureRequest> features,
                                                        const VideoFormats& formats,
                                                        const Execution& execution) {
  const std::vector<std::shared_ptr<vulkan::Device>> devices = execution.devices.opened.get();
  return make_device_extractor_on(
      parallel_map(devices.size(),
                   [&](size_t i) { return make_run(devices[i], features, formats, execution); }),
      formats, execution);
}

bool fits_on_devices(const Execution& execution, const VideoFormats& formats, const Fitting& fitting) {
  std::vector<std::shared_ptr<vulkan::Device>> devices = {nullptr};  // any, if they are still to be opened
  if (execution.devices.opened.valid()) devices = execution.devices.opened.get();
  const auto can_fit = [&](const VideoFormat& format) {
    return !changes(fitting, format) || std::ranges::all_of(devices, [&](const auto& device) {
      return fitting::can_fit(device ? &device->info() : nullptr, format, fitting);
    });
  };
  return can_fit(formats.distorted) && (!formats.reference || can_fit(*formats.reference));
}

size_t device_slots(const Execution& execution) {
  return slots_each(execution) * static_cast<size_t>(execution.devices.count);
}

size_t device_results(const Execution& execution) {
  return results_of(execution, static_cast<size_t>(execution.devices.count));
}

int64_t upload_bytes(const FrameNeeds& use, const VideoFormats& formats) {
  const int of_neighbour = use.before.all_planes ? use.planes : 1;
  int64_t bytes = vulkan::DevicePicture::bytes(formats.distorted, use.planes) +
                  use.before.distorted * vulkan::DevicePicture::bytes(formats.distorted, of_neighbour);
  if (uploads_reference(use, formats)) {
    bytes += vulkan::DevicePicture::bytes(*formats.reference, use.planes) +
             use.before.references * vulkan::DevicePicture::bytes(*formats.reference, of_neighbour);
  }
  return bytes;
}

}  // namespace vq
