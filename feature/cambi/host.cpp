#include "feature/cambi/host.h"

#include "core/worker_pool.h"
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

WorkspacePool::WorkspacePool(const CambiRun& run, WorkspaceUse use) {
  for (int i = 0; i < run.execution.pool->size(); ++i) {
    free_.push_back(std::make_unique<Workspace>(run.plans, use));
    if (run.execution.time_stages) free_.back()->clock = std::make_unique<StageClock>();
  }
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
  if (workspace->clock) {
    for (const StageTotal& total : workspace->clock->take()) add_stage_time(times_, total.stage, total.ms);
  }
  free_.push_back(std::move(workspace));
}

std::vector<StageTotal> WorkspacePool::stage_times() const {
  const std::lock_guard lock(mutex_);
  return times_;
}

}  // namespace vq::cambi
