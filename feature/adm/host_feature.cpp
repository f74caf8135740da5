#include "feature/adm/host_feature.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/ordered_frames.h"
#include "core/worker_pool.h"
#include "feature/adm/driver.h"
#include "feature/simd_targets.h"
#include "feature/workspace_pool.h"

namespace vq::adm {
namespace {

AdmStages stages_for(const Execution& execution) {
  const std::optional<SimdTarget> target = host_target(execution);
  return target ? simd_stages(target->id) : scalar_stages();
}

// The sums have room for the depth's range and no more. Throws Error{kMismatch} that names the first sample beyond it.
void check_samples(const Frame& frame, const VideoFormat& video) {
  const PlaneView<const uint16_t>& luma = frame.luma().u16;
  const int most = (1 << video.bit_depth) - 1;
  for (int y = 0; y < luma.height && luma.data != nullptr; ++y) {
    const uint16_t* const row = luma.row(y);
    unsigned bits = 0;
    for (int x = 0; x < luma.width; ++x) bits |= row[x];
    if (bits <= static_cast<unsigned>(most)) continue;
    const auto x = std::find_if(row, row + luma.width, [&](int sample) { return sample > most; }) - row;
    const Error error(ErrorKind::kMismatch, "luma sample " + std::to_string(row[x]) + " at x=" + std::to_string(x) +
                                                ", y=" + std::to_string(y) + " exceeds " + std::to_string(most) +
                                                ", the maximum of " + std::to_string(video.bit_depth) + "-bit video.");
    throw at_frame(error, video.name, frame.index);
  }
}

class AdmHost final : public HostFeature {
 public:
  AdmHost(const AdmPlan& plan, const InputFormats& formats, const Execution& execution)
      : plan_(plan),
        formats_(formats),
        stages_(stages_for(execution)),
        simd_(host_simd(execution)),
        workspaces_([this] { return std::make_unique<Workspace>(plan_); }) {}

  FrameResult score(const FramePair& frames) override {
    check_samples(frames.distorted, formats_.distorted);
    check_samples(frames.reference.value(), formats_.reference.value());
    const Samples reference = {frames.reference.value().luma(), plan_.videos.reference_shift};
    const Samples distorted = {frames.distorted.luma(), plan_.videos.distorted_shift};
    const auto workspace = workspaces_.take();
    return {.values = frame_scores(plan_, sum_frame(reference, distorted, plan_, stages_, *workspace))};
  }

  std::string simd() const override { return simd_; }

 private:
  const AdmPlan plan_;
  const InputFormats formats_;
  const AdmStages stages_;
  const std::string simd_;
  WorkspacePool<Workspace> workspaces_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const AdmPlan& plan, const InputFormats& formats, const Execution& execution) {
  return std::make_unique<AdmHost>(plan, formats, execution);
}

FeatureMemory host_memory(const AdmPlan& plan, const Execution& execution) {
  const int64_t threads = execution.pool == nullptr ? 1 : execution.pool->size();
  return {.fixed = threads * Workspace::bytes(plan)};
}

}  // namespace vq::adm
