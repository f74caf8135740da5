// Conversions of a video before it is scored: size, bit depth, limited range, RGB to Y'CbCr, another matrix
// and coarser chroma.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "core/frame.h"

namespace vq {

enum class ScaleKernel { kBicubic, kLanczos };
std::string_view to_string(ScaleKernel kernel);  // "bicubic", "lanczos"

// The Y'CbCr that RGB becomes. Its range is limited.
struct YcbcrForm {
  Matrix matrix = Matrix::kBt709;  // one with luma_shares()
  Chroma chroma = Chroma::k444;    // or k422 or k420
  ChromaLocation location = ChromaLocation::kLeft;

  bool operator==(const YcbcrForm&) const = default;
};

struct ChromaForm {
  Chroma chroma = Chroma::k420;
  ChromaLocation location = ChromaLocation::kLeft;

  bool operator==(const ChromaForm&) const = default;
};

struct Fitting {
  PlaneSize size = {};  // of the luma; 0x0: unchanged
  int least_bits = 0;   // videos with fewer bits per sample are converted to this depth
  ScaleKernel kernel = ScaleKernel::kBicubic;
  bool limits_range = false;              // converts full range to limited range
  std::optional<YcbcrForm> ycbcr = {};    // converts RGB
  std::optional<Matrix> matrix = {};      // converts Y'CbCr of another matrix; both have luma_shares()
  std::optional<ChromaForm> chroma = {};  // converts what has_finer_chroma()

  bool operator==(const Fitting&) const = default;
};

// Whether there are twice as many chroma samples as `coarse` has along one axis or both, and as many along
// the other.
bool has_finer_chroma(Chroma fine, Chroma coarse);

// The format of a video after fitting.
VideoFormat fitted_format(VideoFormat format, const Fitting& fitting);
// Whether fitting changes a video of this format.
bool changes(const Fitting& fitting, const VideoFormat& format);

// Fits the frames of one video.
class FrameFitter {
 public:
  virtual ~FrameFitter() = default;
  // May be called from several threads at once. The frame's number, time and repeats are unchanged. Throws
  // Error{kInternal} if a frame cannot be scaled, and std::bad_alloc.
  virtual Frame fit(const Frame& frame) const = 0;
};

// Makes the fitter for frames of a format. Features read the first `planes` planes. Throws Error{kMismatch}
// for pictures that cannot be scaled.
using MakeFitter =
    std::function<std::unique_ptr<FrameFitter>(const VideoFormat& from, const Fitting& fitting, int planes)>;

// Fitting of frames, but for their size: tables convert depth and range, integers convert colours.

// A MakeFitter for fittings that change no size. Every value is the nearest to what the definition says,
// halves rounded up, and clipped to the depth.
//
// - A full-range sample becomes the nearest limited-range one: luma 16 + 219 v / m and chroma 128 + 224 (v -
// c) / m
//   in levels of 8 bits, where m is the largest sample of the depth and c its middle (ITU-R BT.2100, table
//   9). Other samples are shifted left to a larger depth.
// - RGB becomes limited Y'CbCr of its depth. Where chroma is subsampled, it is that of the mean of R, G and B
// over
//   the samples around its place.
// - Coarser chroma is the mean of the samples around its place: along an axis of half as many, of the two
// that
//   the location of the new chroma lies between, or 1:2:1 of the one on which it lies and its neighbours.
//   Samples beyond an edge are those of the edge. An axis of as many stays as it is.
// - Another matrix: with R, G and B as the old one says, Y', Cb and Cr are those of the new one. As a grey
// stays
//   what it is, new Cb and Cr follow from the old ones at their place, and new luma is the old one with a
//   share of Cb and of Cr added; these are interpolated to the place of luma as feature/light does
//   (Catmull-Rom). It comes before chroma is made coarser.
std::unique_ptr<FrameFitter> make_sample_fitter(const VideoFormat& from, const Fitting& fitting, int planes);

}  // namespace vq
