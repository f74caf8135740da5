// Results of a batch's videos, for people and for programs.
#pragma once

#include "core/error.h"
#include "core/number_text.h"
#include "core/text_table.h"
#include "engine/report/report.h"
#include "engine/report/statistic.h"

namespace vq::cli {

// The scores of one metric of one video.
struct MetricOutcome {
  Metric metric;  // without its values
  // file_statistics(); not a number if unknown, as those of a sample are
  std::vector<std::pair<std::string, double>> statistics;
  std::string intervals = {};      // of a sample: "p5 91.402 to 92.617; mean at least 3"
  std::vector<std::string> cells;  // of the table for people
  bool is_comparable = true;
};

// The statistic of this name; not a number if there is none.
double statistic_in(const MetricOutcome& metric, const std::string& name);

// Facts about a video that has a report.
struct VideoScores : RunOutcome {
  int64_t frames = 0;
  std::optional<double> seconds;       // from the first scored frame to the end of the last
  InputFacts video = {};               // the distorted one
  std::vector<MetricOutcome> metrics;  // those that were requested; if none was, all
  size_t leading = 0;                  // the position of the leading metric among them
  // Scores of the leading metric: the worst of each of kStripParts equal parts of the video, or all if it has
  // no more frames. Not a number if none of a part was scored.
  std::vector<double> strip;

  bool is_comparable() const { return metrics[leading].is_comparable; }
  // Whether any threshold is crossed, or was not judged.
  bool crosses() const { return std::ranges::any_of(thresholds, &ThresholdFacts::crossed); }
  bool is_unjudged() const { return !std::ranges::all_of(thresholds, &ThresholdFacts::judged); }
};

// The maximum number of parts in VideoScores::strip.
inline constexpr size_t kStripParts = 100;

// Needs: a report with at least one frame and metric.
VideoScores scores_of(const Report& report);

struct VideoOutcome {
  // kKept: its report was there already; kRefused: it does not fit its reference; kLeft: the run ended
  // before.
  enum class State { kScored, kKept, kFailed, kRefused, kLeft };

  std::string path = {}, name = {};
  std::optional<std::string> reference = {};
  State state = State::kLeft;
  std::string report = {}, page = {};      // below the folder of the reports; empty: none
  std::string partial = {};                // the partial report of a video without scores; empty: none
  std::optional<VideoScores> scores = {};  // of kScored and kKept
  std::optional<ErrorKind> error = {};     // of kFailed and kRefused
  std::string message = {};                // the error's message

  void fail(State as, const Error& failure);  // as kFailed or kRefused
};

struct BatchSummary {
  std::vector<std::string> arguments;  // the command line
  std::vector<VideoOutcome> videos;    // in natural order
  std::vector<std::string> remarks;
  std::vector<std::string> moments = {};  // the worst of all videos, one sentence each
  double wall_seconds = 0;
};

// How many videos came out how.
struct VideoCounts {
  int64_t videos = 0, crossing = 0, not_comparable = 0;
  std::array<int64_t, 5> states = {};

  void add(const VideoOutcome& video);
  int64_t of(VideoOutcome::State state) const { return states[static_cast<size_t>(state)]; }
  // "20 videos: 17 scored, 2 up to date, 1 failed; 1 not comparable".
  std::string text() const;
};
VideoCounts counts_of(const BatchSummary& summary);

// The leading metric of the first video that has scores; nothing if no video has any. It has no model unless
// all videos were scored by that model.
std::optional<Metric> leading_of(const BatchSummary& summary);

// The videos in the order of the table. Those whose scores are not comparable come last.
std::vector<const VideoOutcome*> table_order(const BatchSummary& summary);
// A row for each video, with its scores of the leading metric.
TextTable batch_table(const BatchSummary& summary);

// Files; see docs/batch.md.
std::string batch_json(const BatchSummary& summary, const NumberStyle& numbers);
std::string batch_csv(const BatchSummary& summary, const NumberStyle& numbers);

// The word for a state in files: "kept".
const char* word_of(VideoOutcome::State state);

}  // namespace vq::cli
