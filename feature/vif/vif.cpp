#include "feature/vif/vif.h"

namespace vq::vif {
namespace {

Pyramid make_pyramid(const VifPlan& plan) {
  Pyramid pyramid;
  for (size_t k = needs_copies(plan) ? 0 : 1; k < kScales; ++k) {
    pyramid[k] = Plane<uint16_t>(plan.sizes[k].width, plan.sizes[k].height);
  }
  return pyramid;
}

SampleView view_of(const Plane<uint16_t>& plane) { return {.u8 = {}, .u16 = plane.view()}; }

class VifHost final : public WorkspaceHost<VifPlan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    return score_pictures(plan_, {frames.reference.value().luma(), frames.distorted.luma()}, stages_,
                          *workspace);
  }
};

constexpr MetricInfo score_of(std::string_view name, std::string_view title) {
  return {
      .name = name,
      .title = title,
      .subject = "distortion",
      .better = Better::kHigher,
      .usual_top = 1,
      .explanation =
          "How much of the reference's local information survives in the distorted video: 1 for identical "
          "pictures, more where contrast was enhanced."};
}
constexpr MetricInfo scale_of(std::string_view name, std::string_view title, std::string_view full_name) {
  return with_full_name(score_of(name, title), full_name);
}
// Numerators and denominators of the scores say nothing by themselves.
constexpr MetricInfo part_of(std::string_view name, std::string_view title) {
  return {.name = name, .title = title, .subject = "information", .decimals = 1, .is_detail = true};
}
// VIF is that of all scales together if that is reported, else of the finest.
constexpr MetricInfo kMetrics[] = {
    with_alias(scale_of("integer_vif_scale0", "VIF of scale 0", "VMAF_integer_feature_vif_scale0_score"),
               "vif"),
    scale_of("integer_vif_scale1", "VIF of scale 1", "VMAF_integer_feature_vif_scale1_score"),
    scale_of("integer_vif_scale2", "VIF of scale 2", "VMAF_integer_feature_vif_scale2_score"),
    scale_of("integer_vif_scale3", "VIF of scale 3", "VMAF_integer_feature_vif_scale3_score"),
    with_alias(score_of("integer_vif", "VIF"), "vif"),
    part_of("integer_vif_num", "VIF's numerator"),
    part_of("integer_vif_den", "VIF's denominator"),
    part_of("integer_vif_num_scale0", "numerator of scale 0"),
    part_of("integer_vif_den_scale0", "denominator of scale 0"),
    part_of("integer_vif_num_scale1", "numerator of scale 1"),
    part_of("integer_vif_den_scale1", "denominator of scale 1"),
    part_of("integer_vif_num_scale2", "numerator of scale 2"),
    part_of("integer_vif_den_scale2", "denominator of scale 2"),
    part_of("integer_vif_num_scale3", "numerator of scale 3"),
    part_of("integer_vif_den_scale3", "denominator of scale 3")};

// So that one row and one column are left at the last scale.
constexpr int kShortestSide = 1 << (kScales - 1);

// The product is exact, and so is the sum.
int32_t log2_of(int32_t i) {
  const float log = static_cast<float>(std::log2(static_cast<double>(i)));
  return static_cast<int32_t>(std::floor(2048.0 * log + 0.5));
}

}  // namespace

Workspace::Workspace(const VifPlan& plan)
    : rows(plan.sizes[0].width), reference(make_pyramid(plan)), distorted(make_pyramid(plan)) {}

FrameResult score_pictures(const VifPlan& plan, Pictures pictures, const Stages& stages,
                           Workspace& workspace) {
  if (needs_copies(plan)) {
    widen(pictures.reference, plan.reference_shift, workspace.reference[0].view());
    widen(pictures.distorted, plan.distorted_shift, workspace.distorted[0].view());
    pictures = {view_of(workspace.reference[0]), view_of(workspace.distorted[0])};
  }
  std::array<Information, kScales> scales;
  for (int k = 0; k < kScales; ++k) {
    const auto i = static_cast<size_t>(k);
    if (k > 0) {
      const Scale above = {.index = k - 1, .bit_depth = plan.bit_depth};
      stages.decimate(pictures.reference, above, workspace.reference[i].view(), workspace.rows);
      stages.decimate(pictures.distorted, above, workspace.distorted[i].view(), workspace.rows);
      pictures = {view_of(workspace.reference[i]), view_of(workspace.distorted[i])};
    }
    if (k < plan.first_scale) continue;
    const Scale scale = {.index = k, .bit_depth = plan.bit_depth};
    scales[i] = information_of(stages.statistics(pictures, scale, plan.options.gain_limit, workspace.rows));
  }
  return frame_result(plan, scales);
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Vif, VifHost>({
      .name = "vif",
      .summary =
          "visual information fidelity at four scales: what survives of the reference's local information",
      .publication =
          {.citation =
               "H. R. Sheikh, A. C. Bovik: Image information and visual quality. IEEE Transactions on Image "
               "Processing 15(2), 2006",
           .doi = "10.1109/TIP.2005.859378"},
      .metrics = kMetrics,
  });
  return kInfo;
}

std::vector<std::string> Vif::names(const Options& options) {
  std::vector<std::string> names;
  for (int k = 0; k < kScales; ++k) names.push_back("integer_vif_scale" + std::to_string(k));
  if (!options.debug) return names;
  names.insert(names.end(), {"integer_vif", "integer_vif_num", "integer_vif_den"});
  for (int k = 0; k < kScales; ++k) {
    names.push_back("integer_vif_num_scale" + std::to_string(k));
    names.push_back("integer_vif_den_scale" + std::to_string(k));
  }
  return names;
}

VifPlan Vif::make_plan(const Options& options, const VideoFormats& formats) {
  VifPlan plan{compared_videos("vif", formats), options, formats};
  require_sides("vif", formats, kShortestSide);
  plan.first_scale = options.skip_scale0 ? 1 : 0;
  for (int k = 0; k < kScales; ++k)
    plan.sizes[static_cast<size_t>(k)] = {plan.size.width >> k, plan.size.height >> k};
  return plan;
}

bool needs_copies(const VifPlan& plan) {
  return plan.distorted_shift != plan.reference_shift || plan.sizes[0].width < kGuardedWidth;
}

// 65025 is the square of 255, 16384 the unit of that with which the reference implementation measures.
Information information_of(const ScaleSums& sums) {
  const auto num_log = static_cast<double>(sums.num_log), den_log = static_cast<double>(sums.den_log);
  const auto flat = static_cast<double>(sums.flat), flat_variance = static_cast<double>(sums.flat_variance);
  return {.num = static_cast<float>(num_log / 2048.0 + (flat - (flat_variance / 16384.0) / 65025.0)),
          .den = static_cast<float>(den_log / 2048.0 + flat)};
}

FrameResult frame_result(const VifPlan& plan, std::span<const Information> scales) {
  FrameResult result;
  double num = 0, den = 0;
  for (size_t k = 0; k < kScales; ++k) {
    const bool is_scored = k >= static_cast<size_t>(plan.first_scale);
    result.values.push_back(is_scored ? static_cast<double>(scales[k].num / scales[k].den) : 0.0);
    if (!is_scored) continue;
    num += static_cast<double>(scales[k].num);
    den += static_cast<double>(scales[k].den);
  }
  if (!plan.options.debug) return result;
  result.values.insert(result.values.end(), {den == 0 ? 1 : num / den, num, den});
  for (const Information& scale : scales) {
    result.values.insert(result.values.end(),
                         {static_cast<double>(scale.num), static_cast<double>(scale.den)});
  }
  return result;
}

LogTable::LogTable() {
  for (int block = 0; block < kBlocks; ++block) {
    const int32_t first = kFirst + 8 * block, start = log2_of(first);
    int32_t same = 1;
    while (same < 8 && log2_of(first + same) == start) ++same;
    entries_[static_cast<size_t>(block)] = 8 * start + 8 - same;
  }
}

const LogTable& LogTable::get() {
  static const LogTable kTable;
  return kTable;
}

// The stages of VIF in ordinary C++.

static uint64_t rounded_shift(uint64_t sum, int shift) {
  return shift == 0 ? sum : (sum + (uint64_t{1} << (shift - 1))) >> shift;
}

// The weighted sum around a place, of what `at` returns for the distances -radius..radius from there.
template <typename At>
static uint64_t filtered(const WordFilter& filter, const At& at) {
  uint64_t sum = static_cast<uint64_t>(filter.taps[0]) * at(0);
  for (int k = 1; k <= filter.radius; ++k) {
    sum += static_cast<uint64_t>(filter.tap(k)) * (static_cast<uint64_t>(at(-k)) + at(k));
  }
  return sum;
}

static uint64_t filtered_row(const WordFilter& filter, const uint32_t* row, int x) {
  return filtered(filter, [&](int k) { return row[x + k]; });
}

// The vertical pass over a row: sums of what `at` returns for rows and columns of the picture.
template <typename At>
static void filter_columns(const WordFilter& filter, PlaneSize size, int y, int shift, uint32_t* out,
                           const At& at) {
  for (int x = 0; x < size.width; ++x) {
    const uint64_t sum =
        filtered(filter, [&](int k) -> uint32_t { return at(reflected(y + k, size.height), x); });
    out[x] = static_cast<uint32_t>(rounded_shift(sum, shift));
  }
  reflect_ends(out, size.width, filter.radius);
}

template <typename T>
static void vertical_moments(PlaneView<const T> r, PlaneView<const T> d, const Scale& scale, int y,
                             Plane<uint32_t>& rows) {
  const WordFilter& filter = kFilters[static_cast<size_t>(scale.index)];
  const PlaneSize size{r.width, r.height};
  const int samples = sample_shift(scale), products = product_shift(scale);
  const auto sample = [](PlaneView<const T> plane, int row, int x) { return uint32_t{plane.row(row)[x]}; };
  const auto product = [&](PlaneView<const T> a, PlaneView<const T> b) {
    return [=](int row, int x) { return sample(a, row, x) * sample(b, row, x); };
  };
  filter_columns(filter, size, y, samples, rows.row(kMean),
                 [&](int row, int x) { return sample(r, row, x); });
  filter_columns(filter, size, y, samples, rows.row(kDistortedMean),
                 [&](int row, int x) { return sample(d, row, x); });
  filter_columns(filter, size, y, products, rows.row(kSquare), product(r, r));
  filter_columns(filter, size, y, products, rows.row(kDistortedSquare), product(d, d));
  filter_columns(filter, size, y, products, rows.row(kProduct), product(r, d));
}

static Moments moments_at(const WordFilter& filter, const Plane<uint32_t>& rows, int x) {
  const uint64_t mean = filtered_row(filter, rows.row(kMean), x);
  const uint64_t distorted_mean = filtered_row(filter, rows.row(kDistortedMean), x);
  const auto central = [&](SumRow row, uint64_t mean_product) {
    const auto moment = static_cast<int64_t>(rounded_shift(filtered_row(filter, rows.row(row), x), 16));
    return static_cast<int32_t>(moment - static_cast<int64_t>(rounded_shift(mean_product, 32)));
  };
  return {.variance = central(kSquare, mean * mean),
          .distorted_variance = std::max(central(kDistortedSquare, distorted_mean * distorted_mean), 0),
          .covariance = central(kProduct, mean * distorted_mean)};
}

static void add(const Moments& moments, double gain_limit, ScaleSums& sums) {
  const LogTable& table = LogTable::get();
  if (moments.variance < kNoise) {
    ++sums.flat;
    sums.flat_variance += moments.distorted_variance;
    return;
  }
  sums.den_log += table.log2(static_cast<uint64_t>(kNoise + moments.variance)) - 2048 * 17;
  if (moments.covariance <= 0 || moments.distorted_variance <= 0) return;
  const Explained explained = explain(moments, gain_limit);
  sums.num_log +=
      table.log2(static_cast<uint64_t>(explained.all)) - table.log2(static_cast<uint64_t>(explained.noise));
}

template <typename T>
static ScaleSums statistics_of(PlaneView<const T> r, PlaneView<const T> d, const Scale& scale,
                               double gain_limit, Rows& rows) {
  const WordFilter& filter = kFilters[static_cast<size_t>(scale.index)];
  ScaleSums sums;
  for (int y = 0; y < r.height; ++y) {
    vertical_moments(r, d, scale, y, rows.sums);
    for (int x = 0; x < r.width; ++x) add(moments_at(filter, rows.sums, x), gain_limit, sums);
  }
  return sums;
}

template <typename T>
static void decimate_plane(PlaneView<const T> in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows) {
  const WordFilter& filter = kFilters[static_cast<size_t>(scale.index + 1)];
  uint32_t* const sums = rows.sums.row(0);
  for (int y = 0; y < out.height; ++y) {
    filter_columns(filter, {in.width, in.height}, 2 * y, sample_shift(scale), sums,
                   [&](int row, int x) { return uint32_t{in.row(row)[x]}; });
    for (int x = 0; x < out.width; ++x) {
      out.row(y)[x] = static_cast<uint16_t>(rounded_shift(filtered_row(filter, sums, 2 * x), 16));
    }
  }
}

template <typename T>
static void widen_plane(PlaneView<const T> in, int shift, PlaneView<uint16_t> out) {
  for (int y = 0; y < in.height; ++y) {
    std::transform(in.row(y), in.row(y) + in.width, out.row(y),
                   [=](T v) { return static_cast<uint16_t>(v << shift); });
  }
}

void widen(const SampleView& in, int shift, PlaneView<uint16_t> out) {
  in.is_u8() ? widen_plane(in.u8, shift, out) : widen_plane(in.u16, shift, out);
}

void scalar::decimate(const SampleView& in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows) {
  in.is_u8() ? decimate_plane(in.u8, scale, out, rows) : decimate_plane(in.u16, scale, out, rows);
}

ScaleSums scalar::statistics(const Pictures& pictures, const Scale& scale, double gain_limit, Rows& rows) {
  const auto& [r, d] = pictures;
  return r.is_u8() ? statistics_of(r.u8, d.u8, scale, gain_limit, rows)
                   : statistics_of(r.u16, d.u16, scale, gain_limit, rows);
}

}  // namespace vq::vif
