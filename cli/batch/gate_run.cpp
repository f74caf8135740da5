#include "cli/batch/gate_run.h"

#include "cli/run/run.h"
#include "cli/run/scoring_run.h"
#include "cli/system/progress.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"

namespace vq::cli {
namespace {

constexpr NumberStyle kExact = {NumberStyle::Kind::kShortest, 17};

ScoreTable table_of(const Report& report, const std::string& name) {
  // Only an extended report has texts.
  return parse_report(write_report(report, {ReportFormat::kJson, kExact, true}), name);
}

}  // namespace

GateResult run_backends(const RunOptions& arguments, const std::vector<Backend>& backends, int places,
                        Messages& messages) {
  GateResult result;
  result.places = places;
  std::optional<ScoreTable> first;
  for (const Backend backend : backends) {
    RunOptions own = arguments;
    own.backend = backend;
    // The first tells of a pair that is not aligned.
    if (first && !own.align) own.align = AlignRequest();
    ScoringRun run(own, messages);
    Progress progress(progress_settings(own, run.expected_frames(), std::string(to_string(backend))),
                      {seconds_now, write_stderr, terminal_width}, &messages);
    run.score({[&](double value) { progress.frame(value); }});
    progress.finish();
    if (own.stop.is_requested()) throw Error(ErrorKind::kIncomplete, "interrupted");
    const Report report = run.report();
    const ScoreTable table = table_of(report, std::string(to_string(backend)));
    if (!first) first = table;
    std::vector<std::string> decoders;
    for (const InputFacts& input : report.run.inputs) decoders.push_back(input.decoder);
    result.entries.push_back({.backend = report.run.backend,
                              .device = report.run.device,
                              .driver = report.run.driver,
                              .simd = report.run.simd,
                              .decoders = std::move(decoders),
                              .frames = static_cast<int64_t>(report.frames.size()),
                              .wall_seconds = report.run.wall_seconds,
                              .diff = diff_reports(*first, table, places)});
  }
  return result;
}

}  // namespace vq::cli
