#include "core/fitting.h"

#include <algorithm>

namespace vq {

std::string_view to_string(ScaleKernel kernel) {
  return kernel == ScaleKernel::kLanczos ? "lanczos" : "bicubic";
}

VideoFormat fitted_format(VideoFormat format, const Fitting& fitting) {
  if (format.matrix == Matrix::kRgb && fitting.ycbcr) {
    format.matrix = fitting.ycbcr->matrix;
    format.chroma = fitting.ycbcr->chroma;
    format.chroma_location = fitting.ycbcr->location;
    format.range = Range::kLimited;
  }
  if (fitting.size != PlaneSize()) {
    format.width = fitting.size.width;
    format.height = fitting.size.height;
  }
  format.bit_depth = std::max(format.bit_depth, fitting.least_bits);
  if (fitting.limits_range && format.range == Range::kFull) format.range = Range::kLimited;
  return format;
}

bool changes(const Fitting& fitting, const VideoFormat& format) {
  const VideoFormat fitted = fitted_format(format, fitting);
  return fitted.width != format.width || fitted.height != format.height ||
         fitted.bit_depth != format.bit_depth || fitted.range != format.range ||
         fitted.matrix != format.matrix;
}

}  // namespace vq
