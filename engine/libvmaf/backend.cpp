#include "engine/libvmaf/context.h"

#include <cstdlib>

#include "core/error.h"
#include "core/text.h"
#include "engine/backend_choice.h"
#include "feature/device_feature.h"

namespace vq::libvmaf {

// Smaller pictures are done before a device has begun.
constexpr int64_t kLeastArea = int64_t{640} * 360;
// So are contexts of fewer frames.
constexpr uint64_t kFewFrames = 8;

static Execution with_devices(Execution execution, const Environment& environment,
                              std::span<const FeatureRequest> features) {
  execution.devices =
      lease_selection({.selector = environment.device,
                       .requirement = device_requirement(infos_of(features), execution.backend),
                       .cache_folder = environment.cache_folder});
  (void)execution.devices.opened.get();  // throws what is wrong with them
  return execution;
}

static std::atomic<uint64_t>& frames_of_last_context() {
  static std::atomic<uint64_t> frames{kFewFrames};
  return frames;
}

// Whether a device that was not named is likely to be faster than the CPU: encoders open a context for each
// frame.
static bool is_worth_it(const VideoFormat& format) {
  return int64_t{format.width} * format.height >= kLeastArea && frames_of_last_context() >= kFewFrames;
}

static Execution automatic(const Execution& on_cpu, const Environment& environment,
                           const BackendLimits& limits, std::span<const FeatureRequest> features,
                           const VideoFormats& formats) {
  if (limits.cpumask != 0) return on_cpu;
  const BackendRequest request = {.device = environment.device, .features = infos_of(features)};
  try {
    const BackendChoice choice = vq::choose_backend(request, devices_for(request));
    if (choice.infos.empty() ||
        contains(choice.infos, vulkan::DeviceType::kSoftware, &vulkan::DeviceInfo::type) ||
        (environment.device.empty() && !is_worth_it(formats.distorted)))
      return on_cpu;
    Execution on_device = on_cpu;
    on_device.backend = choice.backend;
    on_device.threads = limits.threads;
    return with_devices(on_device, environment, features);
  } catch (const Error& error) {
    log(LogLevel::kWarning, words("{}; the CPU takes its place", error.what()));
    return on_cpu;
  }
}

Execution choose_backend(const Environment& environment, const BackendLimits& limits,
                         std::span<const FeatureRequest> features, const VideoFormats& formats) {
  const std::string& word = environment.backend;
  Execution chosen;
  chosen.cpumask = limits.cpumask;
  if (word.empty() || (word == "auto" && limits.forbids_devices)) return chosen;
  if (word == "auto") return automatic(chosen, environment, limits, features, formats);
  const std::optional<Backend> named = backend_named(word);
  if (!named)
    throw usage_error("CAMBI_BACKEND={} is no backend; there are auto, cpu, scalar, hybrid and vulkan",
                      printable(word));
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

void note_context(uint64_t frames) { frames_of_last_context() = frames; }

namespace {

const char* value_of(const char* variable) {
#ifdef _WIN32
  return std::getenv(variable);  // no program has rights there that its user lacks
#else
  return secure_getenv(variable);
#endif
}

std::string text_of(const char* variable) {
  const char* const text = value_of(variable);
  return text == nullptr ? "" : text;
}

std::optional<long long> number_in(const char* variable, long long most) {
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
                    .cache_folder = cache_folder(value_of)};
  if (const auto threads = number_in("CAMBI_THREADS", kMostThreads))
    asked.threads = static_cast<int>(*threads);
  if (const auto megabytes = number_in("CAMBI_QUEUE_MB", kMostMegabytes))
    asked.queue_bytes = *megabytes << 20;
  return asked;
}

}  // namespace vq::libvmaf
