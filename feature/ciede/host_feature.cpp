#include "feature/ciede/feature.h"

#include "core/worker_pool.h"
#include "feature/ciede/spread_rows.h"
#include "feature/ciede/stages.h"
#include "feature/simd_targets.h"
#include "feature/workspace_pool.h"

namespace vq::ciede {
namespace {

// Rows of both pictures.
struct Workspace {
  explicit Workspace(int width) : distorted(width), reference(width), differences(width, 1) {}

  struct Picture {
    explicit Picture(int width) : samples(width), colours(width, 3) {}
    LabRow<float> lab() { return {colours.row(0), colours.row(1), colours.row(2)}; }
    SpreadRows samples;
    Plane<float> colours;
  };
  Picture distorted, reference;
  Plane<float> differences;
};

class CiedeHost final : public HostFeature {
 public:
  CiedeHost(const CiedePlan& plan, const Execution& execution)
      : plan_(plan),
        colours_(host_stage(execution, scalar::colours, simd::colours_for)),
        differences_(host_stage(execution, scalar::differences, simd::differences_for)),
        simd_(host_simd(execution)),
        workspaces_([this] { return std::make_unique<Workspace>(plan_.videos.size.width); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    const auto [width, height] = plan_.videos.size;
    float* const differences = workspace->differences.row(0);
    double sum = 0;
    for (int y = 0; y < height; ++y) {
      const LabRow<float> reference = colours(frames.reference.value(), plan_.reference, y, workspace->reference);
      const LabRow<float> distorted = colours(frames.distorted, plan_.distorted, y, workspace->distorted);
      differences_({reference.l, reference.a, reference.b}, {distorted.l, distorted.a, distorted.b}, width, differences);
      for (int x = 0; x < width; ++x) sum += differences[x];
    }
    return {.values = {ciede::score(plan_, sum)}};
  }

  std::string simd() const override { return simd_; }

 private:
  LabRow<float> colours(const Frame& frame, const Spread& spread, int y, Workspace::Picture& picture) const {
    picture.samples.fill(frame, spread, y);
    colours_(picture.samples.row(plan_.videos.bit_depth), picture.lab());
    return picture.lab();
  }

  const CiedePlan plan_;
  const Colours colours_;
  const Differences differences_;
  const std::string simd_;
  WorkspacePool<Workspace> workspaces_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const CiedePlan& plan, const Execution& execution) {
  return std::make_unique<CiedeHost>(plan, execution);
}

// Three rows of samples and colours for each picture, one of differences, and their guards.
FeatureMemory host_memory(const CiedePlan& plan, const Execution& execution) {
  const int64_t row = int64_t{plan.videos.size.width} * static_cast<int64_t>(sizeof(float)) + 2 * int64_t{kRowGuardBytes};
  return {.fixed = thread_count(execution) * 13 * row};
}

}  // namespace vq::ciede
