// All backends of a machine, measured with a video or made-up pictures.
#pragma once

#include <functional>
#include <string>

#include "cli/bench/bench_figures.h"
#include "cli/bench/bench_input.h"
#include "cli/inputs/run_options.h"

namespace vq::cli {

struct BenchRequest {
  RunOptions run;  // its backend: the only one; none: those that the machine has. Its video: empty for
                   // made-up pictures
  BenchTime time;
};

// `tell` gets what is measured now. A backend that fails leaves the others and says why; after an interrupt
// there is what was measured before. Throws Error where the inputs cannot be read or do not fit, and kBackend
// where there is nothing to measure.
BenchResult run_bench(const BenchRequest& request, const std::function<void(const std::string& what)>& tell);

}  // namespace vq::cli
