// What tests of counting share: the implementations of its stages, and what was counted of the channels of a
// picture, with canaries around the bins of each.
#pragma once

#include <numeric>

#include "feature/histogram/histogram.h"
#include "tests/support/implementations.h"

namespace vq::histogram::test {

using Implementation = vq::test::Implementation<Stages>;

inline std::vector<Implementation> implementations() {
  return vq::test::all_implementations(scalar::kStages, simd::stages_for);
}

class Counted {
 public:
  explicit Counted(const BinRule& rule, size_t count = 1)
      : words_(count, std::vector<uint32_t>(rule.bins + 2)) {
    for (size_t c = 0; c < count; ++c) {
      words_[c].front() = words_[c].back() = kCanary;
      channels[c].bins = words_[c].data() + 1;
    }
  }
  Counted& operator=(Counted&&) = delete;  // channels point into it

  RgbCounts channels;
  size_t count() const { return words_.size(); }
  std::span<const uint32_t> bins(size_t channel = 0) const {
    return std::span(words_[channel]).subspan(1, words_[channel].size() - 2);
  }
  // Of the last channel.
  uint64_t total() const {
    return std::accumulate(bins(count() - 1).begin(), bins(count() - 1).end(), uint64_t{0});
  }

  // Whether a channel has the counts of another's, and the canaries are there.
  ::testing::AssertionResult same(size_t channel, const Counted& other, size_t of_other) const {
    const std::vector<uint32_t>&found = words_[channel], &expected = other.words_[of_other];
    const ChannelCounts &one = channels[channel], &two = other.channels[of_other];
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] == expected[i]) continue;
      return ::testing::AssertionFailure() << "channel " << channel << ", bin " << static_cast<int64_t>(i) - 1
                                           << ": " << found[i] << " instead of " << expected[i];
    }
    if (one.min == two.min && one.max == two.max && found.front() == kCanary && found.back() == kCanary)
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << "channel " << channel << ": " << one.min << ".." << one.max << " instead of " << two.min << ".."
           << two.max << ", or bins beyond the last";
  }
  ::testing::AssertionResult same(const Counted& other) const {
    for (size_t c = 0; c < count(); ++c) {
      if (const ::testing::AssertionResult result = same(c, other, c); !result) return result;
    }
    return ::testing::AssertionSuccess();
  }

 private:
  static constexpr uint32_t kCanary = 0xA5A5A5A5;
  std::vector<std::vector<uint32_t>> words_;
};

}  // namespace vq::histogram::test
