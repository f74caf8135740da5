// Frames in flight on devices: the slots that they take, and the pictures that they share.
#pragma once

#include <exception>

#include "core/frame.h"
#include "core/worker_pool.h"
#include "feature/device_feature.h"
#include "feature/fitting/fitting.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/shared_picture.h"

namespace vq {

// The latest frames of the videos in one device's memory, for runs that look at frames before. Frames in
// flight share them: what one has brought as its own picture, later ones read as a frame before. A picture is
// overwritten when no frame in flight needs it, and more are made while there are too few.
//
// One thread takes pictures, in the order of frames; in this order the work on frames is submitted, so that
// each sees what those before it brought.
class KeptPictures {
 private:
  // Identity of a frame whose samples have an owner: that, and their address, which another owner may have
  // later. Of samples that the host cannot see, the address of their FrameMemory.
  struct Identity {
    std::weak_ptr<const void> owner;
    const void* samples = nullptr;
    bool operator==(const Identity& other) const;
  };
  static std::optional<Identity> identity_of(const Frame& frame);

  struct Picture {
    std::unique_ptr<vulkan::DevicePicture> on_device;
    std::optional<Identity> frame = {};
    int planes = 0;                                        // that the frame brought
    int users = 0;                                         // among the frames in flight
    std::shared_ptr<vulkan::CommandList> derivation = {};  // null: not recorded yet, or nothing is derived
  };
  struct Video {
    VideoFormat format;
    int planes = 0;
    std::vector<std::unique_ptr<Picture>> pictures;
    size_t next = 0;  // they are overwritten in turn, so that the same ones lie together again and again
  };

 public:
  // A frame's reading. Null: no frame, for which the first picture of the video stands.
  struct Wanted {
    const Frame* frame = nullptr;
    size_t video = 0;  // 0: distorted, 1: reference
    int planes = 0;
  };
  struct Held {
    Picture* picture = nullptr;
    bool is_new = false;  // the frame has to be brought
    const vulkan::DevicePicture& on_device() const { return *picture->on_device; }
  };

  // With room for one frame. The run outlives this. Throws Error{kBackend}, as the next.
  KeptPictures(const DeviceRun& run, const VideoFormats& formats);
  // For another frame in flight.
  void add_one();

  const vulkan::DevicePicture& first(size_t video) const { return *videos_[video].pictures[0]->on_device; }
  // Whether take() has pictures for all; makes those that lack while the device has memory to spare.
  bool has_room(const std::vector<Wanted>& wanted);
  // Needs: has_room(). The own picture of each video comes before those of frames before.
  std::vector<Held> take(const std::vector<Wanted>& wanted);
  // Number of calls of take().
  int64_t taken() const { return taken_; }
  // What makes a new picture's DevicePicture::derived(); null: nothing is derived. On any thread, as all
  // below.
  std::shared_ptr<vulkan::CommandList> derivation(const Held& held, size_t video) const;
  // The device has finished the frame.
  void release(const std::vector<Held>& held);

  // Submission of one frame's work; none other is made meanwhile. If it is not done(), all later ones fail.
  class Turn {
   public:
    // `number`: taken() after the frame's pictures were taken.
    Turn(KeptPictures& kept, int64_t number) : kept_(kept), number_(number) {}
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    // Returns when the frames before are done, with the upload of the last; null: there is none. Throws
    // Error{kBackend} if one failed.
    const vulkan::Upload* wait();
    void done(const vulkan::Upload& upload);

   private:
    KeptPictures& kept_;
    const int64_t number_;
    bool is_done_ = false;
  };

 private:
  static Picture* find(const Video& video, const Wanted& wanted);
  static Picture& take_free(Video& video);
  void add(Video& video) const;
  const DevicePart* part_that_derives(const VideoFormats& formats) const;
  int64_t derived_bytes() const { return deriving_ != nullptr ? deriving_->feature->derived_bytes() : 0; }

  const DeviceRun& run_;
  const DevicePart* deriving_ = nullptr;  // the only one that derives something, if there is memory
  std::vector<Video> videos_;
  int64_t taken_ = 0;
  std::mutex mutex_;  // for the users of pictures, and what follows
  std::condition_variable changed_;
  int64_t done_ = 0;
  const vulkan::Upload* last_ = nullptr;
  bool has_failed_ = false;
};

// Converts planes whose samples are not laid out as shaders expect.

class GatherPlanes final : public vulkan::PlaneUnpacker {
 public:
  // `sample_bytes`: 1 or 2. The context outlives this. Throws Error{kBackend}.
  GatherPlanes(vulkan::Context& context, int sample_bytes);
  bool unpacks(const vulkan::PlaneSource& source, const vulkan::DevicePlane& to) const override;
  void record(vulkan::Upload& upload, const vulkan::PlaneSource& source,
              const vulkan::DevicePlane& to) const override;

 private:
  const vulkan::DeviceInfo& device_;
  const vulkan::Pipeline& pipeline_;
  const int sample_bytes_;
};

// The rest of a feature's work on a frame.
struct PendingFinish {
  size_t feature = 0;  // index in the run
  std::unique_ptr<HostFinish> rest;
};

struct SlotKind {
  uint32_t number = 0;  // so that slots use different queues
  bool stages = true;   // memory for frames of the host is made at once, and not when one comes
};

// The buffers and recordings of one frame in flight on a device, reused for one frame after another.
class FrameSlot {
 public:
  // `kept`: of its device; null if no frame before is looked at. The run and `kept` outlive the slot. Throws
  // Error{kBackend}.
  FrameSlot(const DeviceRun& run, const VideoFormats& formats, const SlotKind& kind, KeptPictures* kept);

  // Whether announce() has pictures for the frames, now or if more can be made.
  bool has_room(const FramePair& frames) const;
  // Called before start(), in the order of frames. Needs: has_room().
  void announce(const FrameJob& job);

  // Submits the upload of the job's pictures and the work on them. On any thread. Throws Error. Needs: some
  // feature reads the frame.
  void start(const FrameJob& job);
  // Whether start() copies no sample.
  bool starts_at_once(const FrameJob& job) const;
  // Waits for the device and lets the features take their results. After start(), on any thread. Throws
  // Error. Returns the work that remains, which does not need the slot; the results of those features, found
  // by their indices, are empty until it is done.
  std::vector<PendingFinish> finish(FrameJob& job);

  // The frames as features see them.
  FramePair seen(const FramePair& frames) const;

  // For the last frame.
  std::vector<vulkan::StageTime> times() const;
  int64_t bytes_uploaded() const { return bytes_uploaded_; }  // as in BackendReport, as are the next two
  int64_t bytes_read() const { return last_->bytes_read(); }

 private:
  // One picture of a frame: in memory of the slot, or in what frames share.
  struct Picture {
    std::unique_ptr<vulkan::DevicePicture> on_device;
    std::unique_ptr<GatherPlanes> gather;
    std::unique_ptr<fitting::FittedPicture> fitted;  // null if features see it as it is

    const vulkan::DevicePicture* seen() const { return fitted ? &fitted->picture() : on_device.get(); }
  };
  // The recordings for reported frames and for the others.
  struct Recordings {
    vulkan::CommandList whole, unreported;
    std::vector<vulkan::ReadLocation> places;  // where pictures are read; none: in the slot's own memory
    int64_t last_use = 0;
    bool is_recorded = false;
  };
  void add_picture(const VideoFormat& format, int planes);
  DeviceFrame device_frame() const;
  std::vector<const Frame*> frames_of(const FramePair& pair) const;
  template <typename Wanted>
  vulkan::CommandList record(Wanted wanted) const;
  void record(Recordings& recordings) const;
  std::vector<vulkan::ReadLocation> places_of(const std::vector<const Frame*>& frames) const;
  std::vector<KeptPictures::Wanted> wanted(const FramePair& pair) const;
  Recordings* recordings_at(std::vector<vulkan::ReadLocation> places);
  Recordings& new_recordings(std::vector<vulkan::ReadLocation> places);
  size_t own_pictures() const { return has_reference_ ? 2 : 1; }
  int neighbour_planes() const { return run_.use.before.all_planes ? run_.use.planes : 1; }
  size_t video_of(size_t picture) const;
  bool must_bring(size_t picture) const { return held_.empty() ? current_ == &own_ : held_[picture].is_new; }
  void make_ready(const FramePair& frames);
  void bring(size_t picture, const Frame* frame);

  const DeviceRun& run_;
  const std::string name_;  // name of the distorted video
  const uint32_t number_;
  KeptPictures* const kept_;
  vulkan::Upload upload_;
  const bool has_reference_;
  std::vector<Picture> pictures_;  // the distorted one, its reference, then the previous frames of each
  std::vector<std::unique_ptr<DeviceWork>> works_;
  Recordings own_;
  std::vector<std::unique_ptr<Recordings>> placed_;  // for the locations of recent frames
  vulkan::CommandList* last_ = nullptr;
  Recordings* current_ = nullptr;         // of the current frame, as are the next two
  std::vector<KeptPictures::Held> held_;  // one for each picture; none if pictures are not shared
  int64_t turn_ = 0;
  int64_t uses_ = 0;
  int64_t bytes_uploaded_ = 0;
};

// Whether frames of the reference are uploaded to the device.
bool uploads_reference(const FrameNeeds& use, const VideoFormats& formats);

// The frame slots on the devices of a run, and the assignment of frames to them.

// Whether the device can hold `buffers` more buffers, of `bytes` in total, and a third of its memory stays
// free for decoded pictures.
bool has_to_spare(const vulkan::Device& device, int64_t buffers, int64_t bytes);

// A slot in use by a frame. Null: none.
struct TakenSlot {
  FrameSlot* slot = nullptr;
  size_t device = 0;  // index of the device, and of its run
};

// One thread calls take() and let_go(); give_back() is called on any thread.
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
  void give_back(const TakenSlot& taken);
  // A frame failed, and its device may still be using its slot. From now on take() returns null.
  void lose(std::exception_ptr failure);
  // The exception of the first frame that failed; null: none did.
  std::exception_ptr failure() const;

  // Adds the totals of all frames.
  void fill(BackendReport& report) const;

 private:
  // State of one device.
  struct Lane {
    std::unique_ptr<KeptPictures> kept;             // null if no frame before is looked at
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
  int64_t uploaded_ = 0, read_ = 0;
};

}  // namespace vq
