#include "feature/cambi/host.h"

#include "feature/simd_targets.h"

namespace vq::cambi {

HostStages::HostStages(const Execution& execution)
    : stages(host_stage(execution, scalar_stages(), simd_stages)), name(host_simd(execution)) {}

CambiRun::CambiRun(const CambiOptions& with, const InputFormats& formats, const Execution& on)
    : options(with),
      plans(make_plans(with, formats)),
      execution(on),
      name(formats.distorted.name),
      source_name(formats.reference ? formats.reference->name : name),
      host(on) {}

WorkspacePool::WorkspacePool(const CambiPlans& plans, WorkspaceUse use, int count) {
  for (int i = 0; i < count; ++i) free_.push_back(std::make_unique<Workspace>(plans, use));
}

std::unique_ptr<Workspace> WorkspacePool::take() {
  const std::lock_guard lock(mutex_);
  HWY_DASSERT(!free_.empty());
  std::unique_ptr<Workspace> workspace = std::move(free_.back());
  free_.pop_back();
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(workspace));
}

}  // namespace vq::cambi
