// The place of one frame in flight on a device: its buffers and its recordings, used for one frame after
// another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ordered_frames.h"
#include "feature/device_feature.h"
#include "feature/gather_planes.h"

namespace vq {

// What a feature still has to do for a frame.
struct PendingFinish {
  size_t feature = 0;  // its position in the run
  std::unique_ptr<HostFinish> rest;
};

class FrameSlot {
 public:
  // `number`: of the slot, so that they use different queues. The run outlives the slot. Throws
  // Error{kBackend}.
  FrameSlot(const DeviceRun& run, const VideoFormats& formats, uint32_t number);

  // Submits the way of the job's pictures to the device, and its work. On any thread. Throws Error. Needs:
  // some feature looks at the frame.
  void start(const FrameJob& job);
  // Whether that copies no sample.
  bool starts_at_once(const FrameJob& job) const;
  // Waits for the device and lets the features take what it left. After start(), on any thread. Throws Error.
  // Returns what is still to be done, without the slot: the results of these features, by their positions,
  // are empty until then.
  std::vector<PendingFinish> finish(FrameJob& job);

  // Of the last frame.
  std::vector<vulkan::StageTime> times() const;
  int64_t bytes_uploaded() const { return bytes_uploaded_; }  // as BackendReport has them, and the next two
  int64_t bytes_copied() const { return upload_.copied_bytes(); }
  int64_t bytes_read() const { return bytes_read_; }

 private:
  // One of the pictures that a frame has.
  struct Picture {
    std::unique_ptr<vulkan::DevicePicture> on_device;
    std::unique_ptr<GatherPlanes> gather;
  };
  // What is done with a frame, for those that are reported and for the others.
  struct Recordings {
    vulkan::CommandList whole, unreported;
    std::vector<vulkan::ReadLocation> places;  // where it reads the pictures; none: in the slot's own memory
    int64_t last_use = 0;
  };
  void add_picture(const VideoFormat& format, int planes);
  DeviceFrame device_frame() const;
  std::vector<const Frame*> frames_of(const FramePair& pair) const;
  template <typename Wanted>
  vulkan::CommandList record(Wanted wanted) const;
  void record(Recordings& recordings) const;
  std::vector<vulkan::ReadLocation> places_of(const FramePair& frames) const;
  Recordings* in_place(const FramePair& frames);
  std::unique_ptr<Recordings> record_in_place(const FramePair& frames);
  int64_t bring(const FramePair& frames);

  const DeviceRun& run_;
  const std::string name_;  // of the distorted video
  const uint32_t number_;
  vulkan::Upload upload_;
  const bool has_reference_;
  std::vector<Picture> pictures_;  // the distorted one, its reference, then those before of either
  std::vector<std::unique_ptr<DeviceWork>> works_;
  Recordings own_;
  std::vector<std::unique_ptr<Recordings>> placed_;  // of the places that frames had lately
  vulkan::CommandList* last_ = nullptr;
  int64_t uses_ = 0;
  int64_t bytes_uploaded_ = 0, bytes_read_ = 0;
};

// Whether frames of the reference go to the device.
bool uploads_reference(const FrameNeeds& use, const VideoFormats& formats);

}  // namespace vq
