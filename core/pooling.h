// Statistics of a metric over the frames of a run.
#pragma once

#include <optional>
#include <span>

namespace vq {

// Statistics of one metric over all frames. Percentiles interpolate linearly between closest ranks. Of
// infinite scores there is no standard deviation: it is not a number. Source of the harmonic mean: n / sum(1
// / (s + 1)) - 1, as the reference tool reports it.
struct PooledScores {
  double min = 0, max = 0, mean = 0, harmonic_mean = 0;
  double stdev = 0;  // of the population
  double p1 = 0, p5 = 0, p10 = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0;
};

// Empty input gives nothing; input with a value that is not a number gives statistics that are none.
std::optional<PooledScores> pool_scores(std::span<const double> values);

// p in 0..100; `sorted` ascending and not empty. Infinite only where the rank lies among infinite values:
// between one of them and a finite one it is the finite one.
double percentile(std::span<const double> sorted, double p);

}  // namespace vq
