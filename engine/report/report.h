// What a run found, as plain data; writers turn it into text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/metric.h"
#include "feature/stage_clock.h"

namespace vq {

// One input as the decoder saw it.
struct InputFacts {
  std::string role;  // "distorted" or "reference"
  std::string path;
  std::string container, codec, pixel_format;
  int width = 0, height = 0, bit_depth = 0;
  std::string chroma, range, transfer, matrix;
  std::optional<double> frame_rate;   // frames a second
  int64_t frames = 0;                 // read, after skipping
  int64_t skipped = 0;                // frames of the video before that which has number 0 here
  std::optional<int64_t> file_bytes;  // of all that the file holds
  std::optional<double> duration;     // of the whole video, in seconds
  std::optional<int64_t> bit_rate;    // bits a second
  std::string bit_rate_of;       // "stream"; "file", where that of the video alone is not known; else empty
  std::string encoder;           // as the stream names it, or its container; empty where neither does
  std::string encoder_settings;  // as the stream has them
  std::string decoder;  // "hevc", "hevc (cuda)", several joined by ", " where one took over; empty where none
                        // is needed
  std::string film_grain;  // that a decoder adds: "applied", "not applied", "none" in the stream, "unknown"
  bool operator==(const InputFacts&) const = default;
};

// The part of a picture that was scored, in samples of the video as it is decoded.
struct CropFacts {
  int width = 0, height = 0, x = 0, y = 0;
};

// A threshold on the scores and how it came out.
struct ThresholdFacts {
  std::string expression;  // as given: "p95>5"
  std::string metric, statistic;
  double value = 0;  // of the statistic
  bool crossed = false;
  std::optional<double> baseline = {};  // of the statistic, in the report that the threshold is measured from
  bool operator==(const ThresholdFacts&) const = default;
};

// What makes a stretch of a video a segment.
struct SegmentRule {
  double from = 0;   // a score as bad as this begins a segment
  double until = 0;  // a score that is better than this ends it; at least as good as `from`
  // What is compared with these: the mean of the scores up to half of this before and after a frame. 0: its
  // own score.
  double smoothed_seconds = 0;
  // Shorter ones are left out: less than so many frames of the video, or seconds.
  int64_t shortest_frames = 1;
  double shortest_seconds = 0;
  bool operator==(const SegmentRule&) const = default;
};

// Frames that the run left out count with the scored frame before them.
struct Segment {
  int64_t first = 0, last = 0;  // numbers of frames, both in it
  // Seconds; none where neither timestamps nor the frame rate are known. The end is when the frame behind it
  // is shown.
  std::optional<double> start, end;
  double mean = 0, worst = 0;  // of the scores
  int64_t worst_frame = 0;     // the first of those that score like that
  bool operator==(const Segment&) const = default;
};

// Segments of a metric, in order.
struct SegmentFacts {
  std::string metric;
  SegmentRule rule;
  std::vector<Segment> list;
  bool operator==(const SegmentFacts&) const = default;
};

// What a report was made from: by this a later run knows that it would make the same once more.
struct OriginFacts {
  struct File {
    std::string path;  // absolute
    int64_t bytes = 0;
    std::string modified;  // seconds since 1970 with nine decimals
    bool operator==(const File&) const = default;
  };
  std::vector<File> files;  // the inputs
  std::string scores;       // what was asked of the scores, all in one text
  std::string outputs;      // the same of what follows from them, such as thresholds and pictures
  bool operator==(const OriginFacts&) const = default;
};

// A stage over all frames that were computed.
struct StageFacts {
  std::string name;
  bool on_device = false;        // else on the host
  double milliseconds = 0;       // of the device, or of all threads of the host together
  std::optional<int64_t> bytes;  // that it read and left for the next, each once; none where nobody knows
  bool operator==(const StageFacts&) const = default;
};

// Where the time of a run went: its parts follow each other without gaps.
struct PaceFacts {
  std::array<double, pace::kParts.size()> seconds = {};  // of pace::kParts
  bool operator==(const PaceFacts&) const = default;
};

// A model whose scores the run has.
struct ModelFacts {
  std::string name;                       // of its scores: "vmaf"
  std::string source;                     // "vmaf_v0.6.1", or a file's path
  std::vector<std::string> metrics = {};  // that it takes
  // "1920x1080@10": the size and bits that the videos were brought to for it; empty where they are scored as
  // they are.
  std::string scored_at = {};
  std::string unsuited =
      {};  // what it is meant for and the pictures are not, a sentence each; empty where all is well
  bool operator==(const ModelFacts&) const = default;
};

// What the extended report adds about the run.
struct RunFacts {
  std::vector<std::string> arguments;
  std::vector<InputFacts> inputs;
  // One entry a feature: its name and the effective value of every option, as text.
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>> features;
  std::vector<ModelFacts> models = {};
  std::string backend, device, driver, simd;
  // Of a device: milliseconds of each stage over all frames, in the order a frame takes them, and bytes
  // moved.
  std::vector<std::pair<std::string, double>> gpu_milliseconds;
  int64_t bytes_uploaded = 0, bytes_read = 0;
  std::vector<StageFacts> stages;  // of the device, then of the host
  std::optional<PaceFacts> pace;
  std::optional<CropFacts> crop;            // none: the whole picture
  std::optional<CropFacts> reference_crop;  // where --crop-ref says what is scored of the reference
  int threads = 1;
  double wall_seconds = 0;
  bool complete = true;
  int64_t repeated_frames = 0;
  int64_t subsample = 1;          // of so many frames that were read one was scored
  bool sample_is_spread = false;  // not the first of these, but one at another place in each group of them
  std::vector<ThresholdFacts> thresholds;
  std::vector<SegmentFacts> segments;  // of several metrics, or of one by several rules
  // Frames with which a scene begins, ascending; none: nobody looked.
  std::optional<std::vector<int64_t>> scene_cuts;
  std::optional<OriginFacts> origin;  // where a later run may want to know
  std::vector<std::string> notes;     // choices made under auto: "eotf=pq (from the stream)"
  std::vector<std::string> warnings;
  std::vector<std::string> pair_faults =
      {};  // of the warnings, those by which scores that compare the videos are wrong
};

struct Report {
  std::string version;
  double fps = 0;                                          // scored frames over wall-clock seconds
  int width = 0, height = 0;                               // of the distorted video
  std::vector<int64_t> frames;                             // numbers of the scored frames, ascending
  std::vector<std::optional<double>> timestamps;           // seconds; one for each scored frame
  std::vector<Metric> metrics;                             // in the order of the features on the command line
  std::vector<TextSeries> texts;                           // in that order; only extended reports have them
  std::vector<std::pair<std::string, double>> aggregates;  // figures that are not of frames: names and values
  RunFacts run;
};

// Null if the report has no metric of that name.
const Metric* find_metric(const Report& report, std::string_view name);
// Null if the report says nothing of its inputs.
const InputFacts* distorted_input(const Report& report);
// What is known of the report's metric of this name: see metric_info() in feature/registry.h.
const MetricInfo& metric_info(const Report& report, std::string_view name);

}  // namespace vq
