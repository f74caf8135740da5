// The meaning of a metric's values. Summaries, pages, rankings and thresholds judge scores by this alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vq {

enum class Better { kNeither, kLower, kHigher };

// A word for a range of scores, and the range's first score.
struct Grade {
  double from = 0;
  std::string_view word = {};
};

struct MetricInfo {
  // Name in reports, without option suffixes; empty if the user chooses the name, as with models.
  std::string_view name = {};
  // short name for people; several metrics may share it, the one with the shortest name is then meant
  std::string_view alias = {};
  std::string_view title = {};  // in captions: "CAMBI"
  std::string_view unit = {};   // "dB"; empty: none
  // What a score measures, in headings: "banding".
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
  double usual_top = 0;  // the upper end of the usual scale; 0: none
  // A sentence or two on what it measures, for first-time readers; empty: the title is enough.
  std::string_view explanation = {};
  // Identical pictures score infinity and every frame has a score: a non-finite value in a report means
  // infinity.
  bool is_unbounded = false;
  int decimals = 3;        // number of meaningful decimals of one score; 0: scores are whole numbers
  bool is_detail = false;  // left out of a summary of many metrics
  // The score depends on later frames, so reports list the metric after those of all features whose scores do
  // not.
  bool is_late = false;
  // The metric that scores the distorted video as this one scores the reference, and the metric of which this
  // one is the excess over the reference; empty: none.
  std::string_view reference_of = {}, excess_of = {};
  // What model files and libvmaf's functions call it where no option of its name differs from its default;
  // empty: as reports do.
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

}  // namespace vq
