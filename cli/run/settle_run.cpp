#include "cli/run/open_run.h"

#include <cmath>

#include "cli/decoding/parallel/stream_index.h"
#include "cli/inputs/feature_flags.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "cli/run/run_cuts.h"
#include "cli/run/run_members.h"
#include "cli/run/run_outputs.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/evaluator.h"
#include "engine/known_metrics.h"
#include "engine/settle.h"
#include "feature/extractor.h"

namespace vq::cli {

// Pictures are cropped as they are decoded, before anything looks at them or scales them.
static PairCrop settle_crop(OpenedRun& run) {
  const DecodedVideos decoded{.distorted = run.distorted->source_info(),
                              .reference = run.reference ? &run.reference->source_info() : nullptr,
                              .execution = execution_of(run.options, run.backend)};
  const PairCrop found = resolve_crops(run.options, decoded);
  if (decoded.reference != nullptr) check_shapes(run.options, decoded, found);
  const auto crop = [](const std::optional<Rectangle>& rectangle, const std::unique_ptr<FrameReader>& video) {
    if (rectangle) video->crop(*rectangle);
  };
  crop(found.distorted, run.distorted);
  crop(found.reference, run.reference);
  crop_formats(found, run.formats);
  return found;
}

static void tell_settled(const Settled& settled, const RunOptions& options, Messages& messages) {
  const auto note = [&](const std::string& text) {
    if (!options.quiet) messages.note(text);
  };
  for (const std::string& line : settled.chosen) note(words("using {}", line));
  for (const std::string& line : settled.fitted_for) note(line);
  for (const Diagnostic& remark : settled.remarks) messages.warn(in_words(remark));
  std::set<std::string> told;
  for (const auto& [info, warning] : settled.contradictions) {
    const std::string line = in_words(warning, *info);
    if (told.insert(line).second) messages.warn(line);
  }
  for (const std::string& line : settled.warnings) messages.warn(line);
}

// Settles what is computed, now that the videos are known, and brings these to what is scored of them.
static SettledRun settle_pictures(OpenedRun opened, Messages& messages) {
  KnownVideos known{.display = opened.formats.reference};
  if (opened.reference) known.reference_rate = opened.reference->info().frame_rate();
  PairCrop crop = settle_crop(opened);
  known.formats = opened.formats;
  SettledRun run{static_cast<KnownRun&&>(opened)};
  run.crop = std::move(crop);
  Settled settled = settle(run.options, run.options, known);
  run.options.features = std::move(settled.features);
  run.options.models = std::move(settled.models);
  run.formats = settled.formats;
  const int planes = planes_to_read(run.options);
  const auto mixes_planes = [](const FeatureRequest& request) {
    return request.fitting && request.fitting->matrix;
  };
  const bool mixes = std::ranges::any_of(run.options.features, mixes_planes);
  if (settled.distorted_fitting)
    opened.distorted->fit(*settled.distorted_fitting, mixes ? kMaxPlanes : planes);
  if (settled.reference_fitting) opened.reference->fit(*settled.reference_fitting, planes);
  tell_settled(settled, run.options, messages);
  run.told = settled.chosen;
  run.told.insert(run.told.end(), settled.fitted_for.begin(), settled.fitted_for.end());
  if (run.options.pairs_by_time && opened.reference) run.notes.emplace_back("pair=time");
  for (const auto* lines :
       {&settled.chosen, &run.crop.notes, &settled.fitted, &settled.fitted_for, &settled.resolved}) {
    run.notes.insert(run.notes.end(), lines->begin(), lines->end());
  }
  run.reader =
      std::make_unique<PairReader>(std::move(opened.distorted), std::move(opened.reference), run.options);
  return run;
}

// Under --strict: if both containers say how many frames there are, and mean it by their durations.
static void check_declared_lengths(SettledRun& run) {
  const RunOptions& options = run.options;
  if (!options.strict || options.pairs_by_time || !run.reader->reference() ||
      frames_to_read(options).end >= 0 || options.end)
    return;
  const auto frames_of = [](const VideoInfo& info) -> std::optional<int64_t> {
    const std::optional<double> rate = info.frame_rate();
    if (!info.frames || !info.duration || !rate) return std::nullopt;
    return std::fabs(*info.duration * *rate - static_cast<double>(*info.frames)) < 0.5 ? info.frames
                                                                                       : std::nullopt;
  };
  const VideoInfo &distorted = run.reader->distorted().info(), &reference = run.reader->reference()->info();
  const std::optional<int64_t> a = frames_of(distorted), b = frames_of(reference);
  if (!a || !b || *a - options.skip_distorted == *b - options.skip_reference) return;
  throw Error(ErrorKind::kIncomplete, "{} has {} and {} {} (--strict is set)", distorted.path,
              counted(*a, "frame"), reference.path, *b);
}

// Whether all features can score these pictures, and what is wrong with a pair.
static void check_pictures(SettledRun& run, Messages& messages) {
  const RunOptions& options = run.options;
  if (frame_needs(options.features).planes > 1) check_crops_of_chroma(options, run.crop, run.formats);
  std::optional<PairHeaders> pair;
  if (const FrameReader* const reference = run.reader->reference()) {
    const VideoInfo& distorted = run.reader->distorted().source_info();
    pair = headers_of(options, {.distorted = distorted, .reference = &reference->source_info()}, run.crop);
  }
  check_features(options.features, run.formats, options.models, pair);
  if (pair) run.pair_faults = pair_faults(options.features, *pair);
  for (PairFault& fault : run.pair_faults) {
    fault.diagnostic = {in_words(fault.diagnostic)};
    refuse_pair_fault(fault, options);
    if (!options.is_vmaf) messages.warn(fault.diagnostic.text);
  }
  check_declared_lengths(run);
}

// A note on how the reference is used if that may not be what was meant; otherwise empty. Needs: there is
// one.
static std::string reference_note(const std::vector<FeatureRequest>& features, const VideoFormats& formats) {
  const VideoFormat &video = formats.distorted, &reference = *formats.reference;
  if (!frame_needs(features).reference) {
    const FeatureRequest& first = features.front();
    // With features written out there is nothing left to advise.
    const OptionSpec* const option = find_role(first.info->options, OptionRole::kReference);
    const FeatureFlag* const flag = option != nullptr ? flag_for(*first.info, option->name) : nullptr;
    if (first.asked_by != AskedBy::kProgram || flag == nullptr) return {};
    const std::vector<Metric> metrics = metrics_of(first);
    const MetricInfo& metric = metric_info(metrics.front());
    return words("Only the {} of {} is measured. For VMAF add --model auto; for {} as well, {}.",
                 metric.subject, video.name, reference.name, flag->name);
  }
  const bool differ = std::ranges::any_of(features, [&](const FeatureRequest& request) {
    const VideoFormats seen = formats_of(request, formats);
    return request.info->needs_reference(request.options) &&
           (seen.distorted.width != seen.reference->width || seen.distorted.height != seen.reference->height);
  });
  if (!differ) return {};
  return words("{} is {} and {} is {}; each is scored at its own size.", reference.name, size_text(reference),
               video.name, size_text(video));
}

static void tell_expectations(const SettledRun& run, Messages& messages) {
  if (run.options.quiet) return;
  const std::string text = run.formats.reference ? reference_note(run.options.features, run.formats) : "";
  if (!text.empty()) messages.note(text);
  for (const std::string& line : run.expectations()) messages.note(line);
}

static void check_segment_metrics(const SettledRun& run) {
  const RunOptions& options = run.options;
  if (!options.segments.empty()) return check_segments(options.segments, run.metrics());
  const auto is_of_them = [](const OutputRequest& output) {
    return output.format && is_of_segments(*output.format);
  };
  if (std::ranges::none_of(options.outputs, is_of_them) || may_have_segments(run.metrics())) return;
  throw usage_error("--segments-output: these metrics have no noteworthy level. Add --segments METRIC:VALUE");
}

static std::string mebibytes(int64_t bytes) {
  if (bytes < 1 << 20) return words("{} bytes", bytes);
  return words("{} MiB", bytes / (1 << 20));
}

static int64_t memory_estimate(SettledRun& run, int threads) {
  VideoReading reading{.threads = threads};
  const auto add = [&](const FrameReader& video) {
    reading.videos.push_back({.decoded = memory_of(video.source_info()), .fitted = {}});
    if (video.gives_copies()) reading.videos.back().fitted = memory_of(video.info());
  };
  add(run.reader->distorted());
  if (run.reader->reference()) {
    add(*run.reader->reference());
    if (run.options.pairs_by_time) reading.videos.back().held = NearestFrames::kHeld;
  }
  Execution execution = execution_of(run);
  execution.threads = threads;
  int64_t estimate = run_bytes(reading, run.options.features, run.formats, execution);
  if (run.backend.may_fall_back) {
    // A device that hangs keeps its memory while the CPU goes on.
    execution.backend = Backend::kCpu;
    estimate += extractor_bytes(run.options.features, run.formats, execution);
  }
  return estimate + HeatmapOutputs::memory_bytes(run.options.heatmaps, observed_video(run));
}

static void start_threads(SettledRun& run, Messages& messages) {
  // Beside others more frames are in flight, which is only worth it if features share something.
  std::shared_ptr<ScoringGroup>& group = run.options.group;
  const auto shares = [](const FeatureRequest& request) { return request.info->shares_reference; };
  if (group && (std::ranges::none_of(run.options.features, shares) ||
                memory_estimate(run, run.threads()) > memory_limit(run.options)))
    group.reset();
  if (group) return;
  run.pool = run.options.pool ? run.options.pool : std::make_shared<WorkerPool>(run.threads());
  if (run.pool->size() < run.threads()) {
    messages.warn(words("only {} of {} threads could be started", run.pool->size(), run.threads()));
  }
}

// Gives pictures that are decoded before their turn the memory that nothing else needs.
static void share_memory(SettledRun& run) {
  const int64_t limit = memory_limit(run.options), estimate = memory_estimate(run, run.threads());
  if (estimate > limit) {
    throw Error(
        ErrorKind::kResource,
        "this run may need {} of memory; the limit is {}. Try fewer --threads or a larger --max-memory.",
        mebibytes(estimate), mebibytes(limit));
  }
  FrameReader* const reference = run.reader->reference();
  const int64_t each = reference ? (limit - estimate) / 2 : limit - estimate;
  run.reader->distorted().limit_ahead(each);
  if (reference) reference->limit_ahead(each);
}

// Whether the frames can be read in parts, as far as is known before the packets are read. Pictures and maps
// are made of frames in order.
static bool can_be_cut(SettledRun& run) {
  const RunOptions& options = run.options;
  const bool shows_frames = options.heatmaps.shows_colours() || options.heatmaps.video;
  const auto makes_maps = [](const FeatureRequest& request) {
    return request.heatmaps || request.histograms;
  };
  if (!reason_for_whole(options_of_parts(options, run)).empty() || shows_frames ||
      std::ranges::any_of(options.features, makes_maps))
    return false;
  std::vector<const FrameReader*> videos = {&run.reader->distorted()};
  if (run.reader->reference() != nullptr) videos.push_back(run.reader->reference());
  return std::ranges::all_of(videos, [](const FrameReader* video) {
    return !is_read_once(video->source_info().path) && may_be_cut(video->source_info());
  });
}

// Has the videos decoded as the options say by now, both in the time of one.
static void decode_anew(SettledRun& run, Messages& messages) {
  FrameReader* const reference = run.reader->reference();
  std::future<void> other;
  if (reference != nullptr) {
    other = std::async(std::launch::async | std::launch::deferred, [&run, reference] {
      reference->decode_by(source_options(run.options, Role::kReference));
    });
  }
  run.reader->distorted().decode_by(source_options(run.options, Role::kDistorted));
  if (other.valid()) other.get();
  for (const FrameReader* const reader : {&run.reader->distorted(), reference}) {
    if (reader == nullptr || reader->source_info().decoder_note.empty() || run.options.quiet) continue;
    messages.note(words("{}: {}", reader->source_info().path, reader->source_info().decoder_note));
  }
}

// As many threads as score in that memory: beside devices those for large pictures are worth less than what
// they take.
static int threads_within(SettledRun& run, int64_t bytes) {
  int threads = run.threads();
  while (threads > 2 && memory_estimate(run, threads) > bytes) --threads;
  return threads;
}

// One device scores all of it, and decodes from the start.
static void take_device(SettledRun& run, Messages& messages) {
  run.backend = choose_backend(run.options, messages);
  if (!is_on_device(run.backend.backend)) return;
  open_devices(run.options, run.backend);
  decode_anew(run, messages);
}

// Limits the CPU's threads by what they take for large pictures: it scores alone for a second until a device
// joins, or beside one that began. A run of few frames never has that many of them in memory.
static void settle_joining(SettledRun& run, Messages& messages) {
  constexpr int64_t kMebi = 1 << 20, kLater = 384 * kMebi, kBeside = 768 * kMebi, kBefore = 1600 * kMebi;
  run.threads_beside_devices = threads_within(run, run.begins_on_device() ? kLater : kBeside);
  const auto few = int64_t{2} * run.threads();
  if (run.begins_on_device() || run.expected_frames().value_or(few + 1) <= few) return;
  const int threads = threads_within(run, kBefore);
  if (threads == run.threads()) return;
  run.options.threads = threads;
  decode_anew(run, messages);
}

SettledRun settle_run(OpenedRun opened, Messages& messages) {
  SettledRun run = settle_pictures(std::move(opened), messages);
  ask_for_maps(run.options);
  check_pictures(run, messages);
  tell_expectations(run, messages);
  check_threshold_metrics(run.options.thresholds, run.metrics());
  check_segment_metrics(run);
  if (run.may_be_joined && !can_be_cut(run)) {
    run.may_be_joined = false;
    if (!is_on_device(run.backend.backend)) take_device(run, messages);
  }
  if (run.may_be_joined) settle_joining(run, messages);
  leave_too_large(run.backend, run.options.features, run.formats, execution_of(run));
  start_threads(run, messages);
  share_memory(run);
  const std::vector<std::string> on_host = left_to_host(run.options.features, execution_of(run));
  if (!on_host.empty()) run.notes.push_back(words("on the CPU: {}", join(on_host, ", ")));
  return run;
}

}  // namespace vq::cli
