// The cross-backend gate: the same run on several backends, one after the other.
#pragma once

#include <vector>

#include "cli/inputs/run_options.h"
#include "cli/reports/gate_report.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Scores the inputs once on each backend. Throws Error as a scoring run does: a gate never leaves a backend
// out.
GateResult run_backends(const RunOptions& arguments, const std::vector<Backend>& backends, int places,
                        Messages& messages);

}  // namespace vq::cli
