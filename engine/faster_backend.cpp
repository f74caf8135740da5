#include "engine/faster_backend.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "core/content_hash.h"
#include "core/synthetic_frame.h"
#include "core/text.h"
#include "core/version.h"
#include "core/worker_pool.h"
#include "feature/extractor.h"
#include "feature/simd_targets.h"

namespace vq {
namespace {

constexpr std::chrono::duration<double> kBudget(0.1);

class IgnoredScores final : public ScoreSink {
  void scored(const FrameScores&) override {}
};

FramePair make_pair(const FrameNeeds& use, const VideoFormats& formats) {
  FramePair pair;
  // Scores of banding take longest where there is something to look at.
  pair.distorted = synthetic_frame(Synthetic::kTextured, formats.distorted, 0, use.planes);
  if (use.reference && formats.reference)
    pair.reference = synthetic_frame(Synthetic::kTextured, *formats.reference, 1, use.planes);
  // Neighbours that move, so that no stage finishes early.
  const auto neighbour = [&](const VideoFormat& format) {
    return synthetic_frame(Synthetic::kTextured, format, 2, use.planes);
  };
  if (use.before.distorted > 0)
    pair.distorted_before.assign(static_cast<size_t>(use.before.distorted), neighbour(formats.distorted));
  if (use.before.references > 0 && formats.reference) {
    pair.references_before.assign(static_cast<size_t>(use.before.references), neighbour(*formats.reference));
  }
  return pair;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Pace measure_pace(std::span<const FeatureRequest> features, const VideoFormats& formats,
                  const Execution& execution) {
  IgnoredScores sink;
  FramePair pair = make_pair(frame_needs(features), formats);
  // Shaders are compiled once on a machine, which is no part of what every run takes.
  if (is_on_device(execution.backend)) make_extractor(features, formats, execution);
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<FeatureExtractor> extractor = make_extractor(features, formats, execution);
  const auto push = [&](size_t count) {
    for (size_t i = 0; i < count; ++i, ++pair.index) {
      pair.distorted.index = pair.index;
      if (pair.reference) pair.reference->index = pair.index;
      extractor->push(pair, sink);
    }
  };
  // The first frames make the memory that later ones use, as many of it as frames may be in flight, so they
  // are not timed.
  const size_t in_flight = frames_in_flight(features, execution);
  push(in_flight);
  extractor->finish(sink);
  const double warm = seconds_since(start);
  const auto first = static_cast<double>(pair.index);
  const auto measured = std::chrono::steady_clock::now();
  do {
    push(in_flight);
  } while (seconds_since(measured) < kBudget.count());
  extractor->finish(sink);
  const double rate = (static_cast<double>(pair.index) - first) / std::max(seconds_since(measured), 1e-6);
  return {.start = std::max(0.0, warm - first / rate), .rate = rate};
}

namespace {

Execution on_cpu(const SpeedQuestion& question) {
  Execution execution = question.on_gpu;
  execution.backend = Backend::kCpu;
  execution.devices = {};
  return execution;
}

// The same with frames from memory, which are not decoded.
SpeedQuestion from_memory(const SpeedQuestion& question, const Execution& on_gpu) {
  return {.features = question.features,
          .formats = question.formats,
          .on_gpu = on_gpu,
          .device = question.device,
          .frames = {},
          .pace = {}};
}

Execution with_threads(Execution execution, int threads) {
  execution.pool = nullptr;
  execution.threads = threads;
  return execution;
}

std::string describe(const VideoFormat& format) {
  const int64_t samples = int64_t{format.width} * format.height;
  return words("2^{} samples of {} bits {}", std::bit_width(static_cast<uint64_t>(samples)), format.bit_depth,
               to_string(format.chroma));
}

// Several decoders of some threads each wait for one another a little: 16 decode 10 to 15 times as fast as
// one.
double decoders_worth(int threads) {
  return std::pow(threads, 0.9);
}

// Sessions of hardware that decode side by side bring about so much; more share the same engines.
constexpr double kSessionsWorth = 4;
constexpr int64_t kLongRun = 200;  // frames

// "14 times as fast as", "1.4 times as fast as", "as fast as".
std::string comparison(double ratio) {
  constexpr double kWhole = 9.95;
  char number[32];
  std::snprintf(number, sizeof number, ratio < kWhole ? "%.1f" : "%.0f", ratio);
  return std::strcmp(number, "1.0") == 0 ? "as fast as" : words("{} times as fast as", number);
}

}  // namespace

double Speeds::seconds(Way way, std::optional<int64_t> frames) const {
  const bool by_hardware = gpu_decodes && way == Way::kGpu;
  const double decoding =
      by_hardware ? beside_gpu.each / kSessionsWorth : software.each / decoders_worth(threads);
  // Decoders and features share the CPU's cores; with a GPU they work side by side.
  double each = way == Way::kCpu ? 1 / cpu.rate + decoding : std::max(1 / gpu.rate, decoding);
  if (const double known = seen[static_cast<size_t>(way)]; known > 0) each = known;
  if (!frames) return each;
  const double start = way == Way::kCpu ? cpu.start : gpu.start + (by_hardware ? beside_gpu.start : 0);
  return start + static_cast<double>(*frames) * each;
}

Way Speeds::best_on_gpu(std::optional<int64_t> frames) const {
  const bool prefers_software =
      gpu_decodes && may_use_software && seconds(Way::kGpuAndSoftware, frames) < seconds(Way::kGpu, frames);
  return prefers_software ? Way::kGpuAndSoftware : Way::kGpu;
}

double Speeds::advantage_of_gpu(std::optional<int64_t> frames) const {
  return seconds(Way::kCpu, frames) / seconds(best_on_gpu(frames), frames);
}

std::string circumstances(const SpeedQuestion& question) {
  const vulkan::DeviceInfo& device = question.device;
  const Execution cpu = on_cpu(question);
  std::string key =
      words("{}\n{}\n{}\n{}\n{} threads\n{}\n", device.name, hexadecimal(device.uuid), device.driver,
            host_simd(cpu), thread_count(cpu), describe(question.formats.distorted));
  if (frame_needs(question.features).reference && question.formats.reference)
    key += describe(*question.formats.reference) + "\n";
  key += question.codecs + (question.gpu_decodes ? " by hardware\n" : "\n");
  std::vector<std::string> names = metric_names(question.features);
  std::sort(names.begin(), names.end());  // programs ask in other orders than callers of libraries
  for (const std::string& name : names) key += name + "\n";
  for (const FeatureRequest& request : question.features) {
    key += std::string(request.heatmaps ? "heatmaps" : "") + (request.histograms ? "histograms" : "");
    if (request.fitting) key += "of " + describe(formats_of(request, question.formats).distorted);
    key += "\n";
  }
  return key;
}

Speeds speeds_of(const SpeedQuestion& question) {
  const std::string key = circumstances(question);
  std::optional<Speeds> known = question.memory != nullptr ? question.memory->recall(key) : std::nullopt;
  if (!known) {
    known = Speeds{.cpu = question.pace(on_cpu(question)), .gpu = question.pace(question.on_gpu)};
    if (question.decoding) {
      known->software = question.decoding(Backend::kCpu);
      known->beside_gpu = question.gpu_decodes ? question.decoding(question.on_gpu.backend) : known->software;
    }
    if (question.memory != nullptr) {
      question.memory->keep(key, *known);
      const std::string of_frames = circumstances(from_memory(question, question.on_gpu));
      if (of_frames != key) question.memory->keep(of_frames, {.cpu = known->cpu, .gpu = known->gpu});
    }
  }
  known->threads = thread_count(question.on_gpu);
  known->gpu_decodes = question.gpu_decodes;
  known->may_use_software = question.may_use_software;
  return *known;
}

std::optional<Speeds> remembered_speeds(const SpeedQuestion& question) {
  const int own = thread_count(question.on_gpu),
            all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (const int threads : {own, all}) {
    const Execution on_gpu = with_threads(question.on_gpu, threads);
    std::optional<Speeds> known = question.memory->recall(circumstances(from_memory(question, on_gpu)));
    if (!known) continue;
    known->cpu.rate *= std::min(1.0, static_cast<double>(own) / threads);
    known->threads = own;
    return known;
  }
  return std::nullopt;
}

Decision decide(const SpeedQuestion& question, const Speeds& speeds) {
  const bool on_gpu = speeds.gpu_is_better(question.frames);
  Decision decision{.way = on_gpu ? speeds.best_on_gpu(question.frames) : Way::kCpu,
                    .key = circumstances(question)};
  decision.by_hardware = question.gpu_decodes && decision.way == Way::kGpu;
  return decision;
}

void remember_run(const Decision& decision, SpeedMemory& memory, double seconds, int64_t frames) {
  if (frames < kLongRun) return;
  std::optional<Speeds> known = memory.recall(decision.key);
  if (!known) return;
  const double scoring = std::max(0.0, seconds - (decision.by_hardware ? known->beside_gpu.start : 0));
  known->seen[static_cast<size_t>(decision.way)] = std::max(scoring / static_cast<double>(frames), 1e-9);
  memory.keep(decision.key, *known);
}

Diagnostic speed_note(const Speeds& speeds, std::optional<int64_t> frames, const std::string& device) {
  const double advantage = speeds.advantage_of_gpu(frames);
  if (advantage >= 1) {
    const bool by_software = speeds.best_on_gpu(frames) == Way::kGpuAndSoftware;
    return {.text = words("using {}{}{} the CPU here", device, by_software ? ", decoding on the CPU: " : ": ",
                          comparison(advantage)),
            .advice = Advice::kOtherBackend,
            .subjects = {std::string(to_string(Backend::kCpu))}};
  }
  return {.text = words("using the CPU: {} {} here", comparison(1 / advantage), device),
          .advice = Advice::kOtherBackend,
          .subjects = {std::string(to_string(Backend::kVulkan))}};
}

namespace {

// The system's name of the CPU; empty if it has none.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

// By which a file says for what it is.
std::string whole(const std::string& key) {
  return words("speeds 5, cambi {}\n{}\n{}", version(), cpu_model(), key);
}

// The figures of a file, in their order.
using StoredSpeeds = std::array<double, 8 + kWays>;
std::array<double*, std::tuple_size_v<StoredSpeeds>> members_of(Speeds& speeds) {
  return {&speeds.cpu.start,      &speeds.cpu.rate,      &speeds.gpu.start,        &speeds.gpu.rate,
          &speeds.software.start, &speeds.software.each, &speeds.beside_gpu.start, &speeds.beside_gpu.each,
          &speeds.seen[0],        &speeds.seen[1],       &speeds.seen[2]};
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

std::filesystem::path SpeedFiles::file_of(const std::string& whole_key) const {
  return folder_ / ("speeds-" + hash_text(content_hash(whole_key)));
}

std::optional<Speeds> SpeedFiles::recall(const std::string& key) const {
  const std::string whole_key = whole(key);
  const std::vector<uint8_t> data = load_cache(file_of(whole_key), bytes_of(whole_key));
  StoredSpeeds values;
  if (data.size() != sizeof values) return std::nullopt;
  std::memcpy(&values, data.data(), sizeof values);
  Speeds speeds;
  for (size_t i = 0; i < values.size(); ++i) *members_of(speeds)[i] = values[i];
  const auto is_known = [](double value) { return std::isfinite(value) && value >= 0; };
  const bool is_whole =
      std::all_of(values.begin(), values.end(), is_known) && speeds.cpu.rate > 0 && speeds.gpu.rate > 0;
  return is_whole ? std::optional(speeds) : std::nullopt;
}

void SpeedFiles::keep(const std::string& key, const Speeds& speeds) {
  Speeds kept = speeds;
  StoredSpeeds values;
  for (size_t i = 0; i < values.size(); ++i) values[i] = *members_of(kept)[i];
  uint8_t data[sizeof values];
  std::memcpy(data, &values, sizeof values);
  const std::string whole_key = whole(key);
  save_cache(file_of(whole_key), bytes_of(whole_key), data);
}

}  // namespace vq
