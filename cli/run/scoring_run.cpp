#include "cli/run/scoring_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/decoding/fitted_reader.h"
#include "cli/decoding/late_pictures.h"
#include "cli/models/catalogue.h"
#include "cli/run/decoder_choice.h"
#include "cli/run/faster_backend.h"
#include "cli/run/frame_rate.h"
#include "cli/run/memory_limit.h"
#include "cli/run/run_facts.h"
#include "cli/run/run_inputs.h"
#include "cli/run/settle_models.h"
#include "cli/system/interrupt.h"
#include "cli/text/message_text.h"
#include "cli/text/number_text.h"
#include "core/error.h"
#include "core/frames_before.h"
#include "feature/extractor.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

std::string mebibytes(int64_t bytes) {
  return std::to_string(bytes / (1 << 20)) + " MiB";
}

std::string size_text(const VideoFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height);
}

// Seconds without the digits that no clock has.
double microseconds(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

PushedFrame pushed(const FramePair& pair) {
  return {.frame = pair.index,
          .timestamp = pair.distorted.timestamp,
          .is_reported = pair.is_reported,
          .has_reference = pair.reference.has_value(),
          .distorted_repeats = pair.distorted.repeated_planes,
          .reference_repeats = pair.reference ? pair.reference->repeated_planes : 0};
}

// Pictures of the distorted video before the first that is scored, as far as that can be told beforehand.
int64_t frames_before(const RunOptions& arguments, PairReader& reader) {
  int64_t start = 0;
  if (arguments.start) {
    const int64_t* number = std::get_if<int64_t>(&*arguments.start);
    const double rate = reader.distorted().info().frame_rate().value_or(kAssumedFrameRate);
    start =
        number ? *number : std::llround(std::get<double>(*arguments.start) * rate) - arguments.skip_distorted;
  }
  return arguments.skip_distorted + std::max<int64_t>(start, 0);
}

}  // namespace

ScoringRun::ScoringRun(const RunOptions& arguments, Messages& messages, std::unique_ptr<FrameReader> reference,
                       Reading reading)
    : arguments_(arguments),
      messages_(messages),
      features_(arguments.features),
      start_(seconds_now()),
      threads_(thread_count(arguments)),
      backend_(choose_backend(backend_wish(arguments), messages)) {
  begin_to_open(backend_);
  arguments_.hardware = settle_decoder(arguments.hardware, backend_);
  if (arguments_.hardware.api) arguments_.hardware.pictures = std::make_shared<LatePictures>();
  settle_alignment();
  open_inputs(std::move(reference));
  pool_ = std::make_unique<WorkerPool>(threads_);
  if (pool_->size() < threads_) {
    messages_.warn("only " + std::to_string(pool_->size()) + " of " + std::to_string(threads_) +
                   " threads could be started");
  }
  check_memory();
  settle_speed();
  note_left_to_host();
  heatmaps_ = std::make_unique<HeatmapOutputs>(arguments_.heatmaps, heatmap_place(), observed());
  check_raw_heatmaps();
  if (reading == Reading::kAtOnce) reader_->start();
  scorer_ = std::make_unique<Scorer>(features_, formats_, backend_use(), heatmaps_->taps(),
                                     arguments_.models);
  place_frames(scorer_->frame_store());
  if (arguments_.hardware.pictures) arguments_.hardware.pictures->set(scorer_->shared_pictures());
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

void ScoringRun::note_left_to_host() {
  std::string names;
  for (const std::string& name : left_to_host(features_, backend_.backend)) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) notes_.push_back("on the CPU: " + names);
}

// Whether the device is faster than the CPU at what this run does.
void ScoringRun::settle_speed() {
  if (!backend_.is_open) return;
  const Execution on_gpu = on_open_devices();
  settle_backend(backend_,
                 {.features = features_,
                  .formats = formats_,
                  .on_gpu = on_gpu,
                  .device = backend_.infos.front(),
                  .rate = [this](const Execution& execution) { return frame_rate(features_, formats_, execution); }},
                 arguments_.quiet, messages_);
}

void ScoringRun::open_inputs(std::unique_ptr<FrameReader> reference) {
  std::unique_ptr<FrameReader> distorted = open_input(arguments_, Role::kDistorted);
  formats_.distorted = describe(distorted->info());
  encoded_ = formats_.distorted;
  if (arguments_.reference) {
    if (!reference) reference = open_input(arguments_, Role::kReference);
    formats_.reference = describe(reference->info());
    settle_open_models(*reference);
  }
  for (const std::string& line : arguments_.remarks) messages_.warn(line);
  fit(distorted, reference);
  reader_ = std::make_unique<PairReader>(std::move(distorted), std::move(reference), arguments_,
                                         [] { return interrupt_signal() != 0; });
  watch_pairs();
  watch_scenes();
  if (arguments_.crop) settle_crop();
  settle_options();
  ask_for_maps();
  if (crop_) check_crop();
  check_features();
  uses_reference_ = frame_use(features_).reference;
  if (formats_.reference && !arguments_.quiet) note_reference();
  note_expectations();
  check_threshold_metrics(arguments_.thresholds, metric_names());
  check_segment_metrics();
}

void ScoringRun::check_segment_metrics() const {
  const std::vector<std::string> metrics = metric_names();
  if (arguments_.segments) return check_segments(*arguments_.segments, metrics);
  const auto is_of_them = [](const OutputRequest& output) {
    return output.format && is_of_segments(*output.format);
  };
  if (std::none_of(arguments_.outputs.begin(), arguments_.outputs.end(), is_of_them) ||
      noteworthy_metric(metrics))
    return;
  throw Error(
      ErrorKind::kUsage,
      "--segments-output: no score of these metrics is noteworthy by itself. Add --segments METRIC:VALUE");
}

std::vector<std::string> ScoringRun::metric_names() const {
  return report_names(features_, arguments_.models);
}

// Models that were left to the program.
void ScoringRun::settle_open_models(const FrameReader& reference) {
  VideoFormat scored = *formats_.reference;
  if (arguments_.scale && arguments_.scale->size) {
    scored.width = arguments_.scale->size->width;
    scored.height = arguments_.scale->size->height;
  }
  for (const std::string& line : choose_models(arguments_, scored, reference.info().frame_rate())) {
    notes_.push_back(line);
    note("using " + line);
  }
  features_ = arguments_.features;
}

// Brings the videos to the size and depth that was asked for.
void ScoringRun::fit(std::unique_ptr<FrameReader>& distorted, std::unique_ptr<FrameReader>& reference) {
  const std::optional<ScaleWish>& scale = arguments_.scale;
  const auto fit_one = [&](std::unique_ptr<FrameReader>& reader, VideoFormat& format) {
    PlaneSize size = {format.width, format.height};
    if (scale && scale->size) size = *scale->size;
    if (scale && !scale->size && formats_.reference) size = {formats_.reference->width, formats_.reference->height};
    const FittedFormat wanted = {size, std::max(format.bit_depth, arguments_.score_bits), arguments_.scale_kernel};
    const bool scales = size != PlaneSize{format.width, format.height};
    if (!scales && wanted.bit_depth == format.bit_depth) return;
    if (scales) {
      notes_.push_back(shown_path(format.name) + " scaled to " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                       " (" + std::string(to_string(wanted.kernel)) + ")");
    }
    if (wanted.bit_depth != format.bit_depth) {
      notes_.push_back(shown_path(format.name) + " scored at " + std::to_string(wanted.bit_depth) + " bits");
    }
    reader = fitted(std::move(reader), wanted, frame_use(features_).planes);
    format.width = size.width;
    format.height = size.height;
    format.bit_depth = wanted.bit_depth;
  };
  fit_one(distorted, formats_.distorted);
  if (reference) fit_one(reference, *formats_.reference);
}

void ScoringRun::check_features() const {
  for (size_t i = 0; i < features_.size(); ++i) {
    try {
      features_[i].info->check(features_[i].options, formats_);
    } catch (const Error& error) {
      std::string text = error.what();
      if (text.ends_with('.')) text.pop_back();
      throw Error(error.kind(), text + advice_on(error, i) + ".");
    }
  }
}

// What a feature does not know: who asked for it, and which flag helps.
std::string ScoringRun::advice_on(const Error& error, size_t feature) const {
  std::string text;
  const std::string model = model_that_asks(arguments_.models, feature);
  if (!model.empty()) text += " (" + model + " needs " + std::string(features_[feature].info->name) + ")";
  const bool differ = formats_.reference && (formats_.reference->width != formats_.distorted.width ||
                                             formats_.reference->height != formats_.distorted.height);
  if (error.kind() == ErrorKind::kMismatch && differ) text += ". Try: --scale-to reference";
  return text;
}

// What models expect of pictures that these are not.
void ScoringRun::note_expectations() const {
  for (const ModelOfRun& model : arguments_.models) {
    const model::CatalogueEntry* const entry = model::find_entry(model.model.spec.version);
    const std::string text = entry == nullptr ? "" : model::expectation(*entry, formats_.distorted);
    if (!text.empty()) note(text);
  }
}

void ScoringRun::warn(const std::string& line) {
  if (watcher_ != nullptr) return watcher_->warn(line);
  messages_.warn(line);
}

// What becomes of a reference, where that may not be what was meant.
void ScoringRun::note_reference() const {
  const VideoFormat &video = formats_.distorted, &reference = *formats_.reference;
  if (!frame_use(features_).reference) {
    const FeatureRequest& first = features_.front();
    // Who writes features out has said everything already.
    if (first.exact || first.info->reference_flag.empty()) return;
    messages_.note(reference.name + " is not scored; add " + std::string(first.info->reference_flag) + " to score it as well, or --model auto for VMAF.");
  } else if (video.width != reference.width || video.height != reference.height) {
    messages_.note(reference.name + " is " + size_text(reference) + " and " + video.name + " is " +
                   size_text(video) + "; each is scored at its own size.");
  }
}

// Makes of --align frames to skip, beside those that are skipped anyway.
void ScoringRun::settle_alignment() {
  if (!arguments_.align || !arguments_.reference) return;
  int64_t shift = arguments_.align->shift.value_or(0);
  if (arguments_.align->finds) {
    const ShiftSettled found = settle_shift(pair_search(arguments_, execution()));
    shift = found.shift;
    notes_.push_back(found.note);
    if (!found.warning.empty()) warn(found.warning);
  } else if (arguments_.align->shift) {
    notes_.push_back("align=" + shift_text(shift) + " (as asked)");
  }
  arguments_.skip_reference += std::max<int64_t>(0, -shift);
  arguments_.skip_distorted += std::max<int64_t>(0, shift);
}

void ScoringRun::watch_pairs() {
  if ((arguments_.align && arguments_.align->is_off()) || !reader_->reference()) return;
  // Before cropping.
  pair_watch_ = std::make_unique<PairWatch>(formats_, execution(),
                                            Skips{arguments_.skip_reference, arguments_.skip_distorted});
  if (arguments_.crop) pair_watch_->ignore_bars();
  reader_->on_pair([this](const FramePair& pair) { pair_watch_->look(pair); });
}

// Of every frame of the range, as it is cropped. Frames are in memory here whatever the backend.
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

void ScoringRun::look(const FramePair& pair) {
  Frame frame = pair.distorted;
  if (crop_) crop_frame(frame, formats_.distorted.chroma, *crop_);
  const Signature scene = signature_of(frame, formats_.distorted.range, cell_sums_);
  if (findings_ == nullptr) return scene_cuts_->add(pair.index, scene);
  if (!findings_->watches_pairs) findings_->pairs.emplace_back();
  findings_->pairs.back().frame = pair.index;
  findings_->pairs.back().scene = scene;
}

void ScoringRun::keep(PartFindings& findings) {
  findings_ = &findings;
  findings.watches_pairs = pair_watch_ != nullptr;
  findings.formats = formats_;
  findings.distorted_frames = reader_->distorted().info().frames;
  if (reader_->reference()) findings.reference_frames = reader_->reference()->info().frames;
  if (!pair_watch_) return;
  findings.watched = pair_watch_->formats();
  // They are watched before they are looked at for scenes.
  pair_watch_->pass_on([this](int64_t frame, const Signature& reference, const Signature& distorted) {
    findings_->pairs.push_back({.frame = frame, .scene = {}, .distorted = distorted, .reference = reference});
  });
}

void ScoringRun::complete_findings() {
  findings_->padding = padding_.state();
  findings_->pairs_read = reader_->pairs_read();
  findings_->shorter = reader_->shorter();
  if (!pair_watch_) return;
  findings_->distorted_bars = pair_watch_->distorted_bars();
  findings_->reference_bars = pair_watch_->reference_bars();
}

void ScoringRun::tell_of_pairs(const Watcher& watcher, bool ended) {
  if (!pair_watch_ || findings_ != nullptr) return;
  for (const std::string& line : pair_watch_->take_warnings(ended)) watcher.warn(line);
}

void ScoringRun::settle_crop() {
  VideoFormat& video = formats_.distorted;
  const ActiveAreaSearch search = {in_software(source_options(arguments_, Role::kDistorted)),
                                   frames_before(arguments_, *reader_), execution()};
  const CropOutcome outcome = resolve_crop(*arguments_.crop, video, search);
  notes_.push_back(outcome.note);
  if (!outcome.rectangle) return;
  crop_ = outcome.rectangle;
  if (formats_.reference) {
    VideoFormat& reference = *formats_.reference;
    crops_reference_ = reference.width == video.width && reference.height == video.height;
    if (frame_use(features_).reference && !crops_reference_) {
      throw Error(ErrorKind::kMismatch, "--crop needs a reference of the same size; " + reference.name +
                                            " is " + size_text(reference) + " and " + video.name + " is " +
                                            size_text(video) + ".");
    }
    if (crops_reference_) reference.width = crop_->width;
    if (crops_reference_) reference.height = crop_->height;
  }
  video.width = crop_->width;
  video.height = crop_->height;
}

// The one whose heatmaps pictures and pages show; null where they show frames by the score of a model.
FeatureRequest* ScoringRun::shown_feature() {
  const size_t place = shown_metric(features_, arguments_.models).feature;
  return place < features_.size() ? &features_[place] : nullptr;
}

const FeatureRequest* ScoringRun::shown_feature() const {
  const size_t place = shown_metric(features_, arguments_.models).feature;
  return place < features_.size() ? &features_[place] : nullptr;
}

// Heatmaps and histograms, where somebody takes them: files, or those who look at the frames of one feature.
void ScoringRun::ask_for_maps() {
  const HeatmapWishes& wishes = arguments_.heatmaps;
  for (FeatureRequest& request : features_) request.heatmaps = wishes.raw && !heatmap_folder(request).empty();
  if (FeatureRequest* const shown = shown_feature(); shown != nullptr) {
    if (wishes.shows_frames() && shown->info->heatmaps != nullptr) shown->heatmaps = true;
  }
  for (FeatureRequest& request : features_) {
    request.histograms = request.info->histograms != nullptr && (wishes.page || !histogram_path(request).empty());
  }
}

// Of the chroma that is scored.
void ScoringRun::check_crop() const {
  if (frame_use(features_).planes == 1) return;
  check_crop_of_chroma(*crop_, formats_.distorted);
  if (crops_reference_) check_crop_of_chroma(*crop_, *formats_.reference);
}

// What was left to the program, now that the videos are known.
void ScoringRun::settle_options() {
  fill_open_options(arguments_.models, encoded_, features_);
  for (FeatureRequest& request : features_) {
    const Resolution resolution = resolve(request, formats_);
    notes_.insert(notes_.end(), resolution.notes.begin(), resolution.notes.end());
    for (const std::string& line : resolution.warnings) messages_.warn(line);
  }
  for (const FeatureRequest& request : features_) {
    if (request.info->advice == nullptr) continue;
    for (const std::string& line : request.info->advice(request.options, formats_)) messages_.warn(line);
  }
}

// It hides banding from those who watch, and what is hidden is not scored.
void ScoringRun::tell_of_film_grain(const VideoInfo& info) const {
  const bool chosen = arguments_.film_grain != FilmGrainWish::kDefault;
  if (info.film_grain == FilmGrain::kApplied && !chosen) {
    messages_.warn(info.path + " has film grain that its decoder adds, and scores are of what it does not hide. "
                               "--film-grain off scores what is below it, both compares, on is this without the warning.");
  } else if (info.film_grain == FilmGrain::kNotApplied && arguments_.film_grain != FilmGrainWish::kOff) {
    messages_.warn(info.path + " has film grain that this libavcodec cannot add to " + info.pixel_format +
                   "; it is scored without.");
  } else if (info.film_grain == FilmGrain::kNone && chosen) {
    note(info.path + " describes no film grain, so --film-grain changes nothing of it.");
  }
}

VideoFormat ScoringRun::describe(const VideoInfo& info) const {
  VideoFormat format = info.format;
  format.name = info.path;
  if (info.interlaced) messages_.warn(info.path + " is interlaced; frames are scored as they are.");
  tell_of_film_grain(info);
  if (!info.decoder_note.empty()) note(info.path + ": " + info.decoder_note);
  return format;
}

Execution ScoringRun::execution() const {
  return {.backend = backend_.backend,
          .pool = pool_.get(),
          .heatmaps = false,
          .cpumask = arguments_.cpumask,
          .devices = {.selector = backend_.devices.selector, .count = backend_.devices.count},
          .time_stages = tells_stages()};
}

// Extended reports do, and pages have one in them.
bool ScoringRun::tells_stages() const {
  const auto is_page = [](const OutputRequest& output) { return output.format == ReportFormat::kHtml; };
  return arguments_.extended || std::any_of(arguments_.outputs.begin(), arguments_.outputs.end(), is_page);
}

Execution ScoringRun::on_open_devices() const {
  Execution on_opened = execution();
  on_opened.devices = backend_.devices;
  return on_opened;
}

BackendUse ScoringRun::backend_use() {
  BackendUse use;
  use.execution = on_open_devices();
  backend_.devices.opened = {};  // the scorer alone keeps them open
  use.found = [this](const FrameScores& scores) {
    if (findings_ == nullptr) return;
    std::vector<FrameResult>& results = findings_->results.emplace_back();
    for (const FrameResult& result : scores.results) {
      results.push_back({.values = result.values, .tallies = result.tallies, .texts = result.texts});
    }
  };
  if (!backend_.may_fall_back) return use;
  use.on_fallback = [this](const std::string& reason) {
    warn(reason + "; continuing on the CPU.");
    leave_device();
  };
  return use;
}

ObservedVideo ScoringRun::observed() const {
  const std::optional<size_t> with_histograms = histogram_feature(features_);
  const FeatureRequest* const shown = shown_feature();
  std::vector<MetricInfo> others;
  for (const MetricPlace& place : other_metrics(features_, arguments_.models)) others.push_back(metric_info(place.name));
  return {.format = formats_.distorted,
          .reference = formats_.reference,
          .metric = metric_info(shown_metric(features_, arguments_.models).name),
          .heatmaps = shown != nullptr ? heatmaps_of(*shown, formats_) : std::vector<HeatmapInfo>(),
          .others = others,
          .histograms = with_histograms ? histograms_of(features_[*with_histograms], formats_)
                                        : std::vector<HistogramInfo>(),
          .frame_rate = reader_->distorted().info().frame_rate(),
          .frames = reader_->expected_frames()};
}

PagePictures ScoringRun::page_pictures() const {
  PagePictures pictures{heatmaps_->page_pictures(), scorer_->levels()};
  const ObservedVideo video = observed();
  if (!video.heatmaps.empty()) pictures.coloured_by = video.metric;
  return pictures;
}

HeatmapPlace ScoringRun::heatmap_place() const {
  const FeatureRequest* const shown = shown_feature();
  HeatmapPlace place;
  if (shown != nullptr) place.folder = heatmap_folder(*shown);
  place.origin = picture_origin(arguments_.distorted, shown_metric(features_, arguments_.models).name);
  place.threads = arguments_.threads;
  place.tell = [this](const std::string& text) {
    if (watcher_ != nullptr && watcher_->note) watcher_->note(text);
  };
  for (const OutputRequest& output : arguments_.outputs) {
    place.other_outputs.insert(place.other_outputs.end(), {output.path, partial_output(output)});
  }
  return place;
}

// They can be larger than any other output, so their size is told before it is met.
void ScoringRun::check_raw_heatmaps() const {
  if (!arguments_.heatmaps.raw) return;
  for (const FeatureRequest& request : features_) {
    const std::string folder = heatmap_folder(request);
    if (folder.empty()) continue;
    const int64_t frame_bytes = raw_frame_bytes(heatmaps_of(request, formats_));
    const std::optional<int64_t> frames = raw_heatmap_frames();
    if (!frames) {
      note("writing raw heatmaps to " + shown_path(folder) + ": " + bytes_text(frame_bytes) + " a frame");
      continue;
    }
    const std::string what = "raw heatmaps of " + counted(*frames, "frame") + " to " + shown_path(folder);
    const std::string size = "about " + bytes_text(*frames * frame_bytes);
    check_free_space(folder, *frames * frame_bytes, what + " take " + size);
    note("writing " + what + ": " + size);
  }
}

// At most so many, as far as that is known.
std::optional<int64_t> ScoringRun::raw_heatmap_frames() const {
  const std::optional<int64_t> scored = reader_->expected_frames();
  const HeatmapWishes& wishes = arguments_.heatmaps;
  if (wishes.frames != HeatmapWishes::Frames::kRange) return scored;
  const int64_t in_range = (wishes.range.last - wishes.range.first) / arguments_.subsample + 1;
  return std::min(in_range, scored.value_or(in_range));
}

void ScoringRun::note(const std::string& text) const {
  if (!arguments_.quiet) messages_.note(text);
}

void ScoringRun::check_memory() const {
  const int64_t limit = arguments_.max_memory > 0 ? arguments_.max_memory : default_memory_limit();
  // Frames read ahead, in flight, the one that is being read, the one that the next is compared with, and neighbours.
  const auto in_flight = static_cast<int64_t>(frames_in_flight(features_, execution()));
  const FrameUse looked_at = frame_use(features_);
  const int before = std::max(looked_at.before.distorted, looked_at.before.references);
  const DecodingUse use = {looked_at.planes, read_ahead(threads_) + in_flight + 2 + before, threads_};
  // Of a video that is scaled both pictures.
  const auto bytes_of = [&](const FrameReader& video) {
    const bool is_fitted = &video.source_info() != &video.info();
    return decoding_bytes(video.info(), use) + (is_fitted ? decoding_bytes(video.source_info(), use) : 0);
  };
  int64_t estimate = bytes_of(reader_->distorted());
  if (reader_->reference()) estimate += bytes_of(*reader_->reference());
  estimate += extractor_bytes(features_, formats_, execution());
  if (backend_.may_fall_back) {
    // A device that hangs keeps its memory while the CPU goes on.
    Execution on_cpu = execution();
    on_cpu.backend = Backend::kCpu;
    estimate += extractor_bytes(features_, formats_, on_cpu);
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

Error ScoringRun::nothing_to_score() const {
  const std::string& video = arguments_.distorted;
  if (!arguments_.start && !arguments_.end) {
    return Error(ErrorKind::kInput, video + ": the video has no frames.");
  }
  std::string text = video + ": no frame lies between --start and --end";
  // Seconds that lack their "s" are taken for a frame.
  const bool mixed = arguments_.start && arguments_.end && arguments_.start->index() != arguments_.end->index();
  if (mixed) text += " (one is a time, the other a frame number; seconds end in s, such as 11s)";
  return Error(ErrorKind::kInput, text + ".");
}

void ScoringRun::score(const Watcher& watcher) {
  watcher_ = &watcher;
  try {
    score_frames(watcher);
  } catch (...) {
    pass_warnings(watcher);
    // A frame still in flight may fail as well, and comes before the one that could not be read: then its
    // error is the one to tell.
    scorer_->finish();
    scoring_seconds_ = seconds_now() - *scoring_start_;
    watcher_ = nullptr;
    throw;
  }
  watcher_ = nullptr;
  scoring_seconds_ = seconds_now() - *scoring_start_;
  pass_warnings(watcher);
  if (interrupt_signal() != 0) return;
  complete(watcher);
  complete_ = true;
}

void ScoringRun::complete(const Watcher& watcher) {
  if (findings_ != nullptr) return complete_findings();
  if (scored() == 0) throw nothing_to_score();
  tell_of_pairs(watcher, true);
  check_lengths(watcher);
  const std::string padding = padding_note(features_, formats_, padding_.depth());
  if (!padding.empty()) notes_.push_back(padding);
}

void ScoringRun::crop(FramePair& pair) const {
  if (!crop_) return;
  crop_frame(pair.distorted, formats_.distorted.chroma, *crop_);
  if (crops_reference_ && pair.reference) crop_frame(*pair.reference, formats_.reference->chroma, *crop_);
}

void ScoringRun::score_frames(const Watcher& watcher) {
  scoring_start_ = seconds_now();
  FramesBefore before(frame_use(features_).before);
  while (std::optional<FramePair> pair = reader_->next()) {
    pass_warnings(watcher);
    tell_of_pairs(watcher, false);
    crop(*pair);
    padding_.look(pair->distorted);
    repeats_.mark(pair->distorted);
    if (uses_reference_ && pair->reference) reference_repeats_.mark(*pair->reference);
    before.give(*pair);
    if (is_lead(*pair)) continue;
    if (findings_ != nullptr) findings_->frames.push_back(pushed(*pair));
    scorer_->push(*pair);
    show_scores(watcher);
  }
  scorer_->finish();
  show_scores(watcher);
}

void ScoringRun::show_scores(const Watcher& watcher) {
  for (; shown_ < scored(); ++shown_) {
    watcher.scored(scorer_->score_at(shown_));
    if (watcher.row) watcher.row(scorer_->row(shown_));
  }
}

void ScoringRun::pass_warnings(const Watcher& watcher) {
  for (const std::string& line : reader_->distorted().take_warnings()) watcher.warn(line);
  if (!reader_->reference()) return;
  for (const std::string& line : reader_->reference()->take_warnings()) watcher.warn(line);
}

void ScoringRun::check_lengths(const Watcher& watcher) const {
  if (reader_->shorter() == PairReader::Shorter::kNone) return;
  const bool distorted = reader_->shorter() == PairReader::Shorter::kDistorted;
  const FrameReader& shorter = distorted ? reader_->distorted() : *reader_->reference();
  const FrameReader& longer = distorted ? *reader_->reference() : reader_->distorted();
  const int64_t skip = distorted ? arguments_.skip_reference : arguments_.skip_distorted;
  const std::string text = shorter_text({.shorter = shorter.info().path,
                                         .longer = longer.info().path,
                                         .pairs = reader_->pairs_read(),
                                         .longer_frames = longer.info().frames,
                                         .skipped = skip});
  watcher.warn(judge_lengths(text, scored(), arguments_.strict));
}

void ScoringRun::add_times(RunFacts& run, const BackendReport& backend) const {
  for (const StageTotal& stage : backend.stages) run.gpu_milliseconds.emplace_back(stage.stage, stage.ms);
  if (!scoring_start_) return;
  run.stages = stage_facts(backend, features_, formats_);
  PaceFacts& pace = run.pace.emplace();
  pace.frames = scored();
  pace.seconds = microseconds(scoring_seconds_);
  const auto add_reading = [&](const ReadingTimes& times) {
    pace.decoding_seconds = std::max(pace.decoding_seconds, microseconds(times.reading));
    pace.waiting_seconds = microseconds(pace.waiting_seconds + times.waiting);
  };
  add_reading(reader_->distorted().times());
  if (reader_->reference()) add_reading(reader_->reference()->times());
}

Report ScoringRun::report() const {
  Report report;
  report.version = CAMBI_VERSION;
  const double wall = seconds_now() - start_;
  report.width = formats_.distorted.width;
  report.height = formats_.distorted.height;
  scorer_->fill(report);
  report.fps = static_cast<double>(report.frames.size()) / std::max(wall, 1e-6);
  const BackendReport backend = scorer_->backend_report();
  RunFacts& run = report.run;
  run.arguments = arguments_.original;
  using Shorter = PairReader::Shorter;
  const auto add_input = [&](const char* role, FrameReader& video, int64_t skipped) {
    // Whether the end of one that goes on behind the other was read ahead is chance.
    const bool goes_on = reader_->shorter() == (&video == &reader_->distorted() ? Shorter::kReference : Shorter::kDistorted);
    const auto length = goes_on ? std::nullopt : video.measured_length();
    run.inputs.push_back(input_facts(role, video.source_info(), reader_->pairs_read(), length));
    run.inputs.back().skipped = skipped;
    run.inputs.back().decoder = video.decoders();
  };
  add_input("distorted", reader_->distorted(), arguments_.skip_distorted);
  if (reader_->reference()) add_input("reference", *reader_->reference(), arguments_.skip_reference);
  for (const FeatureRequest& request : features_) run.features.push_back(feature_facts(request));
  for (const ModelOfRun& model : arguments_.models) {
    if (model.has_scores) run.models.push_back(model_facts(model, features_));
  }
  run.backend = backend.backend;
  run.device = backend.device;
  run.driver = backend.driver;
  run.simd = backend.simd;
  add_times(run, backend);
  run.bytes_uploaded = backend.bytes_uploaded;
  run.bytes_read = backend.bytes_read;
  if (crop_) run.crop = CropFacts{crop_->width, crop_->height, crop_->x, crop_->y};
  run.threads = threads_;
  run.wall_seconds = microseconds(wall);
  run.complete = complete_;
  run.repeated_frames = backend.repeated_frames;
  run.notes = notes_;
  run.warnings = messages_.warnings();
  if (scene_cuts_) run.scene_cuts = scene_cuts_->cuts();
  run.segments = arguments_.segments ? segments_of(report, *arguments_.segments) : noteworthy_segments(report);
  return report;
}

}  // namespace vq::cli
