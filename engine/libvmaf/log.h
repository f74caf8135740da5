// What the library says on the standard error.
#pragma once

#include <string_view>

namespace vq::libvmaf {

// As VmafLogLevel counts them.
enum class LogLevel { kNone, kError, kWarning, kInfo, kDebug };

// Of the whole process; kInfo before this was called.
void set_log_level(LogLevel level);

// Writes a line "libvmaf ERROR text" in one piece, unless the level is a lower one. From any thread, and
// without memory of its own.
void log(LogLevel level, std::string_view text) noexcept;

}  // namespace vq::libvmaf
