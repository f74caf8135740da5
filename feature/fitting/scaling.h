// Pictures in another size: bicubic and Lanczos interpolation as libswscale 6 (FFmpeg 5.1) defines them with
// SWS_ACCURATE_RND and SWS_BITEXACT, so that figures equal those of pairs scaled by FFmpeg, whatever is
// installed. All is exact in integers: every implementation gives the same samples.
//
// A plane is scaled along its rows first, then along its columns. A new sample lies where its centre falls
// among the old ones; chroma is scaled as if its samples covered those of luma evenly. Each is a weighted sum
// of its neighbours: of 4 (bicubic: Mitchell and Netravali's cubic with B = 0, C = 0.6) or 6 (Lanczos)
// distances of the coarser sampling. Samples beyond an edge repeat it.
//
// Unlike libswscale, which reduces a picture by more than 28 to 1 (Lanczos) or 42 to 1 (bicubic) in two steps
// with 8 bits between them, it is reduced in one step here.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fitting.h"
#include "core/frame.h"
#include "core/plane.h"
#include "feature/simd_targets.h"

namespace vq::fitting {

// The weights along one axis. New sample i is the sum of weights[i * count + k] times sample first[i] + k.
struct Axis {
  int count = 1;
  std::vector<int32_t> first;    // never falls; first + count is within the axis
  std::vector<int32_t> weights;  // of each new sample; they add up to kAcrossUnit or kDownUnit
};
inline constexpr int kAcrossUnit = 1 << 14, kDownUnit = 1 << 12;

// Needs: sizes of at least 1.
Axis make_axis(int from, int to, ScaleKernel kernel, int unit);

// How the sums become samples. Sums along rows are shifted right by `across_shift` and limited to
// `across_most`; those of these along columns begin with `down_start`, are shifted right by `down_shift`,
// limited to down_least..down_most and raised by `down_offset`. Deep samples leave 19 bits between the steps,
// others 15. All sums are of 32 bits; those of 16-bit samples may wrap, as libswscale's do.
struct Rounding {
  int across_shift = 0, across_most = 0;
  int down_start = 0, down_shift = 0, down_least = 0, down_most = 0, down_offset = 0;
};
// Needs: 8 <= from_bits <= to_bits <= 16.
Rounding make_rounding(int from_bits, int to_bits);

// The weights across for vectors: groups of four, padded with zeros, on samples within the row. Empty if it
// has fewer samples than the groups have.
struct PackedAxis {
  static constexpr int kGroup = 4;

  int groups = 0;
  std::vector<int32_t> first;    // of each new sample
  std::vector<int16_t> weights;  // kGroup of each new sample for the first group, then for the next
};

// How one plane is scaled.
struct PlaneScaling {
  PlaneSize from = {}, to = {};
  Axis across = {}, down = {};
  PackedAxis packed = {};  // of `across`
  Rounding rounding = {};
};

// The scaling of a video's planes to the size and depth of another that has its chroma.
class Scaling {
 public:
  Scaling(const VideoFormat& from, const VideoFormat& to, ScaleKernel kernel);
  const PlaneScaling& plane(int i) const { return i == 0 ? luma_ : chroma_; }

 private:
  PlaneScaling luma_, chroma_;  // the latter without axes if there is no chroma
};

// Where new samples go: one of the two, as in SampleView.
struct ScaledPlane {
  PlaneView<uint8_t> u8 = {};
  PlaneView<uint16_t> u16 = {};
};

// Work memory for one plane at a time, of this scaling.
struct ScalingRows {
  explicit ScalingRows(const PlaneScaling& plane);
  // The latest sums along rows: row y (for vectors, rows 2y and 2y + 1, as the words of each value) at y
  // modulo their number.
  Plane<int32_t> sums;
  Plane<int32_t> weights;             // of a new row, two in each value
  std::vector<const int32_t*> pairs;  // the sums that they are for
  Plane<uint16_t> samples;            // of two rows, in groups
};

namespace scalar {
// The stage. It never throws and never allocates. Reads nothing beyond the samples, but may write up to
// kRowGuardBytes beyond a row of the new ones.
void scale_plane(const SampleView& from, const PlaneScaling& scaling, ScalingRows& rows,
                 const ScaledPlane& to);
}  // namespace scalar
VQ_STAGES(scale_plane);

}  // namespace vq::fitting
