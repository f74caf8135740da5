// Columns of scores and texts, with one value for each scored frame.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plane.h"

namespace vq {

struct MetricInfo;

// One metric of a run. `values` is empty until frames have been scored.
struct Metric {
  std::string name;
  std::vector<double> values;
  // meaning of the values, valid for the whole run of the program; null: unknown
  const MetricInfo* info = nullptr;
  bool is_inner = false;   // requested by a model only, as its input
  std::string model = {};  // of a model's score: "vmaf_v0.6.1", or a file's path; empty: none, or unknown
};

std::vector<std::string> names_of(std::span<const Metric> metrics);

// One text for each scored frame.
struct TextSeries {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const TextSeries&) const = default;
};

// What a metric's scores cannot leave; infinite: they can be anything there.
struct ScoreEnds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// The meaning of a metric's values. Summaries, pages, rankings and thresholds judge scores by this alone.

enum class Better { kNeither, kLower, kHigher };

// A word for a range of scores, and the range's first score.
struct Grade {
  double from = 0;
  std::string_view word = {};
};

// What is averaged of a score if there are several, and the score that a mean of it is; null: scores
// themselves.
struct Averaging {
  double (*of_score)(double score) = nullptr;
  double (*to_score)(double mean) = nullptr;
};

struct MetricInfo {
  // Name in reports, without option suffixes; empty if the user chooses the name, as with models.
  std::string_view name = {};
  // short name for people; several metrics may share it, the one with the shortest name is then meant
  std::string_view alias = {};
  std::string_view title = {};  // in captions: "CAMBI"
  std::string_view unit = {};   // "dB"; empty: none
  // The quality that a score measures, in headings: "banding".
  std::string_view subject = {};
  Better better = Better::kNeither;
  // A frame with this score or a better one has no flaw of this kind, and is never listed among the worst.
  // Absent if no score says so.
  std::optional<double> flawless = {};
  // Scores from here towards the worse end are worth reporting; `meaning` says what they mean: "slightly
  // annoying".
  std::optional<double> noteworthy = {};
  std::string_view noteworthy_meaning = {};
  // Words for all scores, from the best to the worst. Each covers the scores from its own first one, towards
  // the worse end, to the next grade's. The noteworthy score begins a grade. Empty: no grades.
  std::span<const Grade> grades = {};
  // In a metric's name, this text precedes the score at which values are clipped; empty: values are not
  // clipped.
  std::string_view limit_mark = {};
  bool judges_hdr = false;  // levels and grades hold for PQ and HLG as well
  double usual_top = 0;     // the upper end of the usual scale; 0: none
  // A sentence or two on what it measures, for first-time readers; empty: the title is enough.
  std::string_view explanation = {};
  // Identical pictures score infinity and every frame has a score: a non-finite value in a report means
  // infinity.
  bool is_unbounded = false;
  // The first frame of a video has no score: NaN, which counts in no statistic.
  bool lacks_first = false;
  int decimals = 3;        // number of meaningful decimals of one score; 0: scores are whole numbers
  bool is_detail = false;  // left out of a summary of many metrics
  // Counts the frames of a stretch: a score that is no higher than the one before begins another.
  bool counts_frames = false;
  // The score depends on later frames, so reports list the metric after those of all features whose scores do
  // not.
  bool is_late = false;
  // How the mean of a run is taken: that of a clip may be no mean of its frames.
  Averaging mean = {};
  // The metric that scores the distorted video as this one scores the reference, and the metric of which this
  // one is the excess over the reference; empty: none.
  std::string_view reference_of = {}, excess_of = {};
  // Name in model files and libvmaf's functions if no option of its name differs from its default; empty: as
  // in reports.
  std::string_view full_name = {};
};

// The metric with this full name.
constexpr MetricInfo with_full_name(MetricInfo metric, std::string_view full_name) {
  metric.full_name = full_name;
  return metric;
}

// Whether anything is known about the metric.
bool is_known(const MetricInfo& metric);

// The metric that a report calls `name`, with or without option suffixes; if several match, the one with the
// longest name. Null if none does.
const MetricInfo* find_metric_info(std::span<const MetricInfo> metrics, std::string_view name);

// Number of decimals of a statistic, which may lie between two scores: means of whole numbers have some.
int mean_decimals(const MetricInfo& metric);

// Whether `score` is worse than `than`. False if the metric has no better direction, and for NaN.
bool is_worse(const MetricInfo& metric, double score, double than);

// Whether a score is infinitely good.
bool is_endless(const MetricInfo& metric, double score);

// Whether a score is at the noteworthy level or worse.
bool is_noteworthy(const MetricInfo& metric, double score);

// Number of noteworthy scores; 0 if the metric has no noteworthy level.
int64_t count_noteworthy(const MetricInfo& metric, std::span<const double> scores);

// Results of features, and their receiver.

// Values of one frame in the order of FeatureInfo::metric_names.
using FrameValues = std::vector<double>;

// Results of one feature for one frame.
struct FrameResult {
  FrameValues values = {};
  // Input of FeatureInfo::aggregates, as numbers to be summed over all frames; empty if the feature has no
  // such function.
  std::vector<double> tallies = {};
  // In the order of FeatureInfo::text_names; empty if there are none.
  std::vector<std::string> texts = {};
  // `values` if the video ends with this frame, its first, where that takes as long as the frame did; null:
  // the same.
  std::function<FrameValues()> if_last = nullptr;
  // Sample counts per bin, in the order of FeatureInfo::histograms; empty if none were requested.
  std::vector<std::vector<uint32_t>> histograms = {};
  // The finest scale first; empty if none were requested.
  std::vector<Plane<uint16_t>> heatmaps = {};

  FrameValues values_if_last() const { return if_last ? if_last() : values; }
  FrameResult without_pictures() const {
    return {.values = values, .tallies = tallies, .texts = texts, .if_last = if_last};
  }
};

// All results for one frame.
struct FrameScores {
  int64_t frame = 0;
  bool is_reported = true;  // false: only the tallies count
  // Results of each feature of the run, in order. A frame that repeats the previous one has the same results.
  std::span<const FrameResult> results;
};

// Is called once per frame, in frame order, on the thread that pushes or finishes frames.
class ScoreSink {
 public:
  virtual ~ScoreSink() = default;
  virtual void scored(const FrameScores& scores) = 0;
};

// Statistics of a metric over the frames of a run.

// Statistics of one metric over all frames. Percentiles interpolate linearly between closest ranks. With
// infinite scores the standard deviation is NaN. The harmonic mean is n / sum(1 / (s + 1)) - 1, as the
// reference tool reports it.
struct PooledScores {
  double min = 0, max = 0, mean = 0, harmonic_mean = 0;
  double stdev = 0;  // population standard deviation
  double p1 = 0, p5 = 0, p10 = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0;
};

// The values that count in statistics: all but the first of a metric that lacks it.
std::span<const double> counted_values(const MetricInfo& metric, std::span<const double> values);

// Nothing for empty input. If a value is NaN, all statistics are.
std::optional<PooledScores> pool_scores(std::span<const double> values, const Averaging& mean = {});
// The same with the values in ascending order as well. Needs: a value, and none that is NaN.
PooledScores pool_scores(std::span<const double> values, std::span<const double> sorted,
                         const Averaging& mean);

// p in 0..100; `sorted` is ascending and not empty. Between a finite and an infinite value the result is the
// finite one, so it is infinite only if both neighbours are.
double percentile(std::span<const double> sorted, double p);

// Histograms: the number of samples in each bin.

// First bin at or below which at least `percent` of the samples (rounded up) lie. Needs: `samples`, at least
// 1, is the sum of all bins; 0 <= percent <= 100.
size_t percentile_bin(std::span<const uint32_t> bins, uint64_t samples, uint64_t percent);

// The median, for reports of measurements.

// For an even number of values the upper of the middle two. Needs: at least one value.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace vq
