#include "feature/bounds/feature.h"

#include "feature/simd_targets.h"

namespace vq::bounds {
namespace {

class BoundsHost final : public HostFeature {
 public:
  BoundsHost(const BoundsPlan& plan, const Execution& execution)
      : plan_(plan), count_lit_(count_lit_for(execution)), simd_(host_simd(execution)) {}

  FrameResult score(const FramePair& frames) override {
    LitCounts counts(plan_.width, plan_.height);
    count_lit_(frames.distorted.luma(), plan_.rule.black, counts);
    return frame_result(plan_, lit_area(counts, plan_.rule));
  }

  std::string simd() const override { return simd_; }

 private:
  const BoundsPlan plan_;
  const CountLit count_lit_;
  const std::string simd_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const BoundsPlan& plan, const Execution& execution) {
  return std::make_unique<BoundsHost>(plan, execution);
}

}  // namespace vq::bounds
