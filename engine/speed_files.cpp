#include "engine/speed_files.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <span>
#include <vector>

#include "core/content_hash.h"
#include "core/version.h"
#include "vulkan/cache_file.h"

namespace vq {
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

// By which a file says for what it is.
std::string whole(const std::string& key) {
  return std::string("speeds 5, cambi ") + version() + "\n" + cpu_model() + "\n" + key;
}

bool is_pace(const Pace& pace) {
  return std::isfinite(pace.start) && pace.start >= 0 && std::isfinite(pace.rate) && pace.rate > 0;
}

bool is_pace(const DecodingPace& pace) {
  return std::isfinite(pace.start) && pace.start >= 0 && std::isfinite(pace.each) && pace.each >= 0;
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
  const std::vector<uint8_t> data = vulkan::load_cache(file_of(whole_key), bytes_of(whole_key));
  double values[8 + kWays] = {};
  if (data.size() != sizeof values) return std::nullopt;
  std::memcpy(values, data.data(), sizeof values);
  const Speeds speeds = {.cpu = {values[0], values[1]},
                         .gpu = {values[2], values[3]},
                         .software = {values[4], values[5]},
                         .beside_gpu = {values[6], values[7]},
                         .seen = {values[8], values[9], values[10]}};
  const auto is_known = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  const bool is_whole = is_pace(speeds.cpu) && is_pace(speeds.gpu) && is_pace(speeds.software) &&
                        is_pace(speeds.beside_gpu) &&
                        std::all_of(speeds.seen.begin(), speeds.seen.end(), is_known);
  return is_whole ? std::optional(speeds) : std::nullopt;
}

void SpeedFiles::keep(const std::string& key, const Speeds& speeds) {
  const double values[] = {speeds.cpu.start,        speeds.cpu.rate,        speeds.gpu.start,
                           speeds.gpu.rate,         speeds.software.start,  speeds.software.each,
                           speeds.beside_gpu.start, speeds.beside_gpu.each, speeds.seen[0],
                           speeds.seen[1],          speeds.seen[2]};
  uint8_t data[sizeof values];
  std::memcpy(data, values, sizeof values);
  const std::string whole_key = whole(key);
  vulkan::save_cache(file_of(whole_key), bytes_of(whole_key), data);
}

}  // namespace vq
