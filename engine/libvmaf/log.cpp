#include "engine/libvmaf/interface.h"

#include <atomic>
#include <cstdio>

namespace vq::libvmaf {

static std::atomic<LogLevel>& process_level() {
  static std::atomic<LogLevel> level{LogLevel::kInfo};
  return level;
}

static const char* to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "ERROR";
    case LogLevel::kWarning:
      return "WARNING";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kNone:
    case LogLevel::kDebug:
      break;
  }
  return "DEBUG";
}

void set_log_level(LogLevel level) {
  process_level() = level;
}

void log(LogLevel level, std::string_view text) noexcept {
  if (level > process_level().load()) return;
  // In one call, so that lines of several threads do not mix.
  std::fprintf(stderr, "libvmaf %s %.*s\n", to_string(level), static_cast<int>(text.size()), text.data());
}

}  // namespace vq::libvmaf
