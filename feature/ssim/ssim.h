// SSIM and MS-SSIM as libvmaf's features float_ssim and float_ms_ssim: options, metric names, the parameters
// of comparing two videos, and the final computation.
#pragma once

#include "feature/metric_type.h"
#include "shaders/ssim/shared.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::ssim {

// The window of Wang et al. (2004): a Gaussian of sigma 1.5, as the reference implementation prints it. It is
// applied to rows and then to columns.
inline constexpr int kTaps = 11;
inline constexpr std::array<float, kTaps> kWindow = {0.001028F, 0.007599F, 0.036001F, 0.109361F,
                                                     0.213006F, 0.266012F, 0.213006F, 0.109361F,
                                                     0.036001F, 0.007599F, 0.001028F};

// The low-pass of MS-SSIM before every other sample is dropped: 9x9, symmetric in both directions and not the
// product of one for rows and one for columns. This is its upper left quarter with the middle row and column.
inline constexpr int kLowPassReach = 4, kLowPassTaps = 2 * kLowPassReach + 1;
inline constexpr float kLowPass[kLowPassReach + 1][kLowPassReach + 1] = {
    {0.000714F, -0.000450F, -0.002090F, 0.007132F, 0.016114F},
    {-0.000450F, 0.000283F, 0.001316F, -0.004490F, -0.010146F},
    {-0.002090F, 0.001316F, 0.006115F, -0.020867F, -0.047149F},
    {0.007132F, -0.004490F, -0.020867F, 0.071207F, 0.160885F},
    {0.016114F, -0.010146F, -0.047149F, 0.160885F, 0.363505F}};
constexpr float low_pass_tap(int row, int column) {
  const auto quarter = [](int i) { return i <= kLowPassReach ? i : 2 * kLowPassReach - i; };
  return kLowPass[quarter(row)][quarter(column)];
}

// Pictures are continued by their mirror images, with the edge sample twice. Needs: -n <= i < 2 n.
constexpr int mirrored(int i, int n) { return i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i; }

// Memory for rows of pictures up to some width, in which stages leave anything. Throws std::bad_alloc.
struct Scratch {
  static constexpr int kFloatRows = 58, kDoubleRows = 4;

  explicit Scratch(int width) : floats(width, kFloatRows), doubles(width, kDoubleRows) {}
  int width() const { return floats.width(); }

  Plane<float> floats;
  Plane<double> doubles;
};

// Luma as decoded, of any stride and without guards: nothing beyond its rows is read.
struct Luma {
  SampleView view;
  int bit_depth = 8;  // 8..16
};

// The largest pictures are shrunk so much that 256 samples are left of a side.
constexpr int kMaxShrink = kMaxSide / 256;
// Sides of w samples shrink to that.
constexpr int shrunk(int w, int factor) { return factor == 1 ? w : w / factor + (w & 1); }
constexpr int halved(int w) { return (w + 1) / 2; }

inline bool can_be_shrunk(const Luma& luma, int factor, const Scratch& scratch, PlaneView<float> out) {
  const int width = luma.view.width(), height = luma.view.height();
  return 8 <= luma.bit_depth && luma.bit_depth <= 16 && 1 <= factor && factor <= kMaxShrink &&
         factor <= width && factor <= height && width <= scratch.width() &&
         out.width == shrunk(width, factor) && out.height == shrunk(height, factor);
}

inline bool can_be_halved(PlaneView<const float> in, const Scratch& scratch, PlaneView<float> out) {
  return kLowPassTaps <= in.width && kLowPassTaps <= in.height && in.width <= scratch.width() &&
         out.width == halved(in.width) && out.height == halved(in.height);
}

// Sums over all positions of the window inside the picture, row by row.
struct Similarity {
  double luminance = 0, contrast = 0, structure = 0;
  double product = 0;  // of the three, at each position
};
constexpr int64_t positions(PlaneSize size) {
  return int64_t{size.width - kTaps + 1} * (size.height - kTaps + 1);
}

namespace scalar {
// Samples divided by 2^(bit_depth - 8) as floats, shrunk by `factor`, 1..kMaxShrink: out(x, y) is the mean of
// the box of factor x factor samples around (x * factor, y * factor) that begins factor / 2 before it,
// mirrored at the borders. Each sample is multiplied by the float 1 / factor^2. Shapes: out is shrunk(W) x
// shrunk(H), with guards. Needs: W, H >= factor. Scratch: of at least W.
void shrink(const Luma& luma, int factor, Scratch& scratch, PlaneView<float> out);

// Every second sample of every second row, from the first on, after the low-pass around it, mirrored at the
// borders: sums run over its 81 samples row by row. Shapes: out is halved(W) x halved(H); both planes have
// guards. Needs: W, H >= kLowPassTaps. Scratch: of at least W.
void halve(PlaneView<const float> in, Scratch& scratch, PlaneView<float> out);

// Compares two pictures through the window: with weighted means m, variances v and the covariance of a and b,
// each a float and variances at least 0,
//   luminance (2 ma mb + C1) / (ma^2 + mb^2 + C1), contrast (2 sqrt(va vb) + C2) / (va + vb + C2), structure
//   (vab + C3) / (sqrt(va vb) + C3)
// where a negative covariance counts as 0 without variance. Numerators of the first two are in double,
// denominators in float; structure is a float. C1 = (0.01 * 255)^2, C2 = (0.03 * 255)^2, C3 = C2 / 2. Shapes:
// both W x H, with guards. Needs: W, H >= kTaps. Scratch: of at least W.
Similarity compare(PlaneView<const float> a, PlaneView<const float> b, Scratch& scratch);
}  // namespace scalar
VQ_STAGES(shrink, halve, compare);

enum class Feature { kSsim, kMsSsim };
std::string_view name_of(Feature feature);  // "float_ssim", "float_ms_ssim"

// Number of scales of MS-SSIM.
inline constexpr int kScales = 5;

struct SsimOptions {
  bool parts = false;    // report means of luminance, contrast and structure
  bool db = false;       // report the score in decibels
  bool clip_db = false;  // at most that of the smallest difference
  int scale = 0;         // of SSIM alone: factor by which pictures are shrunk; 0: follows from their size
};

struct SsimPlan {
  Feature feature = Feature::kSsim;
  SsimOptions options = {};
  ComparedVideos videos = {};
  int factor = 1;                     // by which pictures are shrunk first
  std::vector<PlaneSize> sizes = {};  // that are compared, of each scale from the finest on
};

// Throws Error: kUsage without a reference, kMismatch for videos of other sizes or too small for the window.
SsimPlan make_plan(Feature feature, const SsimOptions& options, const VideoFormats& formats);

// SSIM or MS-SSIM. Names, defaults and ranges of the options are the reference implementation's (libvmaf
// 3.2); none is part of a metric's name.
template <Feature feature>
struct SsimMetric {
  using Options = SsimOptions;
  static constexpr MemberOption<Options>
      kParts = {&Options::parts, "enable_lcs -",
                "also report the means of luminance, contrast and structure"},
      kDb = {&Options::db, "enable_db -", "report the score s in decibels, as -10 log10(1 - s)"},
      kClipDb =
          {&Options::clip_db, "clip_db -",
           "limit decibels to the PSNR of half a squared error in the picture; nothing without enable_db"},
      kScale = {&Options::scale, "scale -", 0, 10,
                "shrink pictures by this factor; 0: by their shorter side / 256, rounded"};
  static constexpr auto kOptions = [] {
    if constexpr (feature == Feature::kSsim) {
      return option_table<Options>({kParts, kDb, kClipDb, kScale});
    } else {
      return option_table<Options>({kParts, kDb, kClipDb});
    }
  }();
  using Plan = SsimPlan;
  static Plan make_plan(const Options& options, const VideoFormats& formats) {
    return ssim::make_plan(feature, options, formats);
  }
  // The score and, where asked for, luminance, contrast and structure, each for every scale.
  static std::vector<std::string> names(const Options& options);
  static ScoreEnds score_ends(const Plan& plan, size_t place) {
    if (place > 0) return {};
    if (plan.options.db) return {.low = feature == Feature::kSsim ? -10 * std::log10(2.0) : 0.0};
    return {.low = feature == Feature::kSsim ? -1.0 : 0.0, .high = 1};
  }
};
using Ssim = SsimMetric<Feature::kSsim>;
using MsSsim = SsimMetric<Feature::kMsSsim>;

// Values in the order of names(), from the sums of each scale.
//
// Rounding: they equal libvmaf's to the last digit, provided that pow() and log10() are the same. Means are
// rounded to float; all else is double.
std::vector<double> frame_values(const SsimPlan& plan, std::span<const Similarity> scales);

// Whether MS-SSIM has the same values for all sums of scales between these.
bool settle_values(const SsimPlan& plan, std::span<const Similarity> least, std::span<const Similarity> most);

// The feature on the CPU for videos of the plan.
std::unique_ptr<HostFeature> make_host_feature(const SsimPlan& plan, const Execution& execution);

// The row order of comparisons, for the implementations in stages.cpp: rows are filtered once, and the
// window moves down over the rows filtered last.

// Quantities that the window is applied to: a, b and their products.
enum Quantity { kA, kB, kSquareA, kSquareB, kProduct, kQuantities };

// Row y of a quantity after the window was applied along it; there are those of the last kTaps rows.
inline float* filtered_row(Scratch& scratch, Quantity quantity, int y) {
  return scratch.floats.row(y % kTaps * kQuantities + quantity);
}
// A product of rows before the window is applied.
inline float* product_row(Scratch& scratch, Quantity quantity) {
  return scratch.floats.row(kTaps * kQuantities + quantity - kSquareA);
}
static_assert(Scratch::kFloatRows == kTaps * kQuantities + (kQuantities - kSquareA));

// Parts at the positions of a row: luminance, contrast, structure, and their product.
enum Part { kLuminance, kContrast, kStructure, kPartProduct, kParts };
static_assert(Scratch::kDoubleRows == kParts);

struct Constants {
  float c1 = (0.01F * 255.0F) * (0.01F * 255.0F);
  float c2 = (0.03F * 255.0F) * (0.03F * 255.0F);
  float c3 = c2 / 2;
};

// Calls filter_rows(a, b, y) with both rows for every y, and for the last of each kTaps rows compare_row(y,
// count), which leaves `count` values of each part in the scratch rows of doubles.
template <typename FilterRows, typename CompareRow>
Similarity compare_rows(PlaneView<const float> a, PlaneView<const float> b, Scratch& scratch,
                        const FilterRows& filter_rows, const CompareRow& compare_row) {
  HWY_DASSERT(same_size(a, b) && kTaps <= a.width && kTaps <= a.height && a.width <= scratch.width());
  const int count = a.width - kTaps + 1;
  Similarity sums;
  for (int y = 0; y < a.height; ++y) {
    filter_rows(a.row(y), b.row(y), y);
    if (y + 1 < kTaps) continue;
    compare_row(y, count);
    const double* const luminance = scratch.doubles.row(kLuminance);
    const double* const contrast = scratch.doubles.row(kContrast);
    const double* const structure = scratch.doubles.row(kStructure);
    const double* const product = scratch.doubles.row(kPartProduct);
    for (int x = 0; x < count; ++x) {
      sums.luminance += luminance[x];
      sums.contrast += contrast[x];
      sums.structure += structure[x];
      sums.product += product[x];
    }
  }
  return sums;
}

const FeatureInfo& ssim_info();
const FeatureInfo& ms_ssim_info();

// The device shrinks both pictures, the host compares the results, and alone those that are not shrunk.
inline constexpr std::string_view kShrinkStage = "shrink", kCompareStage = "compare";

extern const DeviceSupport kDeviceSupport;

// On a Vulkan device, which halves and compares pictures of all scales. It leaves bounds of the sums; if
// these do not settle a frame's values the host computes them from the pictures.
inline constexpr std::string_view kHalveStage = "halve";

extern const DeviceSupport kMsSsimDeviceSupport;

}  // namespace vq::ssim

namespace vq::ssim::gpu {

// Shrinks a picture, into memory that the host reads.
class ShrinkPass {
 public:
  // `luma`: of samples of that depth, 8..16; `factor`: 2..kMaxShrink, at most its sides.
  ShrinkPass(vulkan::Context& context, const vulkan::DevicePlane& luma, int bit_depth, int factor);

  void record(vulkan::Recorder& recorder) const;
  void record_readback(vulkan::Recorder& recorder) const;
  // Rows are aligned as those of a Plane, and have its guards behind, but not
  // before them.
  PlaneView<const float> shrunk_picture() const;

 private:
  const vulkan::DevicePlane& luma_;
  const int bit_depth_, factor_;
  const vulkan::Pipeline& pipeline_;
  vulkan::DevicePlane out_;
  vulkan::Buffer readback_;
};

// A plane of floats, or one of samples of that depth, 8..16.
struct Picture {
  const vulkan::DevicePlane& plane;
  int bit_depth = 8;
};

// How sums in double are made on a device without doubles. Both give the same bits.
enum class Sums {
  kUsual,
  kInDoubles,  // for tests: always by that way which is taken if pairs of floats do not settle a rounding
};

class HalvePass {
 public:
  // Needs: sides of kLowPassTaps at least.
  HalvePass(vulkan::Context& context, const Picture& picture, Sums sums = Sums::kUsual);

  void record(vulkan::Recorder& recorder) const;
  const vulkan::DevicePlane& halved_picture() const { return out_; }

 private:
  const vulkan::DevicePlane& in_;
  const float unit_;
  const vulkan::Pipeline& pipeline_;
  vulkan::DevicePlane out_;
};

// Between which the sums of a comparison lie. `product` is 0.
struct SimilarityBounds {
  Similarity least, most;
};

// Compares two pictures of one size, which gives bounds in place of sums.
class ComparePass {
 public:
  // Needs: sides of kTaps at least.
  ComparePass(vulkan::Context& context, const Picture& a, const Picture& b, vulkan::Results& results,
              Sums sums = Sums::kUsual);

  void record(vulkan::Recorder& recorder) const;
  // Nothing if samples are so far beyond their depth that sums fail.
  std::optional<SimilarityBounds> bounds() const;
  // Whether the same bounds of each work group hold what the scalar stage finds for its part of the pictures.
  bool agrees_with_cpu(PlaneView<const float> a, PlaneView<const float> b) const;

 private:
  PlaneSize positions() const { return {a_.layout.width - kTaps + 1, a_.layout.height - kTaps + 1}; }

  const vulkan::DevicePlane &a_, &b_;
  const float unit_a_, unit_b_;
  const vulkan::Groups groups_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Results::Part tiles_;
};

}  // namespace vq::ssim::gpu
