// The buffers and recordings of one frame in flight on a device, reused for one frame after another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/worker_pool.h"
#include "feature/device_feature.h"
#include "feature/kept_lumas.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/shared_picture.h"

namespace vq {

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

class FrameSlot {
 public:
  // `kept`: of its device. The run and `kept` outlive the slot. Throws Error{kBackend}.
  FrameSlot(const DeviceRun& run, const VideoFormats& formats, const SlotKind& kind, KeptLumas& kept);

  // Called before start(), in the order of frames.
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

  // For the last frame.
  std::vector<vulkan::StageTime> times() const;
  int64_t bytes_uploaded() const { return bytes_uploaded_; }  // as in BackendReport, as are the next two
  int64_t bytes_copied() const { return upload_.copied_bytes(); }
  int64_t bytes_read() const { return bytes_read_; }

 private:
  // One picture of a frame.
  struct Picture {
    std::unique_ptr<vulkan::DevicePicture> on_device;
    std::unique_ptr<GatherPlanes> gather;
  };
  // The recordings for reported frames and for the others.
  struct Recordings {
    vulkan::CommandList whole, unreported;
    std::vector<vulkan::ReadLocation> places;  // where pictures are read; none: in the slot's own memory
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
  class Settled;
  size_t own_pictures() const { return has_reference_ ? 2 : 1; }
  bool keeps(size_t picture) const;
  int64_t bring(size_t picture, const Frame* frame);
  int64_t bring_neighbour(size_t picture, const Frame* frame, const KeptLumas::Turn& turn);
  void fetch_from_elsewhere(size_t picture, const Frame* frame) const;
  void bring_and_submit(const FramePair& frames);

  const DeviceRun& run_;
  const std::string name_;  // name of the distorted video
  const uint32_t number_;
  KeptLumas& kept_;
  vulkan::Upload upload_;
  const bool has_reference_;
  std::vector<Picture> pictures_;  // the distorted one, its reference, then the previous frames of each
  std::vector<std::unique_ptr<DeviceWork>> works_;
  Recordings own_;
  std::vector<std::unique_ptr<Recordings>> placed_;  // for the locations of recent frames
  vulkan::CommandList* last_ = nullptr;
  int64_t announced_ = 0;  // the number of its upload
  int64_t uses_ = 0;
  int64_t bytes_uploaded_ = 0, bytes_read_ = 0;
};

// Whether frames of the reference are uploaded to the device.
bool uploads_reference(const FrameNeeds& use, const VideoFormats& formats);

}  // namespace vq
