#include "cli/run/scoring_run.h"

#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "cli/system/process.h"
#include "core/text.h"
#include "engine/report/report.h"
#include "feature/extractor.h"

namespace vq::cli {

// In software, and without a word: all was said.
static SettledRun reopened(RunOptions options) {
  options.hardware = {};
  options.hardware.decoder = DecoderRequest::kSoftware;
  options.backend = Backend::kCpu;
  options.device.clear();
  options.quiet = true;
  Messages silent([](std::string_view) {});
  return settle_run(open_run(options, nullptr, silent), silent);
}

// As the whole run would, by as many pairs as it takes to find a shift. What cannot be read there is left
// to those who score it.
static void judge_beginning(RunOptions options) {
  constexpr int64_t kFewestPairs = 480;
  options.part.reset();
  try {
    SettledRun run = reopened(std::move(options));
    RunRecord record(run.options, run.formats, execution_of(run), [](const std::string&) {});
    if (run.crop.crops_any()) record.ignore_bars();
    run.reader->on_pair([&record](const FramePair& pair) { record.look(pair); });
    while (run.reader->pairs_read() < kFewestPairs && run.reader->next()) record.judge_pairs();
    record.judge_pairs();
  } catch (const RefusedPair&) {
    throw;
  } catch (const Error&) {
  }
}

static SettledRun opened(const RunOptions& options, std::unique_ptr<FrameReader> reference,
                         Messages& messages, Reading when) {
  SettledRun run = settle_run(open_run(options, std::move(reference), messages), messages);
  if (when == Reading::kAtOnce) run.reader->start();
  return run;
}

static std::vector<EvaluationObserver*> with(EvaluationObserver& first,
                                             std::vector<EvaluationObserver*> others) {
  others.insert(others.begin(), &first);
  return others;
}

// Why no frame was scored.
static Error nothing_to_score(const RunOptions& arguments) {
  const std::string& video = arguments.distorted;
  if (!arguments.start && !arguments.end) {
    const int64_t skipped =
        std::max(arguments.skip_distorted, arguments.reference ? arguments.skip_reference : 0);
    return Error(ErrorKind::kInput,
                 skipped > 0
                     ? words("{}: no frame is left behind those that are skipped ({}).", video, skipped)
                     : words("{}: the video has no frames.", video));
  }
  std::string text = words("{}: no frame lies between --start and --end", video);
  // Seconds that lack their "s" are taken for a frame.
  const bool mixed = arguments.start && arguments.end && arguments.start->index() != arguments.end->index();
  if (mixed) text += " (one is a time, the other a frame number; seconds end in s, such as 11s)";
  return Error(ErrorKind::kInput, text + ".");
}

static ReadVideos::Video end_of(const FrameReader& video, int64_t skipped) {
  return {.path = video.info().path, .declared_frames = video.info().frames, .skipped = skipped};
}

static std::vector<InputFacts> inputs_of(const SettledRun& run) {
  PairReader& reader = *run.reader;
  std::vector<InputFacts> inputs;
  const auto add = [&](const char* role, const FrameReader& video, int64_t skipped, ShorterVideo other) {
    SourceReport found = video.report();
    // Whether the end of one that goes on behind the other was read ahead is chance.
    if (reader.shorter() == other) found.length.reset();
    inputs.push_back(input_facts(role, video.source_info(), reader.pairs_read(), found.length));
    inputs.back().skipped = skipped;
    inputs.back().decoder = found.decoders;
  };
  add("distorted", reader.distorted(), run.options.skip_distorted, ShorterVideo::kReference);
  if (reader.reference())
    add("reference", *reader.reference(), run.options.skip_reference, ShorterVideo::kDistorted);
  return inputs;
}

static RunFacts facts_of(const SettledRun& run, const BackendReport& backend,
                         std::vector<InputFacts> inputs) {
  RunFacts facts = run_facts(run.options.features, run.formats, backend);
  facts.inputs = std::move(inputs);
  facts.models = run.models();
  facts.crop = run.crop.distorted;
  if (run.options.reference_crop) facts.reference_crop = run.crop.reference;
  facts.threads = run.threads();
  return facts;
}

// Takes the complete findings of a part, and leaves the rest.
static RangeFindings take_complete(PartFindings& findings) {
  RangeFindings some;
  const auto move_first = [](auto& from, auto last, auto& to) {
    to.assign(std::make_move_iterator(from.begin()), std::make_move_iterator(last));
    from.erase(from.begin(), last);
  };
  const auto frames = static_cast<ptrdiff_t>(findings.results.size());
  if (frames == 0) return some;
  const int64_t last = findings.frames[static_cast<size_t>(frames) - 1].frame;
  move_first(findings.frames, findings.frames.begin() + frames, some.found.frames);
  move_first(findings.results, findings.results.end(), some.found.results);
  const auto later =
      std::ranges::find_if(findings.pairs, [&](const LookedPair& pair) { return pair.frame > last; });
  move_first(findings.pairs, later, some.found.pairs);
  return some;
}

void score_range(const RangeWork& work) {
  Messages silent([](std::string_view) {});
  ScoringRun run(work.options, silent);
  PartFindings findings;
  run.collect(findings);
  run.bound(work.may_use);
  size_t told = silent.warnings().size();  // the whole run opened the videos as well
  const auto give = [&](RangeFindings some) {
    const std::vector<std::string>& warnings = silent.warnings();
    some.warnings.assign(warnings.begin() + static_cast<ptrdiff_t>(std::exchange(told, warnings.size())),
                         warnings.end());
    work.give(std::move(some));
  };
  const auto give_complete = [&] {
    if (!findings.results.empty()) give(take_complete(findings));
  };
  try {
    run.score({[&](double) { give_complete(); }});
  } catch (...) {
    RangeFindings some = take_complete(findings);
    some.facts = run.report().run;
    give(std::move(some));
    throw;
  }
  RangeFindings rest{.found = std::move(findings), .warnings = {}, .facts = run.report().run};
  rest.found.frames.resize(rest.found.results.size());  // fewer if it was stopped
  give(std::move(rest));
}

namespace {

// Spans that are asked for frames, which ascend.
struct AscendingSpans {
  std::vector<FrameSpan> spans = {};
  size_t next = 0;

  bool has(int64_t frame) {
    while (next < spans.size() && spans[next].end <= frame) ++next;
    return next < spans.size() && spans[next].first <= frame;
  }
};

// Which frames are scored of those that are read. They ascend.
class WantedFrames {
 public:
  explicit WantedFrames(const std::optional<RunPart>& part) {
    if (!part) return;
    first_ = part->first;
    scored_.spans = part->scored;
    reported_.spans = part->reported;
  }

  bool has(int64_t frame) {
    const bool has_spans = !scored_.spans.empty();
    if (has_spans ? !scored_.has(frame) : frame < first_) return false;
    is_behind_gap_ = frame != expected_ && expected_ >= 0 && has_spans;
    expected_ = frame + 1;
    return true;
  }
  // Whether it is more than a neighbour of those that are.
  bool is_reported(int64_t frame) { return reported_.spans.empty() || reported_.has(frame); }
  // Whether the frame before the last wanted one was not: what a frame repeats of it is not known to others.
  bool is_behind_gap() const { return is_behind_gap_; }

 private:
  int64_t first_ = 0;
  AscendingSpans scored_, reported_;
  int64_t expected_ = -1;  // the frame behind the last wanted one; -1: there was none
  bool is_behind_gap_ = false;
};

// Findings on their way through a Replay.
struct FoundPart {
  PartFindings& found;

  size_t frames() const { return found.frames.size(); }
  const PushedFrame& frame(size_t i) const { return found.frames[i]; }
  void fill(size_t i, std::vector<FrameResult>& results) const { results = std::move(found.results[i]); }
  size_t pairs() const { return found.pairs.size(); }
  const LookedPair& pair(size_t i) const { return found.pairs[i]; }
};

}  // namespace

ScoringRun::ScoringRun(const RunOptions& options, Messages& messages, std::unique_ptr<FrameReader> reference,
                       Reading reading)
    : options_(options),
      messages_(messages),
      run_(opened(options, std::move(reference), messages, reading)),
      expected_(run_.expected_frames()),
      record_(run_.options, run_.formats, execution_of(run_),
              [this](const std::string& line) { messages_.warn(line); }),
      outputs_(run_, messages,
               {.may_begin_scene =
                    !record_.watches_scenes()
                        ? std::function<bool(int64_t, int64_t)>()
                        : [this](int64_t after,
                                 int64_t frame) { return record_.may_begin_scene_in(after, frame); },
                .tell =
                    [this](const std::string& text) {
                      if (watcher_ != nullptr && watcher_->note) watcher_->note(text);
                    }}),
      members_(run_.may_be_joined ? std::make_unique<RunMembers>(options_, run_) : nullptr),
      evaluator_(run_.options.features, run_.options.models, run_.formats, context(),
                 with(record_, outputs_.observers())) {
  outputs_.attach(evaluator_);
  record_.add_notes(run_.notes);
  record_.add_faults(run_.pair_faults);
  if (run_.crop.crops_any()) record_.ignore_bars();
  if (expected_) record_.expect(*expected_ * run_.options.sampling.every);
  if (members_) run_.reader->bound([this](int64_t frame) { return members_->may_use(frame); });
  run_.reader->on_pair([this](const FramePair& pair) { record_.look(pair); });
  place_frames(evaluator_.frame_store());
  // Features on the host and freezes need samples in its memory: decoders download them ahead, instead of
  // each frame later.
  const bool may_stay = left_to_host(run_.options.features, execution_of(run_)).empty() &&
                        frame_needs(run_.options.features).before.noises.empty();
  if (run_.options.hardware.pictures && !may_stay) run_.options.hardware.pictures->give_up();
  clock_.switch_to({});
}

RunContext ScoringRun::context() {
  RunContext context{.execution = execution_of(run_)};
  context.execution.devices = std::exchange(run_.backend.devices, context.execution.devices);
  context.execution.clock = &clock_;
  context.may_use_cpu = run_.backend.may_fall_back;
  context.takes_results = run_.may_be_joined || run_.options.confidence.has_value();
  context.on_takeover = [this](const std::string& reason, const std::string& successor) {
    messages_.warn(words("{}; continuing on {}.", reason, successor));
    // Whatever is decoded from now on goes through the host's memory.
    place_frames(nullptr);
    if (run_.options.hardware.pictures) run_.options.hardware.pictures->give_up();
  };
  context.read_again = [this](FramePair& pair) { read_again(pair); };
  return context;
}

// Pairs that were decoded on a device that has failed since. They come in order.
void ScoringRun::read_again(FramePair& pair) {
  if (!again_)
    again_.emplace(Again{reopened(options_), PreviousFrames(frame_needs(run_.options.features).before)});
  while (std::optional<FramePair> read = again_->run.reader->next()) {
    again_->before.give(*read);
    if (read->index < pair.index) continue;
    read->is_reported = pair.is_reported;
    pair = std::move(*read);
    return;
  }
  throw Error(ErrorKind::kInput, "{}: frame {} was lost with its device, and is not there when read again",
              shown_path(run_.options.distorted), pair.index);
}

// Frames of the reference as well, if they are uploaded.
void ScoringRun::place_frames(const std::shared_ptr<FrameStore>& store) {
  run_.reader->distorted().use_store(store);
  if (run_.uses_reference() && run_.reader->reference()) run_.reader->reference()->use_store(store);
}

void ScoringRun::collect(PartFindings& findings) {
  std::function<void()> judge = [this] { judge_beginning(options_); };
  record_.collect(findings, options_.compare_anyway ? nullptr : std::move(judge));
  findings.distorted_frames = run_.reader->distorted().info().frames;
  if (run_.reader->reference()) findings.reference_frames = run_.reader->reference()->info().frames;
}

void ScoringRun::score(const RunWatcher& watcher, const NextFindings& next) {
  const StageTimer timer(&clock_, pace::kReporting);
  {
    struct Watched {
      const RunWatcher*& watcher;
      ~Watched() { watcher = nullptr; }
    } const watched{watcher_ = &watcher};
    try {
      next ? replay(next) : score_frames();
      evaluator_.finish();
      show_scores();
    } catch (...) {
      pass_warnings();
      if (record_.is_part()) record_.end_part(run_.reader->shorter(), run_.reader->pairs_read());
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

// The loop over all pairs. Those before the part of a run are read for the features' sake alone.
void ScoringRun::score_frames() {
  const StageTimer timer(&clock_, pace::kPreparing);
  const bool uses_reference = run_.uses_reference();
  WantedFrames wanted(run_.options.part);
  PreviousFrames before(frame_needs(run_.options.features).before);
  while (std::optional<FramePair> pair = run_.reader->next()) {
    pass_warnings();
    record_.judge_pairs();
    repeats_.mark(pair->distorted);
    if (uses_reference && pair->reference) reference_repeats_.mark(*pair->reference);
    const bool is_scored = wanted.has(pair->index);
    pair->is_reported = pair->is_reported && wanted.is_reported(pair->index);
    record_.look_at_scored(*pair, is_scored);
    before.give(*pair);
    if (!is_scored) continue;
    if (wanted.is_behind_gap()) pair->distorted.repeated_planes = 0;
    if (wanted.is_behind_gap() && pair->reference) pair->reference->repeated_planes = 0;
    own_frames_ += pair->is_reported;
    evaluator_.push(*pair);
    show_scores();
    if (members_) members_->look(evaluator_.scored(), expected_);
  }
  if (members_ && !run_.options.stop.is_requested() && members_->end_first()) score_with_others();
  evaluator_.finish();
}

// The CPU's first range is scored, and this thread reports the others.
void ScoringRun::score_with_others() {
  cut_ = members_->next_frame();
  bool has_begun = false;
  replay([&] {
    if (!std::exchange(has_begun, true)) members_->go_on();
    return members_->next();
  });
}

// Gives up reading and scoring for what others find from here on.
void ScoringRun::replay(const NextFindings& next) {
  const StageTimer timer(&clock_, pace::kScoring);
  pass_warnings();
  std::vector<InputFacts> inputs = inputs_of(run_);
  own_pairs_ = inputs.front().frames;
  run_.reader->close();
  evaluator_.end_scoring();
  std::vector<ScoredBy> own = members_of(facts_of(run_, evaluator_.backend_report(), inputs), own_frames_);
  return_freed_memory();
  const auto scored = [this] { show_scores(); };
  replay_.emplace(
      record_, evaluator_, [this](const std::string& line) { messages_.warn(line); }, std::move(inputs),
      std::move(own));
  replay_->know(messages_.warnings());
  while (std::optional<RangeFindings> some = next()) {
    pass_warnings();
    for (const std::string& line : some->warnings) replay_->warn(line);
    replay_->add(FoundPart{some->found}, scored);
    if (!some->facts) continue;
    replay_->add(some->found, *some->facts);
    replay_->count(*some->facts);
  }
}

// No frame is missing between those that were read.
std::vector<InputFacts> ScoringRun::inputs() const {
  if (!replay_) return inputs_of(run_);
  std::vector<InputFacts> inputs = replay_->inputs();
  const int64_t next = std::max(members_ ? members_->next_frame() : 0, replay_->last_frame() + 1);
  for (InputFacts& input : inputs) input.frames = own_pairs_ + next - cut_;
  return inputs;
}

void ScoringRun::show_scores() {
  const StageTimer timer(&clock_, pace::kReporting);
  for (; shown_ < evaluator_.scored(); ++shown_) {
    watcher_->scored(evaluator_.score_at(shown_));
    if (watcher_->row) watcher_->row(evaluator_.row(shown_));
  }
}

void ScoringRun::pass_warnings() {
  if (members_) {
    for (const std::string& line : members_->take_warnings()) messages_.warn(line);
  }
  if (replay_) return;  // the reader is closed
  for (const std::string& line : run_.reader->distorted().take_warnings()) messages_.warn(line);
  if (!run_.reader->reference()) return;
  for (const std::string& line : run_.reader->reference()->take_warnings()) messages_.warn(line);
}

void ScoringRun::complete() {
  if (replay_) {
    if (evaluator_.scored() == 0) throw nothing_to_score(run_.options);
    return record_.end(replay_->read(inputs().front().frames));
  }
  PairReader& reader = *run_.reader;
  if (const std::string note = reader.pairing_note(); !note.empty()) record_.add_notes({note});
  if (const std::string text = reader.pairing_warning();
      !text.empty() && any_compares(run_.options.features)) {
    if (run_.options.strict) throw RefusedPair({PairFaultKind::kUneven, {text}, false}, "--strict is set");
    messages_.warn(text);
  }
  if (record_.is_part()) return record_.end_part(reader.shorter(), reader.pairs_read());
  if (evaluator_.scored() == 0) throw nothing_to_score(run_.options);
  ReadVideos read{.distorted = end_of(reader.distorted(), run_.options.skip_distorted),
                  .shorter = reader.shorter(),
                  .pairs = reader.pairs_read(),
                  .scored = evaluator_.scored()};
  if (reader.reference()) read.reference = end_of(*reader.reference(), run_.options.skip_reference);
  record_.end(read);
}

// Counts what all members did, if there are others.
BackendReport ScoringRun::backend_report() const {
  BackendReport backend = evaluator_.backend_report();
  if (!replay_) return backend;
  for (const ScoredBy& member : replay_->scored_by()) {
    backend.backend = joined_words(backend.backend, member.backend);
    backend.device = joined_words(backend.device, member.device);
    backend.driver = joined_words(backend.driver, member.driver);
  }
  add_work(backend, replay_->sums());
  return backend;
}

Report ScoringRun::report() const {
  Report report;
  evaluator_.fill(report);
  report.run = facts_of(run_, backend_report(), inputs());
  if (replay_ && replay_->scored_by().size() > 1) report.run.scored_by = replay_->scored_by();
  double waited = run_.reader->distorted().waited();
  if (run_.reader->reference()) waited += run_.reader->reference()->waited();
  report.run.pace = pace_of(clock_.totals(), waited);
  report.run.wall_seconds = total_seconds(*report.run.pace);
  report.run.complete = is_complete_;
  report.run.warnings = messages_.warnings();
  record_.complete(report);
  return report;
}

}  // namespace vq::cli
