// Conversions of a video before it is scored: size, bit depth, limited range, RGB to Y'CbCr, another matrix
// and coarser chroma.
#pragma once

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

}  // namespace vq
