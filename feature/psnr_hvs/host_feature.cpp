#include "feature/psnr_hvs/feature.h"

#include "feature/psnr_hvs/stages.h"
#include "feature/simd_targets.h"
#include "feature/workspace_pool.h"

namespace vq::psnr_hvs {
namespace {

class PsnrHvsHost final : public HostFeature {
 public:
  PsnrHvsHost(const PsnrHvsPlan& plan, const Execution& execution)
      : plan_(plan),
        error_sum_(host_stage(execution, scalar::error_sum, simd::error_sum_for)),
        simd_(host_simd(execution)),
        bands_([width = plan.sizes[0].width] { return std::make_unique<Bands>(width); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto bands = bands_.take();
    std::array<float, kMaxPlanes> sums;
    for (size_t i = 0; i < sums.size(); ++i) {
      const Samples reference = {frames.reference.value().planes[i], plan_.reference_shift};
      const Samples distorted = {frames.distorted.planes[i], plan_.distorted_shift};
      sums[i] = error_sum_(reference, distorted, plan_.weights[i], *bands);
    }
    return {.values = scores(plan_, sums)};
  }

  std::string simd() const override { return simd_; }

 private:
  const PsnrHvsPlan plan_;
  const ErrorSum error_sum_;
  const std::string simd_;
  WorkspacePool<Bands> bands_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const PsnrHvsPlan& plan, const Execution& execution) {
  return std::make_unique<PsnrHvsHost>(plan, execution);
}

}  // namespace vq::psnr_hvs
