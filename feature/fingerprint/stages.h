// The one stage of the fingerprint: sums of mixed words of a plane. It is exact: every implementation gives
// the same integers. It never throws and never allocates. docs/fingerprint.md has the definition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/frame.h"

namespace vq::fingerprint {

// Four sums, each modulo 2^32, of the same words mixed in four ways.
inline constexpr size_t kLanes = 4;
using LaneSums = std::array<uint32_t, kLanes>;

LaneSums operator+(const LaneSums& a, const LaneSums& b);

// The four mixes of a word by its place. With one place each is a permutation of the words. Needs: x < 2^13,
// y < 2^14, plane < 4.
struct Place {
  int x = 0, y = 0, plane = 0;
};
LaneSums mixed_word(uint32_t word, const Place& place);

// A permutation of 32-bit words whose every output bit depends on all of its input.
uint32_t mixed(uint32_t value);

// Adds up mixed_word() of a plane as decoded, of any stride and alignment and without guards: nothing beyond
// its rows is read. The words of a row hold its samples from the left, four of 8 bits or two deeper ones, the
// leftmost in the lowest bits, and zeros behind the last. Needs: sides of at most kMaxSide; 0 <= plane <
// kMaxPlanes.
using PlaneSums = LaneSums (*)(const SampleView& view, int plane);

namespace scalar {
// The readable reference, in ordinary C++.
LaneSums plane_sums(const SampleView& view, int plane);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
PlaneSums plane_sums_for(int64_t target);
}  // namespace simd

}  // namespace vq::fingerprint
