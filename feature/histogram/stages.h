// The stages of the histogram: counting the samples of a plane, and those of R, G, B and luminance that three
// planes stand for. Both are exact: every implementation gives the same integers. They never throw and never
// allocate. Planes are as decoded, of any stride and alignment and without guards: nothing beyond their rows
// is read.
#pragma once

#include <array>
#include <cstdint>

#include "core/frame.h"
#include "feature/histogram/plan.h"

namespace vq::histogram {

// What there is of one channel. Stages add to the bins, BinRule::bins of them, and widen the range from min
// to max, so that the counts of several planes or bands of rows add up.
struct ChannelCounts {
  uint32_t* bins = nullptr;
  // Range of all samples, including those beyond the depth's range. min is above max if there are none.
  uint32_t min = UINT16_MAX, max = 0;
};

// Where a code value is counted.
inline uint32_t bin_of(const BinRule& rule, uint32_t value) {
  const uint32_t bin = value >> rule.shift;
  return bin < rule.bins ? bin : rule.bins - 1;
}

// Counts the samples of one plane. Needs: sides of at most kMaxSide.
using CountPlane = void (*)(const SampleView& plane, const BinRule& rule, ChannelCounts& counts);

// Y, Cb and Cr; and the channels derived from them: r, g, b and luminance, in this order.
using YcbcrPlanes = std::array<SampleView, kMaxPlanes>;
using RgbCounts = std::array<ChannelCounts, kMaxChannels>;

// Counts what each sample of luma and the chroma sample that covers it stand for: with the constants k, a
// sample Y, and Cb and Cr at (x >> shift, y >> shift),
//   luma  = k.luma_scale * (Y - k.luma_offset), cb = Cb - k.chroma_offset, cr = Cr - k.chroma_offset
//   R = (luma + k.cr_to_r * cr + 2^12) >> 13
//   G = (luma + k.cb_to_g * cb + k.cr_to_g * cr + 2^12) >> 13
//   B = (luma + k.cb_to_b * cb + 2^12) >> 13, each clamped to 0..k.peak
//   l = (2126 R + 7152 G + 722 B) / 10000, rounded down
// The shift is arithmetic; no sum leaves 32 bits, whatever the samples are.
// Needs: three planes of one sample type, luma with sides of at most kMaxSide and chroma of the size that
// follows from it, rounded up. Bands of rows begin at a row of chroma of their own.
using CountRgb = void (*)(const YcbcrPlanes& planes, const RgbRule& rule, RgbCounts& counts);

namespace scalar {
// The readable reference, in ordinary C++.
void count_plane(const SampleView& plane, const BinRule& rule, ChannelCounts& counts);
void count_rgb(const YcbcrPlanes& planes, const RgbRule& rule, RgbCounts& counts);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
CountPlane count_plane_for(int64_t target);
CountRgb count_rgb_for(int64_t target);
}  // namespace simd

}  // namespace vq::histogram
