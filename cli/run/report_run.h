// Last step of a run, and of a merge of its parts: the report of what was found.
#pragma once

#include "cli/run/evaluate_run.h"
#include "cli/run/run_record.h"
#include "cli/run/settled_run.h"
#include "engine/report/report.h"

namespace vq::cli {

// What a run took, and what is known of it beside its scores and its record.
struct RunAccount {
  RunFacts facts;         // inputs, features, models, backend and device, crop, threads
  BackendReport backend;  // stages, bytes and numbers of frames
  PaceFacts pace;
  double wall_seconds = 0;
  bool is_complete = false;
  std::vector<std::string> warnings = {};
};

// `report` has the scores, as Evaluator gives them.
Report report_run(Report report, const RunRecord& record, RunAccount account);

// Of a scoring run, whatever it has scored so far. `warnings`: those it gave.
Report report_run(const SettledRun& run, const RunEvaluation& evaluation,
                  const std::vector<std::string>& warnings);

}  // namespace vq::cli
