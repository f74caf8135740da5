// Fits the frames of videos, see core/fitting.h, on the host and on devices.
#pragma once

#include "core/fitting.h"
#include "core/frame.h"
#include "core/plane.h"
#include "feature/feature.h"
#include "feature/simd_targets.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/recorder.h"

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
// - Another size: see below. Otherwise samples are shifted left to a larger depth.
// - A full-range sample becomes the nearest limited-range one: luma 16 + 219 v / m and chroma
//   128 + 224 (v - c) / m in levels of 8 bits, where m is the largest sample of the depth and c its middle
//   (ITU-R BT.2100, table 9).

// Makes the fitter for frames of a format, of which features read the first `planes` planes, with the
// instruction sets that the execution allows. Throws Error{kMismatch} for pictures that cannot be scaled.
std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes,
                                               const Execution& execution);

namespace fitting {

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

namespace vq::fitting {

// Whether a device (null: one without limits) can fit pictures of this format.
bool can_fit(const vulkan::DeviceInfo* device, const VideoFormat& from, const Fitting& fitting);

// A picture that is made of another on the device.
class FittedPicture {
 public:
  // With the first `planes` planes that the fitted video has. `from` has source_planes() and outlives this.
  // Needs: the device can. Throws Error{kBackend}.
  FittedPicture(vulkan::Context& context, const vulkan::DevicePicture& from, const VideoFormat& format,
                const Fitting& fitting, int planes);

  const vulkan::DevicePicture& picture() const { return picture_; }
  // Records what makes it of the other picture, where that is read now.
  void record(vulkan::Recorder& recorder) const;

  // The start-up check: a small picture is fitted on the device and on the host. Throws Error{kBackend}.
  static void check(vulkan::Context& context, const VideoFormat& format, Fitting fitting, int planes);

 private:
  // The steps of one plane. Planes between them are empty if there is no step behind.
  struct Plane {
    vulkan::DevicePlane mixed, coarse, scaled;
    vulkan::Buffer sums;
    const vulkan::Buffer *across = nullptr, *down = nullptr, *levels = nullptr;
    const vulkan::Pipeline *to_mixed = nullptr, *to_coarse = nullptr, *to_sums = nullptr,
                           *to_scaled = nullptr, *to_levels = nullptr;
  };
  void record(vulkan::Recorder& recorder, int i) const;
  void record_mix(vulkan::Recorder& recorder, int i, const vulkan::DevicePlane& to) const;

  const vulkan::DevicePicture& from_;
  const Steps steps_;
  vulkan::DevicePicture picture_;
  std::array<Plane, kMaxPlanes> planes_;
};

}  // namespace vq::fitting
