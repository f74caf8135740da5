// What it means that an input cannot be opened.
#pragma once

#include <cerrno>

#include "core/error.h"

namespace vq::cli {

// With this errno: kResource where memory or descriptors are missing, which says nothing about the input.
inline ErrorKind input_error_kind(int error) {
  const bool is_exhausted = error == EMFILE || error == ENFILE || error == ENOMEM;
  return is_exhausted ? ErrorKind::kResource : ErrorKind::kInput;
}

}  // namespace vq::cli
