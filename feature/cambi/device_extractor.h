// The extractor of every backend that uses a device: frames in flight, in order, with whatever the device and
// the host each do for a frame behind one interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "feature/cambi/jobs.h"
#include "vulkan/recorder.h"

namespace vq {
class WorkerPool;
}

namespace vq::cambi {

// The place of one frame in flight: its buffers and its recording, used for one frame after another.
class FrameSlot {
 public:
  virtual ~FrameSlot() = default;
  // Copies the job's pictures to the device and submits its work. On any thread. Throws Error.
  virtual void start(const FrameJob& job) = 0;
  // Waits for the device and does what is left to the host; sets the job's values and heatmaps. After
  // start(), on any thread. Throws Error.
  virtual void finish(FrameJob& job) = 0;

  // Of the last frame.
  virtual const std::vector<vulkan::StageTime>& times() const = 0;
  virtual int64_t bytes_uploaded() const = 0;
  virtual int64_t bytes_read() const = 0;
};

struct DeviceRun {
  WorkerPool* pool = nullptr;
  BackendReport report;           // its beginning; times and bytes are added
  std::string video;              // for messages
  bool scores_reference = false;  // with full_ref: a frame repeats another only where both pictures do
  // So many frames are begun before the host turns to finishing one, so that the device is done with it by
  // then. Less than there are slots.
  size_t frames_ahead = 0;
};

// Frames that are begun and finished by the pool's threads, each in a slot of its own.
std::unique_ptr<FeatureExtractor> make_device_extractor(DeviceRun run,
                                                        std::vector<std::unique_ptr<FrameSlot>> slots);

// Of heatmaps that are made and not yet delivered, in bytes, at most.
int64_t heatmap_bytes(const CambiPlan& plan, size_t slots);

// How long a device may take for pictures of that many samples.
std::chrono::milliseconds device_timeout(int64_t samples);

}  // namespace vq::cambi
