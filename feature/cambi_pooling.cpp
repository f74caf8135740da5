#include <algorithm>
#include <bit>
#include <cmath>

#include "feature/cambi_stages.h"

namespace vq::cambi::scalar {
namespace {

// The bit patterns of floats that are not negative order as the floats do, so the K-th largest value is found
// by its upper and then its lower half, counting values instead of moving them.
class RadixSelect {
 public:
  RadixSelect(CValuesIn values, std::vector<uint32_t>& histogram) : values_(values), histogram_(histogram) {}

  // The bit pattern of the count-th largest value; `above` receives how many values are larger.
  uint32_t find(int64_t count, int64_t& above) {
    above = 0;
    const uint32_t upper = find_half(count, above, [](uint32_t bits) { return Key{bits >> 16, true}; });
    const uint32_t lower = find_half(count, above, [upper](uint32_t bits) {
      return Key{bits & 0xFFFF, bits >> 16 == upper};
    });
    return upper << 16 | lower;
  }

 private:
  struct Key {
    uint32_t half;
    bool counts;
  };

  template <typename KeyOf>
  uint32_t find_half(int64_t count, int64_t& above, KeyOf key_of) {
    std::fill(histogram_.begin(), histogram_.end(), 0U);
    for (int y = 0; y < values_.height; ++y) {
      for (int x = 0; x < values_.width; ++x) {
        const Key key = key_of(std::bit_cast<uint32_t>(values_.row(y)[x]));
        histogram_[key.half] += key.counts;
      }
    }
    uint32_t half = 0xFFFF;
    while (half > 0 && above + histogram_[half] < count) above += histogram_[half--];
    return half;
  }

  CValuesIn values_;
  std::vector<uint32_t>& histogram_;
};

uint64_t in_units(float value) {
  return static_cast<uint64_t>(std::ldexp(static_cast<double>(value), kSumFractionBits));
}

}  // namespace

ExactSum pool(CValuesIn values, int64_t count, Scratch& scratch) {
  int64_t above = 0;
  const uint32_t least = RadixSelect(values, scratch.histogram).find(count, above);
  ExactSum sum = static_cast<ExactSum>(count - above) * in_units(std::bit_cast<float>(least));
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      if (std::bit_cast<uint32_t>(values.row(y)[x]) > least) sum += in_units(values.row(y)[x]);
    }
  }
  return sum;
}

}  // namespace vq::cambi::scalar
