// CIEDE2000: what comparing two videos needs, what becomes of the sum of differences, and its entry in the
// registry.
#pragma once

#include "feature/metric_type.h"
#include "feature/ordered_sum.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::ciede {

// A row of samples of all three planes, chroma as often as luma, at one depth.
struct SampleRow {
  const uint16_t* y = nullptr;
  const uint16_t* cb = nullptr;
  const uint16_t* cr = nullptr;
  int width = 0;
  int bit_depth = 8;  // 8..16
};

// A row of colours in CIELAB.
template <typename T>
struct LabRow {
  T* l = nullptr;
  T* a = nullptr;
  T* b = nullptr;
};

namespace scalar {
// The colours of samples taken as limited range and roughly BT.709, whatever they are; nothing is clipped.
// Shapes: rows of `width`, each, in and out, with guards of kRowGuardBytes.
void colours(const SampleRow& samples, LabRow<float> out);

// The CIEDE2000 differences (Sharma, Wu, Dalal, 2005) of two rows of colours, with kL = 0.65, kC = 1 and kH
// = 4. Equal colours have 0. Where two hues are more than half a turn apart their mean is half a turn beyond
// half their sum, whatever that is. Shapes: rows of `width`, each, in and out, with guards of kRowGuardBytes.
void differences(LabRow<const float> first, LabRow<const float> second, int width, float* out);
}  // namespace scalar
VQ_STAGES(colours, differences);

// How the samples of one video become rows of SampleRow.
struct Spread {
  int shift = 0;  // to the left, to the depth of both
  ChromaShifts chroma = {};
};

class SpreadRows {
 public:
  // Throws std::bad_alloc.
  explicit SpreadRows(int width) : samples_(width, kMaxPlanes) {}

  // Fills in row y of a frame of the width given; each sample of chroma is repeated for the luma that shares
  // it.
  void fill(const Frame& frame, const Spread& spread, int y);
  // Valid until the next is filled in.
  SampleRow row(int bit_depth) const {
    return {samples_.row(0), samples_.row(1), samples_.row(2), samples_.width(), bit_depth};
  }

 private:
  Plane<uint16_t> samples_;
};

// The numbers of CIEDE2000's colours, as libvmaf has them, and of its formulae.

// The range of samples of a depth.
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

inline constexpr std::string_view kFeatureName = "ciede", kMetricName = "ciede2000";

struct CiedePlan {
  ComparedVideos videos = {};
  Spread distorted = {}, reference = {};
};

struct Ciede {
  using Options = NoOptions;
  using Plan = CiedePlan;
  // Throws Error: kUsage without a reference, kMismatch for videos of other sizes or without chroma. Chroma
  // may be sampled in different ways.
  static Plan make_plan(const Options&, const VideoFormats& formats);
  static std::vector<std::string> names(const Options&) { return {std::string(kMetricName)}; }
  static int planes(const Options&) { return kMaxPlanes; }
};

// The mean difference in decibels, 45 - 20 log10(sum / samples): infinite for equal pictures.
double score(const CiedePlan& plan, double sum_of_differences);

const FeatureInfo& feature_info();

// On a Vulkan device that has doubles; others leave all to the host.
inline constexpr std::string_view kDifferencesStage = "differences", kSumStage = "sum";

extern const DeviceSupport kDeviceSupport;

// The differences of all samples and their sum.
class DifferencesPass {
 public:
  // Needs: pictures of all planes; a device with doubles.
  DifferencesPass(vulkan::Context& context, const CiedePlan& plan, const vulkan::DevicePicture& reference,
                  const vulkan::DevicePicture& distorted);

  void record(vulkan::Recorder& recorder) const;
  // In double, one difference added after the other. The terms are the differences, row after row.
  const OrderedSum& sum() const { return sum_; }

 private:
  const CiedePlan plan_;
  const vulkan::DevicePicture &reference_, &distorted_;
  const vulkan::Pipeline& pipeline_;
  const OrderedSum sum_;
};

}  // namespace vq::ciede
