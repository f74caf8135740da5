// Fits the frames of videos, see core/fitting.h: on the host here, on devices by device.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/fitting.h"
#include "core/frame.h"
#include "feature/feature.h"
#include "feature/fitting/scaling.h"

namespace vq {

// Fitting is done in steps: colours, then size and depth, then range. All is exact in integers, in every
// implementation; every value is the nearest to what the definition says, halves rounded up, and clipped to
// the depth. A sample above the largest of its depth stays one, so that scoring finds and reports it.
//
// - RGB becomes limited Y'CbCr of its depth. If chroma is subsampled, it is that of the mean of R, G and B
//   over the samples around its place.
// - Another matrix: with R, G and B as the old one says, Y', Cb and Cr are those of the new one. As a grey
//   stays what it is, new Cb and Cr follow from the old ones at their place, and new luma is the old one with
//   a share of Cb and of Cr added; these are interpolated to the place of luma as feature/light does
//   (Catmull-Rom).
// - Coarser chroma is the mean of the samples around its place: along an axis of half as many, of the two
//   that the location of the new chroma lies between, or 1:2:1 of the one on which it lies and its
//   neighbours. Samples beyond an edge are those of the edge. An axis of as many stays as it is.
// - Another size: see feature/fitting/scaling.h. Otherwise samples are shifted left to a larger depth.
// - A full-range sample becomes the nearest limited-range one: luma 16 + 219 v / m and chroma
//   128 + 224 (v - c) / m in levels of 8 bits, where m is the largest sample of the depth and c its middle
//   (ITU-R BT.2100, table 9).

// Makes the fitter for frames of a format, of which features read the first `planes` planes, with the
// instruction sets that the execution allows. Throws Error{kMismatch} for pictures that cannot be scaled.
std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes,
                                               const Execution& execution);

namespace fitting {

// Weights of three neighbouring samples, of which the middle one is at twice (or once) the chroma's place.
using Weights = std::array<int, 3>;

// How chroma is halved along none, one or both of its axes.
struct ChromaTaps {
  ChromaShifts halvings = {};
  Weights across = {0, 1, 0}, down = {0, 1, 0};
  int first_row = 0;  // of the middle weight, within the rows of one chroma sample

  // Base-2 logarithm of the sum of all weights.
  int shift() const;
};

// How Y'CbCr becomes that of another matrix. The share of Cb and of Cr in each plane, in 2^kFractionBits-ths;
// `offset_x` and `offset_y` are twice the place of the first chroma sample among those of luma.
inline constexpr int kFractionBits = 24;
struct MatrixMix {
  std::array<std::array<int64_t, 2>, kMaxPlanes> shares = {};
  ChromaShifts shifts = {};
  int offset_x = 0, offset_y = 0;
  int bit_depth = 8;
};

// How RGB becomes Y'CbCr: the share of R, G and B in each plane and a sample without them, likewise. Chroma
// is that of sums by `taps`.
struct Mixture {
  int64_t red = 0, green = 0, blue = 0, offset = 0;
};
struct RgbMix {
  std::array<Mixture, kMaxPlanes> mixtures = {};
  ChromaTaps taps;
};

// The new value of each sample that its memory can hold.
using Levels = std::vector<uint16_t>;

// Number of planes of the video of which the first `planes` fitted ones are made.
int source_planes(const VideoFormat& from, const Fitting& fitting, int planes);

// The steps that a fitting takes with the frames of a video.
struct Steps {
  // Throws Error{kMismatch} as make_frame_fitter().
  Steps(const VideoFormat& from, const Fitting& fitting, int planes);

  // The video, then with another matrix, with coarser chroma too, and fitted.
  VideoFormat from, mixed, coarse, to;
  int planes = 1;  // that are made
  std::optional<MatrixMix> matrix;
  std::optional<RgbMix> rgb;
  std::optional<ChromaTaps> taps;
  std::optional<Scaling> scaling;  // to the depth of `to`
  std::array<Levels, 2> levels;    // of luma and of chroma; empty if samples stay as they are

  bool changes_matrix() const { return matrix || rgb; }
};

}  // namespace fitting
}  // namespace vq
