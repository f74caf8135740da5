#include "core/histogram.h"

namespace vq {

size_t percentile_bin(std::span<const uint32_t> bins, uint64_t samples, uint64_t percent) {
  const uint64_t rank = (percent * samples + 99) / 100;
  uint64_t seen = 0;
  size_t bin = 0;
  while ((seen += bins[bin]) < rank) ++bin;
  return bin;
}

}  // namespace vq
