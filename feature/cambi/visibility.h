// Which luma level differences the eye can see, from the display's transfer function.
#pragma once

#include <string_view>

namespace vq::cambi {

// 10-bit luma levels of black and of nominal white.
struct LumaRange {
  int foot = 64;
  int head = 940;
};
inline constexpr LumaRange kFullRange = {0, 1023};

// Luminance of luma levels on a display, for grey. Sources: ITU-R BT.1886 with Lw = 300 and Lb = 0.01 cd/m2;
// SMPTE ST 2084; HLG of ARIB STD-B67 and ITU-R BT.2100-2, table 5, on a display of Lw = 1000 and Lb = 0
// cd/m2, for which the system gamma is 1.2.
class Luminance {
 public:
  // eotf: "bt1886", "pq" or "hlg". Throws Error{kInternal} for any other.
  Luminance(std::string_view eotf, LumaRange range);

  const LumaRange& range() const { return range_; }
  // In cd/m2; levels outside the range count as its ends.
  double at(int level) const;

 private:
  double (*eotf_)(double signal);
  LumaRange range_;
};

// The last level whose difference to the level `contrast` above it is visible, that is, exceeds `threshold`
// times its luminance; 0 if none is, 1023 if the last pairs of the range are visible too. Visibility ends
// once with rising level, so a bisection finds it. Under HLG a contrast can become visible again towards
// white, up to white itself: that counts as visible throughout.
int last_visible_level(const Luminance& luminance, int contrast, double threshold);

// The first level at least `nits` bright; 0 if black is, the head if no level is.
int first_level_of(const Luminance& luminance, double nits);

}  // namespace vq::cambi
