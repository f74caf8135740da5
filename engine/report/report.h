// The results of a run as plain data; writers turn it into text.
#pragma once

#include <numeric>

#include "core/frame.h"
#include "core/metric.h"
#include "engine/analysis/pair_fault.h"
#include "feature/stage_clock.h"

namespace vq {

// One input as the decoder saw it. If several decoders had a part in it, they are joined by ", ".
struct InputFacts : StoredVideo {
  std::string role;  // "distorted" or "reference"
  int width = 0, height = 0, bit_depth = 0;
  std::string chroma, range, transfer, matrix;
  std::optional<double> frame_rate;   // frames per second
  int64_t frames = 0;                 // read, after skipping
  std::optional<int64_t> all_frames;  // of the whole video, as far as known; only for the run's own summary
  int64_t skipped = 0;                // number of frames of the video before frame 0 of this report
  std::string bit_rate_of;            // "stream"; "file" if the video's own is unknown; otherwise empty
  std::string film_grain;  // added by the decoder: "applied", "not applied", "none" in the stream, "unknown"
  StoredLight stored_light = {};
  std::optional<double> bits_per_pixel = {};  // of the file of a single picture, which has no bit rate
  bool operator==(const InputFacts&) const = default;
};
// The facts of a video's format.
InputFacts input_facts(const std::string& role, const VideoFormat& format, int64_t frames);

// A threshold and its result.
struct ThresholdFacts {
  std::string expression;  // as given: "p95>5"
  std::string metric, statistic;
  double value = 0;  // of the statistic
  bool crossed = false;
  std::optional<double> baseline = {};  // of the statistic in the baseline
  bool judged = true;  // false: the scores are not comparable, so it is neither kept nor crossed
  // A sample has no value. Instead: where the statistic surely lies, infinite if nothing is known there; the
  // frames after which it was decided; and that in words: "at least 90", "99 % sure after 6 % of the frames".
  std::optional<double> low = {}, high = {};
  int64_t decided_after = 0;
  std::string claim = {}, sure = {};
  bool operator==(const ThresholdFacts&) const = default;
};

// Where a statistic of all frames surely lies; infinite: nothing is known there.
struct IntervalFacts {
  std::string metric, statistic;
  double low = 0, high = 0;
  bool operator==(const IntervalFacts&) const = default;
};

// What a run says with a stated confidence, of a sample of its frames or of all.
struct CertaintyFacts {
  double confidence = 0;       // in percent
  std::string seed;            // of the order of slices, 16 hexadecimal digits; empty: none was drawn
  int64_t frames = 0;          // of the run
  int64_t scored_frames = 0;   // that count
  int64_t decoded_frames = 0;  // of the distorted video, those on the way to others and in vain included
  int64_t slices = 0;          // that count
  int64_t claims = 0;          // different statistics that share the risk
  bool exact = false;          // all frames were scored
  std::string reason;          // why, then
  std::vector<IntervalFacts> intervals;
  bool operator==(const CertaintyFacts&) const = default;
};

// The definition of a segment.
struct SegmentRule {
  double from = 0;   // a score as bad as this begins a segment
  double until = 0;  // a score better than this ends it; at least as good as `from`
  // Length of the window, centred on a frame, whose mean score is judged. 0: the frame's own score.
  double smoothed_seconds = 0;
  // Minimum length, in frames of the video or in seconds.
  int64_t shortest_frames = 1;
  double shortest_seconds = 0;
  bool by_scene = false;  // segments are whole scenes, judged by their mean score; `until` is not used
  bool operator==(const SegmentRule&) const = default;
};

// Frames that the run skipped count with the scored frame before them.
struct Segment {
  int64_t first = 0, last = 0;  // numbers of frames, both inclusive
  // Seconds; none if neither timestamps nor the frame rate are known. The end is the time of the next frame.
  std::optional<double> start, end;
  double mean = 0, worst = 0;  // of the scores
  int64_t worst_frame = 0;     // the first frame with the worst score
  bool operator==(const Segment&) const = default;
};

// Segments of a metric, in order.
struct SegmentFacts {
  std::string metric;
  SegmentRule rule;
  std::vector<Segment> list;
  bool operator==(const SegmentFacts&) const = default;
};

// The inputs and options of a report, from which a later run knows whether the report is up to date.
struct OriginFacts {
  struct File {
    std::string path;  // absolute
    int64_t bytes = 0;
    std::string modified;  // seconds since 1970 with nine decimals
    bool operator==(const File&) const = default;
  };
  std::vector<File> files;  // the inputs
  std::string scores;       // all options that affect scores, as one text
  std::string outputs;      // the same for what is derived from them, such as thresholds and pictures
  bool operator==(const OriginFacts&) const = default;
};

// The time of a run by activity, without gaps.
struct PaceFacts {
  std::array<double, pace::kParts.size()> seconds = {};  // for each of pace::kParts
  bool operator==(const PaceFacts&) const = default;
};

// A model whose scores the run has.
struct ModelFacts {
  std::string name;                       // of its scores: "vmaf"
  std::string source;                     // "vmaf_v0.6.1", or a file's path
  std::vector<std::string> metrics = {};  // its inputs
  // "1920x1080@10": size and bits that the videos were converted to for it; empty if they are scored as they
  // are.
  std::string scored_at = {};
  std::string unsuited = {};  // expectations that the videos do not meet, one sentence each
  bool operator==(const ModelFacts&) const = default;
};

// How a feature read the samples of both videos, in words by their names; empty if it reads all alike.
struct ReadingFacts {
  using Words = std::vector<std::pair<std::string, std::string>>;
  Words distorted = {}, reference = {};  // sorted by name
  bool operator==(const ReadingFacts&) const = default;
};

// Data on the run in the extended report.
// A member of the machine that scored some of the frames. The texts are as in RunFacts and InputFacts.
struct ScoredBy {
  std::string backend, device, driver;
  std::string decoder;  // of both videos
  int64_t frames = 0;   // that are reported
  bool operator==(const ScoredBy&) const = default;
};

// What came of a run.
struct RunOutcome {
  double wall_seconds = 0;
  int64_t subsample = 1;  // one of this many frames was scored
  std::vector<ThresholdFacts> thresholds;
  std::optional<CertaintyFacts> certainty = {};  // if a confidence was asked for
  std::vector<std::string> warnings;
  // None if no score compares the videos, and if the program is called as vmaf. Advice is in the text.
  std::vector<PairFault> pair_faults = {};
};

// The texts of the backend are of several members the words of all.
struct RunFacts : RunOutcome, BackendReport {
  std::vector<std::string> arguments;
  std::vector<InputFacts> inputs;
  // One entry per feature: its name and the effective value of every option, as text.
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>> features;
  std::vector<ReadingFacts> readings = {};  // one for each of the features, or none at all
  std::vector<ModelFacts> models = {};
  std::vector<ScoredBy> scored_by = {};  // the members, if there are several
  std::optional<PaceFacts> pace;
  std::optional<Rectangle> crop;            // none: the whole picture
  std::optional<Rectangle> reference_crop;  // if --crop-ref was given
  int threads = 1;
  bool complete = true;
  bool sample_is_spread = false;       // not always the first of each group, but one at a varying position
  std::vector<SegmentFacts> segments;  // of several metrics, or of one by several rules
  // Frames that begin a scene, ascending, found or given; none: not searched.
  std::optional<std::vector<int64_t>> scene_cuts;
  std::optional<OriginFacts> origin;  // for reports that a later run may reuse
  std::vector<std::string> notes;     // automatic choices: "eotf=pq (from the stream)"
};

// Statistics of the samples of a scene, as Report::aggregates are of the whole run's.
struct SceneAggregates {
  int64_t first = 0;  // one of its frames
  std::vector<std::pair<std::string, double>> figures = {};
};

struct Report {
  std::string version;
  double fps = 0;                                          // scored frames over wall-clock seconds
  int width = 0, height = 0;                               // of the distorted video
  std::vector<int64_t> frames;                             // numbers of the scored frames, ascending
  std::vector<std::optional<double>> timestamps;           // seconds; one for each scored frame
  std::vector<Metric> metrics;                             // in the order of the features on the command line
  std::vector<TextSeries> texts;                           // in that order; only in extended reports
  std::vector<std::pair<std::string, double>> aggregates;  // statistics of the whole run: names and values
  std::vector<SceneAggregates> scene_aggregates = {};      // in order; not of all scenes, or of none
  RunFacts run;
  // For each metric, the frames without a score of it, whose values are NaN; empty if there are none. Only a
  // report that was read with MissingScores::kKept has any.
  std::vector<std::vector<bool>> missing = {};
};

// Whether the scores are of frames that were drawn, so that only intervals are known of statistics.
inline bool is_sample(const Report& report) { return report.run.certainty && !report.run.certainty->exact; }

// Null if the report has no metric of that name.
const Metric* find_metric(const Report& report, std::string_view name);
// Null if the report does not describe its inputs, or has no reference.
const InputFacts* distorted_input(const Report& report);
const InputFacts* reference_input(const Report& report);
// The sentences of the faults that are certain.
std::vector<std::string> certain_texts(const std::vector<PairFault>& faults);
// Whether scores of the metric say something of quality: not those that compare videos which do not belong
// together (RunFacts::pair_faults).
bool is_comparable(const Report& report, const Metric& metric);
// The meaning of the report's metric of this name: see engine/known_metrics.h.
const MetricInfo& metric_info(const Report& report, std::string_view name);

// The bottleneck of a run.

inline double total_seconds(const PaceFacts& pace) {
  return std::accumulate(pace.seconds.begin(), pace.seconds.end(), 0.0);
}

// The activity that took longest; none if none took any time.
inline std::optional<std::string_view> limit_of(const PaceFacts& pace) {
  const auto longest = std::ranges::max_element(pace.seconds);
  if (*longest <= 0) return std::nullopt;
  return pace::kParts[static_cast<size_t>(longest - pace.seconds.begin())];
}

// Times of the frames of a report.

// Duration of a frame, by the frame rate of the distorted video, or by kAssumedFrameRate if that is unknown.
double frame_seconds(const Report& report);

// Start of the frame of this number by the frame rate. Nothing if that is unknown.
std::optional<double> time_by_rate(const Report& report, int64_t frame);

// The timestamp of the scored frame at this position, if it has one.
std::optional<double> timestamp_at(const Report& report, size_t position);

// Start of the scored frame at this position: by its timestamp, otherwise by the frame rate.
std::optional<double> time_of_scored(const Report& report, size_t position);

// Last frame that the run scored or sampled. Frames that follow the last scored one count with it, as far as
// the report says how many were read. Needs: scored frames.
int64_t last_frame(const Report& report);

}  // namespace vq
