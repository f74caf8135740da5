#include "cli/run/report_run.h"

#include <algorithm>
#include <utility>

#include "cli/run/run_facts.h"
#include "core/version.h"
#include "engine/report/run_pace.h"

namespace vq::cli {
namespace {

std::vector<InputFacts> inputs_of(const SettledRun& run) {
  PairReader& reader = *run.reader;
  std::vector<InputFacts> inputs;
  const auto add = [&](const char* role, FrameReader& video, int64_t skipped, ShorterVideo other) {
    // Whether the end of one that goes on behind the other was read ahead is chance.
    const auto length = reader.shorter() == other ? std::nullopt : video.measured_length();
    inputs.push_back(input_facts(role, video.source_info(), reader.pairs_read(), length));
    inputs.back().skipped = skipped;
    inputs.back().decoder = video.decoders();
  };
  add("distorted", reader.distorted(), run.options.skip_distorted, ShorterVideo::kReference);
  if (reader.reference())
    add("reference", *reader.reference(), run.options.skip_reference, ShorterVideo::kDistorted);
  return inputs;
}

RunFacts facts_of(const SettledRun& run, const BackendReport& backend) {
  RunFacts facts;
  facts.inputs = inputs_of(run);
  for (const FeatureRequest& request : run.options.features) {
    facts.features.push_back(feature_facts(request));
    facts.readings.push_back(reading_facts(request, run.formats));
  }
  facts.models = run.models();
  facts.backend = backend.backend;
  facts.device = backend.device;
  facts.driver = backend.driver;
  facts.simd = backend.simd;
  const auto crop = [](const Rectangle& r) { return CropFacts{r.width, r.height, r.x, r.y}; };
  if (run.crop.distorted) facts.crop = crop(*run.crop.distorted);
  if (run.options.reference_crop && run.crop.reference) facts.reference_crop = crop(*run.crop.reference);
  facts.threads = run.threads();
  return facts;
}

}  // namespace

Report report_run(Report report, const RunRecord& record, RunAccount account) {
  const BackendReport& backend = account.backend;
  report.version = version();
  report.width = record.formats().distorted.width;
  report.height = record.formats().distorted.height;
  report.fps = static_cast<double>(report.frames.size()) / std::max(account.wall_seconds, 1e-6);
  RunFacts& run = report.run = std::move(account.facts);
  run.gpu_milliseconds.clear();
  for (const StageTotal& stage : backend.stages) run.gpu_milliseconds.emplace_back(stage.stage, stage.ms);
  run.stages = stage_facts(backend, record.options().features, record.formats());
  if (!tells_stages(record.options())) run.stages.clear();
  run.pace = account.pace;
  run.bytes_uploaded = backend.bytes_uploaded;
  run.bytes_read = backend.bytes_read;
  run.wall_seconds = microseconds(account.wall_seconds);
  run.complete = account.is_complete;
  run.repeated_frames = backend.repeated_frames;
  run.warnings = std::move(account.warnings);
  record.fill(report);
  return report;
}

Report report_run(const SettledRun& run, const RunEvaluation& evaluation,
                  const std::vector<std::string>& warnings) {
  const PaceFacts pace = evaluation.pace();
  const BackendReport backend = evaluation.evaluator().backend_report();
  Report scores;
  evaluation.evaluator().fill(scores);
  return report_run(std::move(scores), evaluation.record(),
                    {.facts = facts_of(run, backend),
                     .backend = backend,
                     .pace = pace,
                     .wall_seconds = total_seconds(pace),
                     .is_complete = evaluation.is_complete(),
                     .warnings = warnings});
}

}  // namespace vq::cli
