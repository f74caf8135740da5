// The places for frames on the devices of a run, and which frame goes where.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "feature/device_feature.h"
#include "feature/frame_slot.h"

namespace vq {

// A slot that a frame is in, until it is given back. Null: none.
struct TakenSlot {
  FrameSlot* slot = nullptr;
  size_t device = 0;  // that it is on: the position of its run
};

// One thread takes slots and lets them go; any gives them back.
class SlotPool {
 public:
  // Makes the first slot of each device, and more of them, up to `most_each`, as frames want for them: fewer
  // where the device has no room for so many. At least one run, all of the same features. `clock`: as
  // Execution has it. Throws Error{kBackend}.
  SlotPool(std::vector<DeviceRun> runs, const VideoFormats& formats, size_t most_each, StageClock* clock);

  const std::vector<DeviceRun>& runs() const { return runs_; }
  size_t most(size_t device) const;  // slots that there may come to be on it

  // A slot for these frames: on the device that has their samples, which is a must where the host does not
  // see them, or on one that has no frame where that has no room; of frames that no device has, on the one
  // with the fewest. Waits for it; null where none of them comes free by waiting, since those that are taken
  // are not let go, or all are lost.
  TakenSlot take(const FramePair& frames);
  // Its frame ends without the taker's help: it may be waited for.
  void let_go(const TakenSlot& taken);
  // Its frame is scored; it is counted, and what that took.
  void give_back(const TakenSlot& taken, bool is_reported);
  // A frame failed: its device may still be using its slot. There are no more slots from now on.
  void lose();
  bool is_lost() const;

  // What all frames took together.
  void fill(BackendReport& report) const;

 private:
  // What there is on one device.
  struct Lane {
    std::vector<std::unique_ptr<FrameSlot>> slots;  // added to by the thread that takes
    std::deque<FrameSlot*> free;
    size_t most = 0;     // slots that there may come to be
    size_t held = 0;     // taken and not let go
    int64_t frames = 0;  // so far
  };
  struct NewSlot {
    std::unique_ptr<FrameSlot> slot;
    bool is_last = true;  // the device has no room for another
  };
  static bool has_room(const Lane& lane) { return !lane.free.empty() || lane.slots.size() < lane.most; }
  static bool is_idle(const Lane& lane) { return lane.free.size() == lane.slots.size(); }
  static bool is_held(const Lane& lane) { return !has_room(lane) && lane.held == lane.slots.size(); }

  static void add(NewSlot made, Lane& lane);

  NewSlot make_slot(size_t device, size_t number) const;
  void grow(size_t device, std::unique_lock<std::mutex>& lock);
  std::optional<size_t> device_of(const Frame& frame) const;
  std::vector<size_t> devices_for(const FramePair& frames) const;
  std::optional<size_t> with_room(const std::vector<size_t>& devices) const;

  const VideoFormats formats_;
  StageClock* const clock_;  // of the thread that takes; may be null
  const std::vector<DeviceRun> runs_;
  std::vector<Lane> lanes_;  // one for each run; but for the vectors of slots, guarded by what follows
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool lost_ = false;
  std::vector<StageTotal> totals_;
  int64_t uploaded_ = 0, copied_ = 0, read_ = 0;
  int64_t computed_ = 0, unreported_ = 0;  // frames
};

}  // namespace vq
