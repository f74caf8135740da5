// The one exception type of the project.
#pragma once

#include <stdexcept>
#include <string>

namespace vq {

// Why a run ended. The value is the exit code of the program.
enum class ErrorKind {
  kUsage = 1,       // bad command line
  kInput = 2,       // an input cannot be opened or decoded
  kMismatch = 3,    // the inputs do not fit together, or are too small or too large
  kBackend = 4,     // backend or device not available, or lost
  kOutput = 5,      // an output cannot be written
  kIncomplete = 6,  // the input ended early; what was scored is in FILE.partial
  kThreshold = 7,   // a threshold was crossed, or things compared differ
  kResource = 8,    // memory or another limit
  kInternal = 70,   // always a defect of this program
};

// Thrown while opening, planning, reading and submitting; stages never throw. The message is one line without
// a trailing full stop being required: what happened, the value, why, and what to try.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

}  // namespace vq
