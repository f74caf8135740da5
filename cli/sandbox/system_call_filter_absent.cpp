// Stands in for the filter if libseccomp was not found when the program was built.
#include "cli/sandbox/sandbox.h"
#include "core/error.h"

namespace vq::cli {

void check_filter_is_built() {
  throw usage_error(
      "this build has no --sandbox: libseccomp was not found when it was built. Install libseccomp-dev and "
      "build again, or see docs/security.md for other ways to confine a run.");
}

void filter_system_calls(bool) { check_filter_is_built(); }

}  // namespace vq::cli
