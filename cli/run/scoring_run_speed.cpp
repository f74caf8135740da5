// Whether a run goes on the CPU or on a GPU, and what decodes for it.
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/decoding/hardware/deferred_shared_pictures.h"
#include "cli/run/run_devices.h"
#include "cli/run/run_inputs.h"
#include "cli/run/scoring_run.h"
#include "cli/run/speed_files.h"
#include "cli/run/wording.h"
#include "cli/system/cache_folder.h"
#include "engine/report/run_pace.h"

namespace vq::cli {

void ScoringRun::open_devices() {
  begin_to_open(backend_, cache_folder());
  arguments_.hardware = settle_decoder(arguments_.hardware, backend_);
  if (arguments_.hardware.api) arguments_.hardware.pictures = std::make_shared<DeferredSharedPictures>();
}

// Whether the device is faster than the CPU at what this run does.
void ScoringRun::settle_speed() {
  if (!backend_.is_open) return;
  const Execution unopened = on_open_devices();
  const vulkan::DeviceInfo device = backend_.infos.front();
  const HardwareRequest hardware = settle_decoder(arguments_.hardware, backend_);
  const bool decoder_is_open = arguments_.hardware.decoder == DecoderRequest::kAuto;
  const auto pace = [this](const Execution& execution) {
    if (!is_on_device(execution.backend)) return measure_pace(arguments_.features, formats_, execution);
    begin_to_open(backend_, cache_folder());
    Pace found = measure_pace(arguments_.features, formats_, on_open_devices());
    found.start += *backend_.opening_seconds;
    return found;
  };
  std::vector<SourceOptions> videos = {source_options(arguments_, Role::kDistorted)};
  std::string codecs = reader_->distorted().source_info().codec;
  if (FrameReader* const reference = reader_->reference()) {
    videos.push_back(source_options(arguments_, Role::kReference));
    codecs += " " + reference->source_info().codec;
  }
  const auto decoding = [&](Backend backend) {
    DecodingPace all;
    for (const SourceOptions& video : videos) {
      SourceOptions options = in_software(video);
      options.threads = options.decoders = 1;
      if (is_on_device(backend)) options.hardware = hardware;
      const DecodingPace one = measure_decoding(options);
      all = {.start = all.start + one.start, .each = all.each + one.each};
    }
    return all;
  };
  std::optional<SpeedFiles> files;
  if (const auto folder = cache_folder()) files.emplace(*folder);
  const SettledBackend settled = settle_backend(backend_, {.features = arguments_.features,
                                                           .formats = formats_,
                                                           .on_gpu = unopened,
                                                           .device = device,
                                                           .frames = frames_expected(),
                                                           .pace = pace,
                                                           .decoding = decoding,
                                                           .codecs = codecs,
                                                           .gpu_decodes = hardware.api != nullptr,
                                                           .may_use_software = decoder_is_open,
                                                           .memory = files ? &*files : nullptr});
  decision_ = settled.decision;
  if (settled.remark) note(in_words(*settled.remark));
  const bool on_gpu = is_on_device(backend_.backend);
  // On a CPU run pictures of hardware decoders would have to come back.
  if (decoder_is_open && (!on_gpu || (decision_ && decision_->way == Way::kGpuAndSoftware))) {
    arguments_.hardware = HardwareRequest();
    arguments_.hardware.decoder = DecoderRequest::kSoftware;
  }
  if (on_gpu) open_devices();
  const auto decode_by_choice = [this](FrameReader& reader, Role role) {
    reader.decode_by(source_options(arguments_, role));
    const VideoInfo& info = reader.source_info();
    if (!info.decoder_note.empty()) note(info.path + ": " + info.decoder_note);
  };
  decode_by_choice(reader_->distorted(), Role::kDistorted);
  if (reader_->reference()) decode_by_choice(*reader_->reference(), Role::kReference);
  check_memory();
}

// That will be scored, as far as the containers say how many there are.
std::optional<int64_t> ScoringRun::frames_expected() const {
  const FrameQueueLimits limits = frames_to_read(arguments_);
  std::optional<int64_t> frames;
  if (limits.end >= 0) frames = limits.end;
  const auto add = [&](const FrameReader& reader, int64_t skipped) {
    const std::optional<int64_t>& own = reader.info().frames;
    if (own) frames = std::min(frames.value_or(*own), *own - skipped);
  };
  add(reader_->distorted(), arguments_.skip_distorted);
  if (reader_->reference()) add(*reader_->reference(), arguments_.skip_reference);
  if (!frames) return std::nullopt;
  return std::max<int64_t>(0, *frames - limits.first) / arguments_.sampling.every;
}

// For the next run of this kind, unless the device was given up.
void ScoringRun::remember_pace() const {
  const bool went_on_cpu = evaluator_->backend_report().backend == to_string(Backend::kCpu);
  if (!decision_ || went_on_cpu != (decision_->way == Way::kCpu)) return;
  const PaceFacts parts = pace();
  const auto folder = cache_folder();
  if (!folder) return;
  SpeedFiles files(*folder);
  remember_run(*decision_, files, total_seconds(parts) - parts.seconds.front(), reader_->pairs_read());
}

}  // namespace vq::cli
