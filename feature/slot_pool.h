// The frame slots on the devices of a run, and the assignment of frames to them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "feature/device_feature.h"
#include "feature/frame_slot.h"
#include "feature/kept_lumas.h"

namespace vq {

// A slot in use by a frame. Null: none.
struct TakenSlot {
  FrameSlot* slot = nullptr;
  size_t device = 0;  // index of the device, and of its run
};

// One thread takes and releases slots; any thread gives them back.
class SlotPool {
 public:
  // Makes the first slot of each device, and more on demand, up to `most_each` or the device's memory. Needs:
  // at least one run, all of the same features. `clock`: as in Execution. Throws Error{kBackend}.
  SlotPool(std::vector<DeviceRun> runs, const VideoFormats& formats, size_t most_each, StageClock* clock);

  ~SlotPool();

  const std::vector<DeviceRun>& runs() const { return runs_; }
  size_t most(size_t device) const;  // maximum number of slots on it

  // The only device for frames whose samples the host cannot see; none: any.
  std::optional<size_t> only_device(const FramePair& frames) const;
  // Whether neither the host nor that device can read the samples.
  bool is_elsewhere(const Frame& frame, size_t device) const;
  // Whether take() has a slot at once for frames of that device alone. For the taking thread.
  bool has_room(size_t device) const;

  // Waits for a slot on, in this order: (1) the device that holds the samples, which is the only choice if
  // the host cannot see them; (2) if that is full, an idle device; (3) for frames on no device, the one with
  // the fewest frames. Null if waiting is useless, since all slots are claimed by the caller or lost.
  TakenSlot take(const FramePair& frames);
  // Releases the caller's claim: the frame finishes without the caller, so take() may wait for its slot.
  void let_go(const TakenSlot& taken);
  // The slot's frame is scored; it is counted, with its time.
  void give_back(const TakenSlot& taken, bool is_reported);
  // A frame failed, and its device may still be using its slot. From now on take() returns null.
  void lose(std::exception_ptr failure);
  // Of the first frame that failed; null: none did.
  std::exception_ptr failure() const;

  // Adds the totals of all frames.
  void fill(BackendReport& report) const;

 private:
  // State of one device.
  struct Lane {
    std::unique_ptr<KeptLumas> kept = std::make_unique<KeptLumas>();
    std::vector<std::unique_ptr<FrameSlot>> slots;  // added by the taking thread
    std::deque<FrameSlot*> free;
    size_t most = 0;     // maximum number of slots
    size_t held = 0;     // taken and not released
    int64_t frames = 0;  // so far
  };
  struct NewSlot {
    std::unique_ptr<FrameSlot> slot;
    bool is_last = true;  // the device has no memory for another slot, or none to spare
  };
  static bool has_room(const Lane& lane) { return !lane.free.empty() || lane.slots.size() < lane.most; }
  static bool is_idle(const Lane& lane) { return lane.free.size() == lane.slots.size(); }
  static bool is_held(const Lane& lane) { return !has_room(lane) && lane.held == lane.slots.size(); }

  static void add(NewSlot made, Lane& lane);

  NewSlot make_slot(size_t device, size_t number, bool stages) const;
  void grow(size_t device, bool stages, std::unique_lock<std::mutex>& lock);
  // Where the samples of frames are.
  struct Home {
    std::optional<size_t> device;  // none: on no device of the pool
    bool is_only = false;          // the host cannot see them
  };
  Home home_of(const FramePair& frames) const;
  std::optional<size_t> device_of(const Frame& frame) const;
  std::vector<size_t> devices_for(const FramePair& frames) const;
  std::optional<size_t> with_room(const std::vector<size_t>& devices) const;

  const VideoFormats formats_;
  StageClock* const clock_;  // of the taking thread; may be null
  const std::vector<DeviceRun> runs_;
  std::vector<Lane> lanes_;  // one for each run; guarded by the mutex below, except for `slots`
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
  std::vector<StageTotal> totals_;
  int64_t uploaded_ = 0, copied_ = 0, read_ = 0;
  int64_t computed_ = 0, unreported_ = 0;  // numbers of frames
};

}  // namespace vq
