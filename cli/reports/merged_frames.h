// The frames of two videos side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace vq::cli {

// Calls `visit(i, j)` for each number of a frame that either list has, in order: i and j are its positions in
// `a` and, where numbers there are larger by `offset`, in `b`; nothing where a list does not have it. Needs:
// numbers that ascend.
template <class Visit>
void for_each_frame(std::span<const int64_t> a, std::span<const int64_t> b, int64_t offset,
                    const Visit& visit) {
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool more_of_a = i < a.size(), more_of_b = j < b.size();
    const bool in_a = more_of_a && (!more_of_b || a[i] <= b[j] - offset);
    const bool in_b = more_of_b && (!more_of_a || b[j] - offset <= a[i]);
    visit(in_a ? std::optional(i) : std::nullopt, in_b ? std::optional(j) : std::nullopt);
    i += in_a;
    j += in_b;
  }
}

}  // namespace vq::cli
