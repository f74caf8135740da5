// A feature on a Vulkan device: it records its passes once for each frame that is there at a time, and reads
// its results when the device is done with one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "feature/feature.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/recorder.h"

namespace vq {

// The pictures of one frame in the device's memory.
struct DeviceFrame {
  const vulkan::DevicePicture& distorted;
  const vulkan::DevicePicture* reference = nullptr;  // null where no feature uses it, or there is none
  // The luma of the frames right before, the latest first: as many as some feature of the run looks at. Where
  // a video begins, there is nothing of use in them: see FramePair.
  std::vector<const vulkan::DevicePicture*> distorted_before = {}, references_before = {};

  // For features that cannot do without. Throws Error{kInternal} where there is none.
  const vulkan::DevicePicture& needed_reference() const;
};

// What is left to the host of one frame when its place on the device may have the next one.
class HostFinish {
 public:
  virtual ~HostFinish() = default;
  // On any thread. Throws Error as DeviceWork::finish().
  virtual FrameResult finish() = 0;
};

// What a feature does with the frames of one slot, one after another.
class DeviceWork {
 public:
  virtual ~DeviceWork() = default;
  // Once; for a feature that needs every frame a second time, into a recording that takes turns with the
  // first. Stages are named as in the report.
  virtual void record(vulkan::Recorder& recorder) = 0;
  // After the device has done what was recorded for these frames; on any thread. Throws Error that names
  // video and frame: at_frame().
  virtual FrameResult finish(const FramePair& frames) = 0;
  // The same in two steps, for a feature that leaves much to the host: takes away what the device has left,
  // after which the slot may have another frame; `frames` are there no longer than the call. Null where
  // finish() is to do it all.
  virtual std::unique_ptr<HostFinish> take(const FramePair&) { return nullptr; }
  virtual int64_t bytes_read() const = 0;  // of one frame
};

// Outlives its work, and what is left of that to the host.
class DeviceFeature {
 public:
  virtual ~DeviceFeature() = default;
  // The frame's pictures outlive the result. Throws Error{kBackend}.
  virtual std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) = 0;
  virtual std::string simd() const = 0;  // instruction set of what the host does, "scalar" where none
  // What the host did for all frames that are done, as HostFeature::stage_times().
  virtual std::vector<StageTotal> host_stage_times() const { return {}; }
};

// One whose work shares nothing but what is constant, and of which nothing worth mentioning is done on the
// host: makes Work(setting, context, frame) for each slot.
template <typename Work, typename Setting>
class PlainDeviceFeature final : public DeviceFeature {
 public:
  PlainDeviceFeature(Setting setting, vulkan::Context& context)
      : setting_(std::move(setting)), context_(context) {}
  std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) override {
    return std::make_unique<Work>(setting_, context_, frame);
  }
  std::string simd() const override { return "scalar"; }

 private:
  const Setting setting_;
  vulkan::Context& context_;
};
template <typename Work, typename Setting>
std::unique_ptr<DeviceFeature> make_plain_feature(const Setting& setting, vulkan::Context& context) {
  return std::make_unique<PlainDeviceFeature<Work, Setting>>(setting, context);
}

struct DeviceSupport {
  // Why a device cannot run the feature by this backend, whatever the options; empty where it can.
  std::string (*unsupported)(Backend, const vulkan::DeviceInfo&) = nullptr;
  // Includes a check that the device computes what the CPU does. Throws Error{kBackend}. The context outlives
  // the result.
  std::unique_ptr<DeviceFeature> (*make)(const OptionSet&, const VideoFormats&, const Execution&,
                                         vulkan::Context&) = nullptr;
  FeatureMemory (*memory)(const OptionSet&, const VideoFormats&, const Execution&) = nullptr;
  // On the device; null: FeatureInfo::stage_bytes knows them.
  std::vector<StageBytes> (*stage_bytes)(const OptionSet&, const VideoFormats&) = nullptr;
};

// What a run does on a device that is open.
struct DevicePart {
  std::unique_ptr<DeviceFeature> feature;
  std::string name;  // its first metric: before the names of its stages, where there are several features
  bool every_frame = false;  // also those that the run does not report
};
struct DeviceRun {
  std::shared_ptr<vulkan::Context> context;
  std::vector<DevicePart> parts;  // at least one
  FrameNeeds use;

  // Whether some part does, also at those that are not reported.
  bool looks_at_every_frame() const;
};
// What a device must have for these features to run on it by a backend, those of them that run on devices.
vulkan::Requirement device_requirement(std::span<const FeatureInfo* const> features, Backend backend);

}  // namespace vq
