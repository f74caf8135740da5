// The numbers by which a video's samples become light: made once in double, rounded to float.
#pragma once

#include <array>
#include <vector>

#include "feature/light/light.h"

namespace vq::light {

// Interpolation of chroma along one axis. Sample n = m * 2^shift + phase of the picture is the sum, left to
// right, of taps[phase] times the four chroma samples from m + first[phase] on; those beyond an edge repeat
// it.
struct Axis {
  static constexpr int kTaps = 4, kMaxPhases = 4;
  using Taps = std::array<float, kTaps>;

  int shift = 0;  // 0..2
  std::array<int, kMaxPhases> first = {};
  std::array<Taps, kMaxPhases> taps = {};

  int phases() const { return 1 << shift; }
  // Whether samples of the phase are chroma samples as they are: taps 0, 1, 0, 0.
  bool is_plain(int phase) const { return taps[static_cast<size_t>(phase)][1] == 1.0F; }
};

// (sample - offset) * factor.
struct Scale {
  float offset = 0, factor = 1;
};

// PQ and HLG: linear interpolation in a table over code values from 0 to 1; values outside count as 0 and 1.
inline constexpr int kCurveSteps = 4096;

// Values up to here, in magnitude, are without light: on devices nothing smaller than normal floats occurs.
inline constexpr float kLeastValue = 0x1p-24F;
// x^2.4 by Newton's method for x^(-1/5): the bits of the start, from which bits(x) / 5 is taken.
inline constexpr unsigned kRootStart = 0x4C2C0000;
// sRGB. Quotients are rounded to float.
inline constexpr float kSrgbLimit = 0.04045F, kSrgbOffset = 0.055F,
                       kSrgbFactor = static_cast<float>(1 / 1.055),
                       kSrgbSlope = static_cast<float>(1 / 12.92);
// ITU-R BT.2087, from BT.2020's primaries to BT.709's.
inline constexpr float kBt2020ToBt709[3][3] = {{1.660491F, -0.587641F, -0.072850F},
                                               {-0.124550F, 1.132900F, -0.008349F},
                                               {-0.018151F, -0.100579F, 1.118730F}};
// Weights of BT.2020's luminance, for HLG.
inline constexpr float kLuminance[3] = {0.2627F, 0.678F, 0.0593F};

// HLG's system gamma is 1.2.
struct Conversion {
  Reading reading = {};
  PlaneSize size = {};
  bool has_chroma = true;  // else Cb and Cr are 0
  Axis columns = {}, rows = {};
  Scale luma = {}, chroma = {};
  // R = Y + red_of_cr Cr, B = Y + blue_of_cb Cb, G = (Y - kr R - kb B) * one_over_kg.
  float red_of_cr = 0, blue_of_cb = 0, kr = 0, kb = 0, one_over_kg = 0;
  std::vector<float> curve = {};  // kCurveSteps + 1 values and one more, equal to the last; empty: no table
};

// SMPTE ST 2084, 1.0 of light being 100 cd/m2: both ways, in double.
double light_of_pq(double value);
double pq_of_light(double light);

Conversion make_conversion(const Reading& reading, const VideoFormat& video);

}  // namespace vq::light
