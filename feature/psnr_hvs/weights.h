// How much of an error in each frequency is seen.
#pragma once

namespace vq::psnr_hvs {

inline constexpr int kBlockSide = 8;
inline constexpr int kBlockSamples = kBlockSide * kBlockSide;

// Of one plane, row by row: [vertical frequency * 8 + horizontal frequency].
struct Weights {
  float contrast[kBlockSamples] = {};  // sensitivity to contrast
  float masking[kBlockSamples] = {};   // how much the frequency hides errors in others
};

// Of Y, Cb or Cr: 0, 1 or 2.
Weights weights_of(int plane);

}  // namespace vq::psnr_hvs
