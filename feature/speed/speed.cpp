#include "feature/speed/speed.h"

#include <numbers>
#include <numeric>

namespace vq::speed {
namespace {

constexpr double kNoScaling = 1e-3;  // from 1

// Scaled columns that the filter looks at, ascending, each once.
std::vector<int> columns_in_reach(const Filter& filter, int outputs, int step, int width) {
  std::vector<int> columns;
  for (int i = 0; i < outputs; ++i) {
    for (int k = -filter.reach(); k <= filter.reach(); ++k) columns.push_back(reflected(step * i + k, width));
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// Outputs are `step` columns apart in a picture so wide, of which rows have those columns.
KeptFilter kept_filter(Filter filter, int outputs, int step, const std::vector<int>& row_columns, int width) {
  KeptFilter kept{.filter = std::move(filter), .outputs = outputs, .stride = padded(outputs)};
  const int taps = static_cast<int>(kept.filter.taps.size());
  kept.columns.resize(static_cast<size_t>(taps * kept.stride));
  for (int t = 0; t < taps; ++t) {
    for (int i = 0; i < outputs; ++i) {
      const int column = reflected(step * i + t - kept.filter.reach(), width);
      const auto found = std::ranges::lower_bound(row_columns, column);
      kept.columns[static_cast<size_t>(t * kept.stride + i)] =
          static_cast<int32_t>(found - row_columns.begin());
    }
  }
  return kept;
}

std::vector<int> count_up(int count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

PlaneSize scaled_size(PlaneSize size, double prescale) {
  if (std::abs(prescale - 1) < kNoScaling) return size;
  return {static_cast<int>(size.width * prescale + 0.5), static_cast<int>(size.height * prescale + 0.5)};
}

// The entropy of a block of nothing but noise.
float base_entropy(float nn_floor, float sigma) {
  return static_cast<float>(kVariables *
                            (log2_of(static_cast<double>((1 + nn_floor) * sigma)) + kGaussianEntropy));
}

SpeedPlan plan_for(std::string_view metric, const SpeedOptions& options, const VideoFormats& formats,
                   PlaneSize plane) {
  if (!is_known_kernel_scale(options.kernel_scale)) {
    throw usage_error(
        "speed_kernelscale: there are no filters for this factor; allowed: 1, 1/2, 3/2, 2, 2/3, 2.4, 360/97, "
        "4/3, 3.5/3, 3.75/3, 4.25/3, 5/3, 3, 1/2.25, 1.4746, 1.54, 1.6, 1.06667, 0.711111, 0.74074 or "
        "1.111111, each within 0.001");
  }
  const PlaneSize scaled = scaled_size(plane, options.prescale);
  constexpr int kLeastSide = kKeptStep * kBlockSide;
  if (scaled.width < kLeastSide || scaled.height < kLeastSide) {
    throw Error(ErrorKind::kMismatch, "{}: planes of {} are too small for {}, which needs {}{}",
                formats.distorted.name, size_text(scaled), metric, size_text({kLeastSide, kLeastSide}),
                scaled == plane ? "." : " after speed_prescale.");
  }
  SpeedPlan plan;
  plan.options = options;
  plan.plane = make_plane_plan(options, plane);
  plan.distorted_depth = formats.distorted.bit_depth;
  plan.reference_depth = formats.reference->bit_depth;
  plan.sigma = static_cast<float>(options.sigma_nn);
  plan.base_entropy = base_entropy(static_cast<float>(options.nn_floor), plan.sigma);
  return plan;
}

// The ratios of display heights and distances that the reference has filters for, as it writes them.
constexpr float kKernelScales[] = {1.0F,        1.0F / 2,     3.0F / 2, 2.0F,      2.0F / 3,  24.0F / 10,
                                   360.0F / 97, 4.0F / 3,     3.5F / 3, 3.75F / 3, 4.25F / 3, 5.0F / 3,
                                   3.0F,        1.0F / 2.25F, 1.4746F,  1.54F,     1.6F,      1.06667F,
                                   0.711111F,   0.740740F,    1.111111F};
constexpr double kScaleSlack = 1e-3;
constexpr int kLeastTaps = 3;

// The least odd number that is no less, and at least kLeastTaps.
int tap_count(float at_scale_1, double scale) {
  const int count = static_cast<int>(std::ceil(at_scale_1 * static_cast<float>(scale)));
  return std::max(count % 2 == 0 ? count + 1 : count, kLeastTaps);
}

struct Tap {
  int32_t index = 0;
  float weight = 0;
};
using Taps = std::vector<Tap>;

// Beyond the edges samples come again, but for that on the edge.
int32_t mirrored(float position, int size) {
  const auto index = static_cast<int32_t>(position);
  const int32_t reflected = index < 0 ? -index : index > size - 1 ? 2 * (size - 1) - index : index;
  // In a plane of one or two samples a far tap is still outside.
  return std::clamp(reflected, 0, size - 1);
}

// Where the middle of a sample lies in the source.
float source_position(int output, float ratio) {
  return static_cast<float>((output + 0.5) * static_cast<double>(ratio) - 0.5);
}

Taps nearest_tap(int output, float ratio, int size) {
  return {{std::min(static_cast<int32_t>(static_cast<float>(output) * ratio), size - 1), 1.0F}};
}

// The distance is from the mirrored sample: before the first one it is negative.
Taps bilinear_taps(float position, int size) {
  const int32_t first = mirrored(std::floor(position), size), second = mirrored(std::ceil(position), size);
  const float distance = position - static_cast<float>(first);
  return {{first, 1 - distance}, {second, distance}};
}

float cubic_weight(float offset) {
  constexpr float kA = -0.75F;
  const float t = std::abs(offset);
  if (t < 1) return ((kA + 2) * t - (kA + 3)) * t * t + 1;
  if (t < 2) return (((t - 5) * t + 8) * t - 4) * kA;
  return 0;
}

float lanczos_weight(float offset) {
  constexpr double kPi = std::numbers::pi, kSide = 4;
  const auto x = static_cast<double>(offset);
  if (x == 0) return 1;
  if (std::abs(x) >= kSide) return 0;
  return static_cast<float>(kSide * std::sin(kPi * x) * std::sin(kPi * x / kSide) / (kPi * kPi * x * x));
}

template <typename Weight>
Taps kernel_taps(float position, int size, std::pair<int, int> offsets, const Weight& weight) {
  const float base = std::floor(position), distance = position - base;
  Taps taps;
  for (int offset = offsets.first; offset <= offsets.second; ++offset) {
    const auto at = static_cast<float>(offset);
    taps.push_back({mirrored(base + at, size), weight(at - distance)});
  }
  return taps;
}

Taps taps_of(Method method, int output, float ratio, int size) {
  const float position = source_position(output, ratio);
  switch (method) {
    case Method::kNearest:
      return nearest_tap(output, ratio, size);
    case Method::kBilinear:
      return bilinear_taps(position, size);
    case Method::kBicubic:
      return kernel_taps(position, size, {-1, 2}, cubic_weight);
    case Method::kLanczos4:
      return kernel_taps(position, size, {-4, 4}, lanczos_weight);
  }
  return {};
}

}  // namespace

PlanePlan make_plane_plan(const SpeedOptions& options, PlaneSize size) {
  PlanePlan plan;
  plan.source = size;
  plan.scaled = scaled_size(size, options.prescale);
  plan.method = static_cast<Method>(std::ranges::find(kMethods, options.method) - std::begin(kMethods));
  plan.kept = {plan.scaled.width / kKeptStep, plan.scaled.height / kKeptStep};
  plan.blocks_across = plan.kept.width / kBlockSide;
  plan.blocks_down = plan.kept.height / kBlockSide;

  Filter filter = anti_alias_filter(options.kernel_scale);
  std::vector<int> columns = count_up(size.width);
  if (plan.scaled != size) {
    columns = columns_in_reach(filter, plan.kept.width, kKeptStep, plan.scaled.width);
    plan.rows = axis_taps(plan.method, size.height, plan.scaled.height, count_up(plan.scaled.height));
    plan.columns = axis_taps(plan.method, size.width, plan.scaled.width, columns);
  }
  plan.row_width = static_cast<int>(columns.size());
  plan.anti_alias = kept_filter(std::move(filter), plan.kept.width, kKeptStep, columns, plan.scaled.width);
  plan.local_mean = kept_filter(local_mean_filter(options.kernel_scale), plan.kept.width, 1,
                                count_up(plan.kept.width), plan.kept.width);
  return plan;
}

SpeedPlan SpeedChroma::make_plan(const Options& options, const VideoFormats& formats) {
  constexpr std::string_view kFeature = "speed_chroma";
  const PlaneSize luma = compared_videos(kFeature, formats).size;
  require_chroma(kFeature, formats);
  require_same_chroma(kFeature, formats);
  // With odd sizes the last column and row of chroma are not looked at.
  const ChromaShifts shifts = chroma_shifts(formats.distorted.chroma);
  return plan_for(kFeature, options, formats, {luma.width >> shifts.x, luma.height >> shifts.y});
}

SpeedPlan SpeedTemporal::make_plan(const Options& options, const VideoFormats& formats) {
  constexpr std::string_view kFeature = "speed_temporal";
  return plan_for(kFeature, options, formats, compared_videos(kFeature, formats).size);
}

bool is_known_kernel_scale(double scale) {
  return std::ranges::any_of(kKernelScales, [&](float known) {
    return static_cast<double>(std::abs(static_cast<float>(scale) - known)) < kScaleSlack;
  });
}

Filter gaussian(int size, float sigma) {
  HWY_DASSERT(size % 2 == 1);
  const double s = static_cast<double>(sigma);
  const auto denominator = static_cast<float>(1 / (s * std::sqrt(2 * std::numbers::pi)));
  Filter filter;
  float sum = 0;
  for (int i = 0; i < size; ++i) {
    const double distance = i - size / 2;
    filter.taps.push_back(static_cast<float>(std::exp(-0.5 * distance / s * distance / s)) / denominator);
    sum += filter.taps.back();
  }
  for (float& tap : filter.taps) tap /= sum;
  return filter;
}

Filter anti_alias_filter(double scale) {
  const int size = tap_count(9, scale);
  return gaussian(size, static_cast<float>(2.0 * size / 5));
}

Filter local_mean_filter(double scale) {
  const int size = tap_count(2, scale);
  return gaussian(size, static_cast<float>(size) / 5);
}

AxisTaps axis_taps(Method method, int in, int out, const std::vector<int>& wanted) {
  HWY_DASSERT(in >= 1 && out >= 1);
  const float ratio = static_cast<float>(in) / static_cast<float>(out);
  AxisTaps axis;
  axis.outputs = static_cast<int>(wanted.size());
  axis.stride = padded(axis.outputs);
  const auto stride = static_cast<size_t>(axis.stride);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Taps taps = taps_of(method, wanted[i], ratio, in);
    axis.taps = static_cast<int>(taps.size());
    axis.index.resize(taps.size() * stride);
    axis.weight.resize(taps.size() * stride);
    for (size_t t = 0; t < taps.size(); ++t) {
      axis.index[t * stride + i] = taps[t].index;
      axis.weight[t * stride + i] = taps[t].weight;
    }
  }
  return axis;
}

namespace {

constexpr Publication kPublication = {.citation =
                                          "C. G. Bampis, P. Gupta, R. Soundararajan, A. C. Bovik: SpEED-QA: "
                                          "Spatial Efficient Entropic Differencing for "
                                          "Image and Video Quality. IEEE Signal Processing Letters 24, 2017",
                                      .doi = "10.1109/LSP.2017.2726542"};

constexpr MetricInfo speed_of(std::string_view name, std::string_view title, std::string_view subject,
                              std::string_view explanation, bool is_detail = false) {
  return {.name = name,
          .title = title,
          .subject = subject,
          .better = Better::kLower,
          .flawless = 0,
          .explanation = explanation,
          .is_detail = is_detail};
}

constexpr std::string_view kOfChroma =
    "How much the detail of colour, as a model of natural pictures sees it, differs from the "
    "reference's. 0 is no difference, and also what pictures without colour have.";
constexpr std::string_view kOfTime =
    "How much the change from frame to frame, as a model of natural pictures sees it, differs "
    "from the reference's. 0 is no difference, and also what still pictures have.";

constexpr MetricInfo kMetrics[] = {
    with_full_name(speed_of("speed_chroma_u", "SpEED of Cb", "colour distortion", kOfChroma, true),
                   "Speed_chroma_feature_speed_chroma_u_score"),
    with_full_name(speed_of("speed_chroma_v", "SpEED of Cr", "colour distortion", kOfChroma, true),
                   "Speed_chroma_feature_speed_chroma_v_score"),
    with_full_name(speed_of("speed_chroma_uv", "SpEED of chroma", "colour distortion", kOfChroma),
                   "Speed_chroma_feature_speed_chroma_uv_score")};
constexpr MetricInfo kTemporalMetrics[] = {
    with_full_name(speed_of("speed_temporal", "temporal SpEED", "distortion of motion", kOfTime),
                   "Speed_temporal_feature_speed_temporal_score")};

struct PlaneWorkspace : Workspace {
  explicit PlaneWorkspace(const SpeedPlan& plan) : Workspace(plan.plane) {}
};

// Planes become scores in pairs, the reference's first.
class SpeedHost : public WorkspaceHost<SpeedPlan, Stages, PlaneWorkspace> {
 public:
  SpeedHost(const Kind& kind, const SpeedPlan& plan, const Execution& execution)
      : WorkspaceHost(plan, execution), kind_(kind), reader_(stages_, plan_) {}

  FrameResult score(const FramePair& frames) override {
    if (kind_.looks_back && (frames.references_before.empty() || frames.distorted_before.empty()))
      return {.values = {0}};
    const auto workspace = workspaces_.take();
    std::vector<PlaneScore> scores;
    for (size_t i = 0; i < kind_.inputs; i += 2) {
      read(frames, i, *workspace, workspace->reference);
      read(frames, i + 1, *workspace, workspace->distorted);
      scores.push_back(plane_score(plan_, workspace->reference, workspace->distorted));
    }
    return {.values = kind_.values(plan_, scores)};
  }

 private:
  void read(const FramePair& frames, size_t i, Workspace& workspace, PlaneFigures& out) const {
    reader_.reduce(source_of(stages_, plan_, kind_.input(plan_.options, i), frames, workspace), workspace);
    reader_.figures(workspace.reduced.view(), workspace, out);
  }

  const Kind& kind_;
  const PlaneReader reader_;
};
template <const Kind& kind>
struct KindHost final : SpeedHost {
  KindHost(const SpeedPlan& plan, const Execution& execution) : SpeedHost(kind, plan, execution) {}
};

Input chroma_input(const SpeedOptions&, size_t i) {
  return {.picture = i % 2 == 0 ? Picture::kReference : Picture::kDistorted, .plane = 1 + i / 2};
}
std::vector<double> values_of_chroma(const SpeedPlan& plan, std::span<const PlaneScore> scores) {
  const std::array<double, 3> values = chroma_values(scores[0], scores[1], plan.options.max_value);
  return {values.begin(), values.end()};
}

// The change from one frame to the next is compared with that of the reference.
Input temporal_input(const SpeedOptions& options, size_t i) {
  if (i == 0) return {.picture = Picture::kReferenceBefore, .subtracted = Picture::kReference};
  return {.picture = Picture::kDistortedBefore,
          .subtracted = options.reference_difference ? Picture::kReference : Picture::kDistorted};
}
std::vector<double> values_of_time(const SpeedPlan&, std::span<const PlaneScore> scores) {
  return {static_cast<double>(scores[0].value)};
}

const Frame& frame_of(const FramePair& frames, Picture which) {
  switch (which) {
    case Picture::kReference:
      return frames.reference.value();
    case Picture::kReferenceBefore:
      return frames.references_before.front();
    case Picture::kDistortedBefore:
      return frames.distorted_before.front();
    default:
      return frames.distorted;
  }
}

}  // namespace

constexpr Kind kChroma = {
    .planes = kMaxPlanes, .inputs = 4, .input = chroma_input, .values = values_of_chroma};
constexpr Kind kTemporal = {
    .inputs = 2, .looks_back = true, .input = temporal_input, .values = values_of_time};

int depth_of(const SpeedPlan& plan, Picture which) {
  const bool is_reference = which == Picture::kReference || which == Picture::kReferenceBefore;
  return is_reference ? plan.reference_depth : plan.distorted_depth;
}

SourceRow source_of(const Stages& stages, const SpeedPlan& plan, const Input& input, const FramePair& frames,
                    Workspace& workspace) {
  return [&, input](int y, float* out) {
    const int width = plan.plane.source.width;
    const auto to_floats = [&](Picture picture, float* row) {
      stages.float_row(frame_of(frames, picture).planes[input.plane], y, width, depth_of(plan, picture), row);
    };
    to_floats(input.picture, out);
    if (!input.subtracted) return;
    float* const subtracted = workspace.after.row(0);
    to_floats(*input.subtracted, subtracted);
    for (int x = 0; x < width; ++x) out[x] -= subtracted[x];
  };
}

const FeatureInfo& chroma_feature_info() {
  static const FeatureInfo kInfo = describe<SpeedChroma, KindHost<kChroma>>({
      .name = "speed_chroma",
      .summary =
          "SpEED-QA of both chroma planes: the difference of their blocks' entropies from the reference's",
      .publication = kPublication,
      .metrics = kMetrics,
  });
  return kInfo;
}

const FeatureInfo& temporal_feature_info() {
  static const FeatureInfo kInfo = describe<SpeedTemporal, KindHost<kTemporal>>({
      .name = "speed_temporal",
      .summary = "SpEED-QA of the luma's change from frame to frame against the reference's",
      .publication = kPublication,
      .metrics = kTemporalMetrics,
  });
  return kInfo;
}

namespace {

// The most taps that scaling has along an axis, and a filter.
constexpr size_t kMostRowTaps = 9, kMostFilterTaps = 64;

// The tap of an axis that some output has.
size_t place(const AxisTaps& axis, int tap, int output) {
  return static_cast<size_t>(tap) * static_cast<size_t>(axis.stride) + static_cast<size_t>(output);
}

Blocks blocks_in(std::vector<float>& memory, const PlanePlan& plan) {
  return {memory.data(), plan.blocks(), padded(plan.blocks())};
}

// Y: the samples of each block, one variable a row.
void gather_blocks(PlaneView<const float> plane, const PlanePlan& plan, const Blocks& out) {
  for (int variable = 0; variable < kVariables; ++variable) {
    float* to = out.row(variable);
    for (int by = 0; by < plan.blocks_down; ++by) {
      const float* const row = plane.row(kBlockSide * by + variable / kBlockSide) + variable % kBlockSide;
      for (int bx = 0; bx < plan.blocks_across; ++bx) *to++ = row[kBlockSide * bx];
    }
  }
}

// The argument of the logarithm that weights the entropies of a block.
struct Weights {
  double reference = 1, distorted = 1;
};

double weight_of(float variance) { return static_cast<double>(1 + variance); }
double mean_weight(float r, float d) { return 1 + static_cast<double>(r + d) / 2; }
double mixed_weight(float r, double share_of_r, float d) {
  return 1 + (share_of_r * static_cast<double>(r) + (1 - share_of_r) * static_cast<double>(d));
}

// By speed_weight_var_mode: which variances, r of the reference and d of the distorted block, weight which
// entropy.
Weights weights_of(int mode, float r, float d) {
  switch (mode) {
    case 0:
      return {weight_of(r), weight_of(d)};
    case 1:
      return {weight_of(r), weight_of(r)};
    case 2:
      return {weight_of(d), weight_of(d)};
    case 3:
      return {mean_weight(r, d), mean_weight(r, d)};
    case 4:
      return {weight_of(r), mean_weight(r, d)};
    case 5:
      return {weight_of(r), mixed_weight(r, 0.75, d)};
    default:
      return {weight_of(r), mixed_weight(r, 0.25, d)};
  }
}

float weighted(float entropy, double weight) {
  return static_cast<float>(static_cast<double>(entropy) * log2_of(weight));
}

double capped(float score, double max_value) {
  // A NaN counts as the largest as well.
  return static_cast<double>(score) < max_value ? static_cast<double>(score) : max_value;
}

}  // namespace

FigureWorkspace::FigureWorkspace(const PlanePlan& plan)
    : operating(plan.kept.width, plan.kept.height),
      means(plan.kept.width, 2),
      y(counted_size<float>(static_cast<size_t>(kVariables * padded(plan.blocks())))),
      x(counted_size<float>(static_cast<size_t>(kVariables * padded(plan.blocks())))) {
  for (PlaneFigures* figures : {&reference, &distorted}) {
    for (std::vector<float>* values : {&figures->variances, &figures->entropies})
      values->resize(counted_size<float>(static_cast<size_t>(padded(plan.blocks()))));
  }
}

Workspace::Workspace(const PlanePlan& plan)
    : FigureWorkspace(plan),
      source_rows(plan.source.width, plan.rows ? plan.rows->taps : 1),
      filtered_rows(plan.row_width, static_cast<int>(plan.anti_alias.filter.taps.size())),
      reduced(plan.kept.width, plan.kept.height),
      column_sums(plan.row_width, 1),
      after(plan.source.width, 1) {}

void PlaneReader::scale_row(const SourceRow& source, int y, Workspace& workspace, float* out) const {
  const AxisTaps& taps = *plan_.plane.rows;
  const float* rows[kMostRowTaps];
  float weights[kMostRowTaps];
  HWY_DASSERT(static_cast<size_t>(taps.taps) <= kMostRowTaps);
  for (int t = 0; t < taps.taps; ++t) {
    const int from = taps.index[place(taps, t, y)];
    rows[t] = workspace.source_rows.get(from, [&](float* row) { source(from, row); });
    weights[t] = taps.weight[place(taps, t, y)];
  }
  stages_.scale_row({rows, weights, taps.taps, is_normalised(plan_.plane.method)}, *plan_.plane.columns, out);
}

const float* PlaneReader::scaled_row(const SourceRow& source, int y, Workspace& workspace) const {
  return workspace.filtered_rows.get(y, [&](float* row) {
    if (plan_.plane.rows) {
      scale_row(source, y, workspace, row);
    } else {
      source(y, row);
    }
  });
}

template <typename Row>
void PlaneReader::filter(const KeptFilter& kept, int middle, PlaneSize size, const Row& row,
                         float* column_sums, float* out) const {
  const float* rows[kMostFilterTaps];
  const int taps = static_cast<int>(kept.filter.taps.size());
  HWY_DASSERT(static_cast<size_t>(taps) <= kMostFilterTaps);
  for (int t = 0; t < taps; ++t) rows[t] = row(reflected(middle + t - kept.filter.reach(), size.height));
  stages_.filter_row(rows, size.width, kept, column_sums, out);
}

void PlaneReader::reduce(const SourceRow& source, Workspace& workspace) const {
  const PlanePlan& plan = plan_.plane;
  workspace.source_rows.clear();
  workspace.filtered_rows.clear();
  const auto row = [&](int y) { return scaled_row(source, y, workspace); };
  for (int y = 0; y < plan.kept.height; ++y) {
    filter(plan.anti_alias, kKeptStep * y, {plan.row_width, plan.scaled.height}, row,
           workspace.column_sums.row(0), workspace.reduced.row(y));
  }
}

void PlaneReader::subtract_mean(PlaneView<const float> reduced, FigureWorkspace& workspace) const {
  float* const mean = workspace.means.row(1);
  for (int y = 0; y < reduced.height; ++y) {
    filter(
        plan_.plane.local_mean, y, {reduced.width, reduced.height},
        [&](int from) { return reduced.row(from); }, workspace.means.row(0), mean);
    for (int x = 0; x < reduced.width; ++x) workspace.operating.row(y)[x] = reduced.row(y)[x] - mean[x];
  }
}

void PlaneReader::figures(PlaneView<const float> reduced, FigureWorkspace& workspace,
                          PlaneFigures& out) const {
  const PlanePlan& plan = plan_.plane;
  subtract_mean(reduced, workspace);
  const PlaneView<const float> plane =
      workspace.operating.view(kBlockSide * plan.blocks_across, kBlockSide * plan.blocks_down);
  Matrix matrix;
  float eigenvalues[kVariables];
  stages_.covariance(plane, matrix);
  stages_.eigenvalues(matrix, eigenvalues);
  out.is_singular = std::ranges::any_of(
      eigenvalues, [](float value) { return static_cast<double>(value) < kLeastEigenvalue; });
  if (out.is_singular) return;
  const Blocks y = blocks_in(workspace.y, plan), x = blocks_in(workspace.x, plan);
  gather_blocks(plane, plan, y);
  out.is_singular = !stages_.solve(matrix, y, x);
  if (out.is_singular) return;
  stages_.entropies(eigenvalues, plan_.sigma, y, x, {out.variances.data(), out.entropies.data()});
}

PlaneScore plane_score(const SpeedPlan& plan, const PlaneFigures& reference, const PlaneFigures& distorted) {
  if (reference.is_singular || distorted.is_singular) return {.value = 0, .is_marked = true};
  const auto blocks = static_cast<size_t>(plan.plane.blocks());
  float sum = 0;
  for (size_t i = 0; i < blocks; ++i) {
    const float er = reference.entropies[i], ed = distorted.entropies[i];
    if (er < plan.base_entropy && ed < plan.base_entropy) continue;
    const Weights weights =
        weights_of(plan.options.weight_mode, reference.variances[i], distorted.variances[i]);
    sum += std::abs(weighted(er, weights.reference) - weighted(ed, weights.distorted));
  }
  return {.value = sum / static_cast<float>(blocks), .is_marked = false};
}

std::array<double, 3> chroma_values(const PlaneScore& u, const PlaneScore& v, double max_value) {
  float both = static_cast<float>(static_cast<double>(u.value + v.value) / 2);
  if (u.is_marked && !v.is_marked) both = v.value;
  if (v.is_marked && !u.is_marked) both = u.value;
  return {capped(u.value, max_value), capped(v.value, max_value), capped(both, max_value)};
}

}  // namespace vq::speed
