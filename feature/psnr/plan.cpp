#include "feature/psnr/plan.h"

#include "feature/compared_videos.h"

namespace vq::psnr {
namespace {

// Tallies of a plane: the upper and the lower 32 bits of its sum of squared errors, so that sums of them over 2^21 frames
// are exact, and its samples.
constexpr size_t kTallies = 3;
constexpr double kUpperUnit = 4294967296.0;  // 2^32

}  // namespace

PsnrPlan make_plan(const PsnrOptions& options, const InputFormats& formats) {
  const ComparedVideos videos = compared_videos("psnr", formats);
  if (options.chroma) require_same_chroma("psnr", formats, "enable_chroma=false");
  const Chroma chroma = formats.distorted.chroma;
  PsnrPlan plan;
  plan.options = options;
  plan.planes = compared_planes(options, plane_count(chroma));
  for (int i = 0; i < plan.planes; ++i) plan.sizes[static_cast<size_t>(i)] = plane_size(videos.size, chroma, i);
  plan.bit_depth = videos.bit_depth;
  plan.distorted_shift = videos.distorted_shift;
  plan.reference_shift = videos.reference_shift;
  return plan;
}

FrameResult frame_result(const PsnrPlan& plan, std::span<const PlaneError> planes) {
  FrameResult result = {.values = Scorer(plan.options, plan.bit_depth).frame_scores(planes)};
  if (!plan.options.apsnr) return result;
  for (const PlaneError& plane : planes) {
    const double upper = static_cast<double>(plane.squared >> 32);
    const double lower = static_cast<double>(plane.squared & 0xFFFFFFFF);
    result.tallies.insert(result.tallies.end(), {upper, lower, static_cast<double>(plane.samples)});
  }
  return result;
}

std::vector<std::pair<std::string, double>> aggregates(const PsnrPlan& plan, std::span<const double> totals) {
  std::array<TotalError, kPlaneNames.size()> planes;
  for (size_t i = 0; kTallies * (i + 1) <= totals.size() && i < planes.size(); ++i) {
    const std::span<const double> plane = totals.subspan(kTallies * i, kTallies);
    planes[i].squared = static_cast<ExactSum>(plane[0]) * static_cast<ExactSum>(kUpperUnit) + static_cast<ExactSum>(plane[1]);
    planes[i].samples = static_cast<int64_t>(plane[2]);
  }
  const std::vector<std::string> names = aggregate_names(plan.options);
  const std::vector<double> values = Scorer(plan.options, plan.bit_depth).aggregates(planes);
  std::vector<std::pair<std::string, double>> result;
  for (size_t i = 0; i < names.size(); ++i) result.emplace_back(names[i], values[i]);
  return result;
}

}  // namespace vq::psnr
