#include "feature/fingerprint/host_feature.h"

#include "feature/simd_targets.h"

namespace vq::fingerprint {
namespace {

class FingerprintHost final : public HostFeature {
 public:
  FingerprintHost(const FingerprintPlan& plan, const Execution& execution) : plan_(plan) {
    const std::optional<SimdTarget> target = host_target(execution);
    if (!target) return;
    plane_sums_ = simd::plane_sums_for(target->id);
    simd_ = target->name;
  }

  FrameResult score(const FramePair& frames) override {
    std::vector<LaneSums> planes;
    for (int i = 0; i < plan_.planes; ++i) {
      planes.push_back(plane_sums_(frames.distorted.planes[static_cast<size_t>(i)], i));
    }
    return frame_result(plan_, planes);
  }

  std::string simd() const override { return simd_; }

 private:
  const FingerprintPlan plan_;
  PlaneSums plane_sums_ = scalar::plane_sums;
  std::string simd_ = "scalar";
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const FingerprintPlan& plan, const Execution& execution) {
  return std::make_unique<FingerprintHost>(plan, execution);
}

}  // namespace vq::fingerprint
