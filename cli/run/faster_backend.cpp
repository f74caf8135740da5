#include "cli/run/faster_backend.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <span>

#include "core/content_hash.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "feature/simd_targets.h"
#include "vulkan/cache_file.h"

namespace vq::cli {
namespace {

// What the system calls the CPU; empty where it does not say.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

Execution on_cpu(const SpeedQuestion& question) {
  Execution execution = question.on_gpu;
  execution.backend = Backend::kCpu;
  execution.devices = {};
  return execution;
}

std::string describe(const VideoFormat& format) {
  const int64_t samples = int64_t{format.width} * format.height;
  return "2^" + std::to_string(std::bit_width(static_cast<uint64_t>(samples))) + " samples of " +
         std::to_string(format.bit_depth) + " bits " + std::string(to_string(format.chroma));
}

// Names differ, and the file says for what it is.
std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& key) {
  return folder / ("speeds-" + hash_text(content_hash(key)));
}

bool is_pace(const Pace& pace) {
  return std::isfinite(pace.start) && pace.start >= 0 && std::isfinite(pace.rate) && pace.rate > 0;
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::optional<Speeds> read_speeds(const std::filesystem::path& file, const std::string& key) {
  const std::vector<uint8_t> data = vulkan::load_cache(file, bytes_of(key));
  double values[4] = {};
  if (data.size() != sizeof values) return std::nullopt;
  std::memcpy(values, data.data(), sizeof values);
  const Speeds speeds = {.cpu = {values[0], values[1]}, .gpu = {values[2], values[3]}};
  return is_pace(speeds.cpu) && is_pace(speeds.gpu) ? std::optional(speeds) : std::nullopt;
}

void write_speeds(const std::filesystem::path& file, const std::string& key, const Speeds& speeds) {
  const double values[4] = {speeds.cpu.start, speeds.cpu.rate, speeds.gpu.start, speeds.gpu.rate};
  uint8_t data[sizeof values];
  std::memcpy(data, values, sizeof values);
  vulkan::save_cache(file, bytes_of(key), data);
}

// "14 times as fast as", "1.4 times as fast as", "as fast as".
std::string comparison(double ratio) {
  constexpr double kWhole = 9.95;
  char number[32];
  std::snprintf(number, sizeof number, ratio < kWhole ? "%.1f" : "%.0f", ratio);
  return std::strcmp(number, "1.0") == 0 ? "as fast as" : std::string(number) + " times as fast as";
}

}  // namespace

double Speeds::advantage_of_gpu(std::optional<int64_t> frames) const {
  return frames ? cpu.seconds(*frames) / gpu.seconds(*frames) : gpu.rate / cpu.rate;
}

std::string circumstances(const SpeedQuestion& question) {
  const vulkan::DeviceInfo& device = question.device;
  const Execution cpu = on_cpu(question);
  std::string key = std::string("speeds 2, cambi ") + CAMBI_VERSION + "\n" + device.name + "\n" +
                    hexadecimal(device.uuid) + "\n" + device.driver + "\n" + cpu_model() + "\n" + host_simd(cpu) + "\n" +
                    std::to_string(cpu.pool->size()) + " threads\n" + describe(question.formats.distorted) + "\n";
  if (frame_use(question.features).reference && question.formats.reference) key += describe(*question.formats.reference) + "\n";
  for (const std::string& name : metric_names(question.features)) key += name + "\n";
  for (const FeatureRequest& request : question.features) {
    key += std::string(request.heatmaps ? "heatmaps" : "") + (request.histograms ? "histograms" : "") + "\n";
  }
  return key;
}

Speeds speeds_of(const SpeedQuestion& question) {
  std::string key;
  std::filesystem::path file;
  if (question.cache_folder) {
    key = circumstances(question);
    file = file_of(*question.cache_folder, key);
    if (const std::optional<Speeds> known = read_speeds(file, key)) return *known;
  }
  const Speeds found = {.cpu = question.pace(on_cpu(question)), .gpu = question.pace(question.on_gpu)};
  if (question.cache_folder) write_speeds(file, key, found);
  return found;
}

std::string speed_note(const Speeds& speeds, std::optional<int64_t> frames, const std::string& device) {
  const double advantage = speeds.advantage_of_gpu(frames);
  if (advantage >= 1) {
    return "using " + device + ": " + comparison(advantage) + " the CPU here (--backend cpu uses the CPU)";
  }
  return "using the CPU: " + comparison(1 / advantage) + " " + device + " here (--backend vulkan uses that)";
}

}  // namespace vq::cli
