// Histograms: the number of samples in each bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vq {

// First bin at or below which at least `percent` of the samples (rounded up) lie. Needs: `samples`, at least
// 1, is the sum of all bins; 0 <= percent <= 100.
size_t percentile_bin(std::span<const uint32_t> bins, uint64_t samples, uint64_t percent);

}  // namespace vq
