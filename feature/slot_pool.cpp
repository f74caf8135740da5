#include "feature/slot_pool.h"

#include "core/trace.h"

namespace vq {

bool has_to_spare(const vulkan::Device& device, int64_t buffers, int64_t bytes) {
  constexpr int64_t kSpare = 8;          // buffers that are there only while something is made
  constexpr int64_t kShareOfOthers = 3;  // a third of the memory is left to decoded pictures
  return device.buffers_left() >= buffers + kSpare &&
         device.memory_left() - device.info().memory_budget / kShareOfOthers >= bytes;
}

SlotPool::SlotPool(std::vector<DeviceRun> runs, const VideoFormats& formats, size_t most_each,
                   StageClock* clock)
    : formats_(formats), clock_(clock), runs_(std::move(runs)), lanes_(runs_.size()) {
  const NeighbourCount& before = runs_.front().use.before;
  std::vector<NewSlot> first = parallel_map(runs_.size(), [&](size_t device) {
    if (std::max(before.distorted, before.references) > 0)
      lanes_[device].kept = std::make_unique<KeptPictures>(runs_[device], formats_);
    return make_slot(device, 0, true);
  });
  for (size_t device = 0; device < lanes_.size(); ++device) {
    lanes_[device].most = most_each;
    add(std::move(first[device]), lanes_[device]);
  }
}

SlotPool::NewSlot SlotPool::make_slot(size_t device, size_t number, bool stages) const {
  const TraceSpan span("make a slot");
  const vulkan::Device& on = *runs_[device].context->device();
  const int64_t before = on.buffers_left(), memory = on.memory_left();
  NewSlot made;
  // Slots that are at work may be recording as well.
  const std::lock_guard lock(runs_[device].context->mutex());
  made.slot = std::make_unique<FrameSlot>(
      runs_[device], formats_, SlotKind{static_cast<uint32_t>(number), stages}, lanes_[device].kept.get());
  made.is_last = !has_to_spare(on, before - on.buffers_left(), memory - on.memory_left());
  return made;
}

void SlotPool::add(NewSlot made, Lane& lane) {
  if (made.slot != nullptr) {
    lane.free.push_back(made.slot.get());
    lane.slots.push_back(std::move(made.slot));
  }
  if (made.is_last) lane.most = lane.slots.size();
}

SlotPool::~SlotPool() {
  const TraceSpan span("free the slots");
  lanes_.clear();
}

size_t SlotPool::most(size_t device) const {
  const std::lock_guard lock(mutex_);
  return lanes_[device].most;
}

// The position of the run on the device that has the frame's samples.
std::optional<size_t> SlotPool::device_of(const Frame& frame) const {
  if (frame.place == nullptr) return std::nullopt;
  for (size_t device = 0; device < runs_.size(); ++device) {
    if (runs_[device].context->device().get() == frame.place->device()) return device;
  }
  return std::nullopt;
}

SlotPool::Home SlotPool::home_of(const FramePair& frames) const {
  if (const auto own = device_of(frames.distorted)) return {own, !is_on_host(frames.distorted)};
  if (!runs_.front().use.reference || !frames.reference) return {};
  const auto own = device_of(*frames.reference);
  return {own, own && !is_on_host(*frames.reference)};
}

std::optional<size_t> SlotPool::only_device(const FramePair& frames) const {
  const Home home = home_of(frames);
  return home.is_only ? home.device : std::nullopt;
}

bool SlotPool::is_elsewhere(const Frame& frame, size_t device) const {
  return !is_on_host(frame) && device_of(frame) != device;
}

bool SlotPool::has_room(size_t device) const {
  const std::lock_guard lock(mutex_);
  return has_room(lanes_[device]);
}

// Devices that may have a slot for them.
std::vector<size_t> SlotPool::devices_for(const FramePair& frames) const {
  const auto [own, is_must] = home_of(frames);
  std::vector<size_t> devices;
  for (size_t device = 0; device < lanes_.size(); ++device) {
    // Samples of another device come through the host, which pays only if that device has nothing else to do.
    if (!own || device == *own || (!is_must && is_idle(lanes_[device]))) devices.push_back(device);
  }
  if (own && has_room(lanes_[*own])) return {*own};
  return devices;
}

// The device with the fewest frames.
std::optional<size_t> SlotPool::with_room(const std::vector<size_t>& devices) const {
  const auto load = [&](size_t device) {
    const Lane& lane = lanes_[device];
    return std::pair(lane.slots.size() - lane.free.size(), lane.frames);
  };
  std::optional<size_t> best;
  for (const size_t device : devices) {
    if (has_room(lanes_[device]) && (!best || load(device) < load(*best))) best = device;
  }
  return best;
}

TakenSlot SlotPool::take(const FramePair& frames) {
  std::unique_lock lock(mutex_);
  while (!failure_) {
    const std::vector<size_t> devices = devices_for(frames);
    const std::optional<size_t> device = with_room(devices);
    if (!device) {
      if (std::ranges::all_of(devices, [&](size_t i) { return is_held(lanes_[i]); })) return {};
      const StageTimer timer(clock_, pace::kScoring);
      changed_.wait(lock);
      continue;
    }
    Lane& lane = lanes_[*device];
    if (lane.free.empty()) grow(*device, is_on_host(frames.distorted), lock);
    if (lane.free.empty()) continue;
    FrameSlot* const slot = lane.free.front();
    if (!slot->has_room(frames)) {
      if (lane.held == lane.slots.size() - lane.free.size()) return {};
      const StageTimer timer(clock_, pace::kScoring);
      changed_.wait(lock);
      continue;
    }
    lane.free.pop_front();
    ++lane.held;
    ++lane.frames;
    return {slot, *device};
  }
  return {};
}

// A device that refuses memory for another slot makes do with those it has. One that is lost says so at the
// next frame.
void SlotPool::grow(size_t device, bool stages, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  NewSlot made;
  try {
    made = make_slot(device, lanes_[device].slots.size(), stages);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBackend) throw;
  }
  lock.lock();
  add(std::move(made), lanes_[device]);
}

void SlotPool::let_go(const TakenSlot& taken) {
  const std::lock_guard lock(mutex_);
  --lanes_[taken.device].held;
}

void SlotPool::give_back(const TakenSlot& taken) {
  const std::lock_guard lock(mutex_);
  const FrameSlot& slot = *taken.slot;
  for (const vulkan::StageTime& time : slot.times()) add_stage_time(totals_, time.stage, time.milliseconds);
  uploaded_ += slot.bytes_uploaded();
  read_ += slot.bytes_read();
  lanes_[taken.device].free.push_back(taken.slot);
  changed_.notify_one();
}

void SlotPool::lose(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  changed_.notify_one();
}

std::exception_ptr SlotPool::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void SlotPool::fill(BackendReport& report) const {
  const std::lock_guard lock(mutex_);
  report.stages = totals_;
  report.bytes_uploaded = uploaded_;
  report.bytes_read = read_;
}

}  // namespace vq
