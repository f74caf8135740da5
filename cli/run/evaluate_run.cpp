#include "cli/run/evaluate_run.h"

#include <algorithm>
#include <utility>

#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "core/frame.h"
#include "core/text.h"
#include "engine/known_metrics.h"
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
  // Features on the host would have to fetch each picture when its turn comes; decoders bring it along.
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

// Frames of the reference as well, if they are uploaded.
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

namespace {

// Place of the feature whose heatmaps pictures and pages show; none if they show frames by the score of a
// model.
std::optional<size_t> shown_feature(const RunOptions& options) {
  const size_t place = shown_metric(options.features, options.models).feature;
  return place < options.features.size() ? std::optional(place) : std::nullopt;
}

HeatmapPlace heatmap_place(const SettledRun& run, std::function<void(const std::string&)> tell) {
  const RunOptions& options = run.options;
  HeatmapPlace place;
  if (const auto shown = shown_feature(options)) place.folder = heatmap_folder(options.features[*shown]);
  place.origin =
      picture_origin(options.distorted, shown_metric(options.features, options.models).metric.name);
  place.threads = options.threads;
  place.tell = std::move(tell);
  for (const OutputRequest& output : options.outputs) {
    place.other_outputs.insert(place.other_outputs.end(), {output.path, partial_output(output)});
  }
  return place;
}

// At most this number, if it is known.
std::optional<int64_t> raw_heatmap_frames(const SettledRun& run) {
  const std::optional<int64_t> scored = run.reader->expected_frames();
  const HeatmapRequests& requests = run.options.heatmaps;
  if (requests.frames != HeatmapRequests::Frames::kRange) return scored;
  const Sampling& sampling = run.options.sampling;
  const int64_t in_range =
      (requests.range.last - requests.range.first) / sampling.every + (sampling.is_spread ? 2 : 1);
  return std::min(in_range, scored.value_or(in_range));
}

// Requests of raw heatmaps, which can be larger than any other output, so their size is announced first.
const HeatmapRequests& announced(const SettledRun& run, Messages& messages) {
  const auto note = [&](const std::string& text) {
    if (!run.options.quiet) messages.note(text);
  };
  for (const FeatureRequest& request : run.options.features) {
    const std::string folder = heatmap_folder(request);
    if (!run.options.heatmaps.raw || folder.empty()) continue;
    const int64_t frame_bytes = raw_frame_bytes(heatmaps_of(request, run.formats));
    const std::optional<int64_t> frames = raw_heatmap_frames(run);
    if (!frames) {
      note(words("writing raw heatmaps to {}: {} a frame", shown_path(folder), bytes_text(frame_bytes)));
      continue;
    }
    const std::string what = words("raw heatmaps of {} to {}", counted(*frames, "frame"), shown_path(folder));
    const std::string size = bytes_text(*frames * frame_bytes);
    check_free_space(folder, *frames * frame_bytes, words("{} take about {}", what, size));
    note(words("writing {}: about {}", what, size));
  }
  return run.options.heatmaps;
}

}  // namespace

void ask_for_maps(RunOptions& options) {
  const HeatmapRequests& requests = options.heatmaps;
  for (FeatureRequest& request : options.features) {
    request.heatmaps = requests.raw && !heatmap_folder(request).empty();
    request.histograms =
        request.info->histograms != nullptr && (requests.page || !histogram_path(request).empty());
  }
  if (const auto shown = shown_feature(options)) {
    FeatureRequest& request = options.features[*shown];
    if (requests.shows_frames() && request.info->heatmaps != nullptr) request.heatmaps = true;
  }
}

ObservedVideo observed_video(const SettledRun& run, std::function<bool(int64_t, int64_t)> may_begin_scene) {
  const std::vector<FeatureRequest>& features = run.options.features;
  const std::optional<size_t> with_histograms = histogram_feature(features),
                              shown = shown_feature(run.options);
  const OtherMetrics others = other_metrics(features, run.options.models);
  std::vector<MetricInfo> infos;
  for (const MetricPlace& place : others.places) infos.push_back(metric_info(place.metric));
  return {.format = run.formats.distorted,
          .reference = run.formats.reference,
          .metric = metric_info(shown_metric(features, run.options.models).metric),
          .heatmaps = shown ? heatmaps_of(features[*shown], run.formats) : std::vector<HeatmapInfo>(),
          .others = infos,
          .judged_others = others.judged,
          .may_begin_scene = std::move(may_begin_scene),
          .histograms = with_histograms ? histograms_of(features[*with_histograms], run.formats)
                                        : std::vector<HistogramInfo>(),
          .frame_rate = run.reader->distorted().info().frame_rate(),
          .frames = run.reader->expected_frames()};
}

RunPictures::RunPictures(const SettledRun& run, PictureTellers tellers, Messages& messages)
    : threads_(thread_count(run.options)),
      video_(observed_video(run, std::move(tellers.may_begin_scene))),
      heatmaps_(run.options.heatmaps, heatmap_place(run, std::move(tellers.tell)), video_),
      map_files_(run.options.features, run.formats, announced(run, messages)),
      tap_(run.options.features, run.options.models, heatmaps_.observers()) {}

std::vector<OutputFile*> RunPictures::files() {
  std::vector<OutputFile*> all = raw_heatmaps(false);
  for (const std::vector<OutputFile*>& more : {pictures(false), histograms(false)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

PagePictures RunPictures::page_pictures(const PicturesMade& tell) const {
  PagePictures pictures{heatmaps_.page_pictures(threads_, tell), map_files_.levels()};
  if (!video_.heatmaps.empty()) pictures.coloured_by = video_.metric;
  return pictures;
}

}  // namespace vq::cli
