// What it means that an input cannot be opened.
#pragma once

#include <cerrno>
#include <string>

#include "core/error.h"
#include "core/text/message_text.h"

namespace vq {

// With this errno: kResource where memory or descriptors are missing, which says nothing about the input.
inline ErrorKind input_error_kind(int error) {
  const bool is_exhausted = error == EMFILE || error == ENFILE || error == ENOMEM;
  return is_exhausted ? ErrorKind::kResource : ErrorKind::kInput;
}

// "clip.mp4: cannot be opened: No such file or directory", with this errno; 0 where the cause is not known.
inline Error input_error(const std::string& path, const std::string& what, int error) {
  return Error(input_error_kind(error),
               shown_path(path) + ": " + what + (error != 0 ? ": " + errno_text(error) : ""));
}

}  // namespace vq
