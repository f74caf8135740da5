// Statistics of a metric over the frames of a run.
#pragma once

#include <optional>
#include <span>

namespace vq {

// Statistics of one metric over all frames. Percentiles interpolate linearly between closest ranks. With
// infinite scores the standard deviation is NaN. The harmonic mean is n / sum(1 / (s + 1)) - 1, as the
// reference tool reports it.
struct PooledScores {
  double min = 0, max = 0, mean = 0, harmonic_mean = 0;
  double stdev = 0;  // population standard deviation
  double p1 = 0, p5 = 0, p10 = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0;
};

// Nothing for empty input. If a value is NaN, all statistics are.
std::optional<PooledScores> pool_scores(std::span<const double> values);

// p in 0..100; `sorted` is ascending and not empty. Between a finite and an infinite value the result is the
// finite one, so it is infinite only if both neighbours are.
double percentile(std::span<const double> sorted, double p);

}  // namespace vq
