// PSNR as libvmaf's feature of that name: its options, the names of what it reports, what comparing two
// videos needs, and what becomes of the sums of squared errors.
//
// Rounding: figures equal libvmaf's to the last digit, provided that log10() is the same. Sums are exact
// integers, rounded to double if they are divided or taken the logarithm of; the square of a peak fits 32
// bits and is exact; all else is double, each operation rounded in the order in which it is written.
#pragma once

#include "feature/metric_type.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::psnr {

// Planes in the order of a picture's: how metrics name them.
inline constexpr std::array<std::string_view, 3> kPlaneNames = {"y", "cb", "cr"};

struct PsnrOptions {
  bool chroma = true;
  bool mse = false;
  bool apsnr = false;
  bool reduced_hbd_peak = false;
  double min_sse = 0;   // 0: the limit is that of the depth
  int luma_weight = 0;  // 0: PSNR of all planes together is not reported
};

// Names of the metrics reported once for all frames, in order: nothing, or a figure for each of kPlaneNames,
// whatever is compared, and with a luma_weight those of all planes together.
std::vector<std::string> aggregate_names(const PsnrOptions& options);

// Error of one plane of one frame.
struct PlaneError {
  uint64_t squared = 0;  // the sum of squared errors
  int64_t samples = 0;
};

// Error of one plane over all frames: exact even beyond 64 bits.
__extension__ using ExactSum = unsigned __int128;
struct TotalError {
  ExactSum squared = 0;
  int64_t samples = 0;
};

// Measures errors of one video. Samples are of `bit_depth` bits, 8..16: the deeper of the two compared.
class Scorer {
 public:
  Scorer(const PsnrOptions& options, int bit_depth);

  // squared / samples. Needs, here and below: samples of at least 1.
  static double mse(const PlaneError& error);
  // 10 log10(peak^2 / mse) in dB, at most limit(); identical planes have that.
  double psnr(const PlaneError& error) const;
  // 6 dB a bit and 12 dB more, or, with min_sse, the PSNR of a plane with that sum of errors, rounded up.
  double limit(int64_t samples) const;
  // PSNR of the MSE of all frames, at most that of half a squared error, rounded up. -infinity without
  // samples.
  double apsnr(const TotalError& error) const;

  // PSNR of all planes together, each infinite if it is without errors; planes without samples do not count.
  // yuv: the mean of the planes' PSNR, luma weighted by luma_weight and chroma by 1. all: of one mean squared
  // error over all samples.
  double yuv(std::span<const TotalError> planes) const;
  double all(std::span<const TotalError> planes) const;

  // For Psnr::names(): `planes` are those compared.
  std::vector<double> frame_scores(std::span<const PlaneError> planes) const;
  // For aggregate_names(): planes that are not compared have no samples.
  std::vector<double> aggregates(const std::array<TotalError, kPlaneNames.size()>& planes) const;

 private:
  double uncapped(const TotalError& error) const;

  PsnrOptions options_;
  int bit_depth_;
  double squared_peak_;
};

struct PsnrPlan : ComparedVideos {
  PsnrOptions options = {};
  int planes = 1;                                // that are compared
  std::array<PlaneSize, kMaxPlanes> sizes = {};  // of them
};

// Names, defaults and ranges of the options but luma_weight are the reference implementation's (libvmaf 3.2).
struct Psnr {
  using Options = PsnrOptions;
  static constexpr auto kOptions = option_table<Options>(
      {{&Options::chroma, "enable_chroma -", "also compare the chroma planes"},
       {&Options::mse, "enable_mse -", "also report the mean squared errors"},
       {&Options::apsnr, "enable_apsnr -", "also report the PSNR of the mean squared error of all frames"},
       {&Options::reduced_hbd_peak, "reduced_hbd_peak -",
        "above 8 bits, measure against 255 scaled to the depth instead of the largest sample"},
       {&Options::min_sse, "min_sse -", 0, std::numeric_limits<double>::max(),
        "limit PSNR to that of this sum of squared errors in a plane; 0: to 6 dB a bit and 12 dB more"},
       {&Options::luma_weight, "luma_weight -", 0, 100,
        "also report psnr_yuv, the mean of the planes' PSNR with this weight of luma and 1 of each chroma "
        "plane, such as 6; 0: not"}});
  using Plan = PsnrPlan;
  // Throws Error: kUsage without a reference, kMismatch for videos of other sizes or, if chroma is compared,
  // of other sampling.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  // For each compared plane its PSNR and, if asked for, its MSE; then, if asked for, PSNR of all together.
  static std::vector<std::string> names(const Options& options);
  static int planes(const Options& options) { return options.chroma ? kMaxPlanes : 1; }
  static bool needs_every_frame(const Options& options) { return options.apsnr; }
  static std::vector<std::pair<std::string, double>> aggregates(const Plan& plan,
                                                                std::span<const double> totals);
  static ScoreEnds score_ends(const Plan& plan, size_t place);
};

// Values and, for aggregates(), tallies of a frame. Needs: as many planes as are compared.
FrameResult frame_result(const PsnrPlan& plan, std::span<const PlaneError> planes);

// The stage of PSNR: the sum of squared differences of two planes. It is exact: every implementation gives
// the same integer. It never throws and never allocates.

// The shapes and shifts that the stage needs, for its assertions.
inline bool can_be_compared(const Samples& a, const Samples& b) {
  const bool can_be_shifted = 0 <= a.shift && a.shift <= 8 && 0 <= b.shift && b.shift <= 8;
  return can_be_shifted && a.view.width() == b.view.width() && a.view.height() == b.view.height() &&
         a.view.width() <= kMaxSide && a.view.height() <= kMaxSide;
}

// Returns `sum_of` for both planes as views of the types that they have.
template <typename Sum>
uint64_t for_sample_types(const Samples& a, const Samples& b, Sum sum_of) {
  HWY_DASSERT(can_be_compared(a, b));
  if (a.view.is_u8()) return b.view.is_u8() ? sum_of(a.view.u8, b.view.u8) : sum_of(a.view.u8, b.view.u16);
  return b.view.is_u8() ? sum_of(a.view.u16, b.view.u8) : sum_of(a.view.u16, b.view.u16);
}

namespace scalar {
// The sum of (a - b)^2 over two planes of one size, 8-bit and deeper ones in any combination. Sums of bands
// of rows add up to that of the plane. Needs: sides of at most kMaxSide; then the sum is below 2^60.
uint64_t squared_error(const Samples& a, const Samples& b);
}  // namespace scalar
VQ_STAGES(squared_error);

const FeatureInfo& feature_info();

// The device sums up squared differences by work groups, the host adds those sums.
extern const DeviceSupport kDeviceSupport;

// Compares two planes of one size.
class SquaredErrorPass {
 public:
  SquaredErrorPass(vulkan::Context& context, const Operand& a, const Operand& b, vulkan::Results& sums);

  void record(vulkan::Recorder& recorder) const;
  uint64_t squared_error() const;

 private:
  const vulkan::DevicePlane &a_, &b_;
  const vulkan::Groups groups_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Results::Part sums_;
};

}  // namespace vq::psnr
