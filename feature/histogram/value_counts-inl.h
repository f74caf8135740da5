// Counts the code values of one channel. Included once for each SIMD target.
#if defined(VQ_HISTOGRAM_VALUE_COUNTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_HISTOGRAM_VALUE_COUNTS_INL_H
#undef VQ_HISTOGRAM_VALUE_COUNTS_INL_H
#else
#define VQ_HISTOGRAM_VALUE_COUNTS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "feature/histogram/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::histogram {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U16 = hn::ScalableTag<uint16_t>;

// Maximum number of values that are counted at once.
inline constexpr size_t kRun = 512;

// Neighbouring samples are often equal, and a counter that was just written cannot be read for some cycles.
// So neighbours are counted in separate tables, four for up to 12 bits, which are summed at the end. More
// bins are counted in the final table, since several would not fit a second-level cache.
class ValueCounts {
 public:
  // The counts outlive this.
  ValueCounts(const BinRule& rule, ChannelCounts& counts) : rule_(rule), counts_(counts) {
    copies_ = std::min(kMostCopies, kTableWords / rule.bins);
    if (copies_ > 0) std::fill_n(words_.begin(), copies_ * rule.bins, 0U);
    for (size_t i = 0; i < kMostCopies; ++i) {
      tables_[i] = copies_ > 0 ? words_.data() + i % copies_ * rule.bins : counts.bins;
    }
    min_.fill(UINT16_MAX);
    max_.fill(0);
  }

  // Needs: `count` is at most kRun, and a multiple of a vector's lanes.
  void add(const uint16_t* values, size_t count) {
    const U16 d;
    const int shift = static_cast<int>(rule_.shift);
    const auto last = hn::Set(d, static_cast<uint16_t>(rule_.bins - 1));
    alignas(64) std::array<uint16_t, kRun> bins;
    auto min = hn::LoadU(d, min_.data()), max = hn::LoadU(d, max_.data());
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      const auto value = hn::LoadU(d, values + i);
      min = hn::Min(min, value);
      max = hn::Max(max, value);
      hn::StoreU(hn::Min(hn::ShiftRightSame(value, shift), last), d, bins.data() + i);
    }
    hn::StoreU(min, d, min_.data());
    hn::StoreU(max, d, max_.data());
    count_bins(bins.data(), count);
  }

  // 8-bit values, which are their own bins. Needs: bins for 8 bits.
  void add(const uint8_t* values, size_t count) { count_bins(values, count); }

  // To be called once, at the end. For bytes the range is derived from the bins.
  void finish(bool are_bytes) {
    for (uint32_t bin = 0; copies_ > 0 && bin < rule_.bins; ++bin) {
      uint32_t total = 0;
      for (size_t i = 0; i < copies_; ++i) total += tables_[i][bin];
      counts_.bins[bin] += total;
      if (are_bytes && total > 0) widen(bin, bin);
    }
    if (are_bytes) return;
    for (size_t i = 0; i < hn::Lanes(U16()); ++i) widen(min_[i], max_[i]);
  }

 private:
  static constexpr size_t kMostCopies = 4, kTableWords = 16384, kMostLanes = 32;

  template <typename T>
  void count_bins(const T* bins, size_t count) {
    size_t i = 0;
    for (; i + kMostCopies <= count; i += kMostCopies) {
      ++tables_[0][bins[i]];
      ++tables_[1][bins[i + 1]];
      ++tables_[2][bins[i + 2]];
      ++tables_[3][bins[i + 3]];
    }
    for (; i < count; ++i) ++tables_[0][bins[i]];
  }

  void widen(uint32_t min, uint32_t max) {
    counts_.min = std::min(counts_.min, min);
    counts_.max = std::max(counts_.max, max);
  }

  const BinRule rule_;
  ChannelCounts& counts_;
  size_t copies_ = 0;  // 0: there is no room for any
  std::array<uint32_t*, kMostCopies> tables_;
  std::array<uint16_t, kMostLanes> min_, max_;
  std::array<uint32_t, kTableWords> words_;
};

}  // namespace HWY_NAMESPACE
}  // namespace vq::histogram
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#endif
