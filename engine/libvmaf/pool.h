// Statistics of the scores of several frames.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/libvmaf/interface.h"

namespace vq::libvmaf {

// Statistics of the frames that count. Where the first frame does not, minimum and maximum begin with 0, as
// the reference's do.
class Pool {
 public:
  void add(double score, bool is_first) {
    if (is_first || score < min_) min_ = score;
    if (is_first || score > max_) max_ = score;
    sum_ += score;
    inverses_ += 1 / (score + 1);
    ++count_;
  }

  // By one of VmafPoolingMethod; nothing for another number.
  std::optional<double> pooled(int method) const {
    const auto count = static_cast<double>(count_);
    switch (method) {
      case VMAF_POOL_METHOD_MIN:
        return min_;
      case VMAF_POOL_METHOD_MAX:
        return max_;
      case VMAF_POOL_METHOD_MEAN:
        return sum_ / count;
      case VMAF_POOL_METHOD_HARMONIC_MEAN:
        return count / inverses_ - 1;
      default:
        return std::nullopt;
    }
  }

 private:
  double min_ = 0, max_ = 0, sum_ = 0, inverses_ = 0;
  uint64_t count_ = 0;
};

}  // namespace vq::libvmaf
