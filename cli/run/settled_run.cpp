#include "cli/run/settled_run.h"

#include "cli/inputs/run_inputs.h"
#include "cli/inputs/scoring_remarks.h"
#include "cli/run/run_devices.h"
#include "feature/extractor.h"
#include "feature/host_extractor.h"

namespace vq::cli {

int SettledRun::threads() const {
  return thread_count(options);
}

bool SettledRun::uses_reference() const {
  return frame_needs(options.features).reference;
}

std::optional<double> SettledRun::reference_rate() const {
  const FrameReader* const reference = reader->reference();
  return reference ? reference->info().frame_rate() : std::nullopt;
}

std::vector<Metric> SettledRun::metrics() const {
  return report_metrics(options.features, options.models);
}

std::vector<ModelFacts> SettledRun::models() const {
  std::vector<ModelFacts> facts;
  for (const ModelOfRun& model : options.models) {
    if (model.has_scores) facts.push_back(model_facts(model, options.features, formats, reference_rate()));
  }
  return facts;
}

std::vector<std::string> SettledRun::expectations() const {
  return expectation_notes(options.models, options.features, formats, reference_rate());
}

Execution execution_of(const SettledRun& run) {
  ScoringGroup* const group = run.options.group.get();
  Execution execution =
      execution_of(run.options, run.backend, group != nullptr ? &group->pool() : run.pool.get());
  execution.group = group;
  return execution;
}

}  // namespace vq::cli
