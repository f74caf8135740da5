// What is shown while the shards of a plan are scored: one line for all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster/plan_work.h"
#include "cli/run/progress.h"
#include "cli/run/status_line.h"

namespace vq::cli {

// How progress is shown on standard error.
ProgressSettings shard_progress_settings(ProgressForm form, bool is_quiet);

// Not for several threads at once.
class ShardProgress {
 public:
  // `settings` but for total, label and metric. `at_start`: what was done before.
  ShardProgress(const ProgressSettings& settings, ProgressPort port, size_t shards,
                const WorkState& at_start);

  // Draws, however often it is called, a line every ten seconds at most where lines stay.
  void show(const WorkState& state);
  // As those of Progress.
  void clear() { line_.clear(); }
  void finish(const WorkState& state);

 private:
  std::optional<double> seconds_left(const WorkState& state) const;
  std::vector<StatusPart> parts(const WorkState& state) const;
  std::string json_line(const std::string& event, const WorkState& state) const;

  const ProgressForm form_;
  const ProgressPort port_;
  const size_t shards_;
  const double start_, share_at_start_;
  double next_line_;
  StatusLine line_;
};

}  // namespace vq::cli
