#include "cli/run/settle_speed.h"

#include <utility>
#include <vector>

#include "cli/inputs/run_inputs.h"
#include "cli/inputs/wording.h"
#include "cli/run/run_devices.h"
#include "cli/system/cache_folder.h"
#include "engine/speed_files.h"

namespace vq::cli {
namespace {

Pace pace_on(SettledRun& run, const Execution& execution) {
  if (!is_on_device(execution.backend)) return measure_pace(run.options.features, run.formats, execution);
  begin_to_open(run.options, run.backend);
  Execution on_opened = execution_of(run);
  on_opened.devices = run.backend.devices;
  Pace found = measure_pace(run.options.features, run.formats, on_opened);
  found.start += *run.backend.opening_seconds;
  return found;
}

DecodingPace decoding_pace(const std::vector<SourceOptions>& videos, const HardwareRequest* hardware) {
  DecodingPace all;
  for (const SourceOptions& video : videos) {
    SourceOptions options = in_software(video);
    options.threads = options.decoders = 1;
    if (hardware != nullptr) options.hardware = *hardware;
    const DecodingPace one = measure_decoding(options);
    all = {.start = all.start + one.start, .each = all.each + one.each};
  }
  return all;
}

SettledBackend ask(SettledRun& run, const HardwareRequest& hardware) {
  PairReader& reader = *run.reader;
  std::vector<SourceOptions> videos = {source_options(run.options, Role::kDistorted)};
  std::string codecs = reader.distorted().source_info().codec;
  if (FrameReader* const reference = reader.reference()) {
    videos.push_back(source_options(run.options, Role::kReference));
    codecs += " " + reference->source_info().codec;
  }
  Execution unopened = execution_of(run);
  unopened.devices = run.backend.devices;
  const vulkan::DeviceInfo device = run.backend.infos.front();
  std::optional<SpeedFiles> files;
  if (const auto folder = cache_folder()) files.emplace(*folder);
  return settle_backend(run.backend,
                        {.features = run.options.features,
                         .formats = run.formats,
                         .on_gpu = unopened,
                         .device = device,
                         .frames = reader.expected_frames(),
                         .pace = [&](const Execution& execution) { return pace_on(run, execution); },
                         .decoding =
                             [&](Backend backend) {
                               return decoding_pace(videos, is_on_device(backend) ? &hardware : nullptr);
                             },
                         .codecs = codecs,
                         .gpu_decodes = hardware.api != nullptr,
                         .may_use_software = run.options.hardware.decoder == DecoderRequest::kAuto,
                         .memory = files ? &*files : nullptr});
}

}  // namespace

void settle_speed(SettledRun& run, Messages& messages) {
  RunOptions& options = run.options;
  const auto note = [&](const std::string& text) {
    if (!options.quiet) messages.note(text);
  };
  const bool decoder_is_open = options.hardware.decoder == DecoderRequest::kAuto;
  SettledBackend settled = ask(run, settle_decoder(options.hardware, run.backend));
  if (settled.remark) note(in_words(*settled.remark));
  run.decision = std::move(settled.decision);
  const bool on_gpu = is_on_device(run.backend.backend);
  // On a CPU run pictures of hardware decoders would have to come back.
  if (decoder_is_open && (!on_gpu || (run.decision && run.decision->way == Way::kGpuAndSoftware))) {
    options.hardware = HardwareRequest();
    options.hardware.decoder = DecoderRequest::kSoftware;
  }
  if (on_gpu) open_devices(options, run.backend);
  const auto decode_by_choice = [&](FrameReader& reader, Role role) {
    reader.decode_by(source_options(options, role));
    const VideoInfo& info = reader.source_info();
    if (!info.decoder_note.empty()) note(info.path + ": " + info.decoder_note);
  };
  decode_by_choice(run.reader->distorted(), Role::kDistorted);
  if (run.reader->reference()) decode_by_choice(*run.reader->reference(), Role::kReference);
}

void remember_speed(const SettledRun& run, const BackendReport& backend, double seconds) {
  const bool went_on_cpu = backend.backend == to_string(Backend::kCpu);
  if (!run.decision || went_on_cpu != (run.decision->way == Way::kCpu)) return;
  const auto folder = cache_folder();
  if (!folder) return;
  SpeedFiles files(*folder);
  remember_run(*run.decision, files, seconds, run.reader->pairs_read());
}

}  // namespace vq::cli
