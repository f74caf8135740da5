#include "feature/xpsnr/plan.h"

#include <algorithm>
#include <cmath>

#include "feature/metric_type.h"

namespace vq::xpsnr {
namespace {

constexpr double kFastRate = 32;
constexpr int64_t kLargestInSamples = 2048 * 1152;

int64_t samples_of(PlaneSize size) {
  return int64_t{size.width} * size.height;
}

// Of luma; less than 4: the picture is too small.
int block_side(PlaneSize luma) {
  return 4 * static_cast<int>(32.0 * std::sqrt(relative_size(luma)) + 0.5);
}

int divided_up(int a, int b) {
  return (a + b - 1) / b;
}

// Chroma has blocks of its own size at the places of luma's. Where a format rounds its sides down, blocks are
// those of sides rounded up.
Grid grid_of(const VideoFormat& format, const Grid& luma, int plane) {
  Grid grid = luma;
  const PlaneSize whole = plane_size(luma.plane, format.chroma, plane);
  grid.plane = plane_size(format, plane);
  grid.block = {luma.block.width * whole.width / luma.plane.width,
                luma.block.height * whole.height / luma.plane.height};
  return grid;
}

}  // namespace

double relative_size(PlaneSize luma) {
  return static_cast<double>(samples_of(luma)) / (3840.0 * 2160.0);
}

std::vector<std::string> Xpsnr::names(const Options& options) {
  if (!options.chroma) return {"xpsnr_y", "xpsnr_min"};
  return {"xpsnr_y", "xpsnr_u", "xpsnr_v", "xpsnr_min", "xpsnr_weighted"};
}

bool is_fast(double fps) {
  return fps >= kFastRate;
}

XpsnrPlan Xpsnr::make_plan(const Options& options, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos("xpsnr", formats);
  if (options.chroma) require_same_chroma("xpsnr", formats, "enable_chroma=false");
  XpsnrPlan plan;
  plan.planes = std::min(planes(options), plane_count(formats.distorted.chroma));
  plan.bit_depth = videos.bit_depth;
  plan.distorted_shift = videos.distorted_shift;
  plan.reference_shift = videos.reference_shift;
  const int side = block_side(videos.size);
  plan.is_weighted = side > 0;
  Grid& luma = plan.form.grid;
  luma.plane = videos.size;
  luma.block = plan.is_weighted ? PlaneSize{side, side} : videos.size;
  luma.columns = divided_up(luma.plane.width, luma.block.width);
  luma.rows = divided_up(luma.plane.height, luma.block.height);
  plan.form.in_cells = samples_of(videos.size) > kLargestInSamples;
  plan.form.is_second_order = is_fast(options.fps);
  for (int i = 0; i < plan.planes; ++i)
    plan.grids[static_cast<size_t>(i)] = grid_of(formats.distorted, luma, i);
  return plan;
}

BlockSums::BlockSums(const XpsnrPlan& plan) {
  if (plan.is_weighted) activities.resize(plan.form.grid.count());
  for (size_t i = 0; i < static_cast<size_t>(plan.planes); ++i) errors[i].resize(plan.grids[i].count());
}

int64_t BlockSums::bytes(const XpsnrPlan& plan) {
  const size_t each = sizeof(Activity) + static_cast<size_t>(plan.planes) * sizeof(uint64_t);
  return static_cast<int64_t>(plan.form.grid.count() * each);
}

}  // namespace vq::xpsnr
