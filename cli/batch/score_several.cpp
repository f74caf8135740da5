#include "cli/batch/score_several.h"

#include <cmath>

#include "cli/inputs/run_inputs.h"
#include "cli/run/open_run.h"
#include "cli/run/run.h"
#include "cli/run/sampled_run.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/certainty.h"
#include "engine/known_metrics.h"
#include "engine/report/sampled.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

constexpr size_t kSharedFrames = 4;
// More runs than this make several groups: what is left of the reference's part is little then, and each run
// takes memory for every thread of its group.
constexpr size_t kMostInGroup = 8;

// One video with what must live as long as its run.
struct Part {
  RunOptions arguments;
  std::unique_ptr<Messages> messages;
  std::unique_ptr<ScoringRun> run;   // null if the video does not fit its reference
  FrameReader* reference = nullptr;  // of the run, if it shares the video with others
  std::optional<RefusedPair> refusal = {};
  std::exception_ptr error = nullptr;  // another one
  bool complete = false;
};

// The part of the work on a reference that several runs share, for each of them; null if it shares none.
struct Shared {
  std::vector<std::unique_ptr<FrameReader>> references;
  std::vector<std::shared_ptr<ScoringGroup>> groups;
};

// Runs that share the terminal: each has its own warnings, each line is shown once. Runs may be on threads of
// their own.
class Several {
 public:
  explicit Several(Messages& messages)
      : shared_messages_(messages, mutex_, [this] {
          if (progress_) progress_->clear();
        }) {}

  std::unique_ptr<Messages> own_messages() { return shared_messages_.of_run(); }

  // Shows progress while `work` runs, which calls what it is given for each scored frame.
  void watch(ProgressSettings settings, const std::function<void(const std::function<void(double)>&)>& work) {
    progress_ = std::make_unique<Progress>(std::move(settings));
    work([this](double value) {
      const std::lock_guard lock(mutex_);
      progress_->frame(value);
    });
    progress_.reset();
  }

  // Scores on as many threads as there are parts. `settings` but for the total.
  void score(std::vector<Part>& parts, ProgressSettings settings) {
    settings.total = 0;
    for (const Part& part : parts) {
      if (!part.run) continue;
      const std::optional<int64_t> frames = part.run->expected_frames();
      settings.total = settings.total && frames ? std::optional(*settings.total + *frames) : std::nullopt;
    }
    watch(std::move(settings), [&](const auto& scored) { run_all(parts, scored); });
  }

 private:
  static void run_all(std::vector<Part>& parts, const std::function<void(double)>& scored) {
    if (parts.size() == 1) return score_one(parts.front(), scored);
    const auto leave = [&](size_t i) {
      if (parts[i].run && parts[i].reference != nullptr) parts[i].reference->leave();
    };
    on_threads(
        parts.size(), [&](size_t i) { score_one(parts[i], scored); }, leave);
  }

  static void score_one(Part& part, const std::function<void(double)>& scored) {
    if (!part.run) return;
    try {
      part.run->score({scored});
      part.complete = !part.arguments.stop.is_requested();
    } catch (const RefusedPair& refusal) {
      part.refusal = refusal;
    } catch (...) {
      part.error = std::current_exception();
    }
  }

  std::mutex mutex_;  // for what follows
  std::unique_ptr<Progress> progress_;
  SharedMessages shared_messages_;
};

// Opens the videos. A run refers to its part, so the parts stay where they are.
std::vector<Part> open_parts(Several& several, const RunOptions& arguments,
                             const std::vector<std::string>& videos, Shared shared) {
  std::vector<Part> parts(videos.size());
  for (size_t i = 0; i < videos.size(); ++i) {
    parts[i].arguments = own_options(arguments, videos, i);
    parts[i].arguments.heatmaps.page = false;  // one page for all has no pictures
    parts[i].arguments.group = shared.groups[i];
    parts[i].messages = several.own_messages();
    parts[i].reference = shared.references[i].get();
    try {
      parts[i].run = std::make_unique<ScoringRun>(parts[i].arguments, *parts[i].messages,
                                                  std::move(shared.references[i]));
    } catch (const RefusedPair& refusal) {
      parts[i].refusal = refusal;
    }
  }
  return parts;
}

void collect(const std::vector<Part>& parts, SeveralReports& result) {
  for (const Part& part : parts) {
    result.videos.push_back({.report = part.complete ? std::optional(part.run->report()) : std::nullopt,
                             .refusal = part.refusal});
    if (!result.error) result.error = part.error;
  }
}

// Before the first, which may take long. Each is opened again when its turn comes: kept open, every one of
// them would hold a decoder, its threads and some dozens of frames from the start, while opening takes a
// fraction of a second.
std::vector<std::vector<Metric>> check_all(const RunOptions& arguments,
                                           const std::vector<std::string>& videos) {
  std::vector<std::vector<Metric>> metrics;
  for (size_t i = 0; i < videos.size(); ++i) metrics.push_back(check_run(own_options(arguments, videos, i)));
  return metrics;
}

bool shifts(const AlignRequest& request) { return request.finds || request.shift.value_or(0) != 0; }

// Groups of about equal size for the runs, in their order; they share the threads. A device has its own way.
std::vector<std::shared_ptr<ScoringGroup>> make_groups(const RunOptions& arguments, size_t runs,
                                                       const BackendChoice& backend) {
  if (is_on_device(backend.backend)) return std::vector<std::shared_ptr<ScoringGroup>>(runs);
  const size_t count = (runs + kMostInGroup - 1) / kMostInGroup;
  const int threads = std::max(1, thread_count(arguments) / static_cast<int>(count));
  std::vector<std::shared_ptr<ScoringGroup>> groups, of_runs;
  for (size_t i = 0; i < count; ++i) groups.push_back(std::make_shared<ScoringGroup>(threads, kSharedFrames));
  for (size_t i = 0; i < runs; ++i) of_runs.push_back(groups[i * count / runs]);
  return of_runs;
}

// Each run's share of the threads and the memory.
RunOptions shared_out(const RunOptions& arguments, size_t runs) {
  RunOptions own = arguments;
  own.threads = std::max(1, thread_count(arguments) / static_cast<int>(runs));
  own.max_memory = std::max<int64_t>(1, memory_limit(arguments) / static_cast<int64_t>(runs));
  return own;
}

// Encodes of one reference, of which the same slices are scored.
class Draws {
 public:
  // Reads the packets of all. Throws as ScoringRun, SampledRun and BasisOf.
  Draws(Several& several, const RunOptions& arguments, const std::vector<std::string>& videos,
        const BasisOf& basis_of);

  // Why all frames of those that are left are to be scored; empty if a sample is enough.
  const std::string& whole() const { return whole_; }
  std::vector<size_t> left() const;
  // Draws until it is known which are worse. `scored` is called for each frame. Needs: whole() is empty.
  void draw(const std::function<void(double)>& scored);
  // Fills in what is known of those that need not be scored any further.
  void complete(SeveralReports& result, const std::vector<std::string>& names);

 private:
  struct Encode {  // with what must live as long as its run
    RunOptions arguments = {};
    std::unique_ptr<Messages> messages = {};
    std::unique_ptr<ScoringRun> run = {};
    std::unique_ptr<SampledRun> sample = {};
    std::optional<Differences::Dropped> dropped = {};
    double sum = 0;  // of its scores, as they are compared
  };
  std::string reason_for_whole();
  std::vector<double> compared(const ScoredSlice& slice) const;
  bool count(std::span<ScoredSlice* const> slices, int64_t frames);
  void drop_by_intervals();
  void give_up(const std::string& why);
  bool is_decided() const;
  const Interval& interval(size_t encode) const {
    return encodes_[encode].sample->certainty().intervals().front();
  }
  bool is_better(size_t a, size_t b) const;

  const RunOptions& arguments_;
  std::vector<Encode> encodes_;
  ComparisonBasis basis_;
  size_t metric_ = 0;  // its place in reports
  bool lower_is_better_ = false;
  double tolerance_ = 0;
  std::string whole_;
  std::optional<Differences> differences_;  // of means and shares; percentiles are compared by intervals
  std::shared_ptr<ScoringGroup> group_;     // null on a device
  int64_t slices_ = 0, frames_ = 0, next_look_ = next_look(0);
  const double start_ = seconds_now();
};

Draws::Draws(Several& several, const RunOptions& arguments, const std::vector<std::string>& videos,
             const BasisOf& basis_of)
    : arguments_(arguments), encodes_(videos.size()) {
  const RunOptions own = sharing_devices(shared_out(arguments, videos.size()));
  std::vector<std::vector<Metric>> metrics;
  for (size_t i = 0; i < videos.size(); ++i) {
    Encode& encode = encodes_[i];
    encode.arguments = own_options(own, videos, i);
    encode.messages = several.own_messages();
    encode.run = std::make_unique<ScoringRun>(encode.arguments, *encode.messages);
    metrics.push_back(encode.run->settled().metrics());
  }
  basis_ = basis_of(metrics);
  const auto ranked = std::ranges::find(metrics.front(), basis_.metric, &Metric::name);
  metric_ = static_cast<size_t>(ranked - metrics.front().begin());
  const std::optional<double> usual = usual_tolerance(*ranked, basis_.statistic);
  if (!arguments.tolerance && !usual)
    throw usage_error("{} has no usual tolerance. Add --tolerance N", printable(ranked->name));
  tolerance_ = arguments.tolerance.value_or(usual.value_or(0));
  const Better better = metric_info(*ranked).better;
  lower_is_better_ = basis_.statistic.is_share() || better == Better::kLower;
  // What a threshold on the statistic needs is what is asked for.
  const Threshold asked =
      parse_threshold(words("{}:{}<0", basis_.metric, basis_.statistic.name), ThresholdSide::kBelow);
  for (Encode& encode : encodes_) {
    encode.arguments.thresholds = {asked};
    encode.arguments.tolerance.reset();
    encode.arguments.quiet = true;
    encode.sample = std::make_unique<SampledRun>(encode.arguments, *encode.run, *encode.messages,
                                                 static_cast<int64_t>(videos.size()));
  }
  whole_ = better == Better::kNeither ? words("neither side of {} is better", printable(ranked->name))
                                      : reason_for_whole();
  if (whole_.empty() && !is_on_device(encodes_.front().run->settled().backend.backend))
    group_ = std::make_shared<ScoringGroup>(thread_count(arguments), kSharedFrames);
}

std::string Draws::reason_for_whole() {
  const SampledRun& first = *encodes_.front().sample;
  for (const Encode& encode : encodes_) {
    if (!encode.sample->whole().empty()) return encode.sample->whole();
    if (encode.sample->frames() != first.frames() || encode.sample->first_frame() != first.first_frame())
      return "the videos have different numbers of frames";
  }
  const Statistic& statistic = basis_.statistic;
  const double percentile = statistic.percentile.value_or(0);
  if (percentile > 0 && percentile < 100) return {};
  if (!statistic.is_share() && statistic.name != "mean")
    return words("no sample ranks by {}", statistic.name);
  const ScoreEnds range = statistic.is_share() ? ScoreEnds{0, 1} : first.ranges()[metric_];
  if (std::isinf(range.low) || std::isinf(range.high))
    return words("no sample bounds differences of {}", printable(basis_.metric));
  differences_.emplace(DifferencesRequest{.frames = first.frames(),
                                          .encodes = encodes_.size(),
                                          .risk = (100 - *arguments_.confidence) / 100,
                                          .range = range,
                                          .lower_is_better = lower_is_better_,
                                          .tolerance = tolerance_});
  return {};
}

std::vector<size_t> Draws::left() const {
  std::vector<size_t> left;
  for (size_t i = 0; i < encodes_.size(); ++i) {
    if (!encodes_[i].dropped) left.push_back(i);
  }
  return left;
}

// The scores, or for a share which of them count.
std::vector<double> Draws::compared(const ScoredSlice& slice) const {
  std::vector<double> scores = slice.rows.metrics[metric_].values;
  if (!basis_.statistic.is_share()) return scores;
  const MetricInfo& info = metric_info(encodes_.front().run->settled().metrics()[metric_]);
  for (double& score : scores) score = is_noteworthy(info, score) ? 1 : 0;
  return scores;
}

void Draws::draw(const std::function<void(double)>& scored) {
  const std::vector<size_t>& order = encodes_.front().sample->order();
  const auto most = static_cast<int64_t>(order.size() + 1) / 2 + 1;
  while (whole_.empty() && !is_decided() && !arguments_.stop.is_requested()) {
    const int64_t batch = differences_
                              ? next_batch(slices_, differences_->limit(), differences_->least_evidence())
                              : next_batch(slices_, 1, 1);
    const auto drawn = std::span(order).subspan(static_cast<size_t>(slices_),
                                                static_cast<size_t>(std::min(batch, most - slices_)));
    std::vector<size_t> places(drawn.begin(), drawn.end());
    std::ranges::sort(places);
    std::vector<FrameSpan> spans;
    for (const size_t place : places) spans.push_back(encodes_.front().sample->slice(place));
    const std::vector<size_t> in_batch = left();
    std::vector<SliceScorer*> scorers;
    for (const size_t i : in_batch) scorers.push_back(&encodes_[i].sample->scorer());
    std::vector<std::vector<ScoredSlice>> found;
    try {
      found = SliceScorer::score_all(scorers, spans, group_);
    } catch (const Error& error) {
      const bool is_of_video = error.kind() == ErrorKind::kInput || error.kind() == ErrorKind::kIncomplete ||
                               error.kind() == ErrorKind::kMismatch;
      if (!is_of_video) throw;
      return give_up(words("a slice could not be scored: {}", error.what()));
    }
    if (arguments_.stop.is_requested()) return;
    for (const size_t place : drawn) {
      const auto at = static_cast<size_t>(std::ranges::lower_bound(places, place) - places.begin());
      std::vector<ScoredSlice*> slices(encodes_.size());
      for (size_t k = 0; k < in_batch.size(); ++k) {
        if (!encodes_[in_batch[k]].dropped) slices[in_batch[k]] = &found[k][at];
        for (const double score : found[k][at].rows.metrics[metric_].values) scored(score);
      }
      if (count(slices, spans[at].frames())) break;
    }
  }
}

// Counts a slice, of which those that are dropped have none. True if no more is to be counted.
bool Draws::count(std::span<ScoredSlice* const> slices, int64_t frames) {
  std::vector<std::vector<double>> scores(encodes_.size());
  for (size_t i = 0; i < encodes_.size(); ++i) {
    if (slices[i] == nullptr) continue;
    scores[i] = compared(*slices[i]);
    for (const double score : scores[i]) encodes_[i].sum += score;
    encodes_[i].sample->add(std::move(*slices[i]), frames);
    if (encodes_[i].sample->certainty().is_missing()) give_up("a score is missing");
    if (encodes_[i].sample->certainty().is_out_of_range())
      give_up("a score lies outside of the range of its metric, on which bounds rest");
  }
  if (!whole_.empty()) return true;
  ++slices_;
  frames_ += frames;
  if (differences_) {
    differences_->add(frames, scores);
    for (size_t i = 0; i < encodes_.size(); ++i) encodes_[i].dropped = differences_->dropped()[i];
  } else if (slices_ == next_look_) {
    next_look_ = next_look(next_look_);
    drop_by_intervals();
  }
  if (!whole_.empty() || is_decided()) return true;
  if (2 * frames_ < encodes_.front().sample->frames()) return false;
  whole_ = words("{} % could not be reached with half of them", significant_text(*arguments_.confidence, 6));
  return true;
}

void Draws::drop_by_intervals() {
  const std::vector<size_t> alive = left();
  for (const size_t i : alive) {
    encodes_[i].sample->certainty().find_intervals();
    if (interval(i).low > interval(i).high) return give_up("the bounds contradict each other");
  }
  for (const size_t b : alive) {
    const auto better =
        std::ranges::find_if(alive, [&](size_t a) { return !encodes_[a].dropped && is_better(a, b); });
    if (better != alive.end()) encodes_[b].dropped = {.better = *better, .after = frames_};
  }
}

// Nothing that was concluded counts.
void Draws::give_up(const std::string& why) {
  whole_ = why;
  for (Encode& encode : encodes_) encode.dropped.reset();
}

// By intervals, for certain.
bool Draws::is_better(size_t a, size_t b) const {
  return lower_is_better_ ? interval(a).high < interval(b).low : interval(a).low > interval(b).high;
}

bool Draws::is_decided() const {
  if (differences_) return differences_->is_decided();
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const size_t i : left()) {
    low = std::min(low, interval(i).low);
    high = std::max(high, interval(i).high);
  }
  return left().size() < 2 || high - low <= tolerance_;
}

void Draws::complete(SeveralReports& result, const std::vector<std::string>& names) {
  const auto count = static_cast<int64_t>(encodes_.size());
  std::vector<size_t> order;  // best first
  for (size_t i = 0; i < encodes_.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const Encode &one = encodes_[a], &other = encodes_[b];
    if (one.dropped || other.dropped)
      return !one.dropped || (other.dropped && one.dropped->after > other.dropped->after);
    if (!whole_.empty()) return false;  // they are scored anew
    if (!differences_)
      return lower_is_better_ ? interval(a).high < interval(b).high : interval(a).low > interval(b).low;
    return lower_is_better_ ? one.sum < other.sum : one.sum > other.sum;
  });
  for (size_t place = 0; place < order.size(); ++place) {
    const size_t i = order[place];
    Encode& encode = encodes_[i];
    if (!whole_.empty() && !encode.dropped) continue;
    encode.sample->warn();
    Report report = encode.run->report();
    encode.sample->take_sample(report);
    report.run.wall_seconds = std::round((seconds_now() - start_) * 1e6) / 1e6;
    report.fps = static_cast<double>(report.frames.size()) / report.run.wall_seconds;
    CertaintyFacts& facts = *report.run.certainty;
    facts.claims = differences_ ? count * (count - 1) / 2 : count;
    Standing& standing = result.videos[i].standing.emplace(Standing{.place = place, .tolerance = tolerance_});
    if (!differences_)
      facts.intervals.push_back({basis_.metric, basis_.statistic.name, interval(i).low, interval(i).high});
    if (differences_ && whole_.empty() && place > 0)
      standing.difference = differences_->between(i, order.front());
    if (encode.dropped) {
      standing.worse_than = names[encode.dropped->better];
      standing.decided_after = encode.dropped->after;
    } else {
      standing.rank = 1;
    }
    result.videos[i].report = std::move(report);
  }
}

}  // namespace

RunOptions own_options(const RunOptions& arguments, const std::vector<std::string>& videos, size_t i) {
  RunOptions own = arguments;
  own.distorted = videos[i];
  if (own.film_grain == FilmGrainRequest::kBoth)
    own.film_grain = i % 2 == 0 ? FilmGrainRequest::kOn : FilmGrainRequest::kOff;
  return own;
}

SeveralReports score_samples(const RunOptions& arguments, const std::vector<std::string>& videos,
                             const std::vector<std::string>& names, Messages& messages,
                             const BasisOf& basis_of) {
  SeveralReports result;
  result.videos.resize(videos.size());
  std::vector<size_t> left;
  std::string whole = "a video does not fit the reference";
  {
    Several several(messages);
    std::optional<Draws> draws;
    try {
      draws.emplace(several, arguments, videos, basis_of);
    } catch (const RefusedPair&) {  // score_several() says which
    }
    if (draws && draws->whole().empty()) {
      const std::string label = words("{} videos", videos.size());
      several.watch(progress_settings(arguments, std::nullopt, label),
                    [&](const std::function<void(double)>& scored) { draws->draw(scored); });
    }
    if (arguments.stop.is_requested()) return result;
    if (draws) {
      draws->complete(result, names);
      left = draws->left();
      whole = draws->whole();
    } else {
      for (size_t i = 0; i < videos.size(); ++i) left.push_back(i);
    }
  }
  if (whole.empty()) return result;
  if (!arguments.quiet)
    messages.note(left.size() == videos.size()
                      ? words("all frames are scored, since {}.", whole)
                      : words("all frames of {} are scored, since {}.",
                              join(left, ", ", [&](size_t i) { return shown_path(names[i]); }), whole));
  RunOptions own = arguments;
  own.confidence.reset();
  const std::vector<std::string> rest = mapped(left, [&](size_t i) { return videos[i]; });
  const MetricCheck check = [&](const std::vector<std::vector<Metric>>& metrics) {
    std::vector<std::vector<Metric>> all(videos.size());  // the others are known to fit
    for (size_t k = 0; k < left.size(); ++k) all[left[k]] = metrics[k];
    basis_of(all);
  };
  SeveralReports scored = score_several(own, rest, messages, check);
  for (size_t k = 0; k < left.size(); ++k) {
    std::optional<Report>& report = (result.videos[left[k]] = std::move(scored.videos[k])).report;
    if (!report) continue;
    CertaintyFacts& facts = report->run.certainty.emplace();
    facts.confidence = *arguments.confidence;
    facts.frames = facts.scored_frames = facts.decoded_frames = static_cast<int64_t>(report->frames.size());
    facts.exact = true;
    facts.reason = whole;
  }
  result.error = scored.error;
  return result;
}

SeveralReports score_several(const RunOptions& arguments, const std::vector<std::string>& videos,
                             Messages& messages, const MetricCheck& check) {
  Several several(messages);
  SeveralReports result;
  // A shift of its own takes frames of its own from the reference.
  if (arguments.reference && videos.size() > 1 && !(arguments.align && shifts(*arguments.align))) {
    RunOptions own = shared_out(arguments, videos.size());
    const BackendChoice backend = choose_backend(own, *several.own_messages());
    own.hardware = settle_decoder(own.hardware, backend);
    RunOptions with_grain = own;
    if (own.film_grain == FilmGrainRequest::kBoth) with_grain.film_grain = FilmGrainRequest::kOn;
    with_grain.skip_distorted_seconds.reset();  // each run counts its own
    with_grain = count_skipped(std::move(with_grain));
    own.skip_reference = with_grain.skip_reference;
    own.skip_reference_seconds.reset();
    Shared shared{.references = {}, .groups = make_groups(arguments, videos.size(), backend)};
    shared.references.push_back(open_input(with_grain, Role::kReference));
    while (shared.references.size() < videos.size())
      shared.references.push_back(shared.references.front()->share());
    std::vector<Part> parts = open_parts(several, own, videos, std::move(shared));
    check(mapped(parts, [](const Part& part) {
      return part.run ? part.run->settled().metrics() : std::vector<Metric>();
    }));
    const std::string label = words("{} videos", videos.size());
    several.score(parts, progress_settings(arguments, std::nullopt, label));
    collect(parts, result);
    return result;
  }
  const RunOptions sharing = sharing_devices(arguments);
  check(check_all(arguments, videos));
  const auto goes_on = [&] { return !result.error && !arguments.stop.is_requested(); };
  for (size_t i = 0; i < videos.size() && goes_on(); ++i) {
    const std::string place = words("{}/{} ", i + 1, videos.size());
    try {
      Shared none{.references = std::vector<std::unique_ptr<FrameReader>>(1), .groups = {nullptr}};
      std::vector<Part> parts =
          open_parts(several, own_options(sharing, videos, i), {videos[i]}, std::move(none));
      several.score(parts,
                    progress_settings(arguments, std::nullopt, place + std::string(file_part(videos[i]))));
      collect(parts, result);
    } catch (...) {
      if (i == 0) throw;
      result.error = std::current_exception();
    }
  }
  result.videos.resize(videos.size());
  return result;
}

}  // namespace vq::cli
