// From sums of squared errors to what PSNR reports.
//
// Rounding: figures equal libvmaf's to the last digit, provided that log10() is the same. Sums are exact
// integers, rounded to double where they are divided or taken the logarithm of; the square of a peak fits 32
// bits and is exact; all else is double, each operation rounded in the order in which it is written.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "feature/psnr/options.h"

namespace vq::psnr {

// Of one plane of one frame.
struct PlaneError {
  uint64_t squared = 0;  // the sum of squared errors
  int64_t samples = 0;
};

// Of one plane of all frames: exact where 64 bits would not be.
__extension__ using ExactSum = unsigned __int128;
struct TotalError {
  ExactSum squared = 0;
  int64_t samples = 0;
};

// Measures errors of one video. Samples are of `bit_depth` bits, 8..16: the deeper of the two compared.
class Scorer {
 public:
  Scorer(const PsnrOptions& options, int bit_depth);

  // squared / samples. Needs, here and below: samples of at least 1.
  static double mse(const PlaneError& error);
  // 10 log10(peak^2 / mse) in dB, at most limit(); identical planes have that.
  double psnr(const PlaneError& error) const;
  // 6 dB a bit and 12 dB more, or, with min_sse, the PSNR of a plane with that sum of errors, rounded up.
  double limit(int64_t samples) const;
  // PSNR of the MSE of all frames, at most that of half a squared error, rounded up. -infinity without
  // samples.
  double apsnr(const TotalError& error) const;

  // For metric_names(): `planes` are those compared.
  std::vector<double> frame_scores(std::span<const PlaneError> planes) const;
  // For aggregate_names(): planes that are not compared have no samples.
  std::vector<double> aggregates(const std::array<TotalError, kPlaneNames.size()>& planes) const;

 private:
  PsnrOptions options_;
  int bit_depth_;
  double squared_peak_;
};

}  // namespace vq::psnr
