#include "engine/libvmaf/environment.h"

#include <cstdlib>

#include "core/text.h"
#include "engine/libvmaf/log.h"

namespace vq::libvmaf {
namespace {

#ifdef _WIN32
// No program has rights there that its user lacks.
const char* value_of(const char* variable) {
  return std::getenv(variable);
}

std::optional<std::filesystem::path> cache_folder() {
  // Of the variable's two forms the other may lack characters of a user's name.
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
