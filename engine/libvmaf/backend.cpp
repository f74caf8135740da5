#include "engine/libvmaf/context.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "engine/backend_choice.h"
#include "engine/faster_backend.h"
#include "engine/libvmaf/log.h"
#include "feature/device_feature.h"

namespace vq::libvmaf {
namespace {

// Smaller pictures are done before a device has begun.
constexpr int64_t kLeastArea = int64_t{640} * 360;
// So are contexts of fewer frames.
constexpr uint64_t kFewFrames = 8;

Execution with_devices(Execution execution, const Environment& environment,
                       std::span<const FeatureRequest> features) {
  execution.devices =
      lease_selection({.selector = environment.device,
                       .requirement = device_requirement(infos_of(features), execution.backend),
                       .cache_folder = environment.cache_folder});
  (void)execution.devices.opened.get();  // throws what is wrong with them
  return execution;
}

std::atomic<uint64_t>& frames_of_last_context() {
  static std::atomic<uint64_t> frames{kFewFrames};
  return frames;
}

// Whether a device is likely to be faster than the CPU. Nothing is measured here: encoders open a context for
// each frame.
bool is_worth_it(const BackendChoice& choice, const Environment& environment, const SpeedQuestion& question) {
  if (!choice.is_open) return true;  // it is named
  if (environment.cache_folder) {
    SpeedFiles files(*environment.cache_folder);
    SpeedQuestion remembered = question;
    remembered.memory = &files;
    if (const auto speeds = remembered_speeds(remembered)) {
      log(LogLevel::kInfo, speed_note(*speeds, {}, question.device.name).text);
      return speeds->gpu_is_better({});
    }
  }
  const VideoFormat& format = question.formats.distorted;
  return int64_t{format.width} * format.height >= kLeastArea && frames_of_last_context() >= kFewFrames;
}

Execution automatic(const Execution& on_cpu, const Environment& environment, const BackendLimits& limits,
                    std::span<const FeatureRequest> features, const VideoFormats& formats) {
  if (limits.cpumask != 0) return on_cpu;
  const BackendRequest request = {.device = environment.device, .features = infos_of(features)};
  try {
    const BackendChoice choice = vq::choose_backend(request, devices_for(request));
    const auto is_software = [](const vulkan::DeviceInfo& device) {
      return device.type == vulkan::DeviceType::kSoftware;
    };
    if (choice.infos.empty() || std::any_of(choice.infos.begin(), choice.infos.end(), is_software))
      return on_cpu;
    Execution on_device = on_cpu;
    on_device.backend = choice.backend;
    on_device.threads = limits.threads;
    const SpeedQuestion question = {.features = features,
                                    .formats = formats,
                                    .on_gpu = on_device,
                                    .device = choice.infos.front(),
                                    .frames = {},
                                    .pace = {}};
    return is_worth_it(choice, environment, question) ? with_devices(on_device, environment, features)
                                                      : on_cpu;
  } catch (const Error& error) {
    log(LogLevel::kWarning, std::string(error.what()) + "; the CPU takes its place");
    return on_cpu;
  }
}

}  // namespace

Execution choose_backend(const Environment& environment, const BackendLimits& limits,
                         std::span<const FeatureRequest> features, const VideoFormats& formats) {
  const std::string& word = environment.backend;
  Execution chosen;
  chosen.cpumask = limits.cpumask;
  if (word.empty() || (word == "auto" && limits.forbids_devices)) return chosen;
  if (word == "auto") return automatic(chosen, environment, limits, features, formats);
  const std::optional<Backend> named = backend_named(word);
  if (!named)
    throw Error(ErrorKind::kUsage, "CAMBI_BACKEND=" + printable(word) +
                                       " is no backend; there are auto, cpu, scalar, hybrid and vulkan");
  if (is_on_device(*named) && limits.forbids_devices) return chosen;
  chosen.backend = *named;
  return is_on_device(*named) ? with_devices(chosen, environment, features) : chosen;
}

std::string device_with(const std::array<uint8_t, 16>& uuid) {
  for (const vulkan::DeviceInfo& device : vulkan::list_devices().devices) {
    if (device.uuid == uuid) return std::to_string(device.index);
  }
  throw Error(ErrorKind::kBackend, "Vulkan does not see CUDA's device");
}

void note_context(uint64_t frames) {
  frames_of_last_context() = frames;
}

namespace {

#ifdef _WIN32
// No program has rights there that its user lacks.
const char* value_of(const char* variable) {
  return std::getenv(variable);
}

std::optional<std::filesystem::path> cache_folder() {
  // The variable's other form may lack characters of a user's name.
  const wchar_t* const local = _wgetenv(L"LOCALAPPDATA");
  const std::filesystem::path cache = local == nullptr ? L"" : local;
  return cache.is_absolute() ? std::optional(cache / "cambi") : std::nullopt;
}
#else
const char* value_of(const char* variable) {
  return secure_getenv(variable);
}

std::optional<std::filesystem::path> cache_folder() {
  const auto folder = [](const char* variable) -> std::filesystem::path {
    const char* const value = value_of(variable);
    return value == nullptr ? "" : value;
  };
  const std::filesystem::path cache = folder("XDG_CACHE_HOME"), home = folder("HOME");
  if (cache.is_absolute()) return cache / "cambi";
  if (home.is_absolute()) return home / ".cache" / "cambi";
  return std::nullopt;
}
#endif

std::string text_of(const char* variable) {
  const char* const text = value_of(variable);
  return text == nullptr ? "" : text;
}

std::optional<long long> number_of(const char* variable, long long most) {
  const std::string text = text_of(variable);
  long long number = 0;
  if (text.empty()) return std::nullopt;
  if (parse_int(text, number) && number >= 0 && number <= most) return number;
  log(LogLevel::kError,
      words("{}={} is no number from 0 to {} and counts for nothing", variable, printable(text), most));
  return std::nullopt;
}

}  // namespace

Environment read_environment() {
  constexpr long long kMostThreads = 1024, kMostMegabytes = 1 << 20;
  Environment asked{.backend = text_of("CAMBI_BACKEND"),
                    .device = text_of("CAMBI_DEVICE"),
                    .threads = {},
                    .cache_folder = cache_folder()};
  if (const auto threads = number_of("CAMBI_THREADS", kMostThreads))
    asked.threads = static_cast<int>(*threads);
  if (const auto megabytes = number_of("CAMBI_QUEUE_MB", kMostMegabytes))
    asked.queue_bytes = *megabytes << 20;
  return asked;
}

}  // namespace vq::libvmaf
