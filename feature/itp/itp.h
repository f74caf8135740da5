// Delta E ITP (ITU-R BT.2124), the difference of colours as the eye sees them in light of any brightness, and
// PSNR of light in the coding of PQ. Options, names, and the registry entry.
#pragma once

#include "feature/light/amounts.h"
#include "feature/light/light.h"

namespace vq::itp {

inline constexpr std::string_view kFeatureName = "itp";

struct Options : light::LightOptions {
  double white = 100;
};

// Rows of a matrix that takes R, G and B of a video's light to light in units of 100 cd/m2: L, M and S of
// BT.2100; luminance; and R, G and B of BT.2020. Made in double and rounded to float.
inline constexpr size_t kLms = 0, kLuminance = 3, kRgb = 4, kRows = 7;
using Matrices = std::array<std::array<float, 3>, kRows>;

// PQ of light by linear interpolation in a table of floats whose bits are 2^15 apart, 256 an octave.
inline constexpr float kLeastLight = 0x1p-30F, kMostLight = 100;
inline constexpr float kPqOfDarkness = 7.309559e-7F;  // of less than kLeastLight
inline constexpr uint32_t kLeastLightBits = 0x30800000, kPqShift = 15, kPqSteps = 37 * 256 + 2;
using PqTable = std::array<float, kPqSteps>;
const PqTable& pq_table();

// ICtCp of L', M' and S', as BT.2100 has it for PQ, with Ct halved as BT.2124 wants it.
inline constexpr float kCt[3] = {6610.0F / 8192, 13613.0F / 8192, 7003.0F / 8192};
inline constexpr float kCp[3] = {17933.0F / 4096, 17390.0F / 4096, 543.0F / 4096};
// Amounts of a distance in ICtCp: 720 of BT.2124, in 1/1024.
inline constexpr float kDeltaE = 720 * 1024;
// Squares under this have the root 0.
inline constexpr float kLeastSquare = 0x1p-60F;
inline constexpr uint32_t kRootStart = 0x5F3759DF;
inline constexpr float kPqPeak = 65535;  // of the codes that are compared

struct Plan {
  light::Conversion distorted = {}, reference = {};  // R, G and B keep the primaries of each video
  Matrices distorted_matrices = {}, reference_matrices = {};
};

struct Itp {
  using Options = itp::Options;
  static constexpr auto kOptions =
      light::option_table<Options>({{&Options::white, "white", 10, 10000,
                                     "cd/m2 of white in video of standard range, such as 203 by BT.2408"}});
  using Plan = itp::Plan;
  // Throws Error: kUsage without a reference, kMismatch for videos of different sizes, or that cannot be
  // brought to light.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  static std::vector<std::string> names(const Options&);
  static int planes(const Options&) { return kMaxPlanes; }
  // PSNR of the squared errors of all frames.
  static std::vector<std::pair<std::string, double>> aggregates(const Plan& plan,
                                                                std::span<const double> totals);
};

// Sums of squared differences of PQ codes of 16 bits: of luminance, and of R, G and B together.
struct PqErrors {
  uint64_t luminance = 0, rgb = 0;
  bool operator==(const PqErrors&) const = default;
};

// Values and, for aggregates(), tallies of a frame.
FrameResult frame_result(const light::Amounts& differences, const PqErrors& errors);

// Rows of light of both videos, and their matrices.
struct Compared {
  light::RgbRow<const float> first, second;
  const Matrices &first_matrices, &second_matrices;
};

namespace scalar {
// All is float, each operation rounded, brackets as written.

// Delta E ITP of a row in 1/1024, and the squared errors of PQ. For each video, with a row a of its matrices,
//   x = max((a0 R + a1 G) + a2 B, 0), and PQ(x) with x = min(x, 100): kPqOfDarkness for x < kLeastLight, else
//   with i = (bits(x) - kLeastLightBits) >> 15 and f = (the low 15 bits) * 2^-15: T[i] + f (T[i + 1] - T[i]).
// The differences dL, dM and dS of the first three rows give
//   i = 0.5 (dL + dM), t = (kCt0 dL - kCt1 dM) + kCt2 dS, p = (kCp0 dL - kCp1 dM) - kCp2 dS
//   z = (i i + t t) + p p, and trunc(root(z) * kDeltaE + 0.5), at most kMostAmount.
// root(z): 0 for z < kLeastSquare; else r of the bits kRootStart - (bits(z) >> 1), three times r = r (1.5 -
// (0.5 z) (r r)), and z r, within 2e-7. Codes of the other rows are trunc(PQ * 65535 + 0.5).
//
// Shapes: rows of `width`, in and out, with guards.
PqErrors differences(const Compared& rows, int width, uint32_t* out);
}  // namespace scalar
VQ_STAGES(differences);

const FeatureInfo& feature_info();

// The device counts, the host makes figures of the counts.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::itp
