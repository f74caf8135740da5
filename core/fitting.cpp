#include "core/fitting.h"

namespace vq {

std::string_view to_string(ScaleKernel kernel) {
  return kernel == ScaleKernel::kLanczos ? "lanczos" : "bicubic";
}

bool has_finer_chroma(Chroma fine, Chroma coarse) {
  if (fine == coarse || plane_count(fine) == 1 || plane_count(coarse) == 1) return false;
  const ChromaShifts few = chroma_shifts(coarse), many = chroma_shifts(fine);
  const auto is_once_or_twice = [](int halvings) { return halvings == 0 || halvings == 1; };
  return is_once_or_twice(few.x - many.x) && is_once_or_twice(few.y - many.y);
}

VideoFormat fitted_format(VideoFormat format, const Fitting& fitting) {
  if (format.matrix == Matrix::kRgb && fitting.ycbcr) {
    format.matrix = fitting.ycbcr->matrix;
    format.chroma = fitting.ycbcr->chroma;
    format.chroma_location = fitting.ycbcr->location;
    format.range = Range::kLimited;
  }
  if (fitting.matrix && luma_shares(format.matrix)) format.matrix = *fitting.matrix;
  if (fitting.chroma && format.matrix != Matrix::kRgb &&
      has_finer_chroma(format.chroma, fitting.chroma->chroma)) {
    format.chroma = fitting.chroma->chroma;
    format.chroma_location = fitting.chroma->location;
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
  return fitted.size() != format.size() || fitted.bit_depth != format.bit_depth ||
         fitted.range != format.range || fitted.matrix != format.matrix || fitted.chroma != format.chroma;
}

}  // namespace vq
