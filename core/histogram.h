// Histograms: how many samples there are in each of some bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vq {

// The first bin with so many percent of the samples, rounded up, in it or below. Needs: bins that have
// `samples` together, one at least; 0 <= percent <= 100.
size_t percentile_bin(std::span<const uint32_t> bins, uint64_t samples, uint64_t percent);

}  // namespace vq
