// The numbers of the CIEDE2000 formulae.
#pragma once

namespace vq::ciede {

// kL, kC and kH: libvmaf's, which differ from the standard's 1.
inline constexpr float kWeightL = 0.65F, kWeightC = 1.0F, kWeightH = 4.0F;

inline constexpr double k25To7 = 6103515625.0;
inline constexpr float kFloat25To7 = 6103515625.0F;  // rounded

// Of angles in degrees that are added to the hue or its multiples.
inline constexpr double kCos30 = 0.8660254037844386, kSin30 = 0.5;
inline constexpr double kCos6 = 0.9945218953682733, kSin6 = 0.10452846326765347;
inline constexpr double kCos63 = 0.4539904997395468, kSin63 = 0.8910065241883679;

}  // namespace vq::ciede
