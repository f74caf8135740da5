// A feature on a Vulkan device. It records its passes once for each slot and reads its results when the
// device has finished a frame. The hybrid and the vulkan backend are one, unless its metric says otherwise.
//
// A pass of a metric, such as psnr::SquaredErrorPass, serves as many frames as there are; its results, as
// those of DeviceWork, are valid after what was recorded has run. Its contract is that of the stages after
// which its shader is named, shaders/<metric>/<stage>.comp, of which the build makes a header. What a
// constructor takes by reference outlives the pass, and the constructor throws Error{kBackend}.
#pragma once

#include "feature/metric_type.h"
#include "feature/stage_clock.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/recorder.h"
#include "vulkan/shader.h"

namespace vq {

// The pictures of one frame in device memory.
struct DeviceFrame {
  const vulkan::DevicePicture& distorted;
  const vulkan::DevicePicture* reference = nullptr;  // null if no feature uses it, or the run has none
  // The previous frames, the latest first, as many as the feature that needs most: their luma, or all planes
  // if a feature of the run needs them. At the start of a video their content is undefined, or with
  // all planes the first frame: see FramePair.
  std::vector<const vulkan::DevicePicture*> distorted_before = {}, references_before = {};

  // For features that require a reference. Throws Error{kInternal} if there is none.
  const vulkan::DevicePicture& needed_reference() const;
};

// The part of a frame's work that is done on the host after its slot has been released.
class HostFinish {
 public:
  virtual ~HostFinish() = default;
  // On any thread. Throws Error as DeviceWork::finish().
  virtual FrameResult finish() = 0;
};

// Scores whole frames on the host, for a feature that leaves some of them to it. From any thread.
class WholeFrames {
 public:
  // `times` outlives this.
  WholeFrames(std::unique_ptr<HostFeature> feature, StageTimes& times);
  ~WholeFrames();
  // Scores these frames, as one stage. This outlives the result.
  std::unique_ptr<HostFinish> finish_of(const FramePair& frames) const;

 private:
  class Finish;
  const std::unique_ptr<HostFeature> feature_;
  StageTimes& times_;
};

// The work of a feature on the frames of one slot.
class DeviceWork {
 public:
  virtual ~DeviceWork() = default;
  // Called for each recording of the slot: of reported frames, of the others if the feature needs every
  // frame, and of pictures that are read in place. Stages have the names of the report.
  virtual void record(vulkan::Recorder& recorder) = 0;
  // Called on any thread after the device has finished these frames. Throws Error that names video and frame:
  // at_frame().
  virtual FrameResult finish(const FramePair& frames) = 0;
  // Splits finish() for a feature with much work on the host: takes the results out of the slot, which may
  // then receive another frame. `frames` are valid during the call only. Null if finish() does all of it.
  virtual std::unique_ptr<HostFinish> take(const FramePair&) { return nullptr; }
};

// Outlives its work, and the HostFinish objects of it.
class DeviceFeature {
 public:
  virtual ~DeviceFeature() = default;
  // The frame's pictures outlive the result. Throws Error{kBackend}.
  virtual std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) = 0;
  virtual bool has_host_part() const { return false; }
  // Bytes of what it makes of each picture once for all frames that look at it, if a device has the memory:
  // it is then in DevicePicture::derived(), and else the feature's work has to do without. 0: nothing.
  virtual int64_t derived_bytes() const { return 0; }
  // Records the making of that, with the stages of the feature's work.
  virtual void record_derived(vulkan::Recorder&, const vulkan::DevicePicture&, bool /*is_reference*/) const {}
  // Whether the host scores whole frames, since the device would find something else.
  virtual bool leaves_frames() const { return false; }
  // Time of the host's part over all finished frames, as HostFeature::stage_times().
  virtual std::vector<StageTotal> host_stage_times() const { return {}; }
};

// Makes Work(setting, context, frame) for each slot.
template <typename Work, typename Setting>
class PlainDeviceFeature final : public DeviceFeature {
 public:
  PlainDeviceFeature(Setting setting, vulkan::Context& context)
      : setting_(std::move(setting)), context_(context) {}
  std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) override {
    return std::make_unique<Work>(setting_, context_, frame);
  }

 private:
  const Setting setting_;
  vulkan::Context& context_;
};

// The common part of all slots' work if a notable part of it is the host's.
template <typename Plan>
struct SharedWork {
  SharedWork(const Plan& with, const VideoFormats& of, const Execution& execution, vulkan::Context& on)
      : plan(with), formats(of), context(on), times(execution.time_stages) {}
  std::vector<StageTotal> stage_times() const { return times.totals(); }

  const Plan plan;
  const VideoFormats formats;
  vulkan::Context& context;
  StageTimes times;
};

// Makes Work(shared, frame) for each slot. Shared has stage_times(), and may have leaves_frames(), and
// derived_bytes() with record_derived().
template <typename Work, typename Shared>
class SharedDeviceFeature final : public DeviceFeature {
 public:
  template <typename... Arguments>
  explicit SharedDeviceFeature(Arguments&&... arguments) : shared_(std::forward<Arguments>(arguments)...) {}
  std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) override {
    return std::make_unique<Work>(shared_, frame);
  }
  bool has_host_part() const override { return true; }
  bool leaves_frames() const override {
    if constexpr (requires { shared_.leaves_frames(); }) return shared_.leaves_frames();
    return false;
  }
  std::vector<StageTotal> host_stage_times() const override { return shared_.stage_times(); }
  int64_t derived_bytes() const override {
    if constexpr (requires { shared_.derived_bytes(); }) return shared_.derived_bytes();
    return 0;
  }
  void record_derived(vulkan::Recorder& recorder, const vulkan::DevicePicture& picture,
                      bool is_reference) const override {
    if constexpr (requires { shared_.derived_bytes(); })
      shared_.record_derived(recorder, picture, is_reference);
  }

 private:
  Shared shared_;
};

// A plan, and what is wanted besides values.
template <typename Plan>
struct DeviceSetting {
  Plan plan;
  bool heatmaps = false, histograms = false;
};

// The feature of a kind of work: with Work::Shared, made of these, if it has a notable part on the host; else
// with Work::Setting, which is a DeviceSetting; or with the plan alone.
template <typename Work, typename Plan>
std::unique_ptr<DeviceFeature> device_feature(const Plan& plan, const VideoFormats& formats,
                                              const Execution& execution, vulkan::Context& context) {
  if constexpr (requires { typename Work::Shared; }) {
    using Shared = typename Work::Shared;
    return std::make_unique<SharedDeviceFeature<Work, Shared>>(plan, formats, execution, context);
  } else if constexpr (requires { typename Work::Setting; }) {
    using Setting = typename Work::Setting;
    return std::make_unique<PlainDeviceFeature<Work, Setting>>(
        Setting{plan, execution.heatmaps, execution.histograms}, context);
  } else {
    return std::make_unique<PlainDeviceFeature<Work, Plan>>(plan, context);
  }
}

struct DeviceSupport {
  // Why a device cannot run the feature with this backend, whatever the options; empty if it can.
  std::string (*unsupported)(Backend, const vulkan::DeviceInfo&) = nullptr;
  // Includes a check that the device computes what the CPU does. Throws Error{kBackend}. The context outlives
  // the result.
  std::unique_ptr<DeviceFeature> (*make)(const OptionSet&, const VideoFormats&, const Execution&,
                                         vulkan::Context&) = nullptr;
  FeatureMemory (*memory)(const OptionSet&, const VideoFormats&, const Execution&) = nullptr;
  bool needs_doubles = false;  // on a device without them the feature has the host score whole frames
};

// The memory of a slot and, fixed, that of tables, which are on the host as well: counted by making the
// slot's work without a device, for pictures that are not counted.
FeatureMemory slot_memory(const VideoFormats& formats,
                          const std::function<void(vulkan::Context&, const DeviceFrame&)>& make_work);

// DeviceSupport::unsupported of a feature that needs these shaders, whatever the backend.
template <const vulkan::Shader&... shaders>
std::string unsupported_by(Backend, const vulkan::DeviceInfo& device) {
  return vulkan::unsupported_reason(device, {shaders...});
}

// The usual start-up check: what the feature finds for small pictures of the videos' formats, against the
// scalar stages. `make` makes it for these. Throws Error{kBackend}.
using DeviceMaker = std::unique_ptr<DeviceFeature>(const OptionSet&, const VideoFormats&, const Execution&,
                                                   vulkan::Context&);
void check_scores(const FeatureRequest& request, const VideoFormats& formats, vulkan::Context& context,
                  DeviceMaker& make);

// The support of a metric, see feature/metric_type.h, of which `info` is the entry in the registry. Work may
// have: `check(context, plan, formats)`, a start-up check in place of the usual one, or `for_check(options)`,
// which changes the options for that; `check_stages(context, plan, formats)`, a further one;
// `make_workspace(plan)` if finish() needs memory; and `host_bytes(options, formats, execution)`, what else
// it needs on the host. `support` has what is special.
template <const FeatureInfo& (&info)(), typename Metric, typename Work, const vulkan::Shader&... shaders>
constexpr DeviceSupport describe_device(DeviceSupport support = {}) {
  constexpr DeviceMaker* kMake = [](const OptionSet& set, const VideoFormats& formats,
                                    const Execution& execution, vulkan::Context& context) {
    return device_feature<Work>(plan_of<Metric>(set, formats), formats, execution, context);
  };
  if (support.unsupported == nullptr) support.unsupported = unsupported_by<shaders...>;
  support.make = [](const OptionSet& set, const VideoFormats& formats, const Execution& execution,
                    vulkan::Context& context) {
    const auto plan = plan_of<Metric>(set, formats);
    if constexpr (requires { Work::check(context, plan, formats); }) {
      Work::check(context, plan, formats);
    } else {
      FeatureRequest request = {.info = &info(), .options = set};
      if constexpr (requires { Work::for_check(request.options); }) Work::for_check(request.options);
      check_scores(request, formats, context, *kMake);
    }
    if constexpr (requires { Work::check_stages(context, plan, formats); })
      Work::check_stages(context, plan, formats);
    return device_feature<Work>(plan, formats, execution, context);
  };
  support.memory = [](const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
    const auto plan = plan_of<Metric>(set, formats);
    FeatureMemory memory = slot_memory(formats, [&](vulkan::Context& context, const DeviceFrame& frame) {
      device_feature<Work>(plan, formats, execution, context)->make_work(frame);
    });
    if constexpr (requires { Work::make_workspace(plan); })
      memory.fixed += workspace_bytes<Work>(plan, execution);
    if constexpr (requires { Work::host_bytes(set, formats, execution); })
      memory.fixed += Work::host_bytes(set, formats, execution);
    memory.each_result = result_bytes<Metric>(plan);
    return memory;
  };
  return support;
}

// The features of a run on an open device.
struct DevicePart {
  std::unique_ptr<DeviceFeature> feature;
  std::string name;          // its first metric: prefix of stage names if there are several features
  bool every_frame = false;  // also needs frames that the run does not report
  std::string_view feature_name = {};
};
class FirstFrames;
struct DeviceRun {
  std::shared_ptr<vulkan::Context> context;
  std::vector<DevicePart> parts;  // at least one
  FrameNeeds use;
  // The parts see frames that the device fits, and these on the host what they leave to it; null for a video
  // whose frames stay as they are.
  std::optional<Fitting> fitting = {};
  std::shared_ptr<const FrameFitter> fit_distorted = {}, fit_reference = {};
  std::shared_ptr<FirstFrames> first_frames = {};  // null: they are not compared

  // Whether any part also needs frames that are not reported.
  bool looks_at_every_frame() const;
};
// Requirements on a device that runs any of these features with a backend. Features without device support do
// not count.
vulkan::Requirement device_requirement(std::span<const FeatureInfo* const> features, Backend backend);
// The features with device support that one of the devices cannot run, or whose work it would leave to the
// host although it runs others.
std::vector<const FeatureInfo*> features_lacking(std::span<const FeatureInfo* const> features,
                                                 Backend backend,
                                                 std::span<const vulkan::DeviceInfo> devices);

// Measurement of a device's memory and transfer bandwidth.

namespace vulkan {
class Device;
}

// Bytes per second.
struct DeviceBandwidth {
  double memory = 0;    // a shader that copies within the device's memory; reads and writes both count
  double upload = 0;    // from the host to the device
  double readback = 0;  // from the device to the host
};

// Opens the selected device (empty: the best one). Throws Error as vulkan::Device::open().
DeviceBandwidth device_bandwidth(const std::string& selector);

// For an open device: the median of several copies, by the device's clock if it has one. Throws
// Error{kBackend}.
DeviceBandwidth measure_bandwidth(const std::shared_ptr<vulkan::Device>& device);

// Shared parts of the checks, before the first frame, that a device computes what the CPU does.

// A small picture of a video's depth, on the host and on a device: noise in every bit, ramps with flat parts,
// and blocks of what is rare. Neither copied nor moved.
class CheckPicture {
 public:
  static constexpr PlaneSize kSize = {333, 77};
  // With the first `planes` planes that the format has. Throws Error{kBackend}.
  CheckPicture(const vulkan::Context& context, VideoFormat like, int planes, uint32_t seed,
               PlaneSize size = kSize);
  CheckPicture& operator=(CheckPicture&&) = delete;

  // The video's, except for its size.
  const VideoFormat& format() const { return format_; }
  const Frame& frame() const { return frame_; }
  vulkan::DevicePicture& on_device() { return on_device_; }

 private:
  const VideoFormat format_;
  std::array<Plane<uint16_t>, kMaxPlanes> words_;
  std::array<Plane<uint8_t>, kMaxPlanes> bytes_;
  Frame frame_;
  vulkan::DevicePicture on_device_;
};

// Uploads the pictures and runs what is recorded for them. Throws Error{kBackend}.
void run_once(const vulkan::Context& context, std::span<CheckPicture* const> pictures,
              const std::function<void(vulkan::Recorder&)>& record,
              std::chrono::seconds timeout = std::chrono::seconds(60));

// Small pictures of both videos and of the frames before them, as a feature with these needs sees them.
class CheckFrames {
 public:
  // Throws Error{kBackend}.
  CheckFrames(const vulkan::Context& context, VideoFormats formats, const FrameNeeds& needs,
              PlaneSize size = CheckPicture::kSize);

  // The formats of the videos, except for their size.
  const VideoFormats& formats() const { return formats_; }
  CheckPicture& distorted() const { return picture(false, 0); }
  CheckPicture& reference() const { return picture(true, 0); }  // needs: there is one
  // A picture of so many frames before.
  CheckPicture& picture(bool is_reference, int before) const {
    return *pictures_[static_cast<size_t>(2 * before + (is_reference ? 1 : 0))];
  }
  DeviceFrame on_device() const;
  FramePair on_host() const;

  // Uploads the pictures and runs what is recorded for them. Throws Error{kBackend}.
  using Record = std::function<void(vulkan::Recorder&)>;
  void run(const Record& record, std::chrono::seconds timeout = std::chrono::seconds(60)) const;
  void run(DeviceWork& work) const {
    run([&](vulkan::Recorder& recorder) { work.record(recorder); });
  }

 private:
  const vulkan::Context& context_;
  VideoFormats formats_;
  // Those of the distorted video and of the reference in turn, then those of the frames before.
  std::vector<std::unique_ptr<CheckPicture>> pictures_;
  NeighbourCount before_;
};

// The whole check of a device, as a certificate that devices can be compared by.

// What a stage of a feature wrote for such pictures, in all its buffers.
struct StageDigest {
  std::string stage;
  uint64_t digest = 0;
};
struct CheckedFeature {
  std::string name, video;   // of the feature; "8 bits, 4:2:0"
  std::string problem = {};  // why the device is not to be used for it; empty: nothing
  bool is_on_host = false;   // the device leaves whole frames to the host
  std::vector<StageDigest> stages = {};
  double milliseconds = 0;  // with compiling its pipelines
};
struct DeviceCertificate {
  std::vector<CheckedFeature> features = {};

  bool passes() const;
  // Equal only if devices wrote the same in all stages of all features.
  uint64_t digest() const;
};

// Opens the selected device and checks those of the features that have device support, with their default
// options and videos of several depths, samplings and transfers: the start-up check, and all that they find
// against the scalar stages. Throws Error as vulkan::Device::open(), and kBackend if the device is lost.
DeviceCertificate check_device(const vulkan::DeviceOptions& options,
                               std::span<const FeatureInfo* const> infos = features());
// The digest that check_device() found, in sixteen hexadecimal digits, if the device passed with this program
// and driver and the same cache folder; else empty.
std::string kept_certificate(const vulkan::Device& device);

// The first real frames of a device's run, which the CPU scores as well, as the pictures of checks are small:
// by each feature the first that has its neighbours, once for the feature with its options and formats on the
// device with this driver and program. The cache folder remembers it until check_device().
class FirstFrames {
 public:
  // The context and the execution's pool outlive this.
  FirstFrames(std::span<const FeatureRequest> features, const VideoFormats& formats,
              const Execution& execution, vulkan::Context& context);

  // The indices of the features that are to be compared. Called in the order of frames.
  std::vector<size_t> next(const FramePair& frames);
  // `frames`: as the features see them, with what the device found. From any thread; one frame at a time is
  // scored. Throws Error{kBackend} if the CPU finds anything else.
  void compare(FramePair frames, std::span<const FrameResult> found, std::span<const size_t> features);

 private:
  struct Feature {
    FeatureRequest request;
    VideoFormats formats;
    std::string key;
    bool is_next;  // the first frame that has its neighbours is to come
  };

  vulkan::Context& context_;
  const Execution on_host_;
  std::vector<Feature> features_;
  std::mutex mutex_;
};

}  // namespace vq
