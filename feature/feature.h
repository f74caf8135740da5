// What a feature is: how the registry describes it, and the interface by which it scores frames.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fitting.h"
#include "core/frame.h"
#include "core/metric.h"
#include "core/metric_info.h"
#include "core/options.h"
#include "core/scores.h"

namespace vq {

namespace vulkan {
class Context;
class Device;
class SharedPictures;
}  // namespace vulkan

class FrameStore;
class StageClock;
class WorkerPool;

// How stages are computed, never what: every backend gives the same bits.
enum class Backend { kScalar, kCpu, kHybrid, kVulkan };
std::string_view to_string(Backend backend);  // "scalar", "cpu", "hybrid", "vulkan"
bool is_on_device(Backend backend);           // the last two

// Time of one stage over all frames.
struct StageTotal {
  std::string stage;
  double ms = 0;
};
// Adds to the stage's total, which is made where there is none.
void add_stage_time(std::vector<StageTotal>& totals, std::string_view stage, double ms);

// Stages that every backend on a device may have: planes on their way to it, results on their way back.
inline constexpr std::string_view kUploadStage = "upload", kReadbackStage = "readback";
// All that a feature does on the host, where it does not tell its stages apart.
inline constexpr std::string_view kWholeStage = "score";
// The name of a stage where a run has several features, each called by its first metric.
std::string prefixed_stage(std::string_view metric, std::string_view stage);
// The same without the metric.
std::string_view bare_stage(std::string_view stage);

// Bytes that a stage cannot do without for a frame: what it must read and what it leaves for the next, each
// once.
struct StageBytes {
  std::string stage;
  int64_t bytes = 0;
};

// What really ran, for the report.
struct BackendReport {
  std::string backend = {};  // "scalar", "cpu", "hybrid", "vulkan"
  std::string simd = {};     // instruction set of the CPU stages, "scalar" where none
  std::string device = {};   // empty on the CPU
  std::string driver = {};
  int64_t repeated_frames = 0;          // frames whose score was that of the identical picture before
  std::vector<StageTotal> stages = {};  // of the device, in the order a frame takes them
  // Of the host, its threads' times added up; empty unless Execution::time_stages.
  std::vector<StageTotal> host_stages = {};
  int64_t computed_frames = 0;                 // that are reported and repeat none
  int64_t unreported_frames = 0;               // computed, of those features that need every frame
  int64_t bytes_uploaded = 0, bytes_read = 0;  // that went to a device from the host's memory, and came back
  int64_t bytes_copied = 0;  // by the stage kUploadStage, whose time is that of copies alone
};

// Scores frames by all features of a run, in order. push() may keep copies of the frames and deliver their
// scores later, but in order; finish() delivers the rest, and frames may be pushed after it. Where a frame
// fails, the scores of all frames before it are delivered first and then the Error of the lowest failing
// frame is thrown; the extractor is of no further use.
class FeatureExtractor {
 public:
  virtual ~FeatureExtractor() = default;
  virtual void push(const FramePair& frames, ScoreSink& sink) = 0;
  virtual void finish(ScoreSink& sink) = 0;
  virtual BackendReport backend_report() const = 0;
  // For those who make the frames: samples that lie there need no copying. Null where memory makes no
  // difference.
  virtual std::shared_ptr<FrameStore> frame_store() const { return nullptr; }
  // For hardware that decodes on the same devices: of each device that can share it, memory for pictures that
  // stay there.
  virtual std::vector<std::shared_ptr<vulkan::SharedPictures>> shared_pictures() const { return {}; }
};

// A feature on the CPU, for frames of fixed formats.
class HostFeature {
 public:
  virtual ~HostFeature() = default;
  // Called from any thread of the pool, from several at once. Needs: FeatureInfo::bounded_luma. Throws Error
  // that names video and frame: at_frame().
  virtual FrameResult score(const FramePair& frames) = 0;
  virtual std::string simd() const = 0;  // instruction set of its stages, "scalar" where none
  // Of all frames that are done, in order, under Execution::time_stages; empty where it does not tell its
  // stages apart.
  virtual std::vector<StageTotal> stage_times() const { return {}; }
};

// A feature on a device; see feature/device_feature.h.
class DeviceFeature;
struct DeviceSupport;

// The formats of what will be pushed.
struct VideoFormats {
  VideoFormat distorted;
  std::optional<VideoFormat> reference;
};

VideoFormats fitted_formats(VideoFormats formats, const Fitting& fitting);

// Vulkan devices of a run.
struct DeviceSelection {
  std::string selector = {};                               // see vulkan::choose_devices
  int count = 1;                                           // of those it means
  std::optional<std::filesystem::path> cache_folder = {};  // see vulkan::DeviceOptions
  // By these; invalid: they are to be opened.
  std::shared_future<std::vector<std::shared_ptr<vulkan::Device>>> opened = {};
};

// How a feature is to run.
struct Execution {
  Backend backend = Backend::kCpu;
  WorkerPool* pool = nullptr;    // outlives the extractor; null only for estimates of memory
  int threads = 1;               // that such an estimate counts on where there is no pool
  bool heatmaps = false;         // of this feature, into FrameResult::heatmaps
  bool histograms = false;       // of this feature, into FrameResult::histograms
  uint32_t cpumask = 0;          // bits of instruction sets not to use, see feature/simd_targets.h
  DeviceSelection devices = {};  // for backends that use some
  bool time_stages = false;      // what they take on the host, for BackendReport::host_stages
  MakeFitter make_fitter = {};   // where a request has a fitting
  // Of the thread that pushes frames, which outlives the extractor: its waiting for results is
  // pace::kScoring. Null: nobody wants to know.
  StageClock* clock = nullptr;
};

// Number of threads that work on a run: the pool's, or Execution::threads without one.
int thread_count(const Execution& execution);

// One heatmap stream of a feature.
struct HeatmapInfo {
  int scale = 0;
  int width = 0;
  int height = 0;
  double score_weight = 0;  // a sample times this, added up over all scales, is the score around it
};

// One histogram of a feature. Bins hold equal ranges of code values, the first from 0 on.
struct HistogramInfo {
  std::string name;  // of the channel: "y"
  int bins = 0;
  // Samples of the bins up to `low` and from `high` on are clipped.
  int low = 0, high = 0;
};

// Values that follow from several frames.
class FrameSequence {
 public:
  virtual ~FrameSequence() = default;
  // Takes what was found in the next of the frames that the feature looks at. Returns the values, complete
  // now, of the frames whose values were not returned before: in order, none or several.
  virtual std::vector<FrameValues> next(const FrameResult& result) = 0;
  // The same for those that are left, as no frame follows.
  virtual std::vector<FrameValues> finish() { return {}; }
  // Of a frame's values those that need no frame behind it, in their places; empty where all do. Frames count
  // from 0.
  virtual std::vector<std::optional<double>> at_once(const FrameResult& result, int64_t frame) const {
    (void)result, (void)frame;
    return {};
  }
};

// Videos whose luma samples must not exceed their depth's maximum, as sums have room for no more. On the CPU
// the extractor looks for such samples, on a device the feature (see feature/luma_range.h).
enum class BoundedLuma { kNone, kReference, kBoth };

// Who says what the options of a feature are.
enum class AskedBy {
  kProgram,  // by default, or option by option
  kUser,     // written out in full
  kModel,
};

// Says that a request contradicts the videos, or that they contradict each other.
struct ResolutionWarning {
  std::string text = {};
  // The option that would follow the videos if it were left open; empty: none.
  std::string_view open_option = {};
};

// What was left open, and what became of it.
struct Resolution {
  std::vector<std::string> notes;  // "eotf=pq (from the stream)"
  std::vector<ResolutionWarning> warnings;
};

// An upper estimate of what a feature allocates for the execution it is given, in bytes.
struct FeatureMemory {
  int64_t fixed = 0;        // once
  int64_t each_slot = 0;    // on a device: of each frame that is there at a time
  int64_t each_result = 0;  // FrameResult of each frame in flight
};

// What scores say of a video, for those who want to do something about it.
struct ScoredVideo {
  int bit_depth = 0;  // 0: unknown
  bool has_reference = false;
  // Share of the frames of its reference whose scores are noteworthy, 0 to 1; none: that was not scored.
  std::optional<double> reference_noteworthy = {};
};

// One thing to do about it, and what that costs or where it fails.
struct Remedy {
  std::string_view title = {};
  std::string_view text = {};
};

// Where a feature is published.
struct Publication {
  std::string_view citation = {};  // authors, title, where
  std::string_view doi = {};
};

// One feature, as the registry lists it. A pointer may be null only where its comment says what that means.
struct FeatureInfo {
  std::string_view name = {};
  std::string_view alias = {};  // what people call it; empty: no other name
  std::string_view summary = {};
  std::span<const OptionSpec> options = {};
  std::span<const Backend> backends = {};
  Publication publication = {};  // empty: none
  // Every metric that it may report, whatever the options.
  std::span<const MetricInfo> metrics = {};
  // Of those reported with these options, in order: the name of each is that of one of `metrics`, or goes on
  // with "_" and the options that differ from their defaults.
  std::vector<std::string> (*metric_names)(const OptionSet&) = nullptr;
  bool (*needs_reference)(const OptionSet&) = nullptr;
  // That it looks at: 1 (luma) or 3; null: the luma alone.
  int (*planes)(const OptionSet&) = nullptr;
  // Frames before, of each video, that it looks at beside each frame; null: none. With some, it needs every
  // frame.
  NeighbourCount (*neighbours)(const OptionSet&) = nullptr;
  // Null: none.
  BoundedLuma (*bounded_luma)(const OptionSet&) = nullptr;
  // Its aggregates and its sequence are of all frames, also of those that the run does not report; null: of
  // none but those that it does.
  bool (*needs_every_frame)(const OptionSet&) = nullptr;
  // Figures of the whole run, from the sums of FrameResult::tallies; null: none.
  std::vector<std::pair<std::string, double>> (*aggregates)(const OptionSet&, const VideoFormats&,
                                                            std::span<const double> totals) = nullptr;
  // Replaces by values what was left to the program, now that the videos are known; of options that a user or
  // a model wrote out nothing but what they leave open. Null where nothing can be left open.
  Resolution (*resolve)(OptionSet&, const VideoFormats&, AskedBy) = nullptr;
  // Material of fewer bits than this, in a deeper container, has other scores if OptionRole::kEncodedDepth
  // says so; 0: none.
  int depth_matters_below = 0;
  // What can be done about noteworthy scores, the first thing first; null: nothing is known.
  std::vector<Remedy> (*remedies)(const ScoredVideo&) = nullptr;
  // Warnings about options that have no effect with these inputs; null: none.
  std::vector<std::string> (*advice)(const OptionSet&, const VideoFormats&) = nullptr;
  // The option that takes the folder for raw heatmaps; empty, and the next is null, where it has no heatmaps.
  std::string_view heatmap_option = {};
  std::vector<HeatmapInfo> (*heatmaps)(const OptionSet&, const VideoFormats&) = nullptr;
  // What it says of a frame in words, in the order of FrameResult::texts: their names; null: nothing.
  std::vector<std::string> (*text_names)(const OptionSet&) = nullptr;
  // The option that takes the file for whole histograms; empty, and the next is null, where it has none.
  std::string_view histogram_option = {};
  // All of one number of bins.
  std::vector<HistogramInfo> (*histograms)(const OptionSet&, const VideoFormats&) = nullptr;
  // For values that depend on other frames; null: there are none.
  std::unique_ptr<FrameSequence> (*make_sequence)(const OptionSet&) = nullptr;
  // Checks what can be known before the first frame; null: there is nothing to check. Throws Error: kUsage
  // for options, kMismatch for what these videos do not allow. The next four need that it did not throw.
  void (*check)(const OptionSet&, const VideoFormats&) = nullptr;
  // On the host; null: next to nothing.
  FeatureMemory (*memory)(const OptionSet&, const VideoFormats&, const Execution&) = nullptr;
  // Of its stages for this backend, on the host or the device, those that move more than some results; the
  // rest, and the upload, which is for all features, are left out. A device's own (DeviceSupport) come first.
  std::vector<StageBytes> (*stage_bytes)(const OptionSet&, const VideoFormats&, Backend) = nullptr;
  std::unique_ptr<HostFeature> (*make)(const OptionSet&, const VideoFormats&, const Execution&) = nullptr;
};

// Null where the feature runs on no device, or this build has no Vulkan.
const DeviceSupport* device_support(const FeatureInfo& info);

// A feature that is to be computed, with its options.
struct FeatureRequest {
  const FeatureInfo* info = nullptr;
  OptionSet options;
  AskedBy asked_by = AskedBy::kProgram;
  bool heatmaps = false;  // deliver them
  bool histograms = false;
  bool is_inner = false;  // models alone ask for it
  // What it looks at instead of the frames that are pushed; the functions below take the formats of these.
  std::optional<Fitting> fitting = {};
};

// Of the frames that it looks at.
VideoFormats formats_of(const FeatureRequest& request, const VideoFormats& formats);

// Whether a feature compares the videos with each other. One with an option of OptionRole::kReference scores
// each video by itself.
bool compares_videos(const FeatureInfo& info, const OptionSet& options);

// Whether it looks also at frames that the run does not report.
bool needs_every_frame(const FeatureRequest& request);

// What the features look at together.
FrameNeeds frame_needs(std::span<const FeatureRequest> features);

// What is known of each.
std::vector<const FeatureInfo*> infos_of(std::span<const FeatureRequest> features);

// Samples of a frame's first planes, as many as the format has, in bytes.
int64_t frame_bytes(const VideoFormat& format, int planes);

// How one feature of the run is to run: heatmaps and histograms as its request says.
Execution execution_of(const FeatureRequest& request, const Execution& run);

// What a feature reports, in the order of FrameResult::values.
std::vector<Metric> metrics_of(const FeatureRequest& request);

// A metric of a report, and where its values come from.
struct MetricPlace {
  Metric metric = {};
  size_t feature = 0, value = 0;  // place among the features, and in FrameResult::values
};

// Of all features, in the order of reports: feature by feature, those that are late (see MetricInfo) behind
// all others.
std::vector<MetricPlace> metric_places(std::span<const FeatureRequest> features);
// Their names.
std::vector<std::string> metric_names(std::span<const FeatureRequest> features);

// FeatureInfo::resolve, ::check, ::heatmaps and ::histograms; nothing where a feature has none.
Resolution resolve(FeatureRequest& request, const VideoFormats& formats);
void check_request(const FeatureRequest& request, const VideoFormats& formats);
std::vector<HeatmapInfo> heatmaps_of(const FeatureRequest& request, const VideoFormats& formats);
std::vector<HistogramInfo> histograms_of(const FeatureRequest& request, const VideoFormats& formats);

}  // namespace vq
