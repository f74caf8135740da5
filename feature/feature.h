// Description of a feature for the registry, and the interface that scores frames.
#pragma once

#include <filesystem>
#include <future>

#include "core/fitting.h"
#include "core/frame.h"
#include "core/metric.h"
#include "core/options.h"

namespace vq {

namespace vulkan {
class Context;
class Device;
}  // namespace vulkan

class FrameStore;
class ScoringGroup;
class StageClock;
class WorkerPool;

// How stages are computed, never what: every backend gives the same bits.
enum class Backend { kScalar, kCpu, kHybrid, kVulkan };
std::string_view to_string(Backend backend);  // "scalar", "cpu", "hybrid", "vulkan"
bool is_on_device(Backend backend);           // kHybrid and kVulkan
inline constexpr Backend kAllBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid,
                                           Backend::kVulkan};

// Time of one stage over all frames.
struct StageTotal {
  std::string stage;
  double ms = 0;
};
// Adds to the stage's total, which is created if necessary.
void add_stage_time(std::vector<StageTotal>& totals, std::string_view stage, double ms);

// Stages that every backend on a device may have: planes on their way to the device, results on their way
// back.
inline constexpr std::string_view kUploadStage = "upload", kReadbackStage = "readback";
// The single stage of a feature on the host that does not measure its stages separately.
inline constexpr std::string_view kWholeStage = "score";
// The name of a stage if a run has several features, each named by its first metric.
std::string prefixed_stage(std::string_view metric, std::string_view stage);
// The stage's name without the metric.
std::string_view bare_stage(std::string_view stage);

// The backend that really ran, for the report.
struct BackendReport {
  std::string backend = {};  // "scalar", "cpu", "hybrid", "vulkan"
  std::string simd = {};     // instruction set of the CPU stages, "scalar" if none
  std::string device = {};   // empty on the CPU
  std::string driver = {};
  std::string certificate = {};  // see kept_certificate()
  std::string on_host = {};      // features whose frames a device leaves to the host, as its results differ
  int64_t repeated_frames = 0;   // frames that took the scores of the identical frame before
  std::vector<StageTotal> stages = {};  // on the device, in the order a frame passes them
  // On the host, summed over threads; empty unless Execution::time_stages.
  std::vector<StageTotal> host_stages = {};
  int64_t bytes_uploaded = 0, bytes_read = 0;  // from the host's memory to a device, and back
};

// Scores frames by all features of a run, in order. push() may keep copies of the frames and deliver their
// scores later, but in order; finish() delivers the rest, and frames may be pushed after it. If a frame
// fails, the scores of all frames before it are delivered first and then the Error of the lowest failing
// frame is thrown; the extractor cannot be used after that.
class FeatureExtractor {
 public:
  virtual ~FeatureExtractor() = default;
  virtual void push(const FramePair& frames, ScoreSink& sink) = 0;
  virtual void finish(ScoreSink& sink) = 0;
  virtual BackendReport backend_report() const = 0;
  // Memory the device can read directly, for decoders to allocate frames in. Null if there is none.
  virtual std::shared_ptr<FrameStore> frame_store() const { return nullptr; }
};

// A feature on the CPU, for frames of fixed formats.
class HostFeature {
 public:
  virtual ~HostFeature() = default;
  // Called from several threads of the pool at once. Needs: FeatureInfo::bounded_luma. Throws Error that
  // names video and frame: at_frame().
  virtual FrameResult score(const FramePair& frames) = 0;
  // As score(), for several pairs whose references are one picture, in their order. Needs: at least one pair;
  // FeatureInfo::shares_reference. Throws std::bad_alloc.
  virtual std::vector<FrameResult> score_together(std::span<const FramePair* const> pairs);
  // Time over all finished frames, in the order of stages, if Execution::time_stages; empty if stages are not
  // measured separately.
  virtual std::vector<StageTotal> stage_times() const { return {}; }
};

// A feature on a device; see feature/device_feature.h.
class DeviceFeature;
struct DeviceSupport;

// The formats of the frames that will be pushed.
struct VideoFormats {
  VideoFormat distorted;
  std::optional<VideoFormat> reference;
};

VideoFormats fitted_formats(VideoFormats formats, const Fitting& fitting);

struct FeatureInfo;
// Vulkan devices of a run.
struct DeviceSelection {
  std::string selector = {};                               // see vulkan::choose_devices
  int count = 1;                                           // the number of devices that the selector matches
  std::optional<std::filesystem::path> cache_folder = {};  // see vulkan::DeviceOptions
  // Features that one of them cannot run, which are left to the host. Known once devices are chosen; those
  // whose pictures it cannot hold, once formats are.
  std::vector<const FeatureInfo*> lacking = {};
  // Result of opening them; if invalid, they are still to be opened.
  std::shared_future<std::vector<std::shared_ptr<vulkan::Device>>> opened = {};
};

// How a feature is to run.
struct Execution {
  Backend backend = Backend::kCpu;
  WorkerPool* pool = nullptr;    // outlives the extractor; null only for estimates of memory
  int threads = 1;               // for estimates without a pool
  bool heatmaps = false;         // request them from this feature, in FrameResult::heatmaps
  bool histograms = false;       // request them from this feature, in FrameResult::histograms
  uint32_t cpumask = 0;          // bits of instruction sets to exclude, see feature/simd_targets.h
  DeviceSelection devices = {};  // for backends on devices
  bool time_stages = false;      // measure stages on the host, for BackendReport::host_stages
  // Clock of the thread that pushes frames, which outlives the extractor; waiting for results counts as
  // pace::kScoring. Null: nothing is measured.
  StageClock* clock = nullptr;
  // Other runs with the same reference, beside which this one is scored; outlives the extractor. Its pool is
  // `pool`. Null: none.
  ScoringGroup* group = nullptr;
};

// Number of threads of a run: the pool's, or Execution::threads without a pool.
int thread_count(const Execution& execution);

// One heatmap stream of a feature.
struct HeatmapInfo {
  int scale = 0;
  int width = 0;
  int height = 0;
  double score_weight = 0;  // a sample times this, summed over all scales, is the local score
};

// One histogram of a feature. Bins hold equal ranges of code values, starting at 0.
struct HistogramInfo {
  std::string name;  // name of the channel: "y"
  int bins = 0;
  // Samples in bins up to `low` and from `high` on are clipped.
  int low = 0, high = 0;
};

// Values that depend on several frames.
class FrameSequence {
 public:
  virtual ~FrameSequence() = default;
  // Receives the result of the next frame that the feature scores. Returns the complete values of frames not
  // returned before: of none, one or several, in order.
  virtual std::vector<FrameValues> next(const FrameResult& result) = 0;
  // Returns the values of the remaining frames: no frame follows.
  virtual std::vector<FrameValues> finish() { return {}; }
  // The values of a frame that do not depend on later frames, at their final indices; empty if there are
  // none. Frames count from 0.
  virtual std::vector<std::optional<double>> at_once(const FrameResult& result, int64_t frame) const {
    (void)result, (void)frame;
    return {};
  }
};

// See FeatureInfo::reach.
struct SequenceReach {
  int before = 0, behind = 0;
};

// Videos whose luma samples must not exceed the maximum of their depth, because sums would overflow. On the
// CPU the extractor checks them, on a device the feature (see feature/metric_type.h).
enum class BoundedLuma { kNone, kReference, kBoth };

// Where the options of a feature come from.
enum class AskedBy {
  kProgram,  // the program's defaults, or single options
  kUser,     // a complete specification by the user
  kModel,
};

// A warning that a request contradicts the videos, or that the videos contradict each other.
struct ResolutionWarning {
  std::string text = {};
  // The option that would follow the videos if it were left open; empty: none.
  std::string_view open_option = {};
};

// Which open options were resolved, and how.
struct Resolution {
  std::vector<std::string> notes;  // "eotf=pq (from the stream)"
  std::vector<ResolutionWarning> warnings;
};

// Upper estimate of what a feature allocates for an execution, in bytes.
struct FeatureMemory {
  int64_t fixed = 0;        // once
  int64_t each_slot = 0;    // on a device: per slot
  int64_t each_result = 0;  // FrameResult of each frame in flight, without heatmaps
  // On a device: bytes of the largest buffer that a shader sees, except planes of the videos and buffers that
  // fit every device; 0: there is none.
  int64_t largest_buffer = 0;
};

// Facts on a scored video from which remedies are derived.
struct ScoredVideo {
  int bit_depth = 0;  // 0: unknown
  bool has_reference = false;
  // Fraction (0 to 1) of the reference's frames with noteworthy scores; absent if the reference was not
  // scored.
  std::optional<double> reference_noteworthy = {};
};

// An action to improve the video, and what it costs or where it fails.
struct Remedy {
  std::string_view title = {};
  std::string_view text = {};
};

// Where a feature is published.
struct Publication {
  std::string_view citation = {};  // authors, title, where
  std::string_view doi = {};
};

// One feature of the registry. A pointer may be null only if its comment says what that means.
struct FeatureInfo {
  std::string_view name = {};
  std::string_view alias = {};  // common name; empty: none
  std::string_view summary = {};
  std::span<const OptionSpec> options = {};
  std::span<const Backend> backends = kAllBackends;
  Publication publication = {};  // empty: none
  // Every metric that it can report, whatever the options.
  std::span<const MetricInfo> metrics = {};
  // Names of the metrics reported with these options, in order. Each is the name of one of `metrics`, or that
  // name followed by "_" and the options that differ from their defaults.
  std::vector<std::string> (*metric_names)(const OptionSet&) = nullptr;
  bool (*needs_reference)(const OptionSet&) = nullptr;
  // Number of planes that it reads: 1 (luma) or 3; null: 1.
  int (*planes)(const OptionSet&) = nullptr;
  // Number of previous frames, of each video, that it reads beside each frame, and freezes; null: none. If
  // there are any, it needs every frame.
  NeighbourCount (*neighbours)(const OptionSet&) = nullptr;
  // Null: none.
  BoundedLuma (*bounded_luma)(const OptionSet&) = nullptr;
  // Whether its aggregates and its sequence also cover frames that the run does not report; null: no.
  bool (*needs_every_frame)(const OptionSet&) = nullptr;
  // Statistics of the whole run, from the sums of FrameResult::tallies; null: none.
  std::vector<std::pair<std::string, double>> (*aggregates)(const OptionSet&, const VideoFormats&,
                                                            std::span<const double> totals) = nullptr;
  // The same from the values that each of its metrics has in the run's frames; null: none. Needs: at least
  // one frame.
  std::vector<std::pair<std::string, double>> (*of_frames)(
      const OptionSet&, std::span<const std::span<const double>> columns) = nullptr;
  // What these statistics of the run, of both kinds, say against what the video says of itself, one sentence
  // each; null: nothing.
  std::vector<std::string> (*remarks)(const OptionSet&, const VideoFormats&,
                                      std::span<const std::pair<std::string, double>>) = nullptr;
  // Gives values to options that were left to the program, now that the videos are known; of options that a
  // user or a model wrote out, only those left open. Null if no option can be left open.
  Resolution (*resolve)(OptionSet&, const VideoFormats&, AskedBy) = nullptr;
  // Material of fewer bits than this, in a deeper container, scores differently if OptionRole::kEncodedDepth
  // gives its depth; 0: never.
  int depth_matters_below = 0;
  // Actions against noteworthy scores, the most useful first; null: none known.
  std::vector<Remedy> (*remedies)(const ScoredVideo&) = nullptr;
  // How it reads the samples of a video, in words by their names: {"matrix", "bt709"}; null if there is but
  // one way.
  std::vector<std::pair<std::string, std::string>> (*reading)(const OptionSet&, const VideoFormat&) = nullptr;
  // With `reading`: whether it reads luma alone, and so sees RGB as Y'CbCr.
  bool reads_luma = false;
  // Warnings about options that have no effect on these inputs; null: none.
  std::vector<std::string> (*advice)(const OptionSet&, const VideoFormats&) = nullptr;
  // The option that takes the folder for raw heatmaps; empty, and `heatmaps` null, if it has no heatmaps.
  std::string_view heatmap_option = {};
  std::vector<HeatmapInfo> (*heatmaps)(const OptionSet&, const VideoFormats&) = nullptr;
  // Names of the texts in FrameResult::texts, in order; null: none.
  std::vector<std::string> (*text_names)(const OptionSet&) = nullptr;
  // The option that takes the file for histograms; empty, and `histograms` null, if it has none.
  std::string_view histogram_option = {};
  // All have the same number of bins.
  std::vector<HistogramInfo> (*histograms)(const OptionSet&, const VideoFormats&) = nullptr;
  // For values that depend on other frames; null: none do.
  std::unique_ptr<FrameSequence> (*make_sequence)(const OptionSet&) = nullptr;
  // How many results before a frame's own, and how many behind it, decide its values of the sequence, which
  // may begin with the first and end with the last of them; null, beside a sequence: all.
  SequenceReach (*reach)(const OptionSet&) = nullptr;
  // What the scores cannot leave, since they are clipped or by their formula, of the metric with this place
  // among metric_names(); null: none has such ends.
  ScoreEnds (*score_ends)(const OptionSet&, const VideoFormats&, size_t place) = nullptr;
  // Checks options and formats before the first frame; null: no checks. Throws Error: kUsage for options,
  // kMismatch for formats that do not suit. `make` and `memory` need that it did not throw.
  void (*check)(const OptionSet&, const VideoFormats&) = nullptr;
  // Whether it compares chroma of any two samplings. If not, features that compare videos see the coarser one
  // of both.
  bool spreads_chroma = false;
  // Whether score_together() computes once what the reference of several pairs needs.
  bool shares_reference = false;
  // On the host; null: negligible.
  FeatureMemory (*memory)(const OptionSet&, const VideoFormats&, const Execution&) = nullptr;
  std::unique_ptr<HostFeature> (*make)(const OptionSet&, const VideoFormats&, const Execution&) = nullptr;
};

// Null if the feature runs on no device, or this build has no Vulkan.
const DeviceSupport* device_support(const FeatureInfo& info);

// A feature to be computed, with its options.
struct FeatureRequest {
  const FeatureInfo* info = nullptr;
  OptionSet options;
  AskedBy asked_by = AskedBy::kProgram;
  bool heatmaps = false;  // deliver heatmaps
  bool histograms = false;
  bool is_inner = false;  // only models use it
  // If set, the feature sees fitted frames; the functions below then take the formats of these.
  std::optional<Fitting> fitting = {};
};

// Formats of the frames that it sees.
VideoFormats formats_of(const FeatureRequest& request, const VideoFormats& formats);

// Whether a feature compares the videos with each other. A feature with an option of OptionRole::kReference
// scores each video separately.
bool compares_videos(const FeatureInfo& info, const OptionSet& options);

// Whether it takes RGB as it is: it reads samples by their tags, and not luma alone.
bool knows_rgb(const FeatureInfo& info);

// The most that the sequences of the features reach; nothing if one of them takes all frames.
std::optional<SequenceReach> sequence_reach(std::span<const FeatureRequest> features);

// Whether it also needs frames that the run does not report.
bool needs_every_frame(const FeatureRequest& request);

// The union of what the features read.
FrameNeeds frame_needs(std::span<const FeatureRequest> features);

// The features' descriptions.
std::vector<const FeatureInfo*> infos_of(std::span<const FeatureRequest> features);

// Bytes of a frame's first `planes` planes, or of all if there are fewer.
int64_t frame_bytes(const VideoFormat& format, int planes);

// The execution for one feature of the run, with heatmaps and histograms as requested.
Execution execution_of(const FeatureRequest& request, const Execution& run);

// The metrics that a feature reports, in the order of FrameResult::values.
std::vector<Metric> metrics_of(const FeatureRequest& request);

// A metric of a report, and the source of its values.
struct MetricPlace {
  Metric metric = {};
  size_t feature = 0, value = 0;  // index of the feature, and index in FrameResult::values
};

// The metrics of all features in report order: feature by feature, the late ones (see MetricInfo) last.
std::vector<MetricPlace> metric_places(std::span<const FeatureRequest> features);
// The names of metric_places().
std::vector<std::string> metric_names(std::span<const FeatureRequest> features);

// FeatureInfo::resolve, ::check, ::heatmaps and ::histograms; nothing if a feature has none.
Resolution resolve(FeatureRequest& request, const VideoFormats& formats);
void check_request(const FeatureRequest& request, const VideoFormats& formats);
std::vector<HeatmapInfo> heatmaps_of(const FeatureRequest& request, const VideoFormats& formats);
std::vector<HistogramInfo> histograms_of(const FeatureRequest& request, const VideoFormats& formats);

// Every feature this program can compute.

std::span<const FeatureInfo* const> features();

// The feature that is computed by default.
const FeatureInfo& default_feature();

// By its name or alias. Throws Error{kUsage} for an unknown name, with the nearest one.
const FeatureInfo& find_feature(std::string_view name);

}  // namespace vq
