#include "cli/run/evaluate_run.h"

#include <utility>

#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/inputs/pair_remarks.h"
#include "cli/inputs/scoring_remarks.h"
#include "cli/run/run_record.h"
#include "cli/run/settle_run.h"
#include "core/frame.h"
#include "core/text.h"
#include "engine/report/report.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

PushedFrame pushed(const FramePair& pair) {
  return {.frame = pair.index,
          .timestamp = pair.distorted.timestamp,
          .is_reported = pair.is_reported,
          .has_reference = pair.reference.has_value(),
          .distorted_repeats = pair.distorted.repeated_planes,
          .reference_repeats = pair.reference ? pair.reference->repeated_planes : 0};
}

SettledRun& reading(SettledRun& run, Reading when) {
  if (when == Reading::kAtOnce) run.reader->start();
  return run;
}

std::vector<EvaluationObserver*> with(EvaluationObserver& first, std::vector<EvaluationObserver*> others) {
  others.insert(others.begin(), &first);
  return others;
}

// Frames before the part are read for others alone.
bool is_lead(const RunOptions& options, const FramePair& pair) {
  return options.part && pair.index < options.part->first;
}

ReadVideoEnd end_of(const FrameReader& video, int64_t skipped) {
  return {.path = video.info().path, .declared_frames = video.info().frames, .skipped = skipped};
}

}  // namespace

RunEvaluation::RunEvaluation(SettledRun& run, StageClock& clock, Messages& messages, Reading when,
                             std::function<SettledRun()> reopen)
    : run_(reading(run, when)),
      reopen_(std::move(reopen)),
      clock_(clock),
      messages_(messages),
      record_(run.options, run.formats, execution_of(run)),
      pictures_(run,
                {.may_begin_scene =
                     !record_.watches_scenes()
                         ? std::function<bool(int64_t, int64_t)>()
                         : [this](int64_t after,
                                  int64_t frame) { return record_.may_begin_scene_in(after, frame); },
                 .tell =
                     [this](const std::string& text) {
                       if (watcher_ != nullptr && watcher_->note) watcher_->note(text);
                     }},
                messages),
      evaluator_(run.options.features, run.options.models, run.formats, context(),
                 with(recorder_, pictures_.observers())) {
  pictures_.attach(evaluator_);
  record_.add_notes(run.notes);
  record_.add_faults(run.pair_faults);
  if (run.crop.crops_any()) record_.ignore_bars();
  if (const std::optional<int64_t> scored = run.reader->expected_frames())
    record_.expect(*scored * run.options.sampling.every);
  run.reader->on_pair([this](const FramePair& pair) { record_.look(pair); });
  place_frames(evaluator_.frame_store());
  // Of features on the host each picture would have to be fetched when its turn comes; decoders bring it
  // along.
  const bool may_stay = left_to_host(run.options.features, execution_of(run)).empty();
  if (run.options.hardware.pictures && !may_stay) run.options.hardware.pictures->give_up();
}

RunContext RunEvaluation::context() {
  RunContext context{.execution = execution_of(run_)};
  context.execution.devices = std::exchange(run_.backend.devices, context.execution.devices);
  context.execution.clock = &clock_;
  context.may_use_cpu = run_.backend.may_fall_back;
  context.on_takeover = [this](const std::string& reason, const std::string& successor) {
    messages_.warn(words("{}; continuing on {}.", reason, successor));
    leave_device();
  };
  context.read_again = [this](FramePair& pair) { read_again(pair); };
  return context;
}

// Pairs that were decoded on a device that has failed since. They come in order.
void RunEvaluation::read_again(FramePair& pair) {
  if (!again_) again_.emplace(Again{reopen_(), PreviousFrames(frame_needs(run_.options.features).before)});
  while (std::optional<FramePair> read = again_->run.reader->next()) {
    again_->before.give(*read);
    if (read->index < pair.index) continue;
    read->is_reported = pair.is_reported;
    pair = std::move(*read);
    return;
  }
  throw Error(ErrorKind::kInput,
              words("{}: frame {} was lost with its device, and is not there when read again",
                    shown_path(run_.options.distorted), pair.index));
}

// Those of the reference as well, where they are uploaded.
void RunEvaluation::place_frames(const std::shared_ptr<FrameStore>& store) {
  run_.reader->distorted().use_store(store);
  if (run_.uses_reference() && run_.reader->reference()) run_.reader->reference()->use_store(store);
}

// Whatever is decoded from now on goes through the host's memory.
void RunEvaluation::leave_device() {
  place_frames(nullptr);
  if (run_.options.hardware.pictures) run_.options.hardware.pictures->give_up();
}

void RunEvaluation::keep(PartFindings& findings, std::function<void()> judge_beginning) {
  findings_ = &findings;
  record_.keep(findings, std::move(judge_beginning));
  recorder_.keep(findings);
  findings.distorted_frames = run_.reader->distorted().info().frames;
  if (run_.reader->reference()) findings.reference_frames = run_.reader->reference()->info().frames;
}

// While it lives the run tells the watcher.
class RunEvaluation::Watched {
 public:
  Watched(RunEvaluation& run, const RunWatcher& watcher) : run_(run) { run_.watcher_ = &watcher; }
  ~Watched() { run_.watcher_ = nullptr; }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  RunEvaluation& run_;
};

void RunEvaluation::score(const RunWatcher& watcher) {
  const StageTimer timer(&clock_, pace::kReporting);
  {
    const Watched watched(*this, watcher);
    try {
      score_frames(watcher);
    } catch (...) {
      pass_warnings();
      // A frame still in flight may fail as well, and comes before the one that could not be read: then its
      // error is the one to tell.
      evaluator_.finish();
      throw;
    }
  }
  pass_warnings();
  if (run_.options.stop.is_requested()) return;
  complete();
  is_complete_ = true;
}

void RunEvaluation::score_frames(const RunWatcher& watcher) {
  const StageTimer timer(&clock_, pace::kPreparing);
  const bool uses_reference = run_.uses_reference();
  PreviousFrames before(frame_needs(run_.options.features).before);
  while (std::optional<FramePair> pair = run_.reader->next()) {
    pass_warnings();
    record_.judge_pairs(warn_);
    record_.look_at_scored(pair->distorted);
    repeats_.mark(pair->distorted);
    if (uses_reference && pair->reference) reference_repeats_.mark(*pair->reference);
    before.give(*pair);
    if (is_lead(run_.options, *pair)) continue;
    if (findings_ != nullptr) findings_->frames.push_back(pushed(*pair));
    evaluator_.push(*pair);
    show_scores(watcher);
  }
  evaluator_.finish();
  show_scores(watcher);
}

void RunEvaluation::show_scores(const RunWatcher& watcher) {
  const StageTimer timer(&clock_, pace::kReporting);
  for (; shown_ < evaluator_.scored(); ++shown_) {
    watcher.scored(evaluator_.score_at(shown_));
    if (watcher.row) watcher.row(evaluator_.row(shown_));
  }
}

void RunEvaluation::pass_warnings() {
  for (const std::string& line : run_.reader->distorted().take_warnings()) messages_.warn(line);
  if (!run_.reader->reference()) return;
  for (const std::string& line : run_.reader->reference()->take_warnings()) messages_.warn(line);
}

void RunEvaluation::complete() {
  PairReader& reader = *run_.reader;
  if (const std::string note = reader.pairing_note(); !note.empty()) record_.add_notes({note});
  if (const std::string text = reader.pairing_warning();
      !text.empty() && any_compares(run_.options.features)) {
    if (run_.options.strict) throw RefusedPair({PairFaultKind::kUneven, {text}, false}, "--strict is set");
    warn_(text);
  }
  if (record_.is_kept()) return record_.end_part(reader.shorter(), reader.pairs_read());
  if (evaluator_.scored() == 0) throw nothing_to_score(run_.options);
  const PaceFacts taken = pace();
  remember_speed(run_, evaluator_.backend_report(), total_seconds(taken) - taken.seconds.front());
  RunRecord::Ending ending{.distorted = end_of(reader.distorted(), run_.options.skip_distorted),
                           .reference = {},
                           .shorter = reader.shorter(),
                           .pairs = reader.pairs_read(),
                           .scored = evaluator_.scored()};
  if (reader.reference()) ending.reference = end_of(*reader.reference(), run_.options.skip_reference);
  record_.end(ending, warn_);
}

PaceFacts RunEvaluation::pace() const {
  double waited = run_.reader->distorted().waited();
  if (run_.reader->reference()) waited += run_.reader->reference()->waited();
  return pace_of(clock_.totals(), waited);
}

}  // namespace vq::cli
