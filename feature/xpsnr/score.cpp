// From the sums of blocks to figures.
#include <hwy/base.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "feature/xpsnr/plan.h"

namespace vq::xpsnr {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kLargestSmoothed = 640 * 480;
// By how much change counts more than detail.
constexpr uint64_t kTemporalFactor = 2;

int64_t luma_samples(const XpsnrPlan& plan) {
  return int64_t{plan.form.grid.plane.width} * plan.form.grid.plane.height;
}

// The weight of a block, before its neighbours count.
double weight_of(const XpsnrPlan& plan, int column, int row, const Activity& activity) {
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
void smooth(const Grid& grid, size_t k, std::vector<double>& weights) {
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
double picture_factor(const XpsnrPlan& plan) {
  return std::sqrt(16.0 * static_cast<double>(int64_t{1} << (2 * plan.bit_depth - 9)) /
                   std::sqrt(std::max(0.00001, relative_size(plan.form.grid.plane))));
}

double decibels(double squared_peaks, double root) {
  return root >= 1 ? 10.0 * std::log10(squared_peaks / (root * root)) : kInfinity;
}

// The sum of a plane's largest squared errors.
double squared_peaks(const XpsnrPlan& plan, size_t plane) {
  const PlaneSize size = plan.grids[plane].plane;
  const int64_t peak = (int64_t{1} << plan.bit_depth) - 1;
  return static_cast<double>(int64_t{size.width} * size.height * peak * peak);
}

// As many as metric_names(), for the figures of planes. Luma counts for four of six parts.
std::vector<double> with_summaries(std::vector<double> planes) {
  const auto error = [&](size_t i) { return std::pow(10.0, -planes[i] / 10.0); };
  const bool has_chroma = planes.size() == kMaxPlanes;
  planes.push_back(*std::min_element(planes.begin(), planes.end()));
  if (has_chroma) planes.push_back(-10.0 * std::log10((4.0 * error(0) + error(1) + error(2)) / 6.0));
  return planes;
}

}  // namespace

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
std::vector<std::pair<std::string, double>> aggregates(const XpsnrPlan& plan,
                                                       std::span<const double> totals) {
  const auto count = static_cast<size_t>(plan.planes);
  if (totals.size() <= count) return {};
  const double frames = totals[count];
  std::vector<double> planes;
  for (size_t i = 0; i < count; ++i)
    planes.push_back(totals[i] >= frames ? decibels(squared_peaks(plan, i), totals[i] / frames) : kInfinity);
  const std::vector<std::string> names = metric_names({.chroma = count > 1});
  const std::vector<double> values = with_summaries(std::move(planes));
  std::vector<std::pair<std::string, double>> result;
  for (size_t i = 0; i < names.size(); ++i) result.emplace_back(names[i], values[i]);
  return result;
}

}  // namespace vq::xpsnr
