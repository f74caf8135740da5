// A saved report to which thresholds are relative: --baseline old.json --fail-above 'mean>+0.5'.
#pragma once

#include <string>
#include <vector>

#include "engine/report/report.h"

namespace vq {

struct Baseline {
  std::string path;
  Report report;
};

// Reasons why the two are not quite comparable, one sentence each: different lengths, sizes, rectangles or
// options, or a run that ended early. Facts that a compatible report lacks are assumed to be equal.
std::vector<std::string> remarks_on_baseline(const Baseline& baseline, const Report& report);

}  // namespace vq
