// Bounds of a film's statistics that hold at every stopping time, whatever the correlation between frames:
// its slices are scored in a random order, and each claim about it is a bet against its opposite.
// docs/certainty.md has the design and its proof. After Shekhar, Xu, Lipton, Liang and Ramdas, "Risk-limiting
// financial audits via weighted sampling without replacement" (2023), and Waudby-Smith and Ramdas,
// "Estimating means of bounded random variables by betting" (2024).
#pragma once

#include <array>

#include "core/metric.h"

namespace vq {

// Output i (from 0) of the generator SplitMix64 with this seed.
uint64_t split_mix(uint64_t seed, uint64_t i);

// Makes the seed of an order from words. The same words in the same order give the same seed.
class SeedHash {
 public:
  void absorb(uint64_t word);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

// Slices are this number of frames, but for the last one.
inline constexpr int64_t kSliceFrames = 4;

// The order in which slices of these lengths are drawn, as their places: the next one is that of a frame
// drawn uniformly from those of all slices not yet drawn. Needs: lengths above 0.
std::vector<size_t> drawing_order(uint64_t seed, std::span<const int64_t> lengths);

// Evidence that the total of a frame quantity y >= 0 over all frames exceeds a value.
class Excess {
 public:
  // Claims are wrongly proved with a probability of at most 1 / limit.
  Excess(int64_t frames, double total, double limit);

  // Adds the next slice in the order of drawing: its frames, and their sum of y.
  void add(int64_t frames, double y);
  // Stays true once it is.
  bool is_proved() const { return is_proved_; }
  // The claim is proved when this reaches the limit. 1 at first.
  double evidence() const { return evidence_; }

 private:
  static constexpr size_t kBets = 12;
  double frames_, total_, limit_;
  double seen_frames_ = 0, seen_ = 0, evidence_ = 1;
  std::array<double, kBets> wealth_;
  bool is_proved_;
};

// The frames of a slice, and their sum of y.
struct SummedSlice {
  int64_t frames = 0;
  double y = 0;
};

// A statistic of one metric.
struct SampledStatistic {
  enum class Kind { kMean, kHarmonicMean, kPercentile, kShare };
  size_t metric = 0;  // place in what Certainty::add() takes
  Kind kind = Kind::kMean;
  double percentile = 0;       // 0: the minimum, 100: the maximum
  double level = 0;            // kShare: frames at this level or past it
  bool is_share_below = true;  // past it is below it; otherwise above it
  bool operator==(const SampledStatistic&) const = default;
};

// A threshold is crossed by a value above it, or below it, or also by the value itself.
struct SampledThreshold {
  SampledStatistic statistic;
  bool from_below = false, inclusive = false;
  double value = 0;
};

enum class SampledVerdict { kOpen, kKept, kCrossed };

// Both ends belong to it. An infinite end: nothing is known there.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool operator==(const Interval&) const = default;
};

// What is to be found out about a film.
struct CertaintyRequest {
  int64_t frames = 0;             // of the film
  double risk = 0.01;             // the largest probability with which anything that is said may be wrong
  std::vector<ScoreEnds> ranges;  // of the metrics
  std::vector<SampledThreshold> thresholds;
  std::vector<SampledStatistic> statistics;  // of which intervals are wanted
};

// The number of different statistics among thresholds and intervals, which share the risk.
int64_t claims_of(const CertaintyRequest& request);

// What the slices drawn so far say. With a probability of at least 1 - risk all verdicts and all intervals
// are right, at all times at once, if the order does not depend on the scores.
class Certainty {
 public:
  // `claims`: that share the risk; by default claims_of().
  explicit Certainty(CertaintyRequest request, std::optional<int64_t> claims = {});

  // Takes the next slice in the order of drawing: for each metric the scores of the slice's frames, in the
  // order of the film. If the slice could not be decoded the scores are empty.
  void add(int64_t frames, std::span<const std::vector<double>> scores);

  double limit() const { return limit_; }
  int64_t slices() const { return static_cast<int64_t>(lengths_.size()); }
  int64_t seen_frames() const { return seen_frames_; }
  const std::vector<SampledVerdict>& verdicts() const { return verdicts_; }
  // For each threshold the frames after which it was decided; 0: it is open.
  const std::vector<int64_t>& decided_after() const { return decided_after_; }
  bool is_decided() const;
  // A score was missing: all thresholds that were open are crossed, and no statistic is a number.
  bool is_missing() const { return is_missing_; }
  // A score left its metric's range: nothing more is concluded.
  bool is_out_of_range() const { return is_out_of_range_; }
  // The evidence of the open threshold that has least of it; `limit()` if none is open.
  double least_evidence() const;

  // Computes the intervals by what is known now. What was found before stays.
  void find_intervals();
  // One of each statistic, as find_intervals() found them last. With a probability below the risk one is
  // empty: low above high.
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  template <typename Y>
  std::vector<SummedSlice> summed(size_t metric, const Y& y) const;
  Interval interval(const SampledStatistic& statistic) const;
  Interval mean_interval(const SampledStatistic& statistic) const;
  Interval harmonic_interval(const SampledStatistic& statistic) const;
  Interval share_interval(const SampledStatistic& statistic) const;
  Interval percentile_interval(const SampledStatistic& statistic) const;
  void look_at(std::span<const std::vector<double>> scores);

  struct Test {
    size_t metric;
    SampledThreshold threshold;
    std::optional<Excess> up, down;  // that the statistic is above the threshold, or below it
  };
  Test test_of(const SampledThreshold& threshold) const;
  void add(Test& test, int64_t frames, std::span<const double> scores) const;

  const CertaintyRequest request_;
  const double limit_;
  std::vector<Test> tests_;
  std::vector<SampledVerdict> verdicts_;
  std::vector<int64_t> decided_after_;
  std::vector<Interval> intervals_;
  std::vector<int64_t> lengths_;                   // of the slices so far
  std::vector<std::vector<double>> scores_;        // of each metric, slice by slice
  std::vector<std::vector<size_t>> slice_begins_;  // in these; the last is their size
  int64_t seen_frames_ = 0;
  bool is_missing_ = false, is_out_of_range_ = false;
};

// Which encodes of one film are surely worse than another by the mean of a metric, and which do not differ.
// With a probability of at least 1 - risk all of that is right, at all times at once.
struct DifferencesRequest {
  int64_t frames = 0;  // of the film
  size_t encodes = 0;
  double risk = 0.01;
  ScoreEnds range;  // of the metric; both finite
  bool lower_is_better = false;
  double tolerance = 0;  // up to which encodes do not differ
};

class Differences {
 public:
  explicit Differences(const DifferencesRequest& request);

  // Takes the next slice in the order of drawing: for each encode that is not dropped the scores of the
  // slice's frames, in the order of the film. Needs: scores in the range.
  void add(int64_t frames, std::span<const std::vector<double>> scores);
  // The encode that is better and after how many frames that was known; nothing if the encode is not dropped.
  struct Dropped {
    size_t better = 0;
    int64_t after = 0;
  };
  const std::vector<std::optional<Dropped>>& dropped() const { return dropped_; }
  // Whether neither is better than the other by more than the tolerance.
  bool are_alike(size_t a, size_t b) const;
  // Whether one is left, or those that are left do not differ.
  bool is_decided() const;
  // As Certainty::least_evidence().
  double least_evidence() const;
  double limit() const { return limit_; }
  // Where the mean of one less that of another lies, by the slices for which both have scores.
  Interval between(size_t a, size_t b) const;

 private:
  struct Pair {
    Excess better, not_worse;  // that the first is better than the second, and that it is not worse
  };
  double advantage(double a, double b) const;
  double largest_advantage(size_t a, size_t b) const;
  const Pair& pair(size_t a, size_t b) const { return pairs_[a * request_.encodes + b]; }

  const DifferencesRequest request_;
  const double limit_, width_;
  std::vector<Pair> pairs_;  // of the first with each second one; those of one with itself say nothing
  std::vector<std::optional<Dropped>> dropped_;
  std::vector<int64_t> lengths_;                          // of the slices so far
  std::vector<std::vector<std::vector<double>>> scores_;  // of each encode, of each slice until it is dropped
  int64_t seen_frames_ = 0;
};

// The number of slices after which intervals are computed, behind the last such; 0: there was none.
inline int64_t next_look(int64_t last) { return last == 0 ? 64 : last + std::max<int64_t>(1, last / 32); }

// The number of slices to draw before the thresholds are looked at again, after `drawn`: as many as the
// evidence lets expect, which changes what is read in vain and no result.
int64_t next_batch(int64_t drawn, double limit, double least_evidence);

}  // namespace vq
