// The extractor of a run: all its features over one stream of frames.
#pragma once

#include "core/frame.h"
#include "core/worker_pool.h"
#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq {

// With a backend for devices, features that lack it, or that a device cannot run, run on the host beside the
// others. Throws Error: kUsage and kMismatch as FeatureInfo::check, kUsage if the selector matches no or
// several devices, kBackend if all features, this build or this machine lack the backend, a device fails its
// start-up check, or it can hold the pictures of no feature.
std::unique_ptr<FeatureExtractor> make_extractor(std::span<const FeatureRequest> features,
                                                 const VideoFormats& formats, const Execution& execution);

// Features with device support that run on the host all the same: one of the devices cannot run them (see the
// other features_lacking()), or has too little memory for pictures of these formats. Throws Error{kBackend}
// if memory rules out all that the devices can run. Needs: FeatureInfo::check did not throw.
std::vector<const FeatureInfo*> features_lacking(std::span<const FeatureRequest> features,
                                                 const VideoFormats& formats, const Execution& execution,
                                                 std::span<const vulkan::DeviceInfo> devices);

// Names of the features that a backend for devices leaves to the host, as they have no version for it or its
// devices lack something or are too small for the pictures.
std::vector<std::string> left_to_host(std::span<const FeatureRequest> features, const Execution& execution);

// Maximum number of frames that make_extractor()'s result holds at a time.
size_t frames_in_flight(std::span<const FeatureRequest> features, const Execution& execution);

// Upper estimate of the bytes that make_extractor() and the frames in flight allocate, without the frames'
// samples. Throws Error{kBackend} as make_extractor().
int64_t extractor_bytes(std::span<const FeatureRequest> features, const VideoFormats& formats,
                        const Execution& execution);

// Features that see fitted frames: scaled, or converted to another depth or range.

// Fits frames in the execution's pool, several at a time, and passes them on in order. `extractor` takes
// frames of fitted_formats() and reads what `use` says. Needs: a pool. Throws as make_frame_fitter().
std::unique_ptr<FeatureExtractor> with_fitting(std::unique_ptr<FeatureExtractor> extractor,
                                               const FrameNeeds& use, const VideoFormats& formats,
                                               const Fitting& fitting, const Execution& execution);

// Bytes of the frames that are being fitted.
int64_t fitting_bytes(const FrameNeeds& use, const VideoFormats& formats, const Fitting& fitting,
                      const Execution& execution);

// Features on the CPU: frames in parallel, each scored by one thread, which may score those of other runs
// with it.

class HostExtractor;

// A frame of one run. It is scored by its extractor's features, alone or with those of other runs.
struct GroupedFrame {
  HostExtractor* extractor = nullptr;
  FrameJob* job = nullptr;
  std::promise<void> done = {};
};

// Shared by the extractors of such runs. Frames of one number are scored by one task, so that features
// compute what they need of the reference once. A frame waits for those of the other runs only while its own
// run has others to begin; then it is scored with those that have come. So no run ever waits for another.
class ScoringGroup {
 public:
  // `ahead`: the number of frames by which a run may be ahead of the slowest one. Each run has as many more
  // frames in flight, so that its frames meet those of the others. Throws std::bad_alloc.
  ScoringGroup(int threads, size_t ahead) : pool_(threads), ahead_(ahead) {}

  WorkerPool& pool() { return pool_; }
  size_t ahead() const { return ahead_; }
  Rendezvous<GroupedFrame>& frames() { return frames_; }
  // The first feature that was passed with the key, which is `own` if there was none.
  std::shared_ptr<HostFeature> shared(const std::string& key, std::shared_ptr<HostFeature> own);

 private:
  WorkerPool pool_;
  const size_t ahead_;
  Rendezvous<GroupedFrame> frames_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<HostFeature>> features_;
};

// Equal for features that score frames in the same way: what they are made of, without the videos' names.
std::string sharing_key(const FeatureRequest& request, const VideoFormats& formats);

// Whether two frames have their samples at the same place.
bool is_same_picture(const Frame& a, const Frame& b);

struct HostPart {
  std::shared_ptr<HostFeature> feature;
  bool every_frame = false;  // also needs frames that the run does not report
  std::string name = {};     // its first metric: prefix of stage names if there are several features
  BoundedLuma bounded_luma = BoundedLuma::kNone;
  bool is_shared =
      false;  // may score frames of other runs that have the same feature together with this run's
};

// Throws std::bad_alloc. Needs: a feature.
std::unique_ptr<FeatureExtractor> make_host_extractor(std::vector<HostPart> parts, const FrameNeeds& use,
                                                      const VideoFormats& formats,
                                                      const Execution& execution);

// Maximum number of results at a time.
size_t host_results(const Execution& execution);

// Features on Vulkan devices. Several frames are in flight on each device, each in a slot: its planes are
// uploaded once for all features, whose passes are submitted together.

struct DeviceRun;

// On the open devices of Execution::devices, which are checked. Throws Error{kBackend} if one could not be
// opened or fails its start-up check. Needs: FeatureInfo::check did not throw, and the devices can run the
// features.
std::unique_ptr<FeatureExtractor> make_device_extractor(std::span<const FeatureRequest> features,
                                                        const VideoFormats& formats,
                                                        const Execution& execution);

// The same on open devices, at least one. Throws Error{kBackend}.
std::unique_ptr<FeatureExtractor> make_device_extractor_on(std::vector<DeviceRun> runs,
                                                           const VideoFormats& formats,
                                                           const Execution& execution);

// Maximum number of frames and results at a time, over all devices.
size_t device_slots(const Execution& execution);
size_t device_results(const Execution& execution);
// Whether the devices fit the frames of a run themselves, so that the host need not do it before.
bool fits_on_devices(const Execution& execution, const VideoFormats& formats, const Fitting& fitting);
// Bytes of the pictures that are fitted on the device, and of what is made on the way, in one slot.
int64_t fitted_bytes(const FrameNeeds& use, const VideoFormats& formats, const Fitting& fitting);
// Bytes of the planes of one frame, on the host and on the device together.
int64_t upload_bytes(const FrameNeeds& use, const VideoFormats& formats);

// An extractor that switches to another when its device fails, without losing a frame.

struct Fallback {
  // Makes the second extractor. Throws as make_extractor().
  std::function<std::unique_ptr<FeatureExtractor>()> make;
  // Called once, with the reason of the switch, while the error is handled: may throw it again, which ends
  // the run.
  std::function<void(const std::string& reason)> on_fallback;
  // Reads the samples of a pair anew that cannot be fetched from the device that has them; they are then on
  // the host. If it is not set, that is an error.
  std::function<void(FramePair&)> read_again = {};
};

// If the first extractor throws Error{kBackend}, the second scores all frames that the first has not
// delivered; these are kept until then. Other errors are passed on, including those of Fallback::make and
// everything the sink throws. backend_report() is that of the active extractor, or of the first if the second
// could not be made.
std::unique_ptr<FeatureExtractor> with_fallback(std::unique_ptr<FeatureExtractor> first, Fallback fallback);

// Runs the features of a run in two parts: on a device and on the host, or on the original and on fitted
// frames.

// Some features of a run, with their extractor.
struct MixedSide {
  std::unique_ptr<FeatureExtractor> extractor;
  std::vector<size_t> places;      // indices of its features in the run, ascending
  std::vector<std::string> names;  // the first metric of each: prefix of stage names
};

// Every index belongs to one of the two. A frame is delivered once both sides have scored it; if both fail,
// the error of the lower frame is thrown.
std::unique_ptr<FeatureExtractor> make_mixed_extractor(MixedSide on_device, MixedSide on_host);

}  // namespace vq
