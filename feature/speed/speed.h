// SpEED-QA as libvmaf's features speed_chroma and speed_temporal: options, metric names, the constants for
// comparing planes of two videos, the stages, and what becomes of a plane.
#pragma once

#include "feature/device_feature.h"

namespace vq::speed {

// The taps of SpEED-QA's filters: its two Gaussians, and those that bring a plane to another size.
//
// Rounding: taps equal libvmaf's to the last bit, provided that exp() and sin() are the same; each operation
// is rounded in the order in which it is written, in float or in double as the types say.

// Whether the reference knows filters of that width: 1, 2, 3/2, ..., each within 1e-3.
bool is_known_kernel_scale(double scale);

// An odd number of weights whose sum is 1.
struct Filter {
  std::vector<float> taps;
  int reach() const { return static_cast<int>(taps.size()) / 2; }
};

// Weights of a Gaussian at whole distances from its middle. Needs: an odd size.
Filter gaussian(int size, float sigma);

// Goes before keeping one sample in 16: 9 taps at scale 1.
Filter anti_alias_filter(double scale);
// The mean around a sample: 3 taps at scale 1.
Filter local_mean_filter(double scale);

// Rows of floats are padded to whole vectors of every instruction set.
inline constexpr int kRowFloats = static_cast<int>(kRowGuardBytes / sizeof(float));
inline int padded(int floats) { return round_up(floats, kRowFloats); }

// The sample that stands for one outside: beyond an edge samples come again, but for that on the edge. Needs:
// not as far outside as the axis is long.
inline int reflected(int i, int size) { return i < 0 ? -i : i >= size ? 2 * size - i - 2 : i; }

// How a plane is brought to another size.
enum class Method { kNearest, kBilinear, kBicubic, kLanczos4 };
inline constexpr std::string_view kMethods[] = {"nearest", "bilinear", "bicubic", "lanczos4"};

// Along one axis. Every output has as many taps, each a source index and its weight: tap t of output i is at
// [t * stride + i]. Between the last output and the stride, which is a multiple of kRowFloats, index and
// weight are 0.
struct AxisTaps {
  int taps = 0, outputs = 0, stride = 0;
  std::vector<int32_t> index;
  std::vector<float> weight;
};

// For the samples numbered `wanted` of an axis that is brought from `in` samples to `out`. Needs: sides of 1
// or more.
AxisTaps axis_taps(Method method, int in, int out, const std::vector<int>& wanted);

// Whether values have to be divided by the sum of their weights.
inline bool is_normalised(Method method) { return method == Method::kLanczos4; }

// Options of both features; each has most of them. Names, defaults and ranges are those of the reference
// implementation (libvmaf 3.2).
struct SpeedOptions {
  double kernel_scale = 1;  // widens both Gaussian filters
  double prescale = 1;      // sides of a plane are multiplied by it first
  std::string_view method = kMethods[0];
  double sigma_nn = 0.29;   // neural noise, added to every variance
  double nn_floor = 0;      // blocks under the entropy of noise so much stronger count as equal
  int weight_mode = 0;      // which variances weight which entropy, see block_weights()
  double max_value = 1000;  // that speed_chroma reports
  bool reference_difference =
      false;  // speed_temporal: the distorted video's change is from its own last frame to the reference
};

using SpeedOption = MemberOption<SpeedOptions>;
inline constexpr SpeedOption kKernelScale = {
    &SpeedOptions::kernel_scale,
    {.name = "speed_kernelscale",
     .alias = "ks",
     .min = 0.1,
     .max = 4,
     .help = "widen the filters by this factor; some factors only, see docs/speed.md"}};
inline constexpr SpeedOption kPrescale = {&SpeedOptions::prescale, "speed_prescale ps", 0.1, 4,
                                          "resize the planes by this factor first"};
inline constexpr SpeedOption kPrescaleMethod = {
    &SpeedOptions::method,
    {.name = "speed_prescale_method", .alias = "psm", .choices = kMethods, .help = "how planes are resized"}};
inline constexpr SpeedOption kSigma = {&SpeedOptions::sigma_nn, "speed_sigma_nn snn", 0.1, 2,
                                       "noise of the eye's neurons, added to every variance"};
inline constexpr SpeedOption kFloor = {
    &SpeedOptions::nn_floor,
    {.name = "speed_nn_floor",
     .alias = "nnf",
     .min = 0,
     .max = 1,
     .help = "blocks of less entropy than noise stronger by this part count as equal"}};
inline constexpr SpeedOption kWeightMode = {
    &SpeedOptions::weight_mode,
    {.name = "speed_weight_var_mode",
     .alias = "wvm",
     .min = 0,
     .max = 6,
     .help = "which video's variances weight the entropies; see docs/speed.md"}};
inline constexpr SpeedOption kMaxValue = {
    &SpeedOptions::max_value,
    {.name = "speed_max_val",
     .alias = "mxv",
     .min = 0,
     .max = 1000,
     .help = "the largest score; speed_temporal takes no notice of it"}};
inline constexpr SpeedOption kReferenceDifference = {
    &SpeedOptions::reference_difference,
    {.name = "speed_use_ref_diff",
     .alias = "urd",
     .help = "the distorted video changes from its last frame to the reference's next"}};

// Side of a block in kept samples, and their distance.
inline constexpr int kBlockSide = 5;
inline constexpr int kVariables = kBlockSide * kBlockSide;
inline constexpr int kKeptStep = 16;

// A filter of which only some outputs are needed: rows on demand, columns as listed here.
struct KeptFilter {
  Filter filter;
  int outputs = 0, stride = 0;  // stride: padded(outputs)
  std::vector<int32_t> columns =
      {};  // [tap * stride + output]: where in a row of input; 0 between outputs and stride
};

// How planes of one size are reduced, and where their blocks are.
struct PlanePlan {
  PlaneSize source;  // size of the plane that is read
  PlaneSize scaled;  // after scaling, or that of the source
  Method method = Method::kNearest;
  // If planes are scaled: the taps of all rows, and of the columns that the filter reads.
  std::optional<AxisTaps> rows, columns;
  int row_width = 0;  // of the rows that anti_alias filters
  KeptFilter anti_alias, local_mean;
  PlaneSize kept;  // the operating plane
  int blocks_across = 0, blocks_down = 0;
  int blocks() const { return blocks_across * blocks_down; }
};

struct SpeedPlan {
  SpeedOptions options;
  PlanePlan plane;
  int distorted_depth = 8, reference_depth = 8;
  float sigma = 0;
  float base_entropy = 0;  // blocks below it in both videos count as equal
};

// How planes of that size are reduced, with or without a block. Needs: a kernel scale that has filters;
// scaled sides above the reach of the anti-alias filter.
PlanePlan make_plane_plan(const SpeedOptions& options, PlaneSize size);

// make_plan() of both throws Error: kUsage without a reference or for a kernel scale that has no filters,
// kMismatch for videos that differ in size or whose planes are too small.
struct SpeedChroma {
  using Options = SpeedOptions;
  static constexpr auto kOptions = option_table<SpeedOptions>(
      {kKernelScale, kPrescale, kPrescaleMethod, kSigma, kFloor, kWeightMode, kMaxValue});
  using Plan = SpeedPlan;
  // Throws also kMismatch for videos that differ in sampling or have no chroma.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  static std::vector<std::string> names(const Options&) {
    return {"speed_chroma_u", "speed_chroma_v", "speed_chroma_uv"};
  }
  static int planes(const Options&) { return kMaxPlanes; }
};

struct SpeedTemporal {
  using Options = SpeedOptions;
  static constexpr auto kOptions = option_table<SpeedOptions>(
      {kKernelScale, kPrescale, kPrescaleMethod, kSigma, kFloor, kMaxValue, kReferenceDifference});
  using Plan = SpeedPlan;
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  static std::vector<std::string> names(const Options&) { return {"speed_temporal"}; }
  static int planes(const Options&) { return 1; }
  // The frame before, of both videos.
  static NeighbourCount neighbours(const Options&) { return {.distorted = 1, .references = 1}; }
  static bool needs_every_frame(const Options&) { return true; }
};

// The logarithm of SpEED-QA, the same on every platform and with every instruction set.

// log2(2 pi e): twice the entropy of a Gaussian of variance 1, in bits.
inline constexpr double kGaussianEntropy = 4.094191170361282;

// x = m * 2^e with m from 1/sqrt(2) to sqrt(2), and log2(m) = 2/ln(2) * (s + s^3/3 + s^5/5 + ...) with
// s = (m - 1)/(m + 1), which is below 0.172. The division is exact to a rounding and m - 1 exact, so that the
// result is within two units of the last place.
namespace logarithm {
inline constexpr double kTwoOverLn2 = 2.8853900817779268;
// The bits of 1/sqrt(2).
inline constexpr uint64_t kLeastMantissa = 0x3FE6A09E667F3BCD;
// Factors of s^3, s^5, ... s^23.
inline constexpr double kSeries[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                                     1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
inline constexpr int kTerms = 11;
}  // namespace logarithm

// log2 of normal numbers above 0; -infinity for 0, NaN for negative numbers. Needs: not subnormal.
inline double log2_of(double x) {
  using namespace logarithm;
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  const auto bits = std::bit_cast<uint64_t>(x);
  const auto exponent = static_cast<int64_t>(bits - kLeastMantissa) >> 52;
  const auto m = std::bit_cast<double>(bits - (static_cast<uint64_t>(exponent) << 52));
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = kSeries[kTerms - 1];
  for (int i = kTerms - 2; i >= 0; --i) sum = sum * square + kSeries[i];
  const double series = s + s * (square * sum);
  return static_cast<double>(exponent) + kTwoOverLn2 * series;
}

}  // namespace vq::speed

// The stages of SpEED-QA, in the order a plane takes them: one contract each.
//
// plane -> float_row -> (scale_row) -> filter_row: the anti-alias filter -> filter_row: the local mean,
// subtracted -> covariance -> eigenvalues, solve -> entropies
//
// Every implementation gives the bits of the scalar one: if a sum is of floats, its terms are added in the
// order in which the contract has them, from 0, and no product is contracted with a sum. Stages never throw
// and never allocate.
//
// Rows of floats are padded: whole vectors of them may be read and written, up to padded() of their length.

namespace vq {
struct Execution;
}

namespace vq::speed {

inline constexpr int kMatrixStride = 2 * kRowFloats;
static_assert(kVariables <= kMatrixStride);

// Rows of kVariables floats; between these and the stride are zeros.
struct Matrix {
  alignas(kRowGuardBytes) float at[kVariables][kMatrixStride] = {};
};

// The inputs of one row of a scaled plane.
struct RowTaps {
  const float* const* rows = nullptr;  // of the source, one for each weight
  const float* weights = nullptr;
  int count = 0;
  bool is_normalised = false;
};

// Unknowns or right sides of all blocks: kVariables rows of floats.
struct Blocks {
  float* data = nullptr;
  int count = 0, stride = 0;  // stride: padded(count)
  float* row(int variable) const { return data + static_cast<ptrdiff_t>(variable) * stride; }
};

struct BlockFigures {
  float* variances = nullptr;
  float* entropies = nullptr;
};

// Below these a plane counts as singular.
inline constexpr double kLeastEigenvalue = 1e-6, kLeastPivot = 1e-6;

namespace scalar {
// The first `width` samples of row y as sample / 2^(depth - 8) - 128, which is exact. Nothing beyond these is
// read. Needs: 0 <= y < height, width at most the plane's, depth 8..16.
void float_row(const SampleView& plane, int y, int width, int depth, float* out);

// out[i] = sum over rows t, and for each over the taps u of column i, of rows[t][index] * (weight of u *
// weights[t]); if normalised, divided by the sum of these weights.
void scale_row(const RowTaps& rows, const AxisTaps& columns, float* out);

// With s[x] = sum over taps t of tap[t] * rows[t][x], for the `width` columns of the rows:
// out[i] = sum over taps t of tap[t] * s[columns[t * stride + i]]. `column_sums` is scratch memory for a row.
void filter_row(const float* const* rows, int width, const KeptFilter& filter, float* column_sums,
                float* out);

// The covariance of kVariables views of a plane: view 5r + c is the plane without its first r rows and c
// columns and its last 4 - r and 4 - c. Means are sums of floats, row by row, divided by the number of
// samples as a float. Covariances are sums of doubles, row by row, divided by that number and rounded to
// float. Only the lower triangle is summed up. Shapes: W x H, both at least 5, with kRowGuardBytes that may
// be read behind each row.
void covariance(PlaneView<const float> plane, Matrix& out);

// The eigenvalues of a symmetric matrix in the order in which Householder's tridiagonal form and QR
// iterations with implicit shifts leave them.
void eigenvalues(const Matrix& matrix, float* values);

// Solves matrix * x = y by Householder's QR decomposition. False, with x undefined, if a pivot is below
// kLeastPivot.
bool solve(const Matrix& matrix, const Blocks& y, const Blocks& x);

// For every block: its variance, the sum of x * y / kVariables over the variables, and its entropy, the sum
// over the eigenvalues of log2(value * variance + sigma) + kGaussianEntropy, each term a double and the sum
// after each a float. Negative eigenvalues count as 0.
void entropies(const float* eigenvalues, float sigma, const Blocks& y, const Blocks& x,
               const BlockFigures& out);
}  // namespace scalar
VQ_STAGES(float_row, scale_row, filter_row, covariance, eigenvalues, solve, entropies);

// From a plane to the figures of its blocks: the stages in their order; and from those to scores.

// A cache of consecutive rows, some of which are read again.
class RowRing {
 public:
  RowRing() = default;
  RowRing(int width, int rows) : rows_(width, rows), numbers_(static_cast<size_t>(rows), kNone) {}
  // Row y, computed by `fill(row)` if it is not cached. It stays until a row is requested that is a multiple
  // of the ring's size away.
  template <typename Fill>
  const float* get(int y, const Fill& fill) {
    const auto slot = static_cast<size_t>(y) % numbers_.size();
    float* const row = rows_.row(static_cast<int>(slot));
    if (numbers_[slot] != y) fill(row);
    numbers_[slot] = y;
    return row;
  }
  void clear() { std::fill(numbers_.begin(), numbers_.end(), kNone); }

 private:
  static constexpr int kNone = -1;
  Plane<float> rows_;
  std::vector<int> numbers_;
};

// Figures of a plane.
struct PlaneFigures {
  std::vector<float> variances, entropies;  // one for each block, and padding; unset if singular
  bool is_singular = false;
};

// Memory for the figures of one plane after another. Throws std::bad_alloc.
struct FigureWorkspace {
  explicit FigureWorkspace(const PlanePlan& plan);

  Plane<float> operating, means;  // means: two rows
  std::vector<float> y, x;
  PlaneFigures reference, distorted;
};

// The same, and memory to reduce planes. Throws std::bad_alloc.
struct Workspace : FigureWorkspace {
  explicit Workspace(const PlanePlan& plan);

  RowRing source_rows, filtered_rows;
  Plane<float> reduced, column_sums;  // column_sums: a row
  Plane<float> after;                 // a row of the source, if one is subtracted
};

// Fills a row of floats of source.width.
using SourceRow = std::function<void(int y, float* out)>;

class PlaneReader {
 public:
  PlaneReader(const Stages& stages, const SpeedPlan& plan) : stages_(stages), plan_(plan) {}

  // The samples that are kept, in workspace.reduced.
  void reduce(const SourceRow& source, Workspace& workspace) const;
  // The figures of the blocks of a plane that is reduced. Needs: rows that may be read up to padded() of
  // their length.
  void figures(PlaneView<const float> reduced, FigureWorkspace& workspace, PlaneFigures& out) const;

 private:
  const float* scaled_row(const SourceRow& source, int y, Workspace& workspace) const;
  void scale_row(const SourceRow& source, int y, Workspace& workspace, float* out) const;
  // The operating plane, in workspace.operating.
  void subtract_mean(PlaneView<const float> reduced, FigureWorkspace& workspace) const;
  // Row `middle` of a plane so high, filtered. `row(y)` is one of its rows, so wide.
  template <typename Row>
  void filter(const KeptFilter& kept, int middle, PlaneSize size, const Row& row, float* column_sums,
              float* out) const;

  const Stages& stages_;
  const SpeedPlan& plan_;
};

struct PlaneScore {
  float value = 0;
  bool is_marked = false;  // one of the planes is singular: the score, 0, says nothing
};
PlaneScore plane_score(const SpeedPlan& plan, const PlaneFigures& reference, const PlaneFigures& distorted);

// Values of U and V, in the order of SpeedChroma::names(): each, and their mean, or the one that is not
// marked.
std::array<double, 3> chroma_values(const PlaneScore& u, const PlaneScore& v, double max_value);

// The two features: their inputs, and their values.

enum class Picture { kReference, kDistorted, kReferenceBefore, kDistortedBefore };

// A plane that is reduced, or its difference from that of another picture.
struct Input {
  Picture picture = Picture::kReference;
  size_t plane = 0;
  std::optional<Picture> subtracted = {};
};

// One of the two features: its inputs in pairs, the reference's first, and its values from the scores of
// these pairs.
struct Kind {
  int planes = 1;  // number of planes that it reads, per picture
  size_t inputs = 2;
  bool looks_back = false;  // reads the previous frame; without one its value is 0
  Input (*input)(const SpeedOptions& options, size_t i) = nullptr;
  std::vector<double> (*values)(const SpeedPlan& plan, std::span<const PlaneScore> scores) = nullptr;
};
extern const Kind kChroma, kTemporal;
int depth_of(const SpeedPlan& plan, Picture which);

// The rows of an input. All of these outlive the result. Needs: the frames before are there for a kind that
// looks back.
SourceRow source_of(const Stages& stages, const SpeedPlan& plan, const Input& input, const FramePair& frames,
                    Workspace& workspace);

const FeatureInfo& chroma_feature_info();
const FeatureInfo& temporal_feature_info();

// The device reduces the planes, the host does the rest, for several frames in parallel.
extern const DeviceSupport kChromaDeviceSupport, kTemporalDeviceSupport;

}  // namespace vq::speed

namespace vq::speed::gpu {

// A plane, and how deep its samples are.
struct Operand {
  const vulkan::DevicePlane& plane;
  int depth = 8;
};
// The plane to reduce, or, if there is another, its difference from that one.
struct ReduceInput {
  Operand plane;
  std::optional<Operand> subtracted = {};
};

// Reduces a plane by float_row, scale_row and filter_row with the anti-alias filter.
class ReducePass {
 public:
  // Needs: planes at least as large as the plan's source.
  ReducePass(vulkan::Context& context, const PlanePlan& plan, const ReduceInput& input);

  // Writes reduced_bytes(plan) to `out`.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& out) const;

 private:
  const PlanePlan& plan_;
  const ReduceInput input_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Buffer& tables_;
};

// Bytes of a pass's result: the kept samples, in rows of padded(plan.kept.width) floats.
int64_t reduced_bytes(const PlanePlan& plan);
PlaneView<const float> reduced_plane(const PlanePlan& plan, const float* data);

}  // namespace vq::speed::gpu
