// The project's exception type.
#pragma once

#include <cerrno>
#include <stdexcept>

#include "core/text.h"

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
  // The message is words() of the rest.
  template <typename First, typename... Rest>
  Error(ErrorKind kind, std::type_identity_t<Form<1 + sizeof...(Rest)>> form, const First& first,
        const Rest&... rest)
      : Error(kind, words(form, first, rest...)) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// A fault of the command line.
inline Error usage_error(const std::string& message) { return Error(ErrorKind::kUsage, message); }
template <typename First, typename... Rest>
Error usage_error(std::type_identity_t<Form<1 + sizeof...(Rest)>> form, const First& first,
                  const Rest&... rest) {
  return Error(ErrorKind::kUsage, words(form, first, rest...));
}

// The meaning of a failure to open an input.

// With this errno: kResource if memory or descriptors are missing, which says nothing about the input.
inline ErrorKind input_error_kind(int error) {
  const bool is_exhausted = error == EMFILE || error == ENFILE || error == ENOMEM;
  return is_exhausted ? ErrorKind::kResource : ErrorKind::kInput;
}

// "clip.mp4: cannot be opened: No such file or directory", with this errno; 0 if the cause is not known.
inline Error input_error(const std::string& path, const std::string& what, int error) {
  return Error(input_error_kind(error),
               shown_path(path) + ": " + what + (error != 0 ? ": " + errno_text(error) : ""));
}

}  // namespace vq
