// Amounts: what metrics on light measure of each sample, as integers in 1/1024 of a unit, and what is made of
// them. They are added up and counted as integers, so that every order, thread and backend finds the same.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace vq::light {

inline constexpr uint32_t kAmountUnit = 1024, kMostAmount = (1U << 24) - 1;

// Bins are as wide as floats of nine bits are apart: 256 for each octave, one for each amount under 512.
inline constexpr uint32_t kBinsOfOctave = 256, kAmountBins = 4352;
constexpr uint32_t amount_bin(uint32_t amount) {
  const auto shift = static_cast<uint32_t>(std::max(static_cast<int>(std::bit_width(amount)) - 9, 0));
  return shift * kBinsOfOctave + (amount >> shift);
}
// The least amount of a bin, which stands for all of it: at most 0.4 % less.
constexpr uint32_t least_amount(uint32_t bin) {
  const uint32_t shift = std::max(bin / kBinsOfOctave, 1U) - 1;
  return (bin - shift * kBinsOfOctave) << shift;
}
static_assert(amount_bin(kMostAmount) == kAmountBins - 1);

// The amount, in units, of the first bin up to which `share` parts of ten thousand of the samples are
// counted, rounded up to a whole sample, at least one. Needs: the counts add up to `samples`, at least 1.
template <typename Count>
double amount_percentile(std::span<const Count> bins, uint64_t samples, uint64_t share) {
  const uint64_t needed = std::max<uint64_t>((samples * share + 9999) / 10000, 1);
  uint64_t counted = 0;
  uint32_t bin = 0;
  for (; bin + 1 < bins.size(); ++bin) {
    counted += static_cast<uint64_t>(bins[bin]);
    if (counted >= needed) break;
  }
  return static_cast<double>(least_amount(bin)) / kAmountUnit;
}

// The amounts of a picture.
struct Amounts {
  // Counts a row. Needs: amounts of at most kMostAmount.
  void add(std::span<const uint32_t> row) {
    for (const uint32_t amount : row) {
      ++bins[amount_bin(amount)];
      sum += amount;
      most = std::max(most, amount);
      above_unit += amount > kAmountUnit ? 1 : 0;
    }
    samples += row.size();
  }

  // In units, as are the following.
  double mean() const { return static_cast<double>(sum) / static_cast<double>(samples) / kAmountUnit; }
  double largest() const { return static_cast<double>(most) / kAmountUnit; }
  double percentile(uint64_t share) const { return amount_percentile<uint32_t>(bins, samples, share); }
  // The share of the samples that are above a unit, 0 to 1.
  double visible() const { return static_cast<double>(above_unit) / static_cast<double>(samples); }
  bool operator==(const Amounts&) const = default;

  std::vector<uint32_t> bins = std::vector<uint32_t>(kAmountBins);
  uint64_t samples = 0, sum = 0, above_unit = 0;
  uint32_t most = 0;
};

}  // namespace vq::light
