#include "feature/vif/plan.h"

#include <cmath>

#include "feature/metric_type.h"

namespace vq::vif {
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

namespace {

// So that one row and one column are left at the last scale.
constexpr int kShortestSide = 1 << (kScales - 1);

}  // namespace

VifPlan Vif::make_plan(const Options& options, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos("vif", formats);
  require_sides("vif", formats, kShortestSide);
  VifPlan plan = {.options = options,
                  .formats = formats,
                  .bit_depth = videos.bit_depth,
                  .distorted_shift = videos.distorted_shift,
                  .reference_shift = videos.reference_shift,
                  .first_scale = options.skip_scale0 ? 1 : 0};
  for (int k = 0; k < kScales; ++k)
    plan.sizes[static_cast<size_t>(k)] = {videos.size.width >> k, videos.size.height >> k};
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

namespace {

// The product is exact, and so is the sum.
int32_t log2_of(int32_t i) {
  const float log = static_cast<float>(std::log2(static_cast<double>(i)));
  return static_cast<int32_t>(std::floor(2048.0 * log + 0.5));
}

}  // namespace

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

}  // namespace vq::vif
