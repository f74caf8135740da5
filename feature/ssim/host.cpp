#include "feature/ssim/plan.h"

#include <algorithm>
#include <array>

#include "core/workspace_pool.h"
#include "feature/simd_targets.h"
#include "feature/ssim/ssim.h"

namespace vq::ssim {
namespace {

// Both pictures at a scale and at the one before, in turn.
struct Workspace {
  explicit Workspace(const SsimPlan& plan) : scratch(plan.videos.size.width) {
    for (size_t k = 0; k < std::min(pictures.size(), plan.sizes.size()); ++k) {
      for (Plane<float>& picture : pictures[k])
        picture = Plane<float>(plan.sizes[k].width, plan.sizes[k].height);
    }
  }

  std::array<std::array<Plane<float>, 2>, 2> pictures;
  Scratch scratch;
};

class SsimHost final : public HostFeature {
 public:
  SsimHost(const SsimPlan& plan, const Execution& execution)
      : plan_(plan),
        stages_(stages_for(execution)),
        simd_(host_simd(execution)),
        workspaces_([this] { return std::make_unique<Workspace>(plan_); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    const Frame& reference = frames.reference.value();
    const std::array<Luma, 2> videos = {Luma{frames.distorted.luma(), frames.distorted.bit_depth},
                                        Luma{reference.luma(), reference.bit_depth}};
    std::vector<Similarity> scales;
    for (size_t k = 0; k < plan_.sizes.size(); ++k) {
      for (size_t i = 0; i < videos.size(); ++i) {
        if (k == 0) {
          stages_.shrink(videos[i], plan_.factor, workspace->scratch, picture(*workspace, i, k));
        } else {
          stages_.halve(picture(*workspace, i, k - 1), workspace->scratch, picture(*workspace, i, k));
        }
      }
      scales.push_back(
          stages_.compare(picture(*workspace, 0, k), picture(*workspace, 1, k), workspace->scratch));
    }
    return {.values = frame_values(plan_, scales)};
  }

  std::string simd() const override { return simd_; }

 private:
  static Stages stages_for(const Execution& execution) {
    return {.shrink = host_stage(execution, scalar::shrink, simd::shrink_for),
            .halve = host_stage(execution, scalar::halve, simd::halve_for),
            .compare = host_stage(execution, scalar::compare, simd::compare_for)};
  }
  PlaneView<float> picture(Workspace& workspace, size_t video, size_t scale) const {
    const PlaneSize size = plan_.sizes[scale];
    return workspace.pictures[scale % 2][video].view(size.width, size.height);
  }

  const SsimPlan plan_;
  const Stages stages_;
  const std::string simd_;
  WorkspacePool<Workspace> workspaces_;
};

int64_t bytes_of(const SsimPlan& plan) {
  constexpr int64_t kEachRow = Scratch::kFloatRows * sizeof(float) + Scratch::kDoubleRows * sizeof(double);
  int64_t bytes = kEachRow * plan.videos.size.width;
  for (size_t k = 0; k < std::min<size_t>(2, plan.sizes.size()); ++k) {
    bytes += int64_t{2} * plan.sizes[k].width * plan.sizes[k].height * static_cast<int64_t>(sizeof(float));
  }
  return bytes;
}

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const SsimPlan& plan, const Execution& execution) {
  return std::make_unique<SsimHost>(plan, execution);
}

FeatureMemory host_memory(const SsimPlan& plan, const Execution& execution) {
  return {.fixed = thread_count(execution) * bytes_of(plan)};
}

}  // namespace vq::ssim
