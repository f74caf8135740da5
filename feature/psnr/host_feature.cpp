#include "feature/psnr/feature.h"

#include "feature/psnr/stages.h"
#include "feature/simd_targets.h"

namespace vq::psnr {
namespace {

class PsnrHost final : public HostFeature {
 public:
  PsnrHost(const PsnrPlan& plan, const Execution& execution)
      : plan_(plan),
        squared_error_(host_stage(execution, scalar::squared_error, simd::squared_error_for)),
        simd_(host_simd(execution)) {}

  FrameResult score(const FramePair& frames) override {
    std::vector<PlaneError> planes;
    for (size_t i = 0; i < static_cast<size_t>(plan_.planes); ++i) {
      const Samples distorted = {frames.distorted.planes[i], plan_.distorted_shift};
      const Samples reference = {frames.reference.value().planes[i], plan_.reference_shift};
      const PlaneSize size = plan_.sizes[i];
      planes.push_back({squared_error_(distorted, reference), int64_t{size.width} * size.height});
    }
    return frame_result(plan_, planes);
  }

  std::string simd() const override { return simd_; }

 private:
  const PsnrPlan plan_;
  const SquaredError squared_error_;
  const std::string simd_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const PsnrPlan& plan, const Execution& execution) {
  return std::make_unique<PsnrHost>(plan, execution);
}

}  // namespace vq::psnr
