// The place of one frame in flight on a device: its buffers and its recordings, used for one frame after another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ordered_frames.h"
#include "feature/device_feature.h"
#include "feature/gather_planes.h"

namespace vq {

class FrameSlot {
 public:
  // `number`: of the slot, so that they use different queues. The run outlives the slot. Throws Error{kBackend}.
  FrameSlot(const DeviceRun& run, const InputFormats& formats, uint32_t number);

  // Submits the way of the job's pictures to the device, and its work. On any thread. Throws Error.
  void start(const FrameJob& job);
  // Whether that copies no sample.
  bool starts_at_once(const FrameJob& job) const;
  // Waits for the device and lets the features do what is left. After start(), on any thread. Throws Error.
  void finish(FrameJob& job);

  // Of the last frame.
  std::vector<vulkan::StageTime> times() const;
  int64_t bytes_uploaded() const { return bytes_uploaded_; }
  int64_t bytes_read() const { return bytes_read_; }

 private:
  // What is done with a frame, for those that are reported and for the others.
  struct Recordings {
    vulkan::CommandList whole, unreported;
    vulkan::PicturePlace distorted, reference;  // where it reads the pictures; empty: in the slot's own memory
    int64_t last_use = 0;
  };
  template <typename Wanted>
  vulkan::CommandList record(Wanted wanted) const;
  void record(Recordings& recordings) const;
  Recordings* in_place(const FramePair& frames);
  std::unique_ptr<Recordings> record_in_place(const FramePair& frames);
  void bring(const FramePair& frames);

  const DeviceRun& run_;
  const std::string name_;  // of the distorted video
  const uint32_t number_;
  vulkan::Upload upload_;
  std::unique_ptr<vulkan::DevicePicture> distorted_, reference_;
  std::unique_ptr<GatherPlanes> gather_distorted_, gather_reference_;
  std::vector<std::unique_ptr<DeviceWork>> works_;
  Recordings own_;
  std::vector<std::unique_ptr<Recordings>> placed_;  // of the places that frames had lately
  vulkan::CommandList* last_ = nullptr;
  int64_t uses_ = 0;
  int64_t bytes_uploaded_ = 0, bytes_read_ = 0;
};

// Whether frames of the reference go to the device.
bool uploads_reference(const FrameUse& use, const InputFormats& formats);

}  // namespace vq
