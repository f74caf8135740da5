#include "feature/fingerprint/feature.h"

#include "feature/simd_targets.h"

namespace vq::fingerprint {
namespace {

class FingerprintHost final : public HostFeature {
 public:
  FingerprintHost(const FingerprintPlan& plan, const Execution& execution)
      : plan_(plan),
        plane_sums_(host_stage(execution, scalar::plane_sums, simd::plane_sums_for)),
        simd_(host_simd(execution)) {}

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
  const PlaneSums plane_sums_;
  const std::string simd_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const FingerprintPlan& plan, const Execution& execution) {
  return std::make_unique<FingerprintHost>(plan, execution);
}

}  // namespace vq::fingerprint
