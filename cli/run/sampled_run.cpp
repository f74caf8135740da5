#include "cli/run/sampled_run.h"

#include <cmath>

#include "cli/decoding/open_video.h"
#include "cli/inputs/run_inputs.h"
#include "cli/run/run_members.h"
#include "cli/system/progress.h"
#include "core/content_hash.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/trace.h"
#include "engine/evaluator.h"
#include "engine/known_metrics.h"
#include "feature/extractor.h"

namespace vq::cli {

// Slices by themselves may decode as many frames as the film has if key frames are this far apart or nearer,
// and the less the farther they are apart: groups decode them anew, and are soon all wanted if they are few.
constexpr double kForSlices = 63;
// Two neighbouring groups decode some frames twice. A group has at least this many times as many frames.
constexpr int64_t kTimesShared = 16;

// Scores of some rows.
static Report rows_of(const Report& all, size_t first, size_t end) {
  Report some;
  const auto take = [&](const auto& from, auto& to) {
    to.assign(from.begin() + static_cast<ptrdiff_t>(first), from.begin() + static_cast<ptrdiff_t>(end));
  };
  take(all.frames, some.frames);
  take(all.timestamps, some.timestamps);
  for (const Metric& metric : all.metrics) take(metric.values, some.metrics.emplace_back().values);
  for (const TextSeries& series : all.texts) take(series.values, some.texts.emplace_back().values);
  return some;
}

static void append(Report& all, const Report& some) {
  const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  add(all.frames, some.frames);
  add(all.timestamps, some.timestamps);
  for (size_t i = 0; i < all.metrics.size(); ++i) add(all.metrics[i].values, some.metrics[i].values);
  for (size_t i = 0; i < all.texts.size(); ++i) add(all.texts[i].values, some.texts[i].values);
}

static std::vector<FrameResult> copied(const std::vector<FrameResult>& results) {
  return mapped(results, &FrameResult::without_pictures);
}

// The findings that belong to no single frame.
static RangeFindings without_frames(RangeFindings all) {
  all.found.frames.clear();
  all.found.results.clear();
  all.found.pairs.clear();
  return all;
}

// The findings of the frames of a slice. Both lists ascend.
static PartFindings found_of(const PartFindings& findings, const FrameSpan& slice) {
  PartFindings found;
  const auto first = std::ranges::lower_bound(findings.frames, slice.first, {}, &PushedFrame::frame);
  for (auto frame = first; frame != findings.frames.end() && frame->frame < slice.end; ++frame) {
    found.frames.push_back(*frame);
    found.results.push_back(copied(findings.results[static_cast<size_t>(frame - findings.frames.begin())]));
  }
  auto pair = std::ranges::lower_bound(findings.pairs, slice.first, {}, &LookedPair::frame);
  for (; pair != findings.pairs.end() && pair->frame < slice.end; ++pair) found.pairs.push_back(*pair);
  return found;
}

// A part judges for itself whether the videos belong together, as there is no whole run that would.
SliceScorer::SliceScorer(const RunOptions& asked, const SettledRun& run, const RunCuts& cuts)
    : run_(run),
      cuts_(cuts),
      reach_(sequence_reach(run.options.features).value()),
      options_(options_of_parts(asked, run)) {
  options_.compare_anyway = asked.compare_anyway;
  options_.confidence.reset();
}

// With the frames whose results decide the slice's values as well.
FrameSpan SliceScorer::with_reach(const FrameSpan& slice) const {
  return {std::max(cuts_.first(), slice.first - reach_.before),
          std::min(cuts_.end(), slice.end + reach_.behind)};
}

// A part that is about to be scored.
struct SliceScorer::Part {
  RunOptions options;
  Messages silent{[](std::string_view) {}};
  RangeFindings all = {};
  std::unique_ptr<FrameReader> reference = {};  // if others share it; then of the run
  FrameReader* shared = nullptr;
  std::unique_ptr<ScoringRun> run = {};

  void begin() {
    shared = reference.get();
    run = std::make_unique<ScoringRun>(options, silent, std::move(reference));
    run->collect(all.found);
  }
};

// The frames of this video that are decoded; of a planar one those that are read.
int64_t SliceScorer::decoded_by(const RunPart& part, Role role) const {
  const bool is_reference = role == Role::kReference;
  const int64_t first = is_reference ? cuts_.first_reference() : cuts_.first_distorted();
  int64_t decoded = 0;
  for (const RunStretch& stretch : part.stretches) {
    const std::optional<StreamPart>& coded = is_reference ? stretch.reference : stretch.distorted;
    const int64_t from = coded ? coded->picture - first : stretch.frames.first - cuts_.first();
    decoded += stretch.frames.end - cuts_.first() - from - (coded ? coded->left_out : 0);
  }
  return decoded;
}

int64_t SliceScorer::decoded_for(std::span<const FrameSpan> slices) const {
  const RunPart part = cuts_.part(spans_of(slices));
  return std::max(decoded_by(part, Role::kDistorted), decoded_by(part, Role::kReference));
}

std::unique_ptr<SliceScorer::Part> SliceScorer::open(RunPart frames,
                                                     std::span<const FrameSpan> reported) const {
  auto part = std::make_unique<Part>(Part{.options = options_});
  frames.reported.assign(reported.begin(), reported.end());
  part->options.part = std::move(frames);
  return part;
}

RangeFindings SliceScorer::found_in(Part& part) {
  decoded_ += decoded_by(*part.options.part, Role::kDistorted);
  part.run->score({});
  part.all.facts = part.run->report().run;
  part.all.warnings = part.all.facts->warnings;
  part.all.found.frames.resize(part.all.found.results.size());  // fewer if it was stopped
  return std::move(part.all);
}

RangeFindings SliceScorer::found_in(std::span<const FrameSpan> frames, std::span<const FrameSpan> reported) {
  const std::unique_ptr<Part> part = open(cuts_.part(frames), reported);
  part->begin();
  return found_in(*part);
}

// The slices with their reach, joined if they touch.
std::vector<FrameSpan> SliceScorer::spans_of(std::span<const FrameSpan> slices) const {
  std::vector<FrameSpan> spans;
  for (const FrameSpan& slice : slices) {
    const FrameSpan span = with_reach(slice);
    if (!spans.empty() && span.first <= spans.back().end) {
      spans.back().end = span.end;
    } else {
      spans.push_back(span);
    }
  }
  return spans;
}

std::vector<ScoredSlice> SliceScorer::slices_of(RangeFindings all, std::span<const FrameSpan> slices) {
  std::vector<ScoredSlice> scored;
  size_t next = 0;
  for (const FrameSpan& slice : slices) {
    if (options_.stop.is_requested()) break;
    scored.push_back({rows(all.found, next, slice), found_of(all.found, slice)});
  }
  seen_.push_back(without_frames(std::move(all)));
  return scored;
}

std::vector<ScoredSlice> SliceScorer::score(std::span<const FrameSpan> slices) {
  return slices_of(found_in(spans_of(slices), slices), slices);
}

std::vector<std::vector<ScoredSlice>> SliceScorer::score_all(std::span<SliceScorer* const> scorers,
                                                             std::span<const FrameSpan> slices,
                                                             const std::shared_ptr<ScoringGroup>& group) {
  const std::vector<FrameSpan> spans = scorers.front()->spans_of(slices);
  const auto cuts = mapped(scorers, [](const SliceScorer* scorer) { return &scorer->cuts_; });
  std::vector<std::unique_ptr<Part>> parts;
  for (const SliceScorer* scorer : scorers) {
    Part& part = *parts.emplace_back(scorer->open(scorer->cuts_.part(spans, cuts), slices));
    part.options.group = group;
    part.reference =
        parts.size() == 1 ? open_input(part.options, Role::kReference) : parts.front()->reference->share();
  }
  for (const std::unique_ptr<Part>& part : parts) part->begin();
  std::vector<std::vector<ScoredSlice>> scored(scorers.size());
  std::vector<std::exception_ptr> errors(scorers.size());
  const auto score_one = [&](size_t i) {
    try {
      scored[i] = scorers[i]->slices_of(scorers[i]->found_in(*parts[i]), slices);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  on_threads(scorers.size(), score_one, [&](size_t i) { parts[i]->shared->leave(); });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return scored;
}

// Evaluates a slice as a run of its own, but for the ends that others reach into. `next`: the first finding
// that may be of it; slices share findings.
Report SliceScorer::rows(const PartFindings& findings, size_t& next, const FrameSpan& slice) const {
  const FrameSpan span = with_reach(slice);
  RunContext context{.execution = execution_of(run_)};
  context.execution.devices = {};
  context.make = [] { return std::unique_ptr<FeatureExtractor>(); };
  context.takes_results = true;
  Evaluator evaluator(run_.options.features, run_.options.models, run_.formats, context);
  while (next < findings.frames.size() && findings.frames[next].frame < span.first) ++next;
  FramePair pair;
  std::vector<FrameResult> results;
  for (size_t i = next; i < findings.results.size() && findings.frames[i].frame < span.end; ++i) {
    const PushedFrame& pushed = findings.frames[i];
    pair.index = pair.distorted.index = pushed.frame;
    pair.distorted.timestamp = pushed.timestamp;
    pair.is_reported = pushed.is_reported;
    if (pushed.has_reference) pair.reference.emplace();
    results = copied(findings.results[i]);
    evaluator.push(pair, results);
  }
  evaluator.finish();
  Report all;
  evaluator.fill(all);
  const auto place = [&](int64_t frame) {
    return static_cast<size_t>(std::ranges::lower_bound(all.frames, frame) - all.frames.begin());
  };
  Report some = rows_of(all, place(slice.first), place(slice.end));
  if (static_cast<int64_t>(some.frames.size()) != slice.frames())
    throw Error(ErrorKind::kIncomplete,
                words("frames {} to {} are not all there", slice.first, slice.end - 1));
  return some;
}

SampledRun::SampledRun(const RunOptions& options, const ScoringRun& whole, Messages& messages,
                       std::optional<int64_t> claims)
    : options_(options),
      run_(whole.settled()),
      of_parts_(options_of_parts(options, run_)),
      messages_(messages),
      metrics_(run_.metrics()),
      ranges_(score_ends(run_.options.features, run_.options.models, run_.formats)),
      request_({options.confidence.value(), options.tolerance}, options.thresholds, metrics_, ranges_),
      claims_(claims) {
  whole_ = reason_for_whole();
  if (!whole_.empty()) return;
  for (const std::string& line : request_.advice()) {
    if (!options.quiet) messages.note(line);
  }
  find_order();
}

std::string SampledRun::reason_for_whole() {
  if (!request_.whole().empty()) return request_.whole();
  if (!sequence_reach(run_.options.features)) return "a feature remembers all frames before";
  if (options_.compare_anyway) return "--compare-anyway looks for all that is wrong with the pair";
  if (const std::string reason = cli::reason_for_whole(options_); !reason.empty()) return reason;
  const TraceSpan span("index the streams");
  const auto index = [&](Role role) {
    const std::string& path = role == Role::kReference ? *options_.reference : options_.distorted;
    StreamIndex none;
    if (is_read_once(path)) none.whole = "it can be read only once";
    if (!options_.raw && names_sequence(path)) none.whole = "it is a sequence of pictures";
    return none.whole.empty() ? index_of(of_parts_, role) : none;
  };
  std::future<StreamIndex> other;
  if (options_.reference) other = std::async(std::launch::async, index, Role::kReference);
  distorted_ = index(Role::kDistorted);
  if (!distorted_->whole.empty())
    return words("of {}: {}", shown_path(options_.distorted), distorted_->whole);
  if (options_.reference) {
    reference_ = other.get();
    if (!reference_->whole.empty())
      return words("of {}: {}", shown_path(*options_.reference), reference_->whole);
  }
  cuts_ = std::make_unique<RunCuts>(of_parts_, *distorted_, reference_ ? &*reference_ : nullptr);
  if (!cuts_->whole().empty()) return cuts_->whole();
  frames_ = cuts_->end() - cuts_->first();
  if (frames_ < kFewestSampledFrames)
    return words("a film of {} is too short for a sample, which takes {}",
                 counted(std::max<int64_t>(frames_, 0), "frame"), kFewestSampledFrames);
  for (const auto* stream : {&distorted_, &reference_}) {
    if (*stream && !(*stream)->is_planar && (*stream)->starts.size() < 2)
      return "a video has no key frame but the first";
  }
  return {};
}

void SampledRun::find_order() {
  const bool has_reference = reference_.has_value();
  const SourceOptions shared =
      in_software(source_options(of_parts_, has_reference ? Role::kReference : Role::kDistorted));
  seed_ = options_.seed
              ? *options_.seed
              : content_seed(shared, has_reference ? *reference_ : *distorted_,
                             has_reference ? cuts_->first_reference() : cuts_->first_distorted(), frames_);
  std::vector<int64_t> lengths;
  for (int64_t first = 0; first < frames_; first += kSliceFrames)
    lengths.push_back(std::min(kSliceFrames, frames_ - first));
  order_ = drawing_order(seed_, lengths);
  certainty_.emplace(request_.for_frames(frames_), claims_);
  scorer_ = std::make_unique<SliceScorer>(options_, run_, *cuts_);
  find_groups();
}

void SampledRun::find_groups() {
  const int64_t before = scorer_->reach().before, shared = lead_of(of_parts_) + before + kSliceFrames;
  for (const int64_t place : cuts_->places()) {
    const int64_t first = (place + before - cuts_->first() + kSliceFrames - 1) / kSliceFrames,
                  slices = first - static_cast<int64_t>(groups_.back());
    if (first < std::ssize(order_) &&
        slices * kSliceFrames >= kTimesShared * (cuts_->idle_reference(place) + shared))
      groups_.push_back(static_cast<size_t>(first));
  }
  double key_frames = 1;  // for each frame, of the video that has fewer
  for (const auto* stream : {&distorted_, &reference_}) {
    if (!*stream || (*stream)->is_planar) continue;
    key_frames = std::min(key_frames, static_cast<double>((*stream)->starts.size()) /
                                          static_cast<double>(*(*stream)->pictures));
  }
  most_for_slices_ = static_cast<int64_t>(static_cast<double>(frames_) *
                                          std::min(1.0, std::pow(kForSlices * key_frames, 2)));
}

FrameSpan SampledRun::slice(size_t place) const {
  const int64_t first = cuts_->first() + static_cast<int64_t>(place) * kSliceFrames;
  return {first, std::min(first + kSliceFrames, cuts_->end())};
}

void SampledRun::answer(ScoringRun& whole, const RunWatcher& watcher) {
  const double start = seconds_now();
  if (whole_.empty()) score(watcher);
  seconds_ = seconds_now() - start;
  if (whole_.empty() || options_.stop.is_requested()) return;
  watcher.begins_again();
  if (watcher.note) watcher.note(words("all frames are scored, since {}.", whole_));
  if (!has_scored()) return whole.score(watcher);
  next_frame_ = cuts_->first();
  scored_.merge(ahead_);
  whole.score(watcher, [this] { return next_findings(); });
}

void SampledRun::score(const RunWatcher& watcher) {
  next_look_ = next_look(0);
  while (whole_.empty() && !options_.stop.is_requested()) {
    const int64_t drawn = certainty_->slices();
    // Half of the slices, and one if they are of unequal length, are the most that count.
    const int64_t most = (static_cast<int64_t>(order_.size()) + 1) / 2 + 1 - drawn;
    const int64_t count = std::min<int64_t>(
        next_batch(drawn, certainty_->limit(), certainty_->is_decided() ? 1 : certainty_->least_evidence()),
        most);
    if (draw(count, watcher)) break;
  }
  if (whole_.empty() && !options_.stop.is_requested()) warn();
}

void SampledRun::warn() {
  for (const RangeFindings& seen : scorer_->seen()) {
    for (const std::string& line : seen.warnings) {
      if (!contains(messages_.warnings(), line)) messages_.warn(line);
    }
  }
  ReadVideos read{.distorted = {options_.distorted, distorted_->info.frames, run_.options.skip_distorted},
                  .shorter = cuts_->shorter(),
                  .pairs = cuts_->end(),
                  .scored = certainty_->seen_frames()};
  if (reference_)
    read.reference = {*options_.reference, reference_->info.frames, run_.options.skip_reference};
  const std::string line = judge_lengths(read, options_);
  if (!line.empty()) messages_.warn(line);
}

// The slices to score before those drawn can be counted: these, or all of their groups.
std::vector<FrameSpan> SampledRun::to_score(std::span<const size_t> drawn) const {
  std::set<size_t> places;
  for (const size_t place : drawn) {
    size_t first = place, end = place + 1;
    if (reads_groups_) {
      const auto behind = std::ranges::upper_bound(groups_, place);
      first = *std::prev(behind);
      end = behind == groups_.end() ? order_.size() : *behind;
    }
    for (; first < end; ++first) places.insert(places.end(), first);
  }
  std::vector<FrameSpan> spans;
  for (const size_t place : places) {
    const FrameSpan span = slice(place);
    if (!ahead_.contains(span.first) && !scored_.contains(span.first)) spans.push_back(span);
  }
  return spans;
}

// Scores the next slices in the order of the film, and counts them in that of drawing. True if all is
// answered, or cannot be.
bool SampledRun::draw(int64_t count, const RunWatcher& watcher) {
  auto drawn = std::span(std::as_const(order_))
                   .subspan(static_cast<size_t>(certainty_->slices()), static_cast<size_t>(count));
  std::vector<FrameSpan> spans = to_score(drawn);
  if (!reads_groups_ && !cuts_->is_planar()) {
    decoded_for_slices_ += scorer_->decoded_for(spans);
    reads_groups_ = decoded_for_slices_ > most_for_slices_;
  }
  if (reads_groups_) {  // few at a time, as they are decoded but once, yet enough for all decoders
    constexpr int64_t kFewest = 8, kOfThread = 2;
    const auto most =
        static_cast<size_t>(std::max({kFewest, kOfThread * run_.threads(), certainty_->slices() / kFewest}));
    drawn = drawn.first(std::min(drawn.size(), most));
    spans = to_score(drawn);
  }
  try {
    std::vector<ScoredSlice> found;
    if (!spans.empty()) found = scorer_->score(spans);
    if (found.size() < spans.size()) return true;  // stopped
    for (size_t i = 0; i < spans.size(); ++i) ahead_.emplace(spans[i].first, std::move(found[i]));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput && error.kind() != ErrorKind::kIncomplete) throw;
    if (options_.stop.is_requested()) return true;
    is_readable_ = false;
    whole_ = words("a slice could not be read: {}", error.what());
    return true;
  }
  for (const size_t place : drawn) {
    const FrameSpan span = slice(place);
    ScoredSlice found = std::move(ahead_.extract(span.first).mapped());
    for (const double score : found.rows.metrics[leading_metric(metrics_)].values) watcher.scored(score);
    add(std::move(found), span.end - span.first);
    if (is_over()) return true;
  }
  return false;
}

void SampledRun::add(ScoredSlice slice, int64_t frames) {
  certainty_->add(frames, mapped(slice.rows.metrics, &Metric::values));
  const int64_t first = slice.rows.frames.front();
  scored_.emplace(first, std::move(slice));
}

bool SampledRun::is_over() {
  if (certainty_->is_missing()) return true;
  if (certainty_->is_out_of_range()) {
    whole_ = "a score lies outside of the range of its metric, on which bounds rest";
    messages_.warn(words("{}; scoring all frames.", whole_));
    return true;
  }
  const bool looks = certainty_->slices() == next_look_;
  if (looks) next_look_ = next_look(next_look_);
  const bool may_be_answered = certainty_->is_decided() && !request_.has_tolerance();
  if (looks || may_be_answered) {
    certainty_->find_intervals();
    const auto is_empty = [](const Interval& interval) { return interval.low > interval.high; };
    if (std::ranges::any_of(certainty_->intervals(), is_empty)) {
      whole_ = "the bounds contradict each other";
      return true;
    }
    if (request_.is_answered(*certainty_)) return true;
  }
  if (2 * certainty_->seen_frames() < frames_) return false;
  whole_ = words("{} % could not be reached with half of them",
                 number_text(*options_.confidence, {NumberStyle::Kind::kSignificant, 6}));
  return true;
}

// A slice that was kept; or what is missing, for as many frames as findings may wait of, with the slices in
// between, and what is of these as a whole.
void SampledRun::find_next() {
  auto kept = scored_.lower_bound(next_frame_);
  std::vector<FrameSpan> missing;
  const auto take_kept = [&] {
    ready_.emplace_back().found = std::move(kept->second.found);
    next_frame_ += static_cast<int64_t>(kept++->second.rows.frames.size());
  };
  if (kept != scored_.end() && kept->first == next_frame_) return take_kept();
  int64_t frames = 0;
  auto next = kept;
  for (int64_t at = next_frame_; at < cuts_->end() && frames < RunRanges::kWindow;) {
    const int64_t end = next == scored_.end() ? cuts_->end() : next->first;
    const int64_t last = std::min(end, at + RunRanges::kWindow - frames);
    if (at < last) missing.push_back({at, last});
    frames += last - at;
    at = last < end || next == scored_.end() ? last : last + std::ssize(next++->second.rows.frames);
  }
  RangeFindings part = scorer_->found_in(missing);
  for (const FrameSpan& span : missing) {
    while (next_frame_ < span.first) take_kept();
    ready_.emplace_back().found = found_of(part.found, span);
    next_frame_ = span.end;
  }
  ready_.push_back(without_frames(std::move(part)));
}

// In the end comes what was seen with the slices.
std::optional<RangeFindings> SampledRun::next_findings() {
  if (ready_.empty() && next_frame_ < cuts_->end()) {
    find_next();
  } else if (ready_.empty() && !scorer_->seen().empty()) {
    ready_.push_back(std::move(scorer_->seen().back()));
    scorer_->seen().pop_back();
    ready_.back().found.shorter = cuts_->shorter();
  }
  return options_.stop.is_requested() ? std::nullopt : take_first(ready_);
}

CertaintyFacts SampledRun::facts() const {
  CertaintyFacts facts;
  facts.confidence = *options_.confidence;
  facts.frames = frames_;
  facts.exact = !whole_.empty();
  facts.reason = whole_;
  facts.claims = claims_.value_or(claims_of(request_.for_frames(frames_)));
  if (!certainty_) return facts;
  facts.seed = hash_text(seed_);
  facts.decoded_frames = scorer_->decoded();
  facts.scored_frames = certainty_->seen_frames();
  facts.slices = certainty_->slices();
  return facts;
}

void SampledRun::complete(Report& report) const {
  if (whole_.empty()) {
    take_sample(report);
    report.run.wall_seconds = std::round(seconds_ * 1e6) / 1e6;
    report.fps = static_cast<double>(report.frames.size()) / seconds_;
    return request_.fill(report, *certainty_);
  }
  CertaintyFacts& certainty = report.run.certainty.emplace(facts());
  certainty.frames = certainty.scored_frames = static_cast<int64_t>(report.frames.size());
  if (!has_scored()) certainty.decoded_frames += certainty.frames;
}

void SampledRun::take_sample(Report& report) const {
  report.run.certainty = facts();
  for (const auto& [first, slice] : scored_) append(report, slice.rows);
  report.aggregates.clear();
  report.run.complete = true;
  report.run.pace.reset();
  report.run.scene_cuts.reset();
  report.run.segments.clear();
  for (InputFacts& input : report.run.inputs) input.frames = frames_;
}

}  // namespace vq::cli
