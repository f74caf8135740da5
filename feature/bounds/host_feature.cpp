#include "feature/bounds/host_feature.h"

#include "feature/simd_targets.h"

namespace vq::bounds {
namespace {

class BoundsHost final : public HostFeature {
 public:
  BoundsHost(const BoundsPlan& plan, const Execution& execution) : plan_(plan) {
    const std::optional<SimdTarget> target = host_target(execution);
    if (!target) return;
    count_lit_ = simd::count_lit_for(target->id);
    simd_ = target->name;
  }

  FrameResult score(const FramePair& frames) override {
    LitCounts counts(plan_.width, plan_.height);
    count_lit_(frames.distorted.luma(), plan_.rule.black, counts);
    return frame_result(plan_, lit_area(counts, plan_.rule));
  }

  std::string simd() const override { return simd_; }

 private:
  const BoundsPlan plan_;
  CountLit count_lit_ = scalar::count_lit;
  std::string simd_ = "scalar";
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const BoundsPlan& plan, const Execution& execution) {
  return std::make_unique<BoundsHost>(plan, execution);
}

}  // namespace vq::bounds
