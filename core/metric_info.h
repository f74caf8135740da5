// What the values of a metric mean. Summaries, pages, rankings and thresholds judge scores by this, and by
// nothing else that they know of a metric.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vq {

enum class Better { kNeither, kLower, kHigher };

// A word for scores, and the first of them.
struct Grade {
  double from = 0;
  std::string_view word = {};
};

struct MetricInfo {
  // In reports, without the options that such a name carries; empty where whoever runs it chose the name, as
  // with models.
  std::string_view name = {};
  std::string_view alias =
      {};  // what people call it where its name says more; may be that of several, the shortest name is meant
  std::string_view title = {};  // in captions: "CAMBI"
  std::string_view unit = {};   // "dB"; empty: none
  // What a score measures, in headings: "banding".
  std::string_view subject = {};
  Better better = Better::kNeither;
  // The score, or a better one, of a frame that has nothing of it; nothing where no score says so. Such
  // frames are never among the worst.
  std::optional<double> flawless = {};
  // Scores from here on, towards the worse end, are worth telling, and what they mean: "slightly annoying".
  std::optional<double> noteworthy = {};
  std::string_view noteworthy_meaning = {};
  // Words for all scores, from the best to the worst: each is for the scores from its own on, towards the
  // worse end, and ends where the next begins. The noteworthy one begins a grade. Empty: there are none.
  std::span<const Grade> grades = {};
  // Behind this in the name of a metric stands the score at which it is cut off; empty: none is.
  std::string_view limit_mark = {};
  double usual_top = 0;  // where the usual scale ends; 0: no usual scale
  // What it measures, in a sentence or two for those who meet it for the first time; empty: the title says
  // it.
  std::string_view explanation = {};
  // A picture that equals its reference scores infinity, and none is without a score: what is not finite in a
  // report is that.
  bool is_unbounded = false;
  int decimals = 3;        // that say something of one score; 0: scores are whole numbers
  bool is_detail = false;  // for those who look closer: a summary of many metrics leaves it out
  // It needs frames that follow, so that reports have it behind the metrics of all features that do not.
  bool is_late = false;
  // The metric that scores the distorted video as this one does its reference, and the one of which this is
  // what goes beyond the reference; empty: none.
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

// False of a metric of which nothing is known.
bool is_known(const MetricInfo& metric);

// The one that a report calls so, with or without options behind its name; of several the one with the
// longest name. Null where none is.
const MetricInfo* find_metric_info(std::span<const MetricInfo> metrics, std::string_view name);

// Decimals of a statistic that may lie between two scores: means of whole numbers have some.
int mean_decimals(const MetricInfo& metric);

// Whether a score is on the worse side of another; false where neither side is, and for what is not a number.
bool is_worse(const MetricInfo& metric, double score, double than);

// Whether a score is infinitely good.
bool is_endless(const MetricInfo& metric, double score);

// Whether a score is as bad as the noteworthy one.
bool is_noteworthy(const MetricInfo& metric, double score);

// How many scores are; 0 where no score of the metric is noteworthy.
int64_t count_noteworthy(const MetricInfo& metric, std::span<const double> scores);

}  // namespace vq
