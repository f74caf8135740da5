// What comparing two videos needs, and what becomes of the planes' errors.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "feature/feature.h"

namespace vq::psnr_hvs {

inline constexpr int kBlockSide = 8;
inline constexpr int kBlockSamples = kBlockSide * kBlockSide;

// For one plane, row by row: [vertical frequency * 8 + horizontal frequency].
struct Weights {
  float contrast[kBlockSamples] = {};  // sensitivity to contrast
  float masking[kBlockSamples] = {};   // how much the frequency hides errors in others
};

// `plane`: Y, Cb or Cr as 0, 1 or 2.
Weights weights_of(int plane);

// Distance between the starts of blocks, in both directions.
inline constexpr int kBlockStep = 7;
// Blocks along a side: as many as fit whole.
inline int blocks_along(int side) {
  return side < kBlockSide ? 0 : (side - kBlockSide) / kBlockStep + 1;
}

struct PsnrHvsPlan {
  std::array<PlaneSize, kMaxPlanes> sizes = {};
  std::array<Weights, kMaxPlanes> weights = {};
  int bit_depth = 8;  // of the deeper video
  // By how much samples are shifted left to that depth.
  int distorted_shift = 0, reference_shift = 0;
};

// Throws Error: kUsage without a reference, kMismatch for videos that differ in size or sampling, have no
// chroma, a plane under 8 samples in a direction, or more than 12 bits.
PsnrHvsPlan make_plan(const VideoFormats& formats);

// The reported values, from the sum of errors of each plane.
std::vector<double> scores(const PsnrHvsPlan& plan, const std::array<float, kMaxPlanes>& sums);

}  // namespace vq::psnr_hvs
