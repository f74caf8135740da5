// What the library says on the standard error.
#pragma once

#include <string>

namespace vq::libvmaf {

// As VmafLogLevel counts them.
enum class LogLevel { kNone, kError, kWarning, kInfo, kDebug };

// Of the whole process; kInfo before this was called.
void set_log_level(LogLevel level);

// A line "libvmaf ERROR text", written at once, unless the level is a lower one. From any thread.
void log(LogLevel level, const std::string& text) noexcept;

}  // namespace vq::libvmaf
