#include "feature/speed/speed.h"

#include <algorithm>
#include <cmath>

namespace vq::speed {
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

double weight_of(float variance) {
  return static_cast<double>(1 + variance);
}
double mean_weight(float r, float d) {
  return 1 + static_cast<double>(r + d) / 2;
}
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
  out.is_singular = std::any_of(std::begin(eigenvalues), std::end(eigenvalues),
                                [](float value) { return static_cast<double>(value) < kLeastEigenvalue; });
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
