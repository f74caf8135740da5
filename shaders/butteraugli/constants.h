// The numbers of Butteraugli, as libjxl 0.11 has them, in the common part of GLSL and C++: all backends use
// the same floats.
#ifndef BUTTERAUGLI_CONSTANTS_H
#define BUTTERAUGLI_CONSTANTS_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::butteraugli {
using uint = uint32_t;
#endif

// How far the filters reach, by what is blurred with them: see stages.h.
const int kAroundReach = 2, kHighReach = 3, kActivityReach = 6, kMiddleReach = 7, kLowReach = 16;

// Smaller results of blurs and smaller differences count as 0. Squares of what is left, and of its sums, are
// normal numbers: devices may replace subnormal ones by 0.
const float kLeast = 9.094947017729282e-13;  // 2^-40

// Absorption of R, G and B by the three receptors, in units of light, and the light that they always see.
const float kRed0 = 0.29956550340058319, kGreen0 = 0.63373087833825936, kBlue0 = 0.077705617820981968;
const float kRed1 = 0.22158691104574774, kGreen1 = 0.69391388044116142, kBlue1 = 0.0987313588422;
const float kRed2 = 0.02, kGreen2 = 0.02, kBlue2 = 0.20480129041026129;
const float kDark01 = 1.7557483643287353, kDark2 = 12.226454707163354;

// The response of receptors to light p: kGammaFactor log2(p + kGammaLight) + kGammaOffset.
const float kGammaFactor = 13.339627;  // 19.245013259874995 ln(2)
const float kGammaLight = 9.9710635769299145, kGammaOffset = -23.16046239805755;
const float kLeastSensitivity = 1e-4;

// log2 of 1 + m as a ratio of polynomials, the constant first; kLogarithmBits are the bits of 2/3.
const uint kLogarithmBits = 0x3F2AAAAB;
const float kLogP0 = -1.8503833400518310e-06, kLogP1 = 1.4287160470083755, kLogP2 = 0.74245873327820566;
const float kLogQ0 = 0.99032814277590719, kLogQ1 = 1.0096718572241148, kLogQ2 = 0.17409343003366853;

// First bits of a reciprocal, and of that of a square root.
const uint kReciprocalBits = 0x7EF311C7, kRootBits = 0x5F375A86;
// The upper half of a float's bits: products of two such halves are exact.
const uint kUpperBits = 0xFFFFF000;

// The lowest band, in its own scale.
const float kLowX = 33.832837186260, kLowY = 14.458268100570, kLowB = 49.87984651440;
const float kLowBlueOfY = -0.362267051518;

// Limits of remove, amplify and clamp, and factors.
const float kRemoveMiddleX = 0.29, kAmplifyMiddleY = 0.1;
const float kRemoveHighX = 1.5, kRemoveFinestX = 0.04, kAmplifyHighY = 0.132;
const float kClampHighY = 28.4691806922, kClampFinestY = 5.19175294647, kClampSlope = 0.724216145665;
const float kHighFactorY = 2.155, kFinestFactorY = 2.69313763794;
// Where Y changes much, X is suppressed.
const float kSuppression = 46, kSuppressed = 0.34697944374300005, kUnsuppressed = 0.653020556257;

// Line differences: the range of ratios without a second term.
const float kRatioLow = 0.55, kRatioHigh = 1.05;
// Asymmetric squares: the share below which a sample counts as much smaller than the reference's.
const float kSmallRatio = 0.4;

// Weights of squared differences.
const float kMiddleX = 2150, kMiddleY = 10.6195433239, kMiddleB = 16.2176043152;
const float kLowSquareX = 29.2353797994, kLowSquareY = 0.844626970982, kLowSquareB = 0.703646627719;
const float kMaskDifference = 10;

// Activity, which masks differences.
const float kActivityX = 2.5, kActivityY = 0.4, kActivityFactor = 6.19424080439;
const float kActivityBias = 78.11251, kActivityRoot = 8.838128;  // 6.19424080439 x 12.61050594197; its root
const float kSmallest = 0.45, kSecondSmallest = 0.3, kThirdSmallest = 0.25;

// Masking: (kMaskScale (1 + factor / (scale mask + offset)))^2.
const float kMaskScale = 0.07092223813413565;  // 1 / (17.83 x 0.79079917404)
const float kFineOffset = 0.829591754942, kFineScale = 0.451936922203, kFineFactor = 2.5485944793;
const float kCoarseOffset = 0.20025578522, kCoarseScale = 3.87449418804, kCoarseFactor = 0.505054525019;

// The maps of the whole and of the half scale.
const float kWholeScale = 0.85, kHalfScale = 0.5;

// Norms are summed in tiles with sides of kTile, relative to a power of 2 near the tile's maximum. Smaller
// parts of it count as 0, and smaller sixth powers in twelfth ones.
const uint kTile = 16;
const float kLeastPart = 9.5367431640625e-07;     // 2^-20
const float kLeastSixth = 8.673617379884035e-19;  // 2^-60

#ifdef __cplusplus
}  // namespace vq::butteraugli
#endif
#endif
