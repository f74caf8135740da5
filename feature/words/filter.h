// Symmetric integer filters with a sum of 65536, and the extension of pictures beyond their edges.
#pragma once

#include <array>
#include <cstddef>

namespace vq {

inline constexpr int kMaxFilterRadius = 8;

// taps[k] applies to the samples at distance k from the centre, up to the radius. The centre tap is even, and
// the others fit 15 bits.
struct WordFilter {
  int radius = 0;
  std::array<int, kMaxFilterRadius + 1> taps = {};
  constexpr int tap(int distance) const {
    return taps[static_cast<size_t>(distance < 0 ? -distance : distance)];
  }
};

// The index of the sample that stands for one outside an axis: reflection without repeating the edge sample,
// repeated if the axis is short. If the axis has one sample, it is used everywhere. Needs: size >= 1.
constexpr int reflected(int index, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  const int place = (index < 0 ? -index : index) % period;
  return place < size ? place : period - place;
}

// Sets the samples beyond both ends of a row that filters of this radius read. Needs: memory for them.
template <typename T>
void reflect_ends(T* row, int width, int radius) {
  const bool is_short = width <= radius;  // else no division is needed
  for (int k = 1; k <= radius; ++k) {
    row[-k] = row[is_short ? reflected(-k, width) : k];
    row[width - 1 + k] = row[is_short ? reflected(width - 1 + k, width) : width - 1 - k];
  }
}

}  // namespace vq
