// The information on the reference that the distorted picture preserves at one sample: the only double
// operations of VIF, in the order of the reference implementation.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vq::vif {

inline constexpr int64_t kNoise = 131072;  // the variance of visual noise, 2, with 16 fractional bits
inline constexpr double kEpsilon = 65536 * 1.0e-10;  // against division by zero, in the same unit

// Those of one sample, with 16 fractional bits.
struct Moments {
  int32_t variance = 0, distorted_variance = 0, covariance = 0;
};

// The variance of the noise, and of that together with the explained part.
struct Explained {
  int64_t noise = 0, all = 0;
  bool operator==(const Explained&) const = default;
};

// What the gain does not explain of the distorted picture's variance counts as noise; the limit is on the
// gain that is credited. Needs: a variance of kNoise or more, and the others above 0.
inline Explained explain(const Moments& moments, double gain_limit) {
  const double variance = moments.variance, covariance = moments.covariance;
  const double gain = covariance / (variance + kEpsilon);
  const double residual = moments.distorted_variance - gain * covariance;
  const int64_t noise = std::max<int64_t>(static_cast<int64_t>(residual), 0) + kNoise;
  const double credited = std::min(gain, gain_limit);
  return {.noise = noise, .all = static_cast<int64_t>(credited * credited * variance) + noise};
}

}  // namespace vq::vif
