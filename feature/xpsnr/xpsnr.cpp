#include "feature/xpsnr/xpsnr.h"

#include "core/number_text.h"

namespace vq::xpsnr {

constexpr double kFastRate = 32;
constexpr int64_t kLargestInSamples = 2048 * 1152;

static int64_t samples_of(PlaneSize size) { return int64_t{size.width} * size.height; }

// Side of a block of luma; less than 4: the picture is too small.
static int block_side(PlaneSize luma) {
  return 4 * static_cast<int>(32.0 * std::sqrt(relative_size(luma)) + 0.5);
}

static int divided_up(int a, int b) { return (a + b - 1) / b; }

// Chroma has blocks of its own size at the places of luma's. Where a format rounds its sides down, blocks are
// those of sides rounded up.
static Grid grid_of(const VideoFormat& format, const Grid& luma, int plane) {
  Grid grid = luma;
  const PlaneSize whole = plane_size(luma.plane, format.chroma, plane);
  grid.plane = plane_size(format, plane);
  grid.block = {luma.block.width * whole.width / luma.plane.width,
                luma.block.height * whole.height / luma.plane.height};
  return grid;
}

// Loops store whole vectors of words, and twice as many sums.
constexpr int kMargin = 64;

double relative_size(PlaneSize luma) { return static_cast<double>(samples_of(luma)) / (3840.0 * 2160.0); }

std::vector<std::string> Xpsnr::names(const Options& options) {
  if (!options.chroma) return {"xpsnr_y", "xpsnr_min"};
  return {"xpsnr_y", "xpsnr_u", "xpsnr_v", "xpsnr_min", "xpsnr_weighted"};
}

bool is_fast(double fps) { return fps >= kFastRate; }

XpsnrPlan Xpsnr::make_plan(const Options& options, const VideoFormats& formats) {
  XpsnrPlan plan{compared_videos("xpsnr", formats)};
  if (options.chroma) require_same_chroma("xpsnr", formats, "enable_chroma=false");
  plan.planes = std::min(planes(options), plane_count(formats.distorted.chroma));
  const int side = block_side(plan.size);
  plan.is_weighted = side > 0;
  Grid& luma = plan.form.grid;
  luma.plane = plan.size;
  luma.block = plan.is_weighted ? PlaneSize{side, side} : plan.size;
  luma.columns = divided_up(luma.plane.width, luma.block.width);
  luma.rows = divided_up(luma.plane.height, luma.block.height);
  plan.form.in_cells = samples_of(plan.size) > kLargestInSamples;
  plan.form.is_second_order = is_fast(options.fps);
  for (int i = 0; i < plan.planes; ++i)
    plan.grids[static_cast<size_t>(i)] = grid_of(formats.distorted, luma, i);
  return plan;
}

BlockSums::BlockSums(const XpsnrPlan& plan) {
  if (plan.is_weighted) activities.resize(counted_size<Activity>(plan.form.grid.count()));
  for (size_t i = 0; i < static_cast<size_t>(plan.planes); ++i)
    errors[i].resize(counted_size<uint64_t>(plan.grids[i].count()));
}

Rows::Rows(int width)
    : now(width + kMargin, kRing), before(width + kMargin, 5), columns(width + kMargin, 2) {}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kLargestSmoothed = 640 * 480;
// By how much change counts more than detail.
constexpr uint64_t kTemporalFactor = 2;

static int64_t luma_samples(const XpsnrPlan& plan) {
  return int64_t{plan.form.grid.plane.width} * plan.form.grid.plane.height;
}

// The weight of a block, before its neighbours count.
static double weight_of(const XpsnrPlan& plan, int column, int row, const Activity& activity) {
  const Grid& grid = plan.form.grid;
  const Span across = grid.column(column), down = grid.row(row);
  const Span inner_across = without_edge(across, grid.plane.width, plan.form.edge()),
             inner_down = without_edge(down, grid.plane.height, plan.form.edge());
  if (inner_across.length() <= 0 || inner_down.length() <= 0) return 1;  // too narrow for any activity
  const auto area = [](Span a, Span b) {
    return static_cast<double>(a.length()) * static_cast<double>(b.length());
  };
  double sum = static_cast<double>(activity.spatial) / area(inner_across, inner_down);
  sum += static_cast<double>(kTemporalFactor * activity.temporal) / area(across, down);
  return 1.0 / std::max(sum, static_cast<double>(1 << (plan.bit_depth - 6)));
}

// When block k of a small picture has its weight, that of the block before it is lowered to the largest of
// its neighbours' so far, and that of the picture's last block with it.
static void smooth(const Grid& grid, size_t k, std::vector<double>& weights) {
  const auto columns = static_cast<size_t>(grid.columns);
  const size_t column = k % columns;
  const auto lower = [&](size_t block, double to) { weights[block] = std::min(weights[block], to); };
  if (k > 0) {
    double most = column == 0 ? (k > 1 ? weights[k - 2] : 0) : weights[k];
    if (column > 1) most = std::max(most, weights[k - 2]);
    if (k > columns) most = std::max(most, weights[k - 1 - columns]);
    lower(k - 1, most);
  }
  if (k + 1 == grid.count() && k > columns) lower(k, std::max(weights[k - 1], weights[k - columns]));
}

// The factor of all weights of a picture.
static double picture_factor(const XpsnrPlan& plan) {
  return std::sqrt(16.0 * static_cast<double>(int64_t{1} << (2 * plan.bit_depth - 9)) /
                   std::sqrt(std::max(0.00001, relative_size(plan.form.grid.plane))));
}

static double decibels(double squared_peaks, double root) {
  return root >= 1 ? 10.0 * std::log10(squared_peaks / (root * root)) : kInfinity;
}

// The sum of a plane's largest squared errors.
static double squared_peaks(const XpsnrPlan& plan, size_t plane) {
  const PlaneSize size = plan.grids[plane].plane;
  const int64_t peak = (int64_t{1} << plan.bit_depth) - 1;
  return static_cast<double>(int64_t{size.width} * size.height * peak * peak);
}

// As many as metric_names(), for the figures of planes. Luma counts for four of six parts.
static std::vector<double> with_summaries(std::vector<double> planes) {
  const auto error = [&](size_t i) { return std::pow(10.0, -planes[i] / 10.0); };
  const bool has_chroma = planes.size() == kMaxPlanes;
  planes.push_back(*std::ranges::min_element(planes));
  if (has_chroma) planes.push_back(-10.0 * std::log10((4.0 * error(0) + error(1) + error(2)) / 6.0));
  return planes;
}

std::vector<double> block_weights(const XpsnrPlan& plan, std::span<const Activity> activities) {
  const Grid& grid = plan.form.grid;
  HWY_DASSERT(plan.is_weighted && activities.size() == grid.count());
  const bool is_smoothed = luma_samples(plan) <= kLargestSmoothed;
  std::vector<double> weights;
  weights.reserve(grid.count());
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      const size_t k = weights.size();
      weights.push_back(weight_of(plan, column, row, activities[k]));
      if (is_smoothed) smooth(grid, k, weights);
    }
  }
  return weights;
}

std::array<uint64_t, kMaxPlanes> weighted_errors(const XpsnrPlan& plan, const BlockSums& sums) {
  std::array<uint64_t, kMaxPlanes> errors = {};
  if (!plan.is_weighted) {
    for (size_t i = 0; i < static_cast<size_t>(plan.planes); ++i) errors[i] = sums.errors[i].front();
    return errors;
  }
  const std::vector<double> weights = block_weights(plan, sums.activities);
  const double factor = picture_factor(plan);
  for (size_t i = 0; i < static_cast<size_t>(plan.planes); ++i) {
    double total = 0;
    for (size_t k = 0; k < weights.size(); ++k) total += static_cast<double>(sums.errors[i][k]) * weights[k];
    if (total > 0) errors[i] = static_cast<uint64_t>(total * factor + 0.5);
  }
  return errors;
}

// Tallies: the root of each plane's error, and the frame.
FrameResult frame_result(const XpsnrPlan& plan, const std::array<uint64_t, kMaxPlanes>& errors) {
  FrameResult result;
  std::vector<double> planes;
  for (size_t i = 0; i < static_cast<size_t>(plan.planes); ++i) {
    const double root = std::sqrt(static_cast<double>(errors[i]));
    result.tallies.push_back(root);
    planes.push_back(decibels(squared_peaks(plan, i), root));
  }
  result.tallies.push_back(1);
  result.values = with_summaries(std::move(planes));
  return result;
}

// The filter's figure of a run is that of the mean root. A mean below 1 comes from a frame without error, of
// which the mean of the figures is infinite.
std::vector<std::pair<std::string, double>> Xpsnr::aggregates(const Plan& plan,
                                                              std::span<const double> totals) {
  const auto count = static_cast<size_t>(plan.planes);
  if (totals.size() <= count) return {};
  const double frames = totals[count];
  std::vector<double> planes;
  for (size_t i = 0; i < count; ++i)
    planes.push_back(totals[i] >= frames ? decibels(squared_peaks(plan, i), totals[i] / frames) : kInfinity);
  const std::vector<std::string> names = Xpsnr::names({.chroma = count > 1});
  const std::vector<double> values = with_summaries(std::move(planes));
  std::vector<std::pair<std::string, double>> result;
  for (size_t i = 0; i < names.size(); ++i) result.emplace_back(names[i], values[i]);
  return result;
}

namespace {

// Memory of a thread for a frame.
struct Workspace {
  explicit Workspace(const XpsnrPlan& plan) : rows(plan.form.grid.plane.width), sums(plan) {}
  Rows rows;
  BlockSums sums;
};

class XpsnrHost final : public WorkspaceHost<XpsnrPlan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const auto loan = workspaces_.take();
    const Frame& reference = frames.reference.value();
    if (plan_.is_weighted) {
      History history{.now = {reference.luma(), plan_.reference_shift}};
      const size_t before =
          std::min(frames.references_before.size(), static_cast<size_t>(plan_.form.frames_before()));
      for (size_t i = 0; i < before; ++i) history.before[i] = frames.references_before[i].luma();
      stages_.block_activities(plan_.form, history, loan->rows, loan->sums.activities);
    }
    for (size_t i = 0; i < static_cast<size_t>(plan_.planes); ++i) {
      const Samples compared[] = {{reference.planes[i], plan_.reference_shift},
                                  {frames.distorted.planes[i], plan_.distorted_shift}};
      stages_.block_errors(plan_.grids[i], {compared[0], compared[1]}, loan->rows, loan->sums.errors[i]);
    }
    return frame_result(plan_, weighted_errors(plan_, loan->sums));
  }
};

constexpr MetricInfo xpsnr_of(std::string_view name, std::string_view title, bool is_detail = false) {
  return {.name = name,
          .title = title,
          .unit = "dB",
          .subject = "distortion",
          .better = Better::kHigher,
          .flawless = std::numeric_limits<double>::infinity(),
          .usual_top = 60,
          .explanation =
              "How little the samples differ from the reference's, in decibels, where errors count less the "
              "busier the reference is around them, in the picture and from frame to frame.",
          .is_unbounded = true,
          .is_detail = is_detail};
}
constexpr MetricInfo kMetrics[] = {xpsnr_of("xpsnr_y", "XPSNR"), xpsnr_of("xpsnr_u", "XPSNR of Cb", true),
                                   xpsnr_of("xpsnr_v", "XPSNR of Cr", true),
                                   with_alias(xpsnr_of("xpsnr_min", "least XPSNR of the planes"), "xpsnr"),
                                   xpsnr_of("xpsnr_weighted", "weighted XPSNR of the planes", true)};

// Video without chroma is compared by its luma. A video that does not say its rate is taken for a slow one.
Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  Resolution resolution;
  resolve_chroma("xpsnr", set, formats, resolution);
  if (set.get_real("fps") > 0) return resolution;
  const bool is_known = formats.distorted.frame_rate > 0;
  const double rate = is_known ? std::min(formats.distorted.frame_rate, kHighestRate) : kAssumedFrameRate;
  set.resolve("fps", number_text(rate, {NumberStyle::Kind::kShortest}));
  resolution.notes.push_back("xpsnr: fps=" + number_text(rate, {NumberStyle::Kind::kSignificant, 5}) +
                             (is_known ? " (from the stream)" : " (assumed)"));
  return resolution;
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Xpsnr, XpsnrHost>(
      {.name = "xpsnr",
       .summary = "PSNR of each plane with errors weighted by how busy the reference is, in dB (XPSNR)",
       .publication =
           {.citation = "C. R. Helmrich, S. Bosse, H. Schwarz, D. Marpe, T. Wiegand: A study of the extended "
                        "perceptually weighted peak signal-to-noise ratio (XPSNR) for video compression with "
                        "different resolutions and bit depths. ITU Journal: ICT Discoveries 3, 2020"},
       .metrics = kMetrics,
       .resolve = resolve});
  return kInfo;
}

}  // namespace vq::xpsnr
