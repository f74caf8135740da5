#include "cli/run/run_record.h"

#include <algorithm>

#include "cli/run/pair_reader.h"
#include "cli/run/pair_remarks.h"
#include "cli/run/run_facts.h"
#include "cli/run/scoring_remarks.h"
#include "cli/run/wording.h"
#include "engine/report/segment_report.h"

namespace vq::cli {

bool tells_stages(const RunOptions& options) {
  return options.extended || writes_page(options);
}

bool tells_scenes(const RunOptions& options) {
  return writes_page(options) ||
         std::any_of(options.outputs.begin(), options.outputs.end(), [&](const OutputRequest& output) {
           return (output.format == ReportFormat::kJson && options.extended) ||
                  (output.format && zone_form(*output.format));
         });
}

void RunRecord::watch_pairs(const VideoFormats& formats, const Execution& execution, const Skips& skips) {
  pair_watch = std::make_unique<PairWatch>(formats, execution, skips);
}

void RunRecord::warn_of_pairs(bool ended, const std::vector<FeatureRequest>& features, const Warn& warn) {
  if (!pair_watch) return;
  for (const PairWarning& warning : pair_watch->take_warnings(ended)) {
    const std::string text = in_words(warning.diagnostic);
    warn(text);
    if (warning.is_fault && any_compares(features)) pair_faults.push_back(text);
  }
}

void RunRecord::refuse_pair_faults() const {
  if (!pair_faults.empty()) throw PairFault(pair_faults.front(), "--strict is set");
}

void RunRecord::end(const RunOptions& options, const std::vector<FeatureRequest>& features,
                    const VideoFormats& formats, const Ending& ending, const Warn& warn) {
  warn_of_pairs(true, features, warn);
  if (options.strict) refuse_pair_faults();
  if (ending.shorter != ShorterVideo::kNone) {
    const bool is_distorted = ending.shorter == ShorterVideo::kDistorted;
    const ReadVideoEnd& shorter = is_distorted ? ending.distorted : *ending.reference;
    const ReadVideoEnd& longer = is_distorted ? *ending.reference : ending.distorted;
    const std::string text = shorter_text({.shorter = shorter.path,
                                           .longer = longer.path,
                                           .pairs = ending.pairs,
                                           .longer_frames = longer.declared_frames,
                                           .skipped = longer.skipped});
    warn(judge_lengths(text, ending.scored, options.strict));
  }
  if (const auto remark = types.remark(ending.distorted.path, options.sampling)) warn(in_words(*remark));
  const std::string note = padding_note(features, formats, padding.depth());
  if (!note.empty()) notes.push_back(note);
}

void RunRecord::fill(const RunOptions& options, Report& report) const {
  RunFacts& run = report.run;
  run.arguments = options.original;
  run.subsample = options.sampling.every;
  run.sample_is_spread = options.sampling.is_spread;
  run.notes = notes;
  run.pair_faults = pair_faults;
  if (scene_cuts) run.scene_cuts = scene_cuts->cuts();
  run.segments = segments_of(report, options.segments);
}

}  // namespace vq::cli
