// The options of a scoring run, as plain data.
#pragma once

#include "cli/decoding/frame_reader.h"
#include "cli/decoding/video_source.h"
#include "cli/pictures/heatmap_outputs.h"
#include "cli/system/output_file.h"
#include "cli/system/progress.h"
#include "core/number_text.h"
#include "core/worker_pool.h"
#include "engine/report/report_writer.h"
#include "engine/report/scenes.h"
#include "engine/report/segments.h"
#include "engine/report/threshold.h"
#include "engine/sampling.h"
#include "engine/settle.h"
#include "feature/feature.h"

namespace vq {
class SharedDevices;
}

namespace vq::cli {

enum class Role { kDistorted, kReference };

// A stretch of a part that is read by itself, with the neighbours of what is scored of it.
struct RunStretch {
  FrameSpan frames;                                // with the numbers that they have in the run, as below
  std::optional<StreamPart> distorted, reference;  // as in RunPart
  bool operator==(const RunStretch&) const = default;
};

// A part of a run. Frames have the numbers that they have in the whole run.
struct RunPart {
  int64_t first = 0;      // the part's first frame
  int64_t end = -1;       // the first frame behind the part; -1: the part goes on to the end of the run
  int64_t lead = 0;       // number of frames before the first that are also read, as its neighbours
  int64_t run_first = 0;  // the first frame of the whole run
  std::optional<StreamPart> distorted = {}, reference = {};                  // none: read from its start
  std::optional<StreamLength> distorted_length = {}, reference_length = {};  // of the whole streams
  // Not empty: of the part only these are read, and only the frames of `scored` scored; both ascend. `first`
  // is the first frame of both then.
  std::vector<RunStretch> stretches = {};
  std::vector<FrameSpan> scored = {};
  // Not empty: only these of them are reported, and the others scored for features that need every frame.
  std::vector<FrameSpan> reported = {};
  bool operator==(const RunPart&) const = default;
};

// Scenes from a file.
struct GivenScenes {
  std::string path;
  SceneList list;
};

struct OutputRequest {
  std::string path;
  std::optional<ReportFormat> format;  // none: neither a flag nor the extension says
  ZoneStyle zones = {};
};

// Whether film grain that a stream describes is applied before scoring. kDefault: as players do; kBoth:
// compare scores each video with and without.
enum class FilmGrainRequest { kDefault, kOn, kOff, kBoth };

// Path of the output of a run that ends early; empty if the output is written in place.
std::string partial_output(const OutputRequest& request);

// The value of --crop or --crop-ref: a rectangle, or to find it.
struct CropRequest {
  std::optional<Rectangle> rectangle;  // none: auto
};

// W:H:X:Y or auto. Throws Error{kUsage} with the name of the flag.
CropRequest parse_crop(const std::string& flag, const std::string& text);

// The value of --align: the shift, or to find it, or neither.
struct AlignRequest {
  bool finds = false;
  std::optional<int64_t> shift;

  bool is_off() const { return !finds && !shift; }
};
// auto, off, or a number of frames. Throws Error{kUsage}.
AlignRequest parse_align(const std::string& text);

enum class FlagRole {
  kOfTopic,    // as its topic
  kScoring,    // scores
  kAccepting,  // which frames and pairs are scored rather than refused, and how they are read
  kRunning,    // how scores are computed
  kReporting,  // what is made of scores, also later
  kTelling,    // what is written and shown besides
  kDrawing,    // pictures, which need the frames
};

// The condition without which a flag has no effect.
enum class FlagNeeds { kNothing, kReference, kHeatmaps, kZones, kSegments, kScaling, kJson, kReport, kPage };

// A flag of a run that was given.
struct GivenOption {
  std::string_view name;  // the long one
  std::string text;       // its value, if it takes one
  FlagRole role = FlagRole::kRunning;
  FlagNeeds needs = FlagNeeds::kNothing;
  bool names_path = false;
};

// The options of a scoring run. Request is what the user asks to be scored, and Selection the features and
// models of that, as far as they are known before the videos are.
struct RunOptions : Request, Selection {
  std::vector<std::string> original;  // the command line without the program's name, for the report
  std::vector<GivenOption> given;     // in the order of the help, a flag that repeats in the order given
  bool is_vmaf = false;               // called as vmaf: nothing tells of wrong pairs, and summaries are plain

  // Inputs.
  std::string distorted;
  std::optional<std::string> reference;
  std::optional<int> width, height, bit_depth;  // of raw video
  std::optional<Chroma> chroma;
  std::optional<PlanarLayout> raw;      // made of these four, if they are given
  int stream = -1;                      // number of the stream in both videos; -1: the best one
  std::optional<int> reference_stream;  // instead of `stream`, for the reference
  // Frame rate of videos that do not declare one, and of the reference if it has another.
  std::optional<FrameRate> frame_rate, reference_frame_rate;
  bool pairs_by_time = false;  // frames are paired by their times, not by their numbers
  int64_t skip_distorted = 0, skip_reference = 0;
  // Skips the frames shown before this time, in seconds; count_skipped() turns it into the number of frames.
  std::optional<double> skip_distorted_seconds, skip_reference_seconds;
  int64_t frame_count = 0;  // frames to read after skipping; 0: all
  Sampling sampling;        // of those read, the frames that are scored
  std::optional<VideoPosition> start, end;
  // Crop of the distorted video as it is decoded, and of the reference if that has no crop of its own and the
  // same size.
  std::optional<CropRequest> crop;
  std::optional<CropRequest> reference_crop;  // of the reference as it is decoded
  std::optional<AlignRequest> align;          // none: a pair that is not aligned is warned of
  FilmGrainRequest film_grain = FilmGrainRequest::kDefault;
  bool strict = false, allow_damage = false;
  bool compare_anyway = false;  // videos that do not belong together are scored all the same
  std::optional<RunPart> part;  // this run is a part of another; start, end and frame_count do not count

  // Outputs and messages.
  HeatmapRequests heatmaps;                    // adds to what the features' options ask for
  std::optional<std::string> heatmaps_folder;  // for the first feature that has them
  std::optional<ReportFormat> format;          // of every report
  std::vector<OutputRequest> outputs;
  std::vector<Threshold> thresholds;
  // Percentage with which thresholds are to be decided, before all frames are scored; see engine/certainty.h.
  std::optional<double> confidence;
  std::optional<double> tolerance;       // to which every statistic is to be known, to either side
  std::optional<uint64_t> seed;          // of the order in which slices are scored; none: the content decides
  std::optional<std::string> junit;      // file for the outcome as JUnit XML
  bool github = false;                   // tells the outcome to GitHub's actions as well
  std::optional<std::string> baseline;   // the report that thresholds with a sign are relative to
  std::vector<SegmentRequest> segments;  // if empty, reports have those that are noteworthy
  // These become SegmentRequest::until and SegmentRequest::shortest of all segments.
  std::optional<double> segments_until;
  std::optional<VideoPosition> segments_shortest;
  std::optional<std::string> zone_options;
  std::optional<VideoPosition> zone_snap;
  bool lists_scenes = false;          // in the summary
  std::optional<GivenScenes> scenes;  // none: scenes are found
  bool stream_scores = false;         // a JSON object a line on standard output, as they come
  std::optional<size_t> worst;        // frames to list and to show; none: as each output sees fit
  std::optional<NumberStyle> precision;
  bool extended = false;
  bool quiet = false;
  ProgressForm progress = ProgressForm::kAuto;

  // The way that it runs; none of this changes scores.
  std::optional<Backend> backend;          // none: auto
  std::string device;                      // number or name; empty: any
  unsigned cpumask = 0, gpumask = 0;       // instruction sets not to use
  HardwareRequest hardware;                // to decode; a run adds the devices
  std::shared_ptr<SharedDevices> devices;  // with other runs; null: the run opens its own
  // If the CPU needs more than this number of seconds for the rest of a run, devices join. At 0 they join
  // every run before its second frame.
  double joins_after = 1;
  int threads = 0;                           // 0: all cores
  int decoders = 0;                          // of one video at a time; 0: as many as are of use
  int64_t max_memory = 0;                    // bytes; 0: three quarters of what the process may have
  std::string trace;                         // path of a timeline of the run's threads; empty: none
  bool sandbox = false;                      // confines the process before anything is opened
  std::string sandbox_layers;                // what holds then, in words; empty: nothing
  StopToken stop = {};                       // ends the run early: what was scored so far is its result
  std::shared_ptr<WorkerPool> pool = {};     // which nothing else uses meanwhile; null: one of its own
  std::shared_ptr<ScoringGroup> group = {};  // of runs that are scored beside this one; null: none

  // Null if the flag was not given.
  const GivenOption* find(std::string_view flag) const;
};

// Throws Error{kUsage} for the first given flag that has no effect in this run. If `of_outputs` is set it
// looks at the flags whose effect is on the outputs of a single run, otherwise at all others.
void refuse_idle_flags(const RunOptions& options, bool of_outputs);

// The paths of reports, pages, histograms and other files, and of what a run that ends early leaves of each.
std::vector<OutputPlace> output_places(const RunOptions& arguments);

bool writes_page(const RunOptions& options);

// Whether reports have the stages of the run, as extended ones and pages do.
bool tells_stages(const RunOptions& options);
// Whether scenes are searched for, since an output needs them and they are not given.
bool finds_scenes(const RunOptions& options);
// Whether an output is about scenes: a table of them, or segments that are scenes.
bool is_about_scenes(const RunOptions& options);

// The videos, the distorted one first.
std::vector<std::string> input_paths(const RunOptions& arguments);

}  // namespace vq::cli
