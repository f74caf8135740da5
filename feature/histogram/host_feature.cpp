#include "feature/histogram/feature.h"

#include <utility>

#include "feature/histogram/figures.h"
#include "feature/histogram/stages.h"
#include "feature/simd_targets.h"

namespace vq::histogram {
namespace {

class HistogramHost final : public HostFeature {
 public:
  HistogramHost(const HistogramPlan& plan, const Execution& execution)
      : plan_(plan),
        histograms_(execution.histograms),
        count_plane_(host_stage(execution, scalar::count_plane, simd::count_plane_for)),
        count_rgb_(host_stage(execution, scalar::count_rgb, simd::count_rgb_for)),
        simd_(host_simd(execution)) {}

  FrameResult score(const FramePair& frames) override {
    FrameCounts counts(plan_);
    const YcbcrPlanes& planes = frames.distorted.planes;
    if (plan_.is_rgb) {
      count_rgb_(planes, plan_.rgb, counts.channels);
    } else {
      for (size_t i = 0; i < plan_.channels.size(); ++i)
        count_plane_(planes[i], plan_.bins, counts.channels[i]);
    }
    return frame_result(plan_, std::move(counts), histograms_);
  }

  std::string simd() const override { return simd_; }

 private:
  const HistogramPlan plan_;
  const bool histograms_;
  const CountPlane count_plane_;
  const CountRgb count_rgb_;
  const std::string simd_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const HistogramPlan& plan, const Execution& execution) {
  return std::make_unique<HistogramHost>(plan, execution);
}

}  // namespace vq::histogram
