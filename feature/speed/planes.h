// From a plane to the figures of its blocks: the stages in their order; and from those to scores.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "core/frame.h"
#include "core/plane.h"
#include "feature/speed/stages.h"

namespace vq::speed {

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

// What becomes of a plane.
struct PlaneFigures {
  std::vector<float> variances, entropies;  // one for each block, and padding; unset where singular
  bool is_singular = false;
};

// Memory for the figures of one plane after another. Throws std::bad_alloc.
struct FigureWorkspace {
  explicit FigureWorkspace(const PlanePlan& plan);
  static int64_t bytes(const PlanePlan& plan);

  Plane<float> operating, means;  // means: two rows
  std::vector<float> y, x;
  PlaneFigures reference, distorted;
};

// The same, and memory to reduce planes. Throws std::bad_alloc.
struct Workspace : FigureWorkspace {
  explicit Workspace(const PlanePlan& plan);
  static int64_t bytes(const PlanePlan& plan);

  RowRing source_rows, filtered_rows;
  Plane<float> reduced, column_sums;  // column_sums: a row
  Plane<float> after;                 // a row of the source, if one is subtracted
};

// Fills a row of floats of source.width.
using SourceRow = std::function<void(int y, float* out)>;

class PlaneReader {
 public:
  PlaneReader(const SpeedStages& stages, const SpeedPlan& plan) : stages_(stages), plan_(plan) {}

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

  const SpeedStages& stages_;
  const SpeedPlan& plan_;
};

struct PlaneScore {
  float value = 0;
  bool is_marked = false;  // one of the planes is singular: the score, 0, says nothing
};
PlaneScore plane_score(const SpeedPlan& plan, const PlaneFigures& reference, const PlaneFigures& distorted);

// What is reported of U and V, in the order of chroma_metric_names(): each, and their mean, or the one that
// is not marked.
std::array<double, 3> chroma_values(const PlaneScore& u, const PlaneScore& v, double max_value);

// The features on the CPU, for videos of the plan.
std::unique_ptr<HostFeature> make_chroma_feature(const SpeedPlan& plan, const Execution& execution);
std::unique_ptr<HostFeature> make_temporal_feature(const SpeedPlan& plan, const Execution& execution);

}  // namespace vq::speed
