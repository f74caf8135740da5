#include "cli/run/run_record.h"

#include <algorithm>
#include <utility>

#include "cli/inputs/pair_remarks.h"
#include "cli/inputs/scoring_remarks.h"
#include "cli/inputs/wording.h"
#include "cli/run/run_facts.h"
#include "core/text/message_text.h"
#include "engine/report/segment_report.h"

namespace vq::cli {
namespace {

// As the run numbers frames.
std::vector<int64_t> given_cuts(const GivenScenes& scenes, int64_t skipped) {
  std::vector<int64_t> cuts = scenes.list.starts;
  for (int64_t& cut : cuts) cut -= scenes.list.is_own ? 0 : skipped;
  return cuts;
}

}  // namespace

RunRecord::RunRecord(const RunOptions& options, const VideoFormats& formats, const Execution& execution)
    : options_(options), formats_(formats), cell_sums_(signature::cell_sums_for(execution)) {
  if (finds_scenes(options)) scene_cuts_.emplace();
  if (options.scenes) possible_cuts_ = given_cuts(*options.scenes, options.skip_distorted);
  if (!formats.reference || !any_compares(options.features)) return;
  pair_watch_ = std::make_unique<PairWatch>(
      formats, execution, Skips{.reference = options.skip_reference, .distorted = options.skip_distorted});
  const bool is_off = options.align && options.align->is_off();
  if (options.pairs_by_time || is_off) pair_watch_->ignore_shifts();
}

void RunRecord::add_notes(const std::vector<std::string>& notes) {
  notes_.insert(notes_.end(), notes.begin(), notes.end());
}

void RunRecord::add_faults(const std::vector<PairFault>& faults) {
  if (!options_.is_vmaf) pair_faults_.insert(pair_faults_.end(), faults.begin(), faults.end());
}

// Who scores the pair all the same wants all misplaced frames.
void RunRecord::expect(int64_t pairs) {
  if (pair_watch_ && !options_.compare_anyway) pair_watch_->expect(pairs);
}

void RunRecord::ignore_bars() {
  if (pair_watch_) pair_watch_->ignore_bars();
}

void RunRecord::keep(PartFindings& findings, std::function<void()> judge_beginning) {
  findings_ = &findings;
  judge_beginning_ = std::move(judge_beginning);
  findings.watches_pairs = pair_watch_ != nullptr;
  findings.formats = formats_;
  if (!pair_watch_) return;
  pair_watch_->pass_on([this](int64_t frame, const Signature& reference, const Signature& distorted) {
    findings_->pairs.push_back({.frame = frame, .scene = {}, .distorted = distorted, .reference = reference});
  });
}

void RunRecord::look(const FramePair& pair) {
  if (pair_watch_) pair_watch_->look(pair);
  if (scene_cuts_) look_for_scenes(pair);
  if (options_.sampling.every > 1) types_.look(pair.distorted.type, pair.is_reported);
}

// Frames are in memory here whatever the backend.
void RunRecord::look_for_scenes(const FramePair& pair) {
  const Signature scene = pair_watch_ && pair.reference
                              ? pair_watch_->distorted()
                              : signature_of(pair.distorted, formats_.distorted, cell_sums_);
  if (findings_ == nullptr) {
    scene_cuts_->add(pair.index, scene);
    if (scene_cuts_->may_be_cut()) possible_cuts_.push_back(pair.index);
    return;
  }
  if (!pair_watch_) findings_->pairs.emplace_back();
  findings_->pairs.back().frame = pair.index;
  findings_->pairs.back().scene = scene;
}

void RunRecord::look(const LookedPair& pair) {
  if (pair_watch_) pair_watch_->add(pair.frame, pair.reference, pair.distorted);
  if (scene_cuts_) scene_cuts_->add(pair.frame, pair.scene);
}

void RunRecord::look_at_scored(const Frame& distorted) {
  if (options_.score_bits == 0) padding_.look(distorted);
}

void RunRecord::add(const PartFindings& part) {
  padding_.add(part.padding);
  types_.add(part.types);
  if (pair_watch_) pair_watch_->add_bars(part.bars);
}

// Frames are looked at before they are scored.
bool RunRecord::may_begin_scene_in(int64_t after, int64_t frame) const {
  const auto next = std::upper_bound(possible_cuts_.begin(), possible_cuts_.end(), after);
  return next != possible_cuts_.end() && *next <= frame;
}

void RunRecord::take_pair_faults(bool ended, const Warn& warn) {
  if (!pair_watch_) return;
  if (findings_ != nullptr) return judge_part();
  for (PairFault& fault : pair_watch_->take_faults(ended)) {
    fault.diagnostic = {in_words(fault.diagnostic)};
    add_faults({fault});
    refuse_pair_fault(fault, rules_of(options_));
    if (!options_.is_vmaf) warn(fault.diagnostic.text);
  }
}

void RunRecord::judge_part() {
  if (judge_beginning_ && is_not_comparable(pair_watch_->take_faults(false)))
    std::exchange(judge_beginning_, nullptr)();
}

void RunRecord::end(const Ending& ending, const Warn& warn) {
  take_pair_faults(true, warn);
  if (ending.shorter != ShorterVideo::kNone) {
    const bool is_distorted = ending.shorter == ShorterVideo::kDistorted;
    const ReadVideoEnd& shorter = is_distorted ? ending.distorted : *ending.reference;
    const ReadVideoEnd& longer = is_distorted ? *ending.reference : ending.distorted;
    const std::string text = shorter_text({.shorter = shorter.path,
                                           .longer = longer.path,
                                           .pairs = ending.pairs,
                                           .longer_frames = longer.declared_frames,
                                           .skipped = longer.skipped});
    warn(judge_lengths(text, ending.scored, options_.strict));
  }
  if (const auto remark = types_.remark(ending.distorted.path, options_.sampling)) warn(in_words(*remark));
  const std::string note = padding_note(options_.features, formats_, padding_.depth());
  if (!note.empty()) notes_.push_back(note);
}

void RunRecord::end_part(ShorterVideo shorter, int64_t pairs) {
  findings_->padding = padding_.state();
  findings_->types = types_.state();
  findings_->pairs_read = pairs;
  findings_->shorter = shorter;
  if (pair_watch_) findings_->bars = pair_watch_->looked_bars();
}

void RunRecord::fill(Report& report) const {
  RunFacts& run = report.run;
  run.arguments = options_.original;
  run.subsample = options_.sampling.every;
  run.sample_is_spread = options_.sampling.is_spread;
  run.notes = notes_;
  run.pair_faults = pair_faults_;
  if (scene_cuts_) run.scene_cuts = scene_cuts_->cuts();
  if (options_.scenes) run.scene_cuts = cuts_in(report, options_.scenes->list);
  run.segments = segments_of(report, options_.segments);
}

}  // namespace vq::cli
