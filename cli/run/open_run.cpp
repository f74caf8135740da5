#include "cli/run/open_run.h"

#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/parallel/stream_split.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/text.h"
#include "core/trace.h"
#include "engine/models/catalogue.h"
#include "engine/settle.h"
#include "feature/extractor.h"
#include "vulkan/device.h"

namespace vq::cli {

// Makes frames to skip of --align, beside those that are skipped anyway.
static void settle_alignment(OpenedRun& run, Messages& messages) {
  RunOptions& options = run.options;
  if (!options.align || !options.reference) return;
  int64_t shift = options.align->shift.value_or(0);
  if (options.align->finds) {
    const ShiftSettled found = settle_shift(pair_search(options, execution_of(options, run.backend)));
    shift = found.shift;
    run.notes.push_back(found.note);
    if (!found.warning.empty()) messages.warn(found.warning);
  } else if (options.align->shift) {
    run.notes.push_back(words("align={} (as asked)", shift_text(shift)));
  }
  options.skip_reference += std::max<int64_t>(0, -shift);
  options.skip_distorted += std::max<int64_t>(0, shift);
}

// What becomes of film grain, as far as `arguments` want it: it hides banding from those who watch, and what
// is hidden is not scored.
static void tell_of_film_grain(const VideoInfo& info, const RunOptions& arguments, Messages& messages) {
  const bool chosen = arguments.film_grain != FilmGrainRequest::kDefault;
  if (info.film_grain == FilmGrain::kApplied && !chosen) {
    messages.warn(
        words("{} has film grain, which the decoder adds and which may hide flaws. --film-grain off scores "
              "the video without grain, both compares, on disables this warning.",
              info.path));
  } else if (info.film_grain == FilmGrain::kNotApplied && arguments.film_grain != FilmGrainRequest::kOff) {
    messages.warn(words("{} has film grain that this libavcodec cannot add to {}; it is scored without.",
                        info.path, info.pixel_format));
  } else if (info.film_grain == FilmGrain::kNone && chosen && !arguments.quiet) {
    messages.note(words("{} describes no film grain, so --film-grain changes nothing of it.", info.path));
  }
}

static VideoFormat describe(const VideoInfo& info, OpenedRun& run, Messages& messages) {
  const RunOptions& options = run.options;
  for (const std::string& conversion : info.conversions)
    run.notes.push_back(words("{} {}", shown_path(info.path), conversion));
  if (info.rotation % 360 != 0 && !info.is_turned && !options.as_stored) {
    messages.warn(
        words("{} is to be turned by {} degrees, which is no right angle; frames are scored as stored.",
              info.path, std::abs(info.rotation)));
  }
  if (info.interlaced) messages.warn(words("{} is interlaced; frames are scored as they are.", info.path));
  tell_of_film_grain(info, options, messages);
  if (!info.decoder_note.empty() && !options.quiet)
    messages.note(words("{}: {}", info.path, info.decoder_note));
  return info.format;
}

// A flag that would change nothing was meant to.
static void check_rates_taken(const OpenedRun& run) {
  const RunOptions& options = run.options;
  const bool by_distorted = run.distorted->info().takes_frame_rate;
  const bool by_reference = run.reference && run.reference->info().takes_frame_rate;
  const bool is_idle = options.frame_rate && !by_distorted && (options.reference_frame_rate || !by_reference);
  const bool is_reference_idle = options.reference_frame_rate && !by_reference;
  if (!is_idle && !is_reference_idle) return;
  const VideoInfo& info = is_idle ? run.distorted->info() : run.reference->info();
  throw usage_error("{} has no effect, since {} declares its frame rate.", is_idle ? "--fps" : "--fps-ref",
                    shown_path(info.path));
}

// Features that compare luma alone see it converted to another matrix, which takes the distorted chroma.
static void read_for_matrix(OpenedRun& run) {
  const RunOptions& options = run.options;
  const bool is_read = planes_to_read(options) == kMaxPlanes || is_read_once(options.distorted);
  if (is_read || options.as_stored || !differs_in_matrix(run.formats) || !any_compares(options.features))
    return;
  run.distorted.reset();
  run.distorted = open_input(options, Role::kDistorted, kMaxPlanes);
}

static void open_videos(OpenedRun& run, Messages& messages) {
  const TraceSpan span("open the videos");
  const RunOptions& options = run.options;
  const bool is_pipe = options.reference && is_read_once(options.distorted);
  std::future<std::unique_ptr<FrameReader>> other;  // after what its thread reads, as it waits for that
  if (options.reference && !run.reference) {
    // Both are opened in the time of one. Beside a pipe, which may wait for its writer, a file is opened
    // first.
    const bool in_turn = is_pipe != is_read_once(*options.reference);
    const std::launch thread = in_turn ? std::launch{} : std::launch::async;  // if there is one
    other = std::async(thread | std::launch::deferred, [&] { return open_input(options, Role::kReference); });
    if (in_turn && is_pipe) run.reference = other.get();
  }
  // A pipe cannot be opened again for the planes that read_for_matrix() finds missing.
  run.distorted = open_input(options, Role::kDistorted, is_pipe ? kMaxPlanes : 1);
  run.formats.distorted = describe(run.distorted->info(), run, messages);
  if (!options.reference) return check_rates_taken(run);
  if (other.valid()) run.reference = other.get();
  if (!run.reference) run.reference = open_input(options, Role::kReference);
  run.formats.reference = describe(run.reference->info(), run, messages);
  check_rates_taken(run);
  read_for_matrix(run);
}

// Whether the CPU begins, as far as the options tell. A device that is named is looked for at once: it is
// there and can be used, or that is an error. Others are looked for while frames are scored.
static bool begins_on_cpu(const RunOptions& options, bool shares_reference, BackendChoice& backend,
                          Messages& messages) {
  const bool is_free = !options.backend && !options.part && !options.group && !options.confidence &&
                       !shares_reference && options.hardware.decoder != DecoderRequest::kHardware;
  if (is_free && options.device.empty() && may_have_device(backend_request(options))) return true;
  backend = choose_backend(options, messages);
  if (!is_free || backend.infos.empty() ||
      contains(backend.infos, vulkan::DeviceType::kSoftware, &vulkan::DeviceInfo::type))
    return false;
  backend = {};
  return true;
}

// Whether the run's threads could not score the videos in the time that a device takes to open, on any CPU.
// If a video cannot be opened, the run finds out why.
static bool is_long(const RunOptions& options) {
  // Samples of luma of each video that one core scores in a second, whatever the metric; half of what was
  // seen with PSNR. Decoding takes most of it.
  constexpr double kMostCoded = 1e8, kMostStored = 3e8;
  constexpr double kDisplay = 1920 * 1080;  // the least one to which models have pictures scaled
  const bool is_read_twice =
      !is_read_once(options.distorted) && !(options.reference && is_read_once(*options.reference));
  if (options.joins_after <= 0 || !is_read_twice) return false;
  try {
    const VideoInfo distorted = declared_info(in_software(source_options(options, Role::kDistorted)));
    VideoInfo reference = distorted;
    if (options.reference) reference = declared_info(in_software(source_options(options, Role::kReference)));
    double samples = options.models.empty() ? 0 : kDisplay;
    for (const VideoFormat& format : {distorted.format, reference.format})
      samples = std::max(samples, static_cast<double>(format.width) * format.height);
    const auto frames = expected_frames(options, distorted, &reference);
    const double most = is_planar(distorted) && is_planar(reference) ? kMostStored : kMostCoded;
    return static_cast<double>(frames.value_or(0)) * samples >
           options.joins_after * most * thread_count(options);
  } catch (const std::exception&) {
    return false;
  }
}

OpenedRun open_run(const RunOptions& options, std::unique_ptr<FrameReader> reference, Messages& messages) {
  OpenedRun run;
  run.options = count_skipped(options);
  run.may_be_joined = begins_on_cpu(options, reference != nullptr, run.backend, messages);
  if (run.may_be_joined && is_long(run.options)) {
    // Other members take the list, and the device that began opens once.
    if (!run.options.devices) run.options.devices = std::make_shared<SharedDevices>();
    run.backend = choose_backend(run.options, messages);
    run.may_be_joined = is_on_device(run.backend.backend);
  }
  if (!run.may_be_joined || is_on_device(run.backend.backend)) open_devices(run.options, run.backend);
  if (!options.sandbox_layers.empty()) run.notes.push_back(words("sandbox={}", options.sandbox_layers));
  settle_alignment(run, messages);
  run.reference = std::move(reference);
  open_videos(run, messages);
  return run;
}

BackendRequest backend_request(const RunOptions& arguments) {
  return {.backend = arguments.backend,
          .device = arguments.device,
          .without_gpu = arguments.gpumask != 0,
          .features = infos_of(arguments.features)};
}

BackendChoice choose_backend(const RunOptions& arguments, Messages& messages) {
  const BackendRequest request = backend_request(arguments);
  BackendChoice choice = vq::choose_backend(
      request, arguments.devices ? arguments.devices->list(request) : devices_for(request));
  for (const Diagnostic& remark : choice.remarks) {
    if (!arguments.quiet) messages.note(in_words(remark));
  }
  return choice;
}

Execution execution_of(const RunOptions& arguments, const BackendChoice& backend, WorkerPool* pool) {
  return {.backend = backend.backend,
          .pool = pool,
          .heatmaps = false,
          .cpumask = arguments.cpumask,
          .devices = {.selector = backend.devices.selector,
                      .count = backend.devices.count,
                      .lacking = backend.devices.lacking},
          .time_stages = tells_stages(arguments)};
}

void open_devices(RunOptions& arguments, BackendChoice& backend) {
  if (arguments.devices) {  // in common with other runs
    arguments.devices->open(backend, cache_folder());
  } else {
    begin_to_open(backend, cache_folder());
  }
  arguments.hardware = settle_decoder(arguments.hardware, backend);
  if (arguments.hardware.api) {
    arguments.hardware.pictures = std::make_shared<DeferredSharedPictures>(backend.devices.opened);
    const auto devices = static_cast<int>(arguments.hardware.devices.size());
    if (devices > 1) arguments.hardware.turns = std::make_shared<DeviceTurns>(devices);
  }
}

HardwareRequest settle_decoder(HardwareRequest request, const BackendChoice& backend) {
  if (request.decoder == DecoderRequest::kSoftware) return request;
  if (request.devices.empty()) request.devices = backend.infos;
  std::erase_if(request.devices, [](const vulkan::DeviceInfo& device) {
    return device.type == vulkan::DeviceType::kSoftware;
  });
  const bool may_be_used = request.decoder == DecoderRequest::kHardware || !request.devices.empty();
  if (may_be_used && !request.api) request.api = ffmpeg_hardware();
  return request;
}

RunOptions sharing_devices(RunOptions arguments) {
  HardwareRequest& hardware = arguments.hardware;
  if (hardware.decoder != DecoderRequest::kSoftware && !hardware.api) hardware.api = ffmpeg_hardware();
  arguments.devices = std::make_shared<SharedDevices>();
  return arguments;
}

int SettledRun::threads() const { return thread_count(options); }

std::optional<int64_t> SettledRun::expected_frames() const {
  const FrameReader* const reference = reader->reference();
  return cli::expected_frames(options, reader->distorted().info(), reference ? &reference->info() : nullptr);
}

bool SettledRun::uses_reference() const { return frame_needs(options.features).reference; }

std::optional<double> SettledRun::reference_rate() const {
  const FrameReader* const reference = reader->reference();
  return reference ? reference->info().frame_rate() : std::nullopt;
}

std::vector<Metric> SettledRun::metrics() const { return report_metrics(options.features, options.models); }

std::vector<ModelFacts> SettledRun::models() const {
  return model_facts(options.models, options.features, formats, reference_rate());
}

std::vector<std::string> SettledRun::expectations() const {
  std::vector<std::string> unmet;
  for (const ModelOfRun& model : options.models) {
    const model::CatalogueEntry* const entry = model::find_entry(model.model.spec.version);
    if (entry == nullptr) continue;
    const VideoFormat scored = formats_of(model, options.features, formats).distorted;
    for (std::string& line : model::expectations(*entry, scored, reference_rate())) {
      if (!contains(unmet, line)) unmet.push_back(std::move(line));
    }
  }
  return unmet;
}

Execution execution_of(const SettledRun& run) {
  ScoringGroup* const group = run.options.group.get();
  Execution execution =
      execution_of(run.options, run.backend, group != nullptr ? &group->pool() : run.pool.get());
  execution.group = group;
  return execution;
}

}  // namespace vq::cli
