#include "feature/motion/feature.h"

#include "core/worker_pool.h"
#include "feature/motion/score.h"
#include "feature/motion/stages.h"
#include "feature/simd_targets.h"
#include "feature/workspace_pool.h"

namespace vq::motion {
namespace {

class MotionHost final : public HostFeature {
 public:
  MotionHost(const MotionOptions& options, const VideoFormat& reference, const Execution& execution)
      : options_(options),
        video_(reference),
        blurred_difference_(host_stage(execution, scalar::blurred_difference, simd::blurred_difference_for)),
        simd_(host_simd(execution)),
        rows_([width = reference.width] { return std::make_unique<Rows>(width); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto gap = static_cast<size_t>(options_.gap());
    if (options_.force_zero) return {.values = {0}};
    if (frames.references_before.size() < gap) return {.values = {0}};
    const Pictures pictures = {.before = frames.references_before[gap - 1].luma(),
                               .now = frames.reference.value().luma(),
                               .bit_depth = video_.bit_depth};
    const auto rows = rows_.take();
    return {.values = {pair_score(options_, blurred_difference_(pictures, *rows), {video_.width, video_.height})}};
  }

  std::string simd() const override { return simd_; }

 private:
  const MotionOptions options_;
  const VideoFormat video_;
  const BlurredDifference blurred_difference_;
  const std::string simd_;
  WorkspacePool<Rows> rows_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const MotionOptions& options, const VideoFormat& reference,
                                               const Execution& execution) {
  return std::make_unique<MotionHost>(options, reference, execution);
}

FeatureMemory host_feature_memory(const VideoFormat& reference, const Execution& execution) {
  // A row of 32 bits and two of 16, with padding and guards.
  constexpr int64_t kMargin = 256;
  return {.fixed = thread_count(execution) * int64_t{8} * (reference.width + kMargin)};
}

}  // namespace vq::motion
