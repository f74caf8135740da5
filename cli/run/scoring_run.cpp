#include "cli/run/scoring_run.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <set>
#include <utility>

#include "cli/decoding/fitted_reader.h"
#include "cli/decoding/frame_fitter.h"
#include "cli/decoding/hardware/deferred_shared_pictures.h"
#include "cli/run/feature_flags.h"
#include "cli/run/pair_shape.h"
#include "cli/run/run_devices.h"
#include "cli/run/run_facts.h"
#include "cli/run/run_inputs.h"
#include "cli/run/scoring_remarks.h"
#include "cli/run/wording.h"
#include "core/error.h"
#include "core/previous_frames.h"
#include "core/text/message_text.h"
#include "core/text/number_text.h"
#include "engine/memory.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

std::string mebibytes(int64_t bytes) {
  if (bytes < 1 << 20) return std::to_string(bytes) + " bytes";
  return std::to_string(bytes / (1 << 20)) + " MiB";
}

PushedFrame pushed(const FramePair& pair) {
  return {.frame = pair.index,
          .timestamp = pair.distorted.timestamp,
          .is_reported = pair.is_reported,
          .has_reference = pair.reference.has_value(),
          .distorted_repeats = pair.distorted.repeated_planes,
          .reference_repeats = pair.reference ? pair.reference->repeated_planes : 0};
}

}  // namespace

ScoringRun::ScoringRun(const RunOptions& arguments, Messages& messages,
                       std::unique_ptr<FrameReader> reference, Reading reading)
    : arguments_(arguments),
      messages_(messages),
      threads_(thread_count(arguments)),
      backend_(choose_backend(arguments, messages)) {
  // Neither devices nor their decoders are opened for a run that may do without; a part of a video is begun
  // but once.
  if (!backend_.is_open || arguments_.part) open_devices();
  settle_alignment();
  open_inputs(std::move(reference));
  pool_ = std::make_unique<WorkerPool>(threads_);
  if (pool_->size() < threads_) {
    messages_.warn("only " + std::to_string(pool_->size()) + " of " + std::to_string(threads_) +
                   " threads could be started");
  }
  check_memory();
  settle_speed();
  if (const std::string text = left_to_host_note(arguments_.features, backend_.backend); !text.empty())
    record_.notes.push_back(text);
  heatmaps_ = std::make_unique<HeatmapOutputs>(arguments_.heatmaps, heatmap_place(), observed());
  check_raw_heatmaps();
  if (reading == Reading::kAtOnce) reader_->start();
  const HeatmapTaps taps = heatmaps_->taps();
  map_files_ = std::make_unique<MapFiles>(arguments_.features, formats_, taps);
  picture_tap_ = std::make_unique<PictureTap>(arguments_.features, arguments_.models, taps.observers);
  evaluator_ = std::make_unique<Evaluator>(
      arguments_.features, arguments_.models, formats_, run_context(),
      std::vector<EvaluationObserver*>{&recorder_, map_files_.get(), picture_tap_.get()});
  picture_tap_->attach(*evaluator_);
  place_frames(evaluator_->frame_store());
  // Of features on the host each picture would have to be fetched when its turn comes; decoders bring it
  // along.
  const bool may_stay = left_to_host(arguments_.features, backend_.backend).empty();
  if (arguments_.hardware.pictures && may_stay)
    arguments_.hardware.pictures->set(evaluator_->shared_pictures());
  clock_.switch_to({});
}

// Those of the reference as well, where they are uploaded.
void ScoringRun::place_frames(const std::shared_ptr<FrameStore>& store) {
  reader_->distorted().use_store(store);
  if (uses_reference_ && reader_->reference()) reader_->reference()->use_store(store);
}

// Whatever is decoded from now on goes through the host's memory.
void ScoringRun::leave_device() {
  place_frames(nullptr);
  if (arguments_.hardware.pictures) arguments_.hardware.pictures->set({});
}

void ScoringRun::open_inputs(std::unique_ptr<FrameReader> reference) {
  // With one thread the first picture is there soonest, and more than that is not needed to decide.
  const Opening opening = backend_.is_open && !arguments_.part ? Opening::kToLook : Opening::kToRead;
  std::future<std::unique_ptr<FrameReader>> other;  // to look at both takes no longer than at one
  if (opening == Opening::kToLook && arguments_.reference && !reference) {
    other = std::async(std::launch::async, [&] { return open_input(arguments_, Role::kReference, opening); });
  }
  OpenVideos videos{.distorted = open_input(arguments_, Role::kDistorted, opening),
                    .reference = std::move(reference)};
  formats_.distorted = describe(videos.distorted->info());
  if (arguments_.reference) {
    if (other.valid()) videos.reference = other.get();
    if (!videos.reference) videos.reference = open_input(arguments_, Role::kReference, opening);
    formats_.reference = describe(videos.reference->info());
  }
  settle(videos);
  reader_ =
      std::make_unique<PairReader>(std::move(videos.distorted), std::move(videos.reference), arguments_);
  watch_pairs();
  watch_scenes();
  if (arguments_.sampling.every > 1) {
    reader_->on_pair(
        [this](const FramePair& pair) { record_.types.look(pair.distorted.type, pair.is_reported); });
  }
  if (crop_.crops_any() && record_.pair_watch) record_.pair_watch->ignore_bars();
  ask_for_maps();
  if (frame_needs(arguments_.features).planes > 1) check_crops_of_chroma(arguments_, crop_, formats_);
  const std::optional<OpenedPair> pair = opened_pair();
  check_features(arguments_.features, formats_, arguments_.models, pair);
  const bool scales_to_reference = arguments_.scale && !arguments_.scale->size;
  if (pair) {
    if (!arguments_.compare_anyway) refuse_pair(arguments_.features, *pair);
    record_.pair_faults = pair_faults(arguments_.features, *pair, arguments_.as_stored);
    if (arguments_.strict) record_.refuse_pair_faults();
    for (const std::string& line : record_.pair_faults) messages_.warn(line);
    const std::string swapped = scales_to_reference ? swap_warning(arguments_.features, *pair) : "";
    if (!swapped.empty()) messages_.warn(swapped);
  }
  check_declared_lengths();
  uses_reference_ = frame_needs(arguments_.features).reference;
  if (const std::string text = formats_.reference ? reference_note(arguments_.features, formats_) : "";
      !text.empty())
    note(text);
  for (const std::string& text : expectations()) note(text);
  check_threshold_metrics(arguments_.thresholds, metrics());
  check_segment_metrics();
}

std::optional<OpenedPair> ScoringRun::opened_pair() const {
  if (!reader_->reference()) return std::nullopt;
  return OpenedPair{.distorted = reader_->distorted().source_info(),
                    .reference = reader_->reference()->source_info()};
}

void ScoringRun::check_segment_metrics() const {
  if (!arguments_.segments.empty()) return check_segments(arguments_.segments, metrics());
  const auto is_of_them = [](const OutputRequest& output) {
    return output.format && is_of_segments(*output.format);
  };
  if (std::none_of(arguments_.outputs.begin(), arguments_.outputs.end(), is_of_them) ||
      may_have_segments(metrics()))
    return;
  throw Error(
      ErrorKind::kUsage,
      "--segments-output: no score of these metrics is noteworthy by itself. Add --segments METRIC:VALUE");
}

std::vector<Metric> ScoringRun::metrics() const {
  return report_metrics(arguments_.features, arguments_.models);
}

std::vector<std::string> ScoringRun::expectations() const {
  return expectation_notes(arguments_.models, arguments_.features, formats_, reference_rate());
}

std::optional<double> ScoringRun::reference_rate() const {
  const FrameReader* const reference = reader_->reference();
  return reference ? reference->info().frame_rate() : std::nullopt;
}

void ScoringRun::warn(const std::string& line) {
  if (watcher_ != nullptr) return watcher_->warn(line);
  messages_.warn(line);
}

// Makes of --align frames to skip, beside those that are skipped anyway.
void ScoringRun::settle_alignment() {
  if (!arguments_.align || !arguments_.reference) return;
  int64_t shift = arguments_.align->shift.value_or(0);
  if (arguments_.align->finds) {
    const ShiftSettled found = settle_shift(pair_search(arguments_, execution()));
    shift = found.shift;
    record_.notes.push_back(found.note);
    if (!found.warning.empty()) warn(found.warning);
  } else if (arguments_.align->shift) {
    record_.notes.push_back("align=" + shift_text(shift) + " (as asked)");
  }
  arguments_.skip_reference += std::max<int64_t>(0, -shift);
  arguments_.skip_distorted += std::max<int64_t>(0, shift);
}

// Pictures are cropped as they are decoded, before anything looks at them or scales them.
std::vector<std::string> ScoringRun::settle_crop(OpenVideos& videos) {
  const DecodedVideos decoded{.distorted = videos.distorted->source_info(),
                              .reference = videos.reference ? &videos.reference->source_info() : nullptr,
                              .execution = execution()};
  crop_ = resolve_crops(arguments_, decoded);
  if (decoded.reference != nullptr) check_shapes(arguments_, decoded, crop_);
  const auto crop = [](const std::optional<Rectangle>& rectangle, std::unique_ptr<FrameReader>& video) {
    if (rectangle) video = cropped(std::move(video), *rectangle);
  };
  crop(crop_.distorted, videos.distorted);
  crop(crop_.reference, videos.reference);
  crop_formats(crop_, formats_);
  return crop_.notes;
}

// What is computed, now that the videos are known; and the videos are brought to what is scored of them.
void ScoringRun::settle(OpenVideos& videos) {
  KnownVideos known{.display = formats_.reference};
  if (videos.reference) known.reference_rate = videos.reference->info().frame_rate();
  const std::vector<std::string> cropped = settle_crop(videos);
  known.formats = formats_;
  Settled settled = vq::settle(arguments_, arguments_, known);
  arguments_.features = std::move(settled.features);
  arguments_.models = std::move(settled.models);
  formats_ = settled.formats;
  const int planes = frame_needs(arguments_.features).planes;
  if (settled.distorted_fitting)
    videos.distorted = fitted(std::move(videos.distorted), *settled.distorted_fitting, planes);
  if (settled.reference_fitting)
    videos.reference = fitted(std::move(videos.reference), *settled.reference_fitting, planes);
  for (const std::string& line : settled.chosen) note("using " + line);
  for (const std::string& line : settled.fitted_for) note(line);
  const auto keep = [this](const std::vector<std::string>& lines) {
    record_.notes.insert(record_.notes.end(), lines.begin(), lines.end());
  };
  keep(settled.chosen);
  keep(cropped);
  keep(settled.fitted);
  keep(settled.fitted_for);
  keep(settled.resolved);
  for (const Diagnostic& remark : settled.remarks) messages_.warn(in_words(remark));
  std::set<std::string> told;
  for (const auto& [info, warning] : settled.contradictions) {
    const std::string line = in_words(warning, *info);
    if (told.insert(line).second) messages_.warn(line);
  }
  for (const std::string& line : settled.warnings) messages_.warn(line);
}

VideoFormat ScoringRun::describe(const VideoInfo& info) const {
  if (info.interlaced) messages_.warn(info.path + " is interlaced; frames are scored as they are.");
  tell_of_film_grain(info, arguments_, messages_);
  if (!info.decoder_note.empty()) note(info.path + ": " + info.decoder_note);
  return info.named_format();
}

Execution ScoringRun::execution() const {
  return {.backend = backend_.backend,
          .pool = pool_.get(),
          .heatmaps = false,
          .cpumask = arguments_.cpumask,
          .devices = {.selector = backend_.devices.selector, .count = backend_.devices.count},
          .time_stages = tells_stages(arguments_),
          .make_fitter = make_frame_fitter};
}

Execution ScoringRun::on_open_devices() const {
  Execution on_opened = execution();
  on_opened.devices = backend_.devices;
  return on_opened;
}

RunContext ScoringRun::run_context() {
  RunContext context{.execution = on_open_devices()};
  context.execution.clock = &clock_;
  backend_.devices.opened = {};  // the evaluator alone keeps them open
  if (!backend_.may_fall_back) return context;
  context.on_fallback = [this](const std::string& reason) {
    warn(reason + "; continuing on the CPU.");
    leave_device();
  };
  return context;
}

void ScoringRun::note(const std::string& text) const {
  if (!arguments_.quiet) messages_.note(text);
}

void ScoringRun::check_memory() const {
  const int64_t limit = memory_limit(arguments_);
  VideoReading reading{.threads = threads_};
  const auto add = [&](const FrameReader& video) {
    reading.videos.push_back({.decoded = memory_of(video.source_info()), .fitted = {}});
    if (video.gives_copies()) reading.videos.back().fitted = memory_of(video.info());
  };
  add(reader_->distorted());
  if (reader_->reference()) add(*reader_->reference());
  int64_t estimate = run_bytes(reading, arguments_.features, formats_, execution());
  if (backend_.may_fall_back) {
    // A device that hangs keeps its memory while the CPU goes on.
    Execution on_cpu = execution();
    on_cpu.backend = Backend::kCpu;
    estimate += extractor_bytes(arguments_.features, formats_, on_cpu);
  }
  estimate += HeatmapOutputs::memory_bytes(arguments_.heatmaps, observed());
  if (estimate <= limit) return limit_ahead(limit - estimate);
  throw Error(ErrorKind::kResource, "this run may need " + mebibytes(estimate) + " of memory; the limit is " +
                                        mebibytes(limit) + ". Try fewer --threads or a larger --max-memory.");
}

// What is decoded before its turn has the memory that nothing else needs.
void ScoringRun::limit_ahead(int64_t bytes) const {
  const int64_t each = reader_->reference() ? bytes / 2 : bytes;
  reader_->distorted().limit_ahead(each);
  if (reader_->reference()) reader_->reference()->limit_ahead(each);
}

// While it lives the run tells the watcher.
class ScoringRun::Watched {
 public:
  Watched(ScoringRun& run, const Watcher& watcher) : run_(run) { run_.watcher_ = &watcher; }
  ~Watched() { run_.watcher_ = nullptr; }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  ScoringRun& run_;
};

void ScoringRun::score(const Watcher& watcher) {
  const StageTimer timer(&clock_, pace::kReporting);
  {
    const Watched watched(*this, watcher);
    try {
      score_frames(watcher);
    } catch (...) {
      pass_warnings(watcher);
      // A frame still in flight may fail as well, and comes before the one that could not be read: then its
      // error is the one to tell.
      evaluator_->finish();
      throw;
    }
  }
  pass_warnings(watcher);
  if (arguments_.stop.is_requested()) return;
  complete(watcher);
  complete_ = true;
}

void ScoringRun::complete(const Watcher& watcher) {
  if (findings_ != nullptr) return complete_findings();
  if (scored() == 0) throw nothing_to_score(arguments_);
  remember_pace();
  const auto end_of = [](const FrameReader& video, int64_t skipped) {
    return ReadVideoEnd{
        .path = video.info().path, .declared_frames = video.info().frames, .skipped = skipped};
  };
  RunRecord::Ending ending{.distorted = end_of(reader_->distorted(), arguments_.skip_distorted),
                           .reference = {},
                           .shorter = reader_->shorter(),
                           .pairs = reader_->pairs_read(),
                           .scored = scored()};
  if (reader_->reference()) ending.reference = end_of(*reader_->reference(), arguments_.skip_reference);
  record_.end(arguments_, arguments_.features, formats_, ending, watcher.warn);
}

void ScoringRun::score_frames(const Watcher& watcher) {
  const StageTimer timer(&clock_, pace::kPreparing);
  PreviousFrames before(frame_needs(arguments_.features).before);
  while (std::optional<FramePair> pair = reader_->next()) {
    pass_warnings(watcher);
    if (findings_ == nullptr) record_.warn_of_pairs(false, arguments_.features, watcher.warn);
    if (arguments_.score_bits == 0) record_.padding.look(pair->distorted);
    repeats_.mark(pair->distorted);
    if (uses_reference_ && pair->reference) reference_repeats_.mark(*pair->reference);
    before.give(*pair);
    if (is_lead(*pair)) continue;
    if (findings_ != nullptr) findings_->frames.push_back(pushed(*pair));
    evaluator_->push(*pair);
    show_scores(watcher);
  }
  evaluator_->finish();
  show_scores(watcher);
}

void ScoringRun::show_scores(const Watcher& watcher) {
  const StageTimer timer(&clock_, pace::kReporting);
  for (; shown_ < scored(); ++shown_) {
    watcher.scored(evaluator_->score_at(shown_));
    if (watcher.row) watcher.row(evaluator_->row(shown_));
  }
}

void ScoringRun::pass_warnings(const Watcher& watcher) {
  for (const std::string& line : reader_->distorted().take_warnings()) watcher.warn(line);
  if (!reader_->reference()) return;
  for (const std::string& line : reader_->reference()->take_warnings()) watcher.warn(line);
}

// Under --strict, before the first frame: where both containers say how many frames there are, and mean it by
// their durations.
void ScoringRun::check_declared_lengths() const {
  if (!arguments_.strict || !reader_->reference() || frames_to_read(arguments_).end >= 0 || arguments_.end)
    return;
  const auto frames_of = [](const VideoInfo& info) -> std::optional<int64_t> {
    const std::optional<double> rate = info.frame_rate();
    if (!info.frames || !info.duration || !rate) return std::nullopt;
    return std::fabs(*info.duration * *rate - static_cast<double>(*info.frames)) < 0.5 ? info.frames
                                                                                       : std::nullopt;
  };
  const VideoInfo &distorted = reader_->distorted().info(), &reference = reader_->reference()->info();
  const std::optional<int64_t> a = frames_of(distorted), b = frames_of(reference);
  if (!a || !b || *a - arguments_.skip_distorted == *b - arguments_.skip_reference) return;
  throw Error(ErrorKind::kIncomplete, distorted.path + " has " + counted(*a, "frame") + " and " +
                                          reference.path + " " + std::to_string(*b) + " (--strict is set)");
}

}  // namespace vq::cli
