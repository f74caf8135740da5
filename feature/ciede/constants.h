// The numbers of CIEDE2000's colours, as libvmaf has them, and of its formulae.
#pragma once

#include <array>

namespace vq::ciede {

// What samples of a depth mean.
struct SampleRange {
  explicit SampleRange(int bit_depth) : SampleRange(static_cast<double>(1 << (bit_depth - 8))) {}

  double black, grey;             // samples of luma and chroma that stand for 0
  double luma_unit, chroma_unit;  // what one more stands for

 private:
  explicit SampleRange(double step)
      : black(16 * step), grey(128 * step), luma_unit(1 / (219 * step)), chroma_unit(1 / (224 * step)) {}
};

// R, G and B of Y, Cb and Cr.
inline constexpr double kRedOfCr = 1.28033, kGreenOfCb = 0.21482, kGreenOfCr = 0.38059, kBlueOfCb = 2.12798;

// From sRGB's values to linear ones.
inline constexpr double kGammaLimit = 10.0 / 255.0, kGammaOffset = 0.055, kGammaFactor = 1.0 / 1.055,
                        kGamma = 2.4, kGammaSlope = 1.0 / 12.92;

// X, Y and Z of linear R, G and B, and 1 / X and 1 / Z of white.
inline constexpr std::array<double, 3> kX = {0.4124564390896921, 0.357576077643909, 0.18043748326639894};
inline constexpr std::array<double, 3> kY = {0.21267285140562248, 0.715152155287818, 0.07217499330655958};
inline constexpr std::array<double, 3> kZ = {0.019333895582329317, 0.119192025881303, 0.9503040785363677};
inline constexpr double kWhiteX = 1.0 / 0.95047, kWhiteZ = 1.0 / 1.08883;

// From X, Y and Z to the values that make L, a and b.
inline constexpr double kCubeLimit = 216.0 / 24389.0, kCubeRoot = 1.0 / 3.0, kCubeSlope = 24389.0 / 27.0,
                        kCubeFactor = 1.0 / 116.0;

// kL, kC and kH: libvmaf's, which differ from the standard's 1.
inline constexpr float kWeightL = 0.65F, kWeightC = 1.0F, kWeightH = 4.0F;

inline constexpr double k25To7 = 6103515625.0;
inline constexpr float kFloat25To7 = 6103515625.0F;  // rounded

// For angles in degrees that are added to the hue or its multiples.
inline constexpr double kCos30 = 0.8660254037844386, kSin30 = 0.5;
inline constexpr double kCos6 = 0.9945218953682733, kSin6 = 0.10452846326765347;
inline constexpr double kCos63 = 0.4539904997395468, kSin63 = 0.8910065241883679;

}  // namespace vq::ciede
