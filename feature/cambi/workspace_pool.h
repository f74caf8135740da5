// What runs on the host, whatever the backend: its stages, and the workspaces that its tasks borrow.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "feature/cambi/driver.h"

namespace vq::cambi {

// The stages the host runs: those for the best instruction set that the CPU has and Execution::cpumask
// allows, the scalar ones where that is none or the backend is the scalar one.
struct HostStages {
  explicit HostStages(const Execution& execution);
  CambiStages stages;
  std::string name;  // of the instruction set, or "scalar"
};

// Hands each task a workspace nobody else uses; there are as many as threads, so none waits.
class WorkspacePool {
 public:
  WorkspacePool(const CambiPlans& plans, WorkspaceUse use, int count);
  std::unique_ptr<Workspace> take();
  void give_back(std::unique_ptr<Workspace> workspace);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

// A workspace for as long as this lives.
class Borrowed {
 public:
  explicit Borrowed(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
  ~Borrowed() { pool_.give_back(std::move(workspace_)); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Workspace& operator*() { return *workspace_; }

 private:
  WorkspacePool& pool_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace vq::cambi
