#include "cli/sandbox/sandbox.h"
#include "core/error.h"

namespace vq::cli {

std::string enter_sandbox(const SandboxPaths&) {
  throw Error(
      ErrorKind::kUsage,
      "--sandbox needs Linux. On Windows, run cambi as a user who may read the videos and nothing else.");
}

}  // namespace vq::cli
