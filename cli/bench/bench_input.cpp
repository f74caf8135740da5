#include "cli/bench/bench_input.h"

#include <algorithm>
#include <future>

#include "cli/decoding/hardware/deferred_shared_pictures.h"
#include "cli/inputs/pair_reader.h"
#include "cli/inputs/run_inputs.h"
#include "cli/run/run_devices.h"
#include "cli/system/cache_folder.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/frame_memory.h"
#include "core/median.h"

namespace vq::cli {
namespace {

// As many as make neighbours differ; more would only take memory.
constexpr size_t kFramesInMemory = 4;

struct Decoded {
  int64_t frames = 0;
  double seconds = 0;
  double fps = 0;  // once the first is there, where there are more
};

std::unique_ptr<PairReader> open(const RunOptions& run) {
  std::unique_ptr<FrameReader> reference;
  if (run.reference) reference = open_input(run, Role::kReference);
  return std::make_unique<PairReader>(open_input(run, Role::kDistorted), std::move(reference), run);
}

FramePair seen_by_host(FramePair pair) {
  pair.distorted = on_host(pair.distorted);
  if (pair.reference) pair.reference = on_host(*pair.reference);
  return pair;
}

// What hardware decodes stays on its device, as in a run.
void keep_on_device(HardwareRequest& request) {
  if (!request.api || request.devices.empty()) return;
  DeferredSharedPictures::Devices devices;
  for (const HardwareDevice& device : request.devices) {
    try {
      const auto opened =
          vulkan::open_devices({.selector = std::to_string(device.index), .cache_folder = cache_folder()});
      devices.push_back(opened.front());
    } catch (const Error&) {
      return;  // the backend says why it cannot be used
    }
  }
  std::promise<DeferredSharedPictures::Devices> opened;
  opened.set_value(std::move(devices));
  request.pictures = std::make_shared<DeferredSharedPictures>(opened.get_future().share());
}

// Reads so many frames, or as many as fit the time, and keeps the first of them.
Decoded decode(const RunOptions& run, int64_t frames, double seconds, BenchInput& input) {
  const double start = seconds_now();
  const std::unique_ptr<PairReader> reader = open(run);
  Decoded decoded;
  // Hardware takes a while to open: time is counted from the first frame on.
  double first = start;
  while (frames > 0 ? decoded.frames < frames : decoded.frames == 0 || seconds_now() - first < seconds) {
    std::optional<FramePair> pair = reader->next();
    if (!pair) break;
    if (decoded.frames == 0) first = seconds_now();
    ++decoded.frames;
    if (input.frames.size() < kFramesInMemory) input.frames.push_back(seen_by_host(std::move(*pair)));
  }
  decoded.seconds = seconds_now() - start;
  decoded.fps = static_cast<double>(decoded.frames) / decoded.seconds;
  if (decoded.frames > 1) decoded.fps = static_cast<double>(decoded.frames - 1) / (seconds_now() - first);
  const VideoInfo& info = reader->distorted().info();
  input.facts.codec = info.codec;
  input.decoder = reader->distorted().decoders();
  input.formats.distorted = info.named_format();
  if (FrameReader* const reference = reader->reference()) {
    input.formats.reference = reference->info().named_format();
    input.reference_rate = reference->info().frame_rate();
  }
  return decoded;
}

void settle_input(BenchInput& input, const RunOptions& run, std::optional<double> reference_rate) {
  const VideoFormat& format = input.formats.distorted;
  input.facts.width = format.width;
  input.facts.height = format.height;
  input.facts.bit_depth = format.bit_depth;
  Settled settled = settle(run, run, {.formats = input.formats, .reference_rate = reference_rate});
  input.features = std::move(settled.features);
  input.formats = std::move(settled.formats);
  for (const FeatureRequest& request : input.features) check_request(request, input.formats);
}

}  // namespace

BenchInput read_bench_input(const RunOptions& with, const BenchTime& time) {
  BenchInput input;
  // Finding devices is no decoding.
  RunOptions run = with;
  Messages unheard([](std::string_view) {});
  run.hardware = settle_decoder(run.hardware, choose_backend(run, unheard));
  keep_on_device(run.hardware);
  input.facts.name = run.distorted;
  std::vector<double> rates;
  // Drivers take their time for the first session of a process.
  if (run.hardware.api) {
    BenchInput warm_up;
    decode(run, 1, time.seconds, warm_up);
  }
  for (int i = 0; i < time.rounds && !run.stop.is_requested(); ++i) {
    const Decoded decoded = decode(run, i == 0 ? time.frames : input.decoded_frames, time.seconds, input);
    input.decoded_frames = decoded.frames;
    if (decoded.frames == 0) break;
    rates.push_back(decoded.fps);
    if (decoded.seconds > 3 * time.seconds) break;
  }
  if (run.stop.is_requested()) return input;
  if (input.frames.empty()) throw Error(ErrorKind::kInput, run.distorted + ": the video has no frames.");
  input.decode_fps = median(rates);
  settle_input(input, run, input.reference_rate);
  return input;
}

Synthetic synthetic_kind_for(const RunOptions& run) {
  return frame_needs(run.features).reference ? Synthetic::kFilm : Synthetic::kBanded;
}

BenchInput make_bench_input(const RunOptions& run, const VideoFormat& format) {
  BenchInput input;
  input.facts.name = format.name;
  input.facts.synthetic = true;
  input.formats.distorted = format;
  const FrameNeeds use = frame_needs(run.features);
  if (use.reference) input.formats.reference = format;
  for (size_t i = 0; i < kFramesInMemory; ++i) {
    input.frames.push_back(synthetic_pair(synthetic_kind_for(run), format, static_cast<int64_t>(i), use));
  }
  settle_input(input, run, std::nullopt);
  return input;
}

}  // namespace vq::cli
