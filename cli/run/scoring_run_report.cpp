// What a run found, as a report.
#include <algorithm>

#include "cli/run/run_facts.h"
#include "cli/run/scoring_run.h"
#include "core/version.h"
#include "engine/report/run_pace.h"

namespace vq::cli {

PaceFacts ScoringRun::pace() const {
  double waited = reader_->distorted().waited();
  if (reader_->reference()) waited += reader_->reference()->waited();
  return pace_of(clock_.totals(), waited);
}

std::vector<ModelFacts> ScoringRun::models() const {
  std::vector<ModelFacts> facts;
  for (const ModelOfRun& model : arguments_.models) {
    if (model.has_scores)
      facts.push_back(model_facts(model, arguments_.features, formats_, reference_rate()));
  }
  return facts;
}

Report ScoringRun::report() const {
  Report report;
  report.version = version();
  const PaceFacts pace = this->pace();
  const double wall = total_seconds(pace);
  report.width = formats_.distorted.width;
  report.height = formats_.distorted.height;
  evaluator_->fill(report);
  report.fps = static_cast<double>(report.frames.size()) / std::max(wall, 1e-6);
  const BackendReport backend = evaluator_->backend_report();
  RunFacts& run = report.run;
  using Shorter = PairReader::Shorter;
  const auto add_input = [&](const char* role, FrameReader& video, int64_t skipped) {
    // Whether the end of one that goes on behind the other was read ahead is chance.
    const bool goes_on =
        reader_->shorter() == (&video == &reader_->distorted() ? Shorter::kReference : Shorter::kDistorted);
    const auto length = goes_on ? std::nullopt : video.measured_length();
    run.inputs.push_back(input_facts(role, video.source_info(), reader_->pairs_read(), length));
    run.inputs.back().skipped = skipped;
    run.inputs.back().decoder = video.decoders();
  };
  add_input("distorted", reader_->distorted(), arguments_.skip_distorted);
  if (reader_->reference()) add_input("reference", *reader_->reference(), arguments_.skip_reference);
  for (const FeatureRequest& request : arguments_.features) run.features.push_back(feature_facts(request));
  run.models = models();
  run.backend = backend.backend;
  run.device = backend.device;
  run.driver = backend.driver;
  run.simd = backend.simd;
  for (const StageTotal& stage : backend.stages) run.gpu_milliseconds.emplace_back(stage.stage, stage.ms);
  run.stages = stage_facts(backend, arguments_.features, formats_);
  run.pace = pace;
  run.bytes_uploaded = backend.bytes_uploaded;
  run.bytes_read = backend.bytes_read;
  const auto facts = [](const Rectangle& r) { return CropFacts{r.width, r.height, r.x, r.y}; };
  if (crop_.distorted) run.crop = facts(*crop_.distorted);
  if (arguments_.reference_crop && crop_.reference) run.reference_crop = facts(*crop_.reference);
  run.threads = threads_;
  run.wall_seconds = microseconds(wall);
  run.complete = complete_;
  run.repeated_frames = backend.repeated_frames;
  run.warnings = messages_.warnings();
  record_.fill(arguments_, report);
  return report;
}

}  // namespace vq::cli
