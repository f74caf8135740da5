// The one exception type of the project.
#pragma once

#include <stdexcept>
#include <string>

namespace vq {

// Why a run ended.
enum class ErrorKind {
  kUsage,       // bad options
  kInput,       // an input cannot be opened or decoded
  kMismatch,    // the inputs do not fit together, or are too small or too large
  kBackend,     // backend or device not available, or lost
  kOutput,      // an output cannot be written
  kIncomplete,  // the input ended early
  kThreshold,   // a threshold was crossed, or things compared differ
  kResource,    // memory or another limit
  kInternal,    // always a defect of this program
};

// Thrown while opening, planning, reading and submitting; stages never throw. The message is one line without
// a trailing full stop being required: what happened, the value, why, and what to try.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace vq
