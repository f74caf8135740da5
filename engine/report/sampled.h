// Thresholds and statistics of a run of which frames are drawn until enough is known: what is asked of
// engine/certainty.h, and its answers as facts and in words.
#pragma once

#include "engine/certainty.h"
#include "engine/report/report.h"
#include "engine/report/threshold.h"

namespace vq {

struct ConfidenceRequest {
  double percent = 99;                   // with which all verdicts and intervals of a run are to be right
  std::optional<double> tolerance = {};  // to which every statistic is to be known, to either side
};

// The tolerance of a statistic if none is asked for; nothing if its metric has no usual one.
std::optional<double> usual_tolerance(const Metric& metric, const Statistic& statistic);

// Films with fewer frames are scored as a whole.
inline constexpr int64_t kFewestSampledFrames = 2000;

class SampledRequest {
 public:
  // `metrics` and their `ranges` are those of the report; the first three outlive this. Without thresholds
  // the mean of the leading metric is what is asked for, to its usual tolerance if there is none. Throws as
  // check_threshold_metrics(), and Error{kUsage} if there is no usual one.
  SampledRequest(const ConfidenceRequest& asked, std::span<const Threshold> thresholds,
                 std::span<const Metric> metrics, const std::vector<ScoreEnds>& ranges);

  // Why only all frames can answer, as a text behind "since"; empty if a sample may.
  const std::string& whole() const { return whole_; }
  // Statistics that can hardly be kept before all frames are scored, each with what to ask for instead.
  const std::vector<std::string>& advice() const { return advice_; }
  // For a film of that many frames.
  CertaintyRequest for_frames(int64_t frames) const;
  // Whether all thresholds are decided and all intervals are narrow enough. Needs: find_intervals() is up to
  // date if there is a tolerance.
  bool is_answered(const Certainty& certainty) const;
  // Whether intervals are what there is to wait for.
  bool has_tolerance() const { return asked_.tolerance.has_value(); }

  // Sets thresholds and intervals of the report. Needs: RunFacts::certainty with confidence and frames; all
  // thresholds are decided.
  void fill(Report& report, const Certainty& certainty) const;

 private:
  void look_at(const Threshold& threshold, const SampledStatistic& statistic);
  const IntervalFacts& interval_of(const CertaintyFacts& facts, const SampledThreshold& threshold) const;

  ConfidenceRequest asked_;
  const std::span<const Threshold> thresholds_;
  const std::span<const Metric> metrics_;
  CertaintyRequest request_;
  std::vector<std::string> names_;  // of its statistics
  std::string whole_;
  std::vector<std::string> advice_;
};

// Makes of a sample that was read what was written: infinite ends, and words. Needs: is_sample().
void restore_sample(Report& report);

// "91.4 to 92.6", "at least 91.4", "unknown": the lower end rounded down, the upper one up.
std::string interval_words(const IntervalFacts& interval, const MetricInfo& metric);

// "99 % sure after 6 % of the frames".
std::string sure_words(const CertaintyFacts& certainty, int64_t frames);

}  // namespace vq
