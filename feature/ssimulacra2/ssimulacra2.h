// SSIMULACRA 2 (Sneyers, Cloudinary, version 2.1): options, what is computed of two videos, and the score
// that is made of it.
#pragma once

#include "feature/light/light.h"

namespace vq::ssimulacra2 {

// The channels of XYB: red against green, luminance, and blue.
enum Channel { kX, kY, kB };
inline constexpr size_t kChannels = 3;
// Maps at each sample: how far local structure differs, and detail that was added or lost.
enum Map { kStructure, kArtefact, kDetail };
inline constexpr size_t kMaps = 3;
// How a map is pooled: by its mean and by its 4-norm.
enum Norm { kMean, kFourth };
inline constexpr size_t kNorms = 2;
// Sums of a channel at a scale, by kNorms * map + norm.
inline constexpr size_t kSums = kMaps * kNorms;
constexpr size_t sum_index(size_t map, size_t norm) { return kNorms * map + norm; }

// The reference's mixing of linear R, G and B, and what is added before the cube root. Differences are of
// floats, left to right.
inline constexpr float kBias = 0.0037930732552754493F;
inline constexpr float kMixing[3][3] = {
    {0.30F, 1.0F - 0.078F - 0.30F, 0.078F},
    {0.23F, 1.0F - 0.078F - 0.23F, 0.078F},
    {0.24342268924547819F, 0.20476744424496821F, 1.0F - 0.24342268924547819F - 0.20476744424496821F}};
// The negative cube root of kBias.
inline constexpr float kMinusRoot = -0.15595419704914093F;
// Cube roots of less are 0, so that powers of the root's inverse stay finite.
inline constexpr unsigned kLeastRootBits = 0x17800000;  // 2^-80
inline constexpr unsigned kRootStart = 0x54800000, kRootSlope = 0x002AAAAA;
inline constexpr unsigned kReciprocalStart = 0x7EF311C7;

// A truncated-cosine Gaussian of sigma 1.5 (Charalampidis, 2016), which is 0 from distance 5 on: the taps
// from the middle outwards.
inline constexpr int kReach = 4, kWindow = 2 * kReach + 1;
inline constexpr float kTaps[kReach + 1] = {0.264621109F, 0.212928593F, 0.109335370F, 0.0360111147F,
                                            0.00941436738F};
// Keeps the quotient of structure away from 0 / 0.
inline constexpr float kContrast = 0.0009F;
// The fourth power of smaller values counts as 0.
inline constexpr float kLeastFourth = 0x1p-31F;

using light::kTile, light::tiles_of, light::total, light::fold_tiles;

// Samples before and after a row that may be written.
inline constexpr int kMargin = 16;
static_assert(kMargin * sizeof(float) == kRowGuardBytes && kReach <= kMargin && kTile <= kMargin);

// A row of all three, of linear light; or of X, Y and B.
struct LightRow {
  const float* r = nullptr;
  const float* g = nullptr;
  const float* b = nullptr;
};
using XybRow = std::array<float*, kChannels>;

// Quantities that are blurred.
enum Quantity { kFirst, kSecond, kSquares, kDifference };
inline constexpr size_t kQuantities = 4;
template <typename T>
using QuantityRows = std::array<T*, kQuantities>;

// Two rows with kMargin of 0 before them.
struct BlurScratch {
  float* squares = nullptr;
  float* difference = nullptr;
};
struct MixedRows {
  float* squares = nullptr;
  float* difference = nullptr;
};

// One row of a channel, and what blurring along rows left of it and of the kReach rows on either side; rows
// outside the picture are 0.
struct CompareInput {
  const float* p = nullptr;
  const float* q = nullptr;
  std::array<QuantityRows<const float>, kWindow> rows = {};
  int width = 0;
};
// Sums that are wanted, by sum_index(): rows to which the values are written or, with `adds`, added. The
// others are null. What is behind the row, up to a multiple of kTile, is 0 then.
struct CompareOutput {
  std::array<float*, kSums> sums = {};
  bool adds = false;
  // A row to which weights[map] * value is added, map by map; null: none.
  float* local = nullptr;
  std::array<float, kMaps> weights = {};
};

namespace scalar {
// Linear light to X, Y and B, all made positive. With m_k = max(M_k0 R + (M_k1 G + (M_k2 B + bias)), 0) and
// c_k = cuberoot(m_k) + kMinusRoot: X = (0.5 (c_0 - c_1)) * 14 + 0.42, y = 0.5 (c_0 + c_1), Y = y + 0.01, B =
// (c_2 - y) + 0.55.
//
// Cube root of x: r is the float of bits kRootStart - (bits(x) >> 23) * kRootSlope, or 0 if bits(x) <
// kLeastRootBits; three times r = (4/3) r - ((1/3) x) * (r^2 * r^2); then r = r + (1/3) (r - x (r^2 * r^2));
// the root is (r * r) * x.
//
// Shapes: rows of `width`, with guards; a channel whose row is null is not made.
void to_xyb(const LightRow& light, int width, const XybRow& out);

// Every second sample of every second row: (((a + b) + c) + d) * 0.25 of the 2 x 2 samples there, a and b of
// the upper row. Shapes: rows of `width`, with guards, to (width + 1) / 2; of an odd width the last column
// counts twice.
void halve_rows(const float* upper, const float* lower, int width, float* out);

// A row blurred along itself: t_0 a[x], then for k = 1 to 4 plus t_k (a[x - k] + a[x + k]). Shapes: rows of
// `width`, with guards; kReach samples on either side of the input are 0.
void blur_row(const float* row, int width, float* out);

// Rows p and q of one channel to p p + q q and (p - q)^2, both blurred as by blur_row. Shapes: as there.
void blur_mixed(const float* p, const float* q, int width, const BlurScratch& scratch, const MixedRows& out);

// The blur along columns, as along rows, to m1, m2, both and apart; then
//   dm = (m1 - m2)^2, den = (both - (m1 m1 + m2 m2)) + 0.0009, e = apart - dm
//   structure = max((e + dm (den - e)) * rec(den), 0)
//   g = (|q - m2| - |p - m1|) * rec(1 + |p - m1|), artefact = max(g, 0), detail = max(0 - g, 0)
// The fourth power is (v v) * (v v), 0 for v <= kLeastFourth. rec(x): the float of bits kReciprocalStart -
// bits(x), three times r = r * (2 - x r). Identical pictures have 0 everywhere.
void compare_row(const CompareInput& in, const CompareOutput& out);
}  // namespace scalar
VQ_STAGES(to_xyb, halve_rows, blur_row, blur_mixed, compare_row);

inline constexpr std::string_view kFeatureName = "ssimulacra2";

inline constexpr int kMostScales = 6;
// A further scale is made while both sides have this length.
inline constexpr int kLeastSide = 8;

// The form says which of the reference's weights count. Most of them are leftovers of its training, under
// 0.01, which together move a score by 0.003 at most.
inline constexpr std::string_view kForms[] = {"short", "exact"};

struct Options : light::LightOptions {
  std::string_view form = kForms[0];
};

// The weights of a channel's sums at a scale, by sum_index(); 0 if a sum is not needed.
using Weights = std::array<double, kSums>;

struct ScalePlan {
  PlaneSize size = {};
  std::array<Weights, kChannels> weights = {};

  bool needs(size_t channel) const;
};

struct Plan {
  Options options = {};
  light::Conversion distorted = {}, reference = {};
  std::vector<ScalePlan> scales = {};  // at least one; those that no score needs are left out
};

struct Ssimulacra2 {
  using Options = ssimulacra2::Options;
  static constexpr auto kOptions = light::option_table<Options>(
      {{&Options::form, "form", kForms, "exact: all weights, also those that move no score by 0.003"},
       {{},
        {.name = "heatmaps_path",
         .kind = OptionKind::kPath,
         .in_metric_name = false,
         .help = "folder for the heatmaps of every scale; none: no heatmaps"}}});
  using Plan = ssimulacra2::Plan;
  // Throws Error: kUsage without a reference, kMismatch for videos of different sizes, of fewer than 8 rows
  // or columns, or that cannot be brought to light.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  static std::vector<std::string> names(const Options&) { return {std::string(kFeatureName)}; }
  static int planes(const Options&) { return kMaxPlanes; }
  static ScoreEnds score_ends(const Plan&, size_t) { return {.high = 100}; }
};

// CompareOutput::weights of a channel: what is added to the weighted norms were the whole picture like a
// sample.
std::array<float, kMaps> local_weights(const ScalePlan& scale, size_t channel);

// The weighted sum of all norms, and what the score is of it. `totals`: of each scale, channel and sum.
using ScaleTotals = std::array<std::array<double, kSums>, kChannels>;
double weighted_norms(const Plan& plan, std::span<const ScaleTotals> totals);
// 100 for 0.
double score_of(double weighted_norms);

const FeatureInfo& feature_info();

// On a Vulkan device, which does all but the final sums.
inline constexpr std::string_view kLightStage = "light", kHalveStage = "halve", kCompareStage = "compare";

extern const DeviceSupport kDeviceSupport;

// SSIMULACRA 2 on the host, and what every backend makes of a frame's sums.

// A sample of a heatmap times this is a number of points.
inline constexpr double kPointsPerLevel = 1.0 / 256;
// The score and, unless `local` is empty, a map of every scale of if it is lost: points, 0 if nothing is. The
// points that a frame has lost are shared out in proportion to CompareOutput::local, which `local` has of
// each scale.
FrameResult frame_result(const Plan& plan, std::span<const ScaleTotals> totals,
                         std::span<const PlaneView<const float>> local);

}  // namespace vq::ssimulacra2
