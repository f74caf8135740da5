// How sensitive eyes are to contrast at the frequencies of each scale.
#pragma once

#include <array>
#include <cstdint>

#include "feature/adm/options.h"

namespace vq::adm {

inline constexpr int kScales = 4;
// Of detail: horizontal edges, vertical ones, and what is neither.
inline constexpr size_t kBands = 3;
// One of each, in this order: vertically high, horizontally high, both.
template <typename T>
using PerBand = std::array<T, kBands>;

// Whether the figures are defined for this viewing distance. Throws Error{kUsage} where they are not.
void check_viewing(const AdmOptions& options);

// Sensitivity at a scale, 0 the finest. Bit by bit those of the reference, provided that the C library rounds pow(), exp()
// and log10() as it should. Needs: check_viewing() does not throw.
PerBand<float> sensitivities(const AdmOptions& options, int scale);

// The same as integers: 21 bits after the point at scale 0 (diagonal: 23), in 16 bits; else 32 bits after the point. Those
// that are too large wrap, as in the reference.
PerBand<uint32_t> sensitivity_factors(const AdmOptions& options, int scale);

// Whether some wrap at a scale that counts, or overflow what is computed with them, so that scores mean nothing.
bool sensitivity_overflows(const AdmOptions& options);

}  // namespace vq::adm
