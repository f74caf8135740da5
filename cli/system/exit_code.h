// The program's exit codes, as listed in the manual page and docs/report.md.
#pragma once

#include "core/error.h"

namespace vq {

constexpr int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return 1;
    case ErrorKind::kInput:
      return 2;
    case ErrorKind::kMismatch:
      return 3;
    case ErrorKind::kBackend:
      return 4;
    case ErrorKind::kOutput:
      return 5;
    case ErrorKind::kIncomplete:
      return 6;
    case ErrorKind::kThreshold:
      return 7;
    case ErrorKind::kResource:
      return 8;
    case ErrorKind::kInternal:
      break;
  }
  return 70;
}

inline int exit_code(const Error& error) {
  return exit_code(error.kind());
}

}  // namespace vq
