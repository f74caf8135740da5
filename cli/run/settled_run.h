// A run with open videos, and everything that is known before the first frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/pair_crop.h"
#include "cli/inputs/pair_reader.h"
#include "cli/inputs/run_options.h"
#include "core/worker_pool.h"
#include "engine/backend_choice.h"
#include "engine/report/report.h"

namespace vq::cli {

struct SettledRun {
  RunOptions options;     // with the features and models that are computed, and the frames to skip
  BackendChoice backend;  // decided
  std::optional<Decision> decision = {};  // by which it was
  VideoFormats formats = {};              // of what is scored, after cropping and scaling
  PairCrop crop = {};
  std::unique_ptr<WorkerPool> pool = {};  // null: that of the group
  std::unique_ptr<PairReader> reader = {};
  std::vector<std::string> notes = {};      // see RunFacts
  std::vector<std::string> told = {};       // those of them that were messages as well
  std::vector<PairFault> pair_faults = {};  // the same

  int threads() const;
  bool uses_reference() const;
  std::optional<double> reference_rate() const;  // frames a second
  // Of all features and models, in the order of reports.
  std::vector<Metric> metrics() const;
  // The models whose scores are reported.
  std::vector<ModelFacts> models() const;
  // Expectations of the models that the pictures do not meet, one line for each.
  std::vector<std::string> expectations() const;
};

// How the features of the run are computed. Its devices have no open ones.
Execution execution_of(const SettledRun& run);

}  // namespace vq::cli
