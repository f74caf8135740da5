// What a run finds out about its videos while it reads them: how they lie, scenes, and what merges need of a
// part.
#include <algorithm>
#include <memory>

#include "cli/run/scoring_run.h"

namespace vq::cli {

void ScoringRun::watch_pairs() {
  if ((arguments_.align && arguments_.align->is_off()) || !reader_->reference()) return;
  record_.watch_pairs(formats_, execution(), {arguments_.skip_reference, arguments_.skip_distorted});
  reader_->on_pair([this](const FramePair& pair) { record_.pair_watch->look(pair); });
}

// Of every frame of the range. Frames are in memory here whatever the backend.
void ScoringRun::watch_scenes() {
  if (!tells_scenes(arguments_)) return;
  record_.scene_cuts.emplace();
  cell_sums_ = signature::cell_sums_for(execution());
  reader_->on_pair([this](const FramePair& pair) { look(pair); });
}

// Pairs are watched before they are looked at for scenes.
Signature ScoringRun::scene_of(const FramePair& pair) const {
  if (record_.pair_watch && pair.reference) return record_.pair_watch->distorted();
  return signature_of(pair.distorted, formats_.distorted.range, cell_sums_);
}

void ScoringRun::look(const FramePair& pair) {
  const Signature scene = scene_of(pair);
  if (findings_ == nullptr) {
    record_.scene_cuts->add(pair.index, scene);
    if (record_.scene_cuts->may_be_cut()) possible_cuts_.push_back(pair.index);
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
  recorder_.keep(findings);
  findings.watches_pairs = record_.pair_watch != nullptr;
  findings.formats = formats_;
  findings.distorted_frames = reader_->distorted().info().frames;
  if (reader_->reference()) findings.reference_frames = reader_->reference()->info().frames;
  if (!record_.pair_watch) return;
  record_.pair_watch->pass_on([this](int64_t frame, const Signature& reference, const Signature& distorted) {
    findings_->pairs.push_back({.frame = frame, .scene = {}, .distorted = distorted, .reference = reference});
  });
}

void ScoringRun::complete_findings() {
  findings_->padding = record_.padding.state();
  findings_->types = record_.types.state();
  findings_->pairs_read = reader_->pairs_read();
  findings_->shorter = reader_->shorter();
  if (!record_.pair_watch) return;
  findings_->distorted_bars = record_.pair_watch->distorted_bars();
  findings_->reference_bars = record_.pair_watch->reference_bars();
}

}  // namespace vq::cli
