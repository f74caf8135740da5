// Measurement of all backends of a machine, with a video or synthetic pictures.
#pragma once

#include <functional>
#include <string>

#include "cli/bench/bench_backend.h"
#include "cli/bench/bench_text.h"
#include "cli/inputs/run_options.h"

namespace vq::cli {

struct BenchRequest {
  // its backend: the only one to measure; none: all that are available. Its video: empty for synthetic
  // pictures
  RunOptions run;
  BenchTime time;
};

// `tell` is called with the current activity. A backend that fails does not stop the others and says why;
// after an interrupt the result has what was measured before. Throws Error if the inputs cannot be read or do
// not fit, and kBackend if there is nothing to measure.
BenchResult run_bench(const BenchRequest& request, const std::function<void(const std::string& what)>& tell);

}  // namespace vq::cli
