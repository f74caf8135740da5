// What a run finds out about its videos while it reads them: how they lie, scenes, and what merges need of a part.
#include <algorithm>
#include <memory>

#include "cli/run/scoring_run.h"

namespace vq::cli {

void ScoringRun::watch_pairs() {
  if ((arguments_.align && arguments_.align->is_off()) || !reader_->reference()) return;
  pair_watch_ = std::make_unique<PairWatch>(formats_, execution(),
                                            Skips{arguments_.skip_reference, arguments_.skip_distorted});
  reader_->on_pair([this](const FramePair& pair) { pair_watch_->look(pair); });
}

// Of every frame of the range. Frames are in memory here whatever the backend.
void ScoringRun::watch_scenes() {
  const auto tells_them = [&](const OutputRequest& output) {
    return output.format == ReportFormat::kHtml ||
           (output.format == ReportFormat::kJson && arguments_.extended) ||
           (output.format && zone_form(*output.format));
  };
  if (std::none_of(arguments_.outputs.begin(), arguments_.outputs.end(), tells_them)) return;
  scene_cuts_.emplace();
  cell_sums_ = signature::cell_sums_for(execution());
  reader_->on_pair([this](const FramePair& pair) { look(pair); });
}

// Pairs are watched before they are looked at for scenes.
Signature ScoringRun::scene_of(const FramePair& pair) const {
  if (pair_watch_ && pair.reference) return pair_watch_->distorted();
  return signature_of(pair.distorted, formats_.distorted.range, cell_sums_);
}

void ScoringRun::look(const FramePair& pair) {
  const Signature scene = scene_of(pair);
  if (findings_ == nullptr) {
    scene_cuts_->add(pair.index, scene);
    if (scene_cuts_->may_be_cut()) possible_cuts_.push_back(pair.index);
    return;
  }
  if (!findings_->watches_pairs) findings_->pairs.emplace_back();
  findings_->pairs.back().frame = pair.index;
  findings_->pairs.back().scene = scene;
}

// Frames are looked at before they are scored.
bool ScoringRun::may_begin_scene_in(int64_t after, int64_t frame) const {
  const auto next = std::upper_bound(possible_cuts_.begin(), possible_cuts_.end(), after);
  return next != possible_cuts_.end() && *next <= frame;
}

void ScoringRun::keep(PartFindings& findings) {
  findings_ = &findings;
  findings.watches_pairs = pair_watch_ != nullptr;
  findings.formats = formats_;
  findings.distorted_frames = reader_->distorted().info().frames;
  if (reader_->reference()) findings.reference_frames = reader_->reference()->info().frames;
  if (!pair_watch_) return;
  pair_watch_->pass_on([this](int64_t frame, const Signature& reference, const Signature& distorted) {
    findings_->pairs.push_back({.frame = frame, .scene = {}, .distorted = distorted, .reference = reference});
  });
}

void ScoringRun::complete_findings() {
  findings_->padding = padding_.state();
  findings_->types = types_.state();
  findings_->pairs_read = reader_->pairs_read();
  findings_->shorter = reader_->shorter();
  if (!pair_watch_) return;
  findings_->distorted_bars = pair_watch_->distorted_bars();
  findings_->reference_bars = pair_watch_->reference_bars();
}

void ScoringRun::tell_of_pairs(const Watcher& watcher, bool ended) {
  if (!pair_watch_ || findings_ != nullptr) return;
  for (const PairWarning& warning : pair_watch_->take_warnings(ended)) {
    watcher.warn(warning.text);
    if (warning.is_fault && any_compares(features_)) pair_faults_.push_back(warning.text);
  }
}

void ScoringRun::refuse_pair_faults() const {
  if (arguments_.strict && !pair_faults_.empty()) throw PairFault(pair_faults_.front(), "--strict is set");
}

}  // namespace vq::cli
