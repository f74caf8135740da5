// What counting the samples of a video needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "feature/feature.h"
#include "feature/histogram/options.h"

namespace vq::histogram {

// Code value v is counted in bin v >> shift; values beyond the last bin are counted in that.
struct BinRule {
  uint32_t bins = 256;  // 256..65536
  uint32_t shift = 0;   // 0..8
};

// From Y, Cb and Cr to R, G and B of the full range, as stages.h says. Coefficients have 13 fraction bits.
// For the GPU these are push constants, in this order.
struct RgbConstants {
  int32_t luma_offset = 0, chroma_offset = 128;
  int32_t luma_scale = 0;
  int32_t cr_to_r = 0, cb_to_g = 0, cr_to_g = 0, cb_to_b = 0;  // those of G are negative
  int32_t peak = 255;                                          // 2^depth - 1
};
inline constexpr int kFractionBits = 13;

struct RgbRule {
  RgbConstants constants;
  ChromaShifts shifts;
  BinRule bins;
};

// One histogram. All are in bins.
struct Channel {
  std::string_view name;  // "y"
  int64_t samples = 0;    // of each frame, at least 1
  // The bins up to `low` and from `high` on are clipped.
  uint32_t low = 0, high = 0;
  // The bins that `used` looks at, both ends included.
  uint32_t first = 0, last = 0;
};

struct HistogramPlan {
  HistogramOptions options;
  bool is_rgb = false;
  int planes = 1;  // that are looked at: 1 or 3
  BinRule bins;
  RgbRule rgb;  // where is_rgb
  std::vector<Channel> channels;
};

// The matrix of a video: where it does not say, that of HD video or of SD video by its size.
Matrix assumed_matrix(const VideoFormat& video);

// Of a video with this depth, this range, where not said the limited one, and that matrix. Needs: a matrix
// other than kUnspecified and kOther.
RgbConstants rgb_constants(Matrix matrix, Range range, int bit_depth);

// Throws Error{kMismatch} for planes that the video does not have, and where R, G and B cannot be told from
// it.
HistogramPlan make_plan(const HistogramOptions& options, const VideoFormat& video);

}  // namespace vq::histogram
